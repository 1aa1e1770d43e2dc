internal import CRealtime

/// The filter of a voice: a state-variable filter of two poles, or its half of one.
///
/// The topology-preserving one of Vadim Zavalishin, "The Art of VA Filter Design", written out as
/// what each frame makes of both states, so that only two additions wait for the frame before.
struct VoiceTone: BitwiseCopyable {
  // States after a frame: (a * first - b * second + b * in, c * first + d * second + e * in); what
  // is heard: f * first + g * second + h * in; in this order, as far as they differ.
  private var now = SIMD8<Float>(repeating: 0)
  private var slope = SIMD8<Float>(repeating: 0)
  private var isMoving = false
  private var left = SIMD2<Float>(repeating: 0)
  private var right = SIMD2<Float>(repeating: 0)

  @_noLocks
  init() {}

  /// Goes to a cutoff, in Hz, and a resonance, in dB, within so many frames; at once if 0.
  @_noLocks
  mutating func move(
    _ kind: SamplerRegion.Filter.Kind, cutoff: Float, resonance: Float, sampleRate: Float,
    frames: Int
  ) {
    let target = Self.weights(
      kind, cutoff: cutoff, resonance: resonance, sampleRate: sampleRate)
    if frames > 0 {
      slope = (target - now) * (1 / Float(frames))
      isMoving = true
    } else {
      now = target
      isMoving = false
    }
  }

  /// Stays where it is.
  @_noLocks
  mutating func stay() { isMoving = false }

  @_noLocks
  private static func weights(
    _ kind: SamplerRegion.Filter.Kind, cutoff: Float, resonance: Float, sampleRate: Float
  ) -> SIMD8<Float> {
    let angle = Float.pi * max(1e-4, min(0.49, cutoff / sampleRate))
    // The tangent, by a fraction that is good to 1e-3 up to there.
    let square = angle * angle
    let g =
      angle * (945 - 105 * square + square * square) / (945 - 420 * square + 15 * square * square)
    let peak = rt_exp(resonance * 0.115_129_25)
    // Without resonance it is Butterworth's.
    let k = 1.414_213_6 / max(peak, 0.01)
    let one = 1 / (1 + g)
    let a1 = 1 / (1 + g * (g + k))
    let (a2, a3) = (g * a1, g * g * a1)
    // What is heard is m0 times the input, m1 times the first and m2 times the second's middle.
    let m: (Float, Float, Float)
    switch kind {
    case .lowpass1: m = (0, 1, 0)
    case .highpass1: m = (1, -1, 0)
    case .lowpass2: m = (0, 0, 1)
    case .highpass2: m = (1, -k, -1)
    case .bandpass: m = (0, 1.414_213_6, 0)
    case .bandreject: m = (1, -k, 0)
    }
    switch kind {
    case .lowpass1, .highpass1:
      let b = g * one
      return SIMD8(2 * one - 1, 2 * b, 0, 0, 0, m.1 * one, 0, m.0 + m.1 * b)
    case .lowpass2, .highpass2, .bandpass, .bandreject:
      return SIMD8(
        2 * a1 - 1, 2 * a2, 2 * a2, 1 - 2 * a3, 2 * a3, m.1 * a1 + m.2 * a2,
        m.2 * (1 - a3) - m.1 * a2, m.0 + m.1 * a2 + m.2 * a3)
    }
  }

  /// Filters both sides, or the left one alone.
  @_noLocks
  mutating func apply(
    _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, isStereo: Bool,
    frames: Int
  ) {
    let before = now
    now = run(left, &self.left, from: before, frames: frames)
    if isStereo { _ = run(right, &self.right, from: before, frames: frames) }
  }

  @_noLocks
  @inline(__always)
  private func run(
    _ sound: UnsafeMutablePointer<Float>, _ state: inout SIMD2<Float>, from weights: SIMD8<Float>,
    frames: Int
  ) -> SIMD8<Float> {
    var w = weights
    var (first, second) = (state.x, state.y)
    for frame in 0..<frames {
      let x = sound[frame]
      let pushed = w[1] * x
      sound[frame] = w[5] * first + w[6] * second + w[7] * x
      let next = (w[0] * first - w[1] * second) + pushed
      second = (w[2] * first + w[3] * second) + w[4] * x
      first = next
      if isMoving { w += slope }
    }
    // What is not a number would stay.
    state = first.isFinite && second.isFinite ? SIMD2(first, second) : SIMD2(0, 0)
    return w
  }
}
