internal import CRealtime

/// A high-pass filter of the third order: 18 dB per octave, Butterworth.
///
/// A trapezoidal state-variable filter with Q 1 behind a one-pole, both of which can be swept. There is no latency.
package struct LowCut: BitwiseCopyable {
  // The level below which the filter has rung out: -140 dB.
  private static var quiet: Float { @_noLocks get { 1e-7 } }

  private let sampleRate: Float
  private var hertz: Glide
  private var wet: Glide
  // π/3 times the frequency in turns per frame is the argument of the tangent.
  private var pole = SIMD2<Float>()
  private var first = SIMD2<Float>()
  private var second = SIMD2<Float>()

  /// Creates a filter that is off.
  package init(sampleRate: Float) {
    self.sampleRate = sampleRate
    hertz = Glide(at: 80, sampleRate: sampleRate)
    wet = Glide(at: 0, sampleRate: sampleRate)
  }

  /// Sets the frequency at which the level is 3 dB lower, in Hz; 0 turns the filter off.
  @_noLocks
  package mutating func setFrequency(hertz value: Float) {
    wet.move(to: value > 0 ? 1 : 0)
    guard value > 0 else { return }
    if wet.current == 0 { hertz.jump(to: value) } else { hertz.move(to: value) }
  }

  /// Applies the settings at once.
  @_noLocks
  package mutating func settle() {
    wet.jump(to: wet.target)
    hertz.jump(to: hertz.target)
    if isOff { forget() }
  }

  /// Whether the filter passes the sound unchanged.
  package var isOff: Bool { @_noLocks get { wet.target == 0 && !wet.isMoving } }

  /// Whether silence stays silence.
  package var isResting: Bool {
    @_noLocks get { isOff || !wet.isMoving && !hertz.isMoving && isQuiet }
  }

  private var isQuiet: Bool {
    @_noLocks get { pole == SIMD2() && first == SIMD2() && second == SIMD2() }
  }

  @_noLocks
  private mutating func forget() {
    pole = SIMD2()
    first = SIMD2()
    second = SIMD2()
  }

  /// Filters in place.
  @_noLocks
  package mutating func process(_ sound: Stereo, frames: Int) {
    if isOff { return }
    if wet.isMoving || hertz.isMoving {
      for frame in 0..<frames {
        wet.skip(frames: 1)
        hertz.skip(frames: 1)
        let input = SIMD2(sound.left[frame], sound.right[frame])
        let output = step(input, gains)
        let mixed = wet.current == 1 ? output : input + wet.current * (output - input)
        sound.left[frame] = mixed[0]
        sound.right[frame] = mixed[1]
      }
    } else {
      let gains = gains
      for frame in 0..<frames {
        let output = step(SIMD2(sound.left[frame], sound.right[frame]), gains)
        sound.left[frame] = output[0]
        sound.right[frame] = output[1]
      }
    }
    if isOff || isNearlyQuiet { forget() }
  }

  private var isNearlyQuiet: Bool {
    @_noLocks get { isNear(pole) && isNear(first) && isNear(second) }
  }

  @_noLocks
  private func isNear(_ pair: SIMD2<Float>) -> Bool {
    abs(pair[0]) < Self.quiet && abs(pair[1]) < Self.quiet
  }

  // The gains of the one-pole and of the state-variable filter.
  private var gains: SIMD4<Float> {
    @_noLocks get {
      let angle = Float.pi * hertz.current / sampleRate
      // Within 0.01 % of the tangent up to 1 kHz at 44.1 kHz.
      let tangent = angle * (1 + angle * angle / 3)
      let share = 1 / (1 + tangent * (tangent + 1))
      return SIMD4(tangent / (1 + tangent), share, tangent * share, tangent * tangent * share)
    }
  }

  @_noLocks
  private mutating func step(_ input: SIMD2<Float>, _ gains: SIMD4<Float>) -> SIMD2<Float> {
    let rise = gains[0] * (input - pole)
    let high = input - pole - rise
    pole += rise + rise
    let difference = high - second
    let middle = gains[1] * first + gains[2] * difference
    let low = second + gains[2] * first + gains[3] * difference
    first = middle + middle - first
    second = low + low - second
    return high - middle - low
  }
}
