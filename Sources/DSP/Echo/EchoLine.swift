internal import CRealtime

/// The delay line of the echo, with fixed and moving taps.
///
/// It is never cleared: samples older than the last `empty()` read as silence.
struct EchoLine: ~Copyable {
  // Contiguous frames that a read may span: the interpolator's taps plus one piece.
  private static let reach = 320
  // Silence between old and new content, long enough that no interpolator spans both.
  private static let gap = 64
  private static let lead = 15
  private static let taps = 32

  private var tape: Tape
  private let table: SincTable
  private var firstHeard: Int64 = 0

  private let buffers = Buffers()
  // Interpolation weights for two fixed taps, in sample order, and the fractional positions they
  // were computed for.
  private let weights: UnsafeMutablePointer<Float>
  private let impulse: UnsafeMutablePointer<Float>
  private var fractions: (UInt32, UInt32) = (0, 0)

  /// Creates an empty line of `seconds`.
  init(seconds: Double, sampleRate: Float) {
    tape = Tape(seconds: seconds, reach: Self.reach, sampleRate: Double(sampleRate))
    table = SincTable(taps: Self.taps, cutoff: 1)
    weights = buffers.floats(2 * Self.taps)
    impulse = buffers.floats(3 * Self.taps)
    impulse[Self.taps + Self.lead] = 1
  }

  /// Makes all current content read as silence.
  @_noLocks
  mutating func empty() {
    firstHeard = tape.head &+ Int64(Self.gap / 2 &- Self.lead)
    tape.writeSilence(frames: Self.gap)
  }

  /// Appends `frames` frames.
  @_noLocks
  mutating func write(_ sound: Stereo, frames: Int) { tape.write(sound, frames: frames) }

  /// Reads `frames` frames from `delay` before the write position, advancing by `step` per frame.
  @_noLocks
  borrowing func readMoving(delay: Int64, step: Int64, to output: Stereo, frames: Int) {
    let place = tape.head &+ (0 &- delay) >> 32
    if place < firstHeard {
      output.clear(frames: frames)
      return
    }
    let fraction = Int64(UInt32(truncatingIfNeeded: 0 &- delay))
    let start = place &- Int64(Self.lead)
    table.read(
      left: tape.left(at: start) + Self.lead, right: tape.right(at: start) + Self.lead,
      from: fraction, step: step, to: output, frames: frames)
  }

  /// Reads `frames` frames at a fixed delay and returns where they are.
  ///
  /// At a whole number of frames that is the tape itself, otherwise `room`, which may be
  /// overwritten by up to 15 frames more. `set` selects one of two sets of weights, 0 or 1.
  @_noLocks
  mutating func readResting(delay: Int64, set: Int, room: Stereo, frames: Int) -> Stereo {
    let place = tape.head &+ (0 &- delay) >> 32
    let fraction = UInt32(truncatingIfNeeded: 0 &- delay)
    let unheard = Int(max(min(firstHeard &- place, Int64(frames)), 0))
    if unheard == frames {
      room.clear(frames: frames)
      return room
    }
    if fraction == 0 {
      let left = tape.left(at: place)
      let right = tape.right(at: place)
      if unheard == 0 {
        return Stereo(UnsafeMutablePointer(mutating: left), UnsafeMutablePointer(mutating: right))
      }
      rt_copy(room.left, left, frames)
      rt_copy(room.right, right, frames)
    } else {
      let weights = prepareWeights(fraction: fraction, set: set)
      let start = place &- Int64(Self.lead)
      Self.convolve(tape.left(at: start), weights, to: room.left, frames: frames)
      Self.convolve(tape.right(at: start), weights, to: room.right, frames: frames)
    }
    room.clear(frames: unheard)
    return room
  }

  /// Returns the interpolation weights for a fractional position.
  @_noLocks
  private mutating func prepareWeights(fraction: UInt32, set: Int) -> UnsafePointer<Float> {
    let row = weights + set &* Self.taps
    let made = set == 0 ? fractions.0 : fractions.1
    if made != fraction {
      if set == 0 { fractions.0 = fraction } else { fractions.1 = fraction }
      // The response to an impulse is the table's weights in reverse order.
      table.read(
        impulse + (Self.taps &- 1), from: Int64(fraction), step: 1 << 32, to: row,
        frames: Self.taps)
      for tap in 0..<(Self.taps / 2) {
        let other = row[Self.taps &- 1 &- tap]
        row[Self.taps &- 1 &- tap] = row[tap]
        row[tap] = other
      }
    }
    return UnsafePointer(row)
  }

  /// Convolves with the 32 weights, 16 frames at a time.
  @_noLocks
  private static func convolve(
    _ samples: UnsafePointer<Float>, _ weights: UnsafePointer<Float>,
    to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    let input = UnsafeRawPointer(samples)
    let room = UnsafeMutableRawPointer(output)
    var offset = 0
    while offset < frames &* 4 {
      var sum = SIMD16<Float>(repeating: 0)
      for tap in 0..<taps {
        sum +=
          input.loadUnaligned(fromByteOffset: offset &+ tap &* 4, as: SIMD16<Float>.self)
          * weights[tap]
      }
      room.storeBytes(of: sum, toByteOffset: offset, as: SIMD16<Float>.self)
      offset &+= 64
    }
  }

  /// Returns the normalized correlation of the signal at two delays: 1 if identical, 0 if
  /// unrelated.
  @_noLocks
  borrowing func likeness(_ a: Int64, _ b: Int64) -> Float {
    let frames = 256
    let first = tape.head &+ (0 &- a) >> 32 &- Int64(frames)
    let second = tape.head &+ (0 &- b) >> 32 &- Int64(frames)
    if min(first, second) < firstHeard { return 0 }
    var both: Float = 0
    var here: Float = 0
    var there: Float = 0
    for side in 0..<2 {
      let x = side == 0 ? tape.left(at: first) : tape.right(at: first)
      let y = side == 0 ? tape.left(at: second) : tape.right(at: second)
      var xy = SIMD8<Float>(repeating: 0)
      var xx = SIMD8<Float>(repeating: 0)
      var yy = SIMD8<Float>(repeating: 0)
      var frame = 0
      while frame < frames {
        let (a, b) = (x.eight(at: frame), y.eight(at: frame))
        xy += a * b
        xx += a * a
        yy += b * b
        frame &+= 8
      }
      both += xy.sum()
      here += xx.sum()
      there += yy.sum()
    }
    let power = rt_square_root(here) * rt_square_root(there)
    return power > 1e-12 ? both / power : 0
  }
}
