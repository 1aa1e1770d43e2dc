internal import CRealtime

/// Reads between the samples of a sound that has its half-way samples beside it.
///
/// Where a sound is known twice as densely as it needs to be, a sinc of 16 taps is as good as one
/// of 64 is otherwise: what it must tell apart lies an octave and a half apart. The half-way
/// samples are made once, with all the taps that anyone wants, when a sound is loaded
/// (`SoundMemory`). A row of the table has eight weights for the samples and eight for those
/// half-way, so that both are read in one piece each.
struct SampleReader: ~Copyable, @unchecked Sendable {
  // Linear interpolation between so many rows leaves less than -105 dB of a tone at 10 kHz.
  private static var places: Int { 256 }
  private static var taps: Int { @_noLocks get { 16 } }
  // Ends at -105 dB, and falls that far between half the sample rate and what mirrors there.
  private static let beta = 10.8

  private let rows: UnsafeMutablePointer<Float>

  init() {
    let window = KaiserWindow(beta: Self.beta)
    // The half-way samples that count go on by one in the middle: the row of the middle is there
    // for both.
    rows = .allocate(capacity: (Self.places + 2) * Self.taps)
    for row in 0..<Self.places + 2 {
      let isLate = row > Self.places / 2
      let fraction = Double(isLate ? row - 1 : row) / Double(Self.places)
      let weights = rows + row * Self.taps
      var sum = 0.0
      for tap in 0..<Self.taps {
        let place =
          tap < 8 ? Double(tap - 3) : Double(tap - 12) + (isLate ? 1.5 : 0.5)
        let distance = place - fraction
        let angle = 2 * Double.pi * distance
        let sinc = abs(distance) < 1e-9 ? 1 : rt_sin(angle) / angle
        let weight = sinc * window.value(at: abs(distance) / 4)
        weights[tap] = Float(weight)
        sum += weight
      }
      for tap in 0..<Self.taps { weights[tap] *= Float(1 / sum) }
    }
  }

  deinit { rows.deallocate() }

  /// The weighted samples around a place, of which all four are still to be added.
  @_noLocks
  @inline(__always)
  private borrowing func four(_ sound: SoundSide, at position: Int64) -> SIMD4<Float> {
    let fraction = UInt32(truncatingIfNeeded: position)
    let place = Int(fraction >> 24)
    let isLate = place >> 7
    let index = Int(position >> 32)
    let row = UnsafeRawPointer(rows + (place &+ isLate) &* Self.taps)
    let share = Float(fraction & 0xFF_FFFF) * (1 / 16_777_216)
    let even = UnsafeRawPointer(sound.samples + (index &- 3))
      .loadUnaligned(as: SIMD8<Float>.self)
    let odd = UnsafeRawPointer(sound.halves + (index &- 4 &+ isLate))
      .loadUnaligned(as: SIMD8<Float>.self)
    let here =
      even * row.loadUnaligned(as: SIMD8<Float>.self)
      + odd * row.loadUnaligned(fromByteOffset: 32, as: SIMD8<Float>.self)
    let next =
      even * row.loadUnaligned(fromByteOffset: 64, as: SIMD8<Float>.self)
      + odd * row.loadUnaligned(fromByteOffset: 96, as: SIMD8<Float>.self)
    let sum = here.lowHalf + here.highHalf
    return sum + ((next.lowHalf + next.highHalf) - sum) * share
  }

  /// Reads from `position` on, each frame `step` further, which grows by `change` a frame; all in
  /// samples with 32 binary places.
  ///
  /// Writes whole fours of frames.
  @_noLocks
  borrowing func read(
    _ sound: SoundSide, from position: Int64, step: Int64, change: Int64,
    to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    var (position, step) = (position, step)
    var frame = 0
    while frame < frames {
      let a = four(sound, at: position)
      position &+= step
      step &+= change
      let b = four(sound, at: position)
      position &+= step
      step &+= change
      let c = four(sound, at: position)
      position &+= step
      step &+= change
      let d = four(sound, at: position)
      position &+= step
      step &+= change
      UnsafeMutableRawPointer(output + frame).storeBytes(
        of: Self.sums(a, b, c, d), as: SIMD4<Float>.self)
      frame &+= 4
    }
  }

  /// The weighted samples of both sides around a place, of which all four are still to be added.
  @_noLocks
  @inline(__always)
  private borrowing func fours(
    _ left: SoundSide, _ right: SoundSide, at position: Int64
  ) -> (left: SIMD4<Float>, right: SIMD4<Float>) {
    let fraction = UInt32(truncatingIfNeeded: position)
    let place = Int(fraction >> 24)
    let isLate = place >> 7
    let index = Int(position >> 32)
    let row = UnsafeRawPointer(rows + (place &+ isLate) &* Self.taps)
    let share = Float(fraction & 0xFF_FFFF) * (1 / 16_777_216)
    let even = row.loadUnaligned(as: SIMD8<Float>.self)
    let odd = row.loadUnaligned(fromByteOffset: 32, as: SIMD8<Float>.self)
    let evens = even + (row.loadUnaligned(fromByteOffset: 64, as: SIMD8<Float>.self) - even) * share
    let odds = odd + (row.loadUnaligned(fromByteOffset: 96, as: SIMD8<Float>.self) - odd) * share
    let (near, far) = (index &- 3, index &- 4 &+ isLate)
    let one =
      UnsafeRawPointer(left.samples + near).loadUnaligned(as: SIMD8<Float>.self) * evens
      + UnsafeRawPointer(left.halves + far).loadUnaligned(as: SIMD8<Float>.self) * odds
    let other =
      UnsafeRawPointer(right.samples + near).loadUnaligned(as: SIMD8<Float>.self) * evens
      + UnsafeRawPointer(right.halves + far).loadUnaligned(as: SIMD8<Float>.self) * odds
    return (one.lowHalf + one.highHalf, other.lowHalf + other.highHalf)
  }

  /// The sums of four fours.
  @_noLocks
  @inline(__always)
  private static func sums(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>
  ) -> SIMD4<Float> {
    let (lowAC, lowBD) = (rt_interleave_low(a, c), rt_interleave_low(b, d))
    let (highAC, highBD) = (rt_interleave_high(a, c), rt_interleave_high(b, d))
    let first = rt_interleave_low(lowAC, lowBD) + rt_interleave_high(lowAC, lowBD)
    return first + (rt_interleave_low(highAC, highBD) + rt_interleave_high(highAC, highBD))
  }

  /// Reads both sides at the same places, as `read` does one.
  @_noLocks
  borrowing func read(
    _ left: SoundSide, _ right: SoundSide, from position: Int64, step: Int64, change: Int64,
    to output: Stereo, frames: Int
  ) {
    var (position, step) = (position, step)
    var frame = 0
    while frame < frames {
      let a = fours(left, right, at: position)
      position &+= step
      step &+= change
      let b = fours(left, right, at: position)
      position &+= step
      step &+= change
      let c = fours(left, right, at: position)
      position &+= step
      step &+= change
      let d = fours(left, right, at: position)
      position &+= step
      step &+= change
      UnsafeMutableRawPointer(output.left + frame).storeBytes(
        of: Self.sums(a.left, b.left, c.left, d.left), as: SIMD4<Float>.self)
      UnsafeMutableRawPointer(output.right + frame).storeBytes(
        of: Self.sums(a.right, b.right, c.right, d.right), as: SIMD4<Float>.self)
      frame &+= 4
    }
  }
}
