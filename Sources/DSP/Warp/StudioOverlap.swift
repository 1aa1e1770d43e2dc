internal import CRealtime

/// The overlap-add buffer of the studio engine, with a ring of finished output for the resampler.
///
/// Positions are in stretched samples since the start. The sum of frames is divided by the sum of
/// their windows, so hops may vary.
struct StudioOverlap: ~Copyable {
  private let buffers = Buffers()
  // Sums start at `whole`. The ring holds finished samples for the reader and mirrors its first
  // ones after the last, like a tape.
  private let sums: UnsafeMutablePointer<Float>
  private let room: Int
  private let ring: UnsafeMutablePointer<Float>
  private let ringSize: Int
  private let ringStep: Int
  // The number of sums from `whole` on that may be nonzero.
  private var used = 0
  // The gain of a forward and inverse transform.
  private let gain: Float
  /// The position of the first unfinished sample.
  private(set) var whole: Int64 = 0

  /// Creates a buffer for frames that end at most `longest` samples after `whole`.
  ///
  /// At most `piece` samples finish at once, and reads span at most `reach`. Frames are scaled by
  /// `gain`.
  init(longest: Int, piece: Int, reach: Int, gain: Float) {
    self.gain = gain
    room = longest + 8
    sums = buffers.floats(3 * room)
    ringSize = .powerOfTwo(atLeast: max(64, piece + 2 * reach))
    ringStep = ringSize + reach
    ring = buffers.floats(2 * ringStep)
  }

  /// Clears the buffer and restarts at position 0.
  @_noLocks
  mutating func start() {
    rt_zero(sums, 3 &* room)
    rt_zero(ring, 2 &* ringStep)
    whole = 0
    used = 0
  }

  /// Returns the left channel of the finished output from `place` on.
  @_noLocks
  borrowing func left(at place: Int64) -> UnsafePointer<Float> {
    UnsafePointer(ring + (Int(truncatingIfNeeded: place) & (ringSize &- 1)))
  }

  /// Returns the right channel of the finished output from `place` on.
  @_noLocks
  borrowing func right(at place: Int64) -> UnsafePointer<Float> {
    UnsafePointer(ring + ringStep + (Int(truncatingIfNeeded: place) & (ringSize &- 1)))
  }

  /// Adds a frame.
  ///
  /// `sound` starts with its center and wraps at the transform size.
  ///
  /// It rises from the first unfinished sample to its center, and falls with the window's slope.
  /// The analysis window is applied as `shift` samples later in it.
  @_noLocks
  mutating func add(
    _ sound: Planar, window: borrowing StudioWindow, at centre: Int64, shift: Int
  ) {
    let size = window.size
    let distance = Int(truncatingIfNeeded: centre &- whole)
    let before = min(max(distance, 0), size / 2)
    // When the pitch falls, samples beyond the center may be finished already.
    let late = min(max(0 &- distance, 0), window.fall)
    let first = max(distance, 0) &- before
    let after = min(window.fall, room &- first &- before)
    Self.fillRise(window.falling - before, frames: before)
    let sums = self.sums + first
    let weights = window.falling - before + late
    window.addHeights(
      from: late &- before &- shift, times: weights, to: sums + 2 &* room,
      frames: before &+ after &- late)
    for side in 0..<2 {
      let from = side == 0 ? sound.real : sound.imaginary
      let to = sums + side &* room
      Self.add(from + (size &- before), times: weights, to: to, frames: before)
      Self.add(
        from + late, times: weights + before, to: to + before, frames: max(after &- late, 0))
    }
    used = max(used, first &+ before &+ max(after, 0))
  }

  @_noLocks
  private static func add(
    _ from: UnsafePointer<Float>, times weights: UnsafePointer<Float>,
    to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] += from[frame] * weights[frame] }
  }

  /// Writes a rising Hann slope with a recursive oscillator, four values at a time.
  @_noLocks
  private static func fillRise(_ to: UnsafeMutablePointer<Float>, frames: Int) {
    guard frames > 0 else { return }
    let step = Float.pi / Float(frames)
    let begin = step / 2
    var real = SIMD4<Float>(repeating: 0)
    var imaginary = real
    for lane in 0..<4 {
      real[lane] = Float(rt_cos(Double(begin + Float(lane) * step)))
      imaginary[lane] = Float(rt_sin(Double(begin + Float(lane) * step)))
    }
    var pointer = Complex4(real, imaginary)
    let turn = Complex4(
      SIMD4(repeating: Float(rt_cos(Double(4 * step)))),
      SIMD4(repeating: Float(rt_sin(Double(4 * step)))))
    var frame = 0
    while frame < frames {
      let values = (1 - pointer.real) * 0.5
      if frame &+ 4 <= frames {
        to.setFour(at: frame, values)
      } else {
        for lane in 0..<(frames &- frame) { to[frame &+ lane] = values[lane] }
      }
      pointer = pointer * turn
      frame &+= 4
    }
  }

  /// Finishes all samples before `end`, to which no more frames will be added.
  ///
  /// Below a window sum of `least` the sound is fading in and isn't normalized.
  @_noLocks
  mutating func finish(upTo end: Int64, least: Float) {
    var count = min(max(Int(truncatingIfNeeded: end &- whole), 0), room)
    while count > 0 {
      let at = Int(truncatingIfNeeded: whole) & (ringSize &- 1)
      let piece = min(count, ringSize &- at)
      put(piece, at: at, least: least)
      let left = max(used &- piece, 0)
      for part in 0..<3 {
        let sums = self.sums + part &* room
        for frame in 0..<left { sums[frame] = sums[frame &+ piece] }
        rt_zero(sums + left, used &- left)
      }
      used = left
      whole &+= Int64(piece)
      count &-= piece
    }
  }

  /// Replaces the finished output from `start` on by the tape, whose positions are `earlier` frames
  /// lower.
  @_noLocks
  mutating func replace(from start: Int64, by tape: borrowing Tape, earlier: Int64) {
    let reach = ringStep &- ringSize
    var place = start
    while place < whole {
      let at = Int(truncatingIfNeeded: place) & (ringSize &- 1)
      // A piece is contiguous on the tape, and so is its mirrored part in the ring.
      let left = Int(truncatingIfNeeded: whole &- place)
      let piece = min(min(left, tape.reach), at < reach ? reach &- at : ringSize &- at)
      let from = place &- earlier
      rt_copy(ring + at, tape.left(at: from), piece)
      rt_copy(ring + (ringStep &+ at), tape.right(at: from), piece)
      if at < reach {
        rt_copy(ring + (ringSize &+ at), tape.left(at: from), piece)
        rt_copy(ring + (ringStep &+ ringSize &+ at), tape.right(at: from), piece)
      }
      place &+= Int64(piece)
    }
  }

  @_noLocks
  private func put(_ count: Int, at: Int, least: Float) {
    let left = ring + at
    let right = ring + (ringStep &+ at)
    let reach = ringStep &- ringSize
    for frame in 0..<count {
      let share = 1 / (gain * max(sums[2 &* room &+ frame], least))
      left[frame] = sums[frame] * share
      right[frame] = sums[room &+ frame] * share
    }
    if at < reach {
      let again = min(count, reach &- at)
      rt_copy(left + ringSize, left, again)
      rt_copy(right + ringSize, right, again)
    }
  }
}
