internal import CRealtime

/// The filters in the echo's feedback path: a low-cut and a high-cut of 6 dB/octave.
///
/// Two first-order bilinear sections, whose gain never exceeds 1 at any frequency. The low-cut has
/// its zero at 0 Hz and its corner never settles below 20 Hz, which keeps DC out of the loop. The
/// high-cut has its zero at the Nyquist frequency. Near 20 kHz that zero moves onto the pole, so
/// the fully open filter is transparent.
struct EchoTone: BitwiseCopyable {
  private var lowPole: GlideCurve
  private var highPole: GlideCurve
  // The gain of the high-cut at the Nyquist frequency.
  private var opening: GlideCurve
  private let rate: Float

  private var lastLeft: Float = 0
  private var lastRight: Float = 0
  private var passedLeft: Float = 0
  private var passedRight: Float = 0
  private var mutedLeft: Float = 0
  private var mutedRight: Float = 0

  /// Creates fully open filters.
  ///
  /// Their coefficients are stored in `room`.
  @_noLocks
  init(sampleRate: Float, room: EchoPiece) {
    rate = sampleRate
    lowPole = GlideCurve(
      at: Self.pole(20, sampleRate), sampleRate: sampleRate, values: room.row(.lowCut))
    highPole = GlideCurve(
      at: Self.pole(20_000, sampleRate), sampleRate: sampleRate,
      values: room.row(.highCut))
    opening = GlideCurve(at: 1, sampleRate: sampleRate, values: room.row(.opening))
  }

  /// The pole of a first-order section with its -3 dB point at `hertz`.
  @_noLocks
  private static func pole(_ hertz: Float, _ rate: Float) -> Float {
    let angle = Double.pi * Double(min(hertz / rate, 0.49))
    let tangent = rt_sin(angle) / rt_cos(angle)
    return Float((1 - tangent) / (1 + tangent))
  }

  /// Sets the corner of the low-cut.
  @_noLocks
  mutating func setLowCut(hertz: Float) { lowPole.move(to: Self.pole(hertz, rate)) }

  /// Sets the corner of the high-cut; 20 kHz bypasses it.
  @_noLocks
  mutating func setHighCut(hertz: Float) {
    highPole.move(to: Self.pole(hertz, rate))
    let share = hertz / 20_000
    let fourth = share * share * share * share
    opening.move(to: fourth * fourth)
  }

  /// Jumps to the target frequencies.
  @_noLocks
  mutating func settle() {
    lowPole.settle()
    highPole.settle()
    opening.settle()
  }

  /// Clears the filter state.
  @_noLocks
  mutating func clear() {
    lastLeft = 0
    lastRight = 0
    passedLeft = 0
    passedRight = 0
    mutedLeft = 0
    mutedRight = 0
  }

  /// Whether the filter state is below a level.
  @_noLocks
  func isQuieter(than level: Float) -> Bool {
    abs(passedLeft) < level && abs(passedRight) < level && abs(mutedLeft) < level
      && abs(mutedRight) < level
  }

  /// Filters `frames` frames.
  @_noLocks
  mutating func process(_ from: Stereo, to: Stereo, frames: Int) {
    lowPole.prepare(frames: frames)
    highPole.prepare(frames: frames)
    opening.prepare(frames: frames)
    let (lowPoles, highPoles) = (lowPole.values, highPole.values)
    let openings = opening.values
    var (lastLeft, lastRight) = (self.lastLeft, self.lastRight)
    var (passedLeft, passedRight) = (self.passedLeft, self.passedRight)
    var (mutedLeft, mutedRight) = (self.mutedLeft, self.mutedRight)
    for frame in 0..<frames {
      let low = lowPoles[frame]
      let high = highPoles[frame]
      let lowGain = 0.5 + 0.5 * low
      let sumGain = 0.5 - 0.5 * high
      let differenceGain = openings[frame] * (0.5 + 0.5 * high)
      let left = from.left[frame]
      let right = from.right[frame]
      let nextLeft = lowGain * (left - lastLeft) + low * passedLeft
      let nextRight = lowGain * (right - lastRight) + low * passedRight
      mutedLeft =
        (sumGain * (nextLeft + passedLeft) + differenceGain * (nextLeft - passedLeft))
        + high * mutedLeft
      mutedRight =
        (sumGain * (nextRight + passedRight) + differenceGain * (nextRight - passedRight))
        + high * mutedRight
      to.left[frame] = mutedLeft
      to.right[frame] = mutedRight
      lastLeft = left
      lastRight = right
      passedLeft = nextLeft
      passedRight = nextRight
    }
    self.lastLeft = lastLeft
    self.lastRight = lastRight
    self.passedLeft = passedLeft
    self.passedRight = passedRight
    self.mutedLeft = mutedLeft
    self.mutedRight = mutedRight
  }
}
