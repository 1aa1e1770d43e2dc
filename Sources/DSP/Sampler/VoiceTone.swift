internal import CRealtime

/// The filter of a voice: a two-pole state-variable filter, or a one-pole one.
///
/// The topology-preserving filter of Vadim Zavalishin, "The Art of VA Filter Design", unrolled to
/// two frames at a time, which halves the length of the dependency chain.
struct VoiceTone: BitwiseCopyable {
  // Four groups of four coefficients, for both states and both input frames: the contribution of
  // each to both states and to both outputs.
  private var now = SIMD16<Float>(repeating: 0)
  private var slope = SIMD16<Float>(repeating: 0)
  private var isMoving = false
  private var left = SIMD2<Float>(repeating: 0)
  private var right = SIMD2<Float>(repeating: 0)

  @_noLocks
  init() {}

  /// Ramps to a cutoff in Hz and a resonance in dB within `frames` frames, an even number, or jumps
  /// if 0.
  @_noLocks
  mutating func move(
    _ kind: SamplerRegion.Filter.Kind, cutoff: Float, resonance: Float, sampleRate: Float,
    frames: Int
  ) {
    let target = Self.weights(
      kind, cutoff: cutoff, resonance: resonance, sampleRate: sampleRate)
    if frames > 0 {
      slope = (target - now) * (2 / Float(frames))
      isMoving = true
    } else {
      now = target
      isMoving = false
    }
  }

  /// Stops the ramp.
  @_noLocks
  mutating func stay() { isMoving = false }

  @_noLocks
  private static func weights(
    _ kind: SamplerRegion.Filter.Kind, cutoff: Float, resonance: Float, sampleRate: Float
  ) -> SIMD16<Float> {
    let angle = Float.pi * max(1e-4, min(0.49, cutoff / sampleRate))
    // A rational approximation of the tangent, accurate to 1e-3 up to this angle.
    let square = angle * angle
    let g =
      angle * (945 - 105 * square + square * square) / (945 - 420 * square + 15 * square * square)
    // Without resonance it is a Butterworth filter.
    let k = 1.414_213_6 / max(resonance == 0 ? 1 : rt_exp(resonance * 0.115_129_25), 0.01)
    // The output is m.0 of the input, m.1 of the first and m.2 of the second integrator.
    let m: (Float, Float, Float)
    // One frame: the states become (a * first - b * second + b * in, c * first + d * second + e *
    // in).
    let (a, b, c, d, e): (Float, Float, Float, Float, Float)
    // The output is p * first + q * second + r * in.
    let (p, q, r): (Float, Float, Float)
    switch kind {
    case .lowpass1, .highpass1:
      m = if case .lowpass1 = kind { (0, 1, 0) } else { (1, -1, 0) }
      let one = 1 / (1 + g)
      (a, b, c, d, e) = (2 * one - 1, 2 * g * one, 0, 0, 0)
      (p, q, r) = (m.1 * one, 0, m.0 + m.1 * g * one)
    // The one-pole case above uses only the first integrator.
    case .lowpass2, .highpass2, .bandpass, .bandreject:
      switch kind {
      case .highpass2: m = (1, -k, -1)
      case .bandpass: m = (0, 1.414_213_6, 0)
      case .bandreject: m = (1, -k, 0)
      default: m = (0, 0, 1)
      }
      let a1 = 1 / (1 + g * (g + k))
      let (a2, a3) = (g * a1, g * g * a1)
      (a, b, c, d, e) = (2 * a1 - 1, 2 * a2, 2 * a2, 1 - 2 * a3, 2 * a3)
      (p, q, r) = (m.1 * a1 + m.2 * a2, m.2 * (1 - a3) - m.1 * a2, m.0 + m.1 * a2 + m.2 * a3)
    }
    return SIMD16(
      a * a - b * c, c * a + d * c, p, p * a + q * c,
      -a * b - b * d, d * d - c * b, q, q * d - p * b,
      a * b - b * e, c * b + d * e, r, p * b + q * e,
      b, e, 0, r)
  }

  /// Filters both channels, or only the left one.
  ///
  /// `frames` is even.
  @_noLocks
  mutating func apply(to sound: Stereo, isStereo: Bool, frames: Int) {
    let before = now
    now = run(sound.left, &left, from: before, frames: frames)
    if isStereo { _ = run(sound.right, &right, from: before, frames: frames) }
  }

  @_noLocks
  @inline(__always)
  private func run(
    _ sound: UnsafeMutablePointer<Float>, _ state: inout SIMD2<Float>, from weights: SIMD16<Float>,
    frames: Int
  ) -> SIMD16<Float> {
    var w = weights
    var (first, second) = (state.x, state.y)
    var frame = 0
    while frame < frames {
      let pushed =
        w.highHalf.lowHalf * sound[frame] + w.highHalf.highHalf * sound[frame &+ 1]
      let both = (w.lowHalf.lowHalf * first + w.lowHalf.highHalf * second) + pushed
      first = both.x
      second = both.y
      UnsafeMutableRawPointer(sound + frame).storeBytes(of: both.highHalf, as: SIMD2<Float>.self)
      if isMoving { w += slope }
      frame &+= 2
    }
    // NaN would persist.
    state = first.isFinite && second.isFinite ? SIMD2(first, second) : SIMD2(0, 0)
    return w
  }
}
