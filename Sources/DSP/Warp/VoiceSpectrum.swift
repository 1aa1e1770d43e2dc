internal import CRealtime

/// The spectrum of two periods of a voice with the window of a grain, evaluated at any frequency.
struct VoiceSpectrum: ~Copyable, @unchecked Sendable {
  private let buffers = Buffers()
  // The windowed signal, zero-padded to a multiple of eight.
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>
  private let room: Int
  private var count = 0
  // The decimation factor.
  private var factor = 1
  // The phase of the first sample relative to the center, and the step per sample, in radians of
  // the lowest partial.
  private var first = 0.0
  private var step = 0.0
  // The fewest samples per period, enough for the lowest partials.
  private static var fewest: Int64 { @_noLocks get { 48 } }

  init(sampleRate: Double) {
    room = 2 * Int((sampleRate / PitchTracker.lowest * 1.25).rounded(.up)) + 32
    left = buffers.floats(2 * room)
    right = left + room
  }

  /// Loads two periods around a position, the phase reference.
  ///
  /// Returns whether they fit.
  @_noLocks
  mutating func take(_ tape: borrowing Tape, around place: Int64, period: Int64) -> Bool {
    let begin = VoicePlaces.ceiling(place &- period)
    count = Int((place &+ period) >> 32) &- begin &+ 1
    guard count > 0, count &+ 16 <= room else { return false }
    var done = 0
    while done < count {
      let piece = min(count &- done, tape.reach)
      rt_copy(left + done, tape.left(at: Int64(begin &+ done)), piece)
      rt_copy(right + done, tape.right(at: Int64(begin &+ done)), piece)
      done &+= piece
    }
    factor = 1
    rt_zero(left + count, 16)
    rt_zero(right + count, 16)
    while period >> 33 >= Int64(factor) &* Self.fewest { halve() }
    step = 2 * Double.pi * Double(factor) * VoicePlaces.unit / Double(period)
    let way = Int64(begin) << 32 &- place &+ Int64(factor &- 1) << 31
    first = step / Double(factor) * Double(way) / VoicePlaces.unit
    weigh()
    return true
  }

  /// Decimates by two.
  @_noLocks
  private mutating func halve() {
    count = (count &+ 1) / 2
    factor &*= 2
    halve(left)
    halve(right)
  }

  @_noLocks
  private func halve(_ side: UnsafeMutablePointer<Float>) {
    let from = UnsafeRawPointer(side)
    for index in stride(from: 0, to: count, by: 8) {
      let sixteen = from.loadUnaligned(fromByteOffset: index &* 8, as: SIMD16<Float>.self)
      side.setEight(at: index, sixteen.evenHalf + sixteen.oddHalf)
    }
    rt_zero(side + count, 16)
  }

  @_noLocks
  private func weigh() {
    var turning = Rotator(from: first / 2, step: step / 2)
    let share = Float(step / (2 * Double.pi * Double(factor)))
    for frame in stride(from: 0, to: count, by: 8) {
      let weights = share + share * turning.cosines
      left.setEight(at: frame, left.eight(at: frame) * weights)
      right.setEight(at: frame, right.eight(at: frame) * weights)
      turning.advance()
    }
  }

  /// Returns cosine and sine of the left channel, then of the right, at a multiple of the lowest
  /// partial.
  @_noLocks
  func at(_ multiple: Float) -> SIMD4<Float> {
    var turning = Rotator(from: Double(multiple) * first, step: Double(multiple) * step)
    var (leftX, leftY) = (SIMD8<Float>(repeating: 0), SIMD8<Float>(repeating: 0))
    var (rightX, rightY) = (SIMD8<Float>(repeating: 0), SIMD8<Float>(repeating: 0))
    for frame in stride(from: 0, to: count, by: 8) {
      let (one, other) = (left.eight(at: frame), right.eight(at: frame))
      leftX += one * turning.cosines
      leftY += one * turning.sines
      rightX += other * turning.cosines
      rightY += other * turning.sines
      turning.advance()
    }
    // Compensates the roll-off of the decimation, which sums neighboring samples.
    let half = 0.5 * Double(multiple) * step
    let loss =
      factor == 1 ? 1 : Float(rt_sin(half) / (Double(factor) * rt_sin(half / Double(factor))))
    return SIMD4(leftX.sum(), leftY.sum(), rightX.sum(), rightY.sum()) / loss
  }
}
