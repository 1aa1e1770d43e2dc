internal import CRealtime

/// The filters of the echo: each repeat loses lows and highs, 6 dB an octave each.
///
/// Two first-order sections, bilinear, so that no frequency ever gains. The low-cut has its zero
/// at 0 Hz and never rests below 20 Hz: it is what keeps a constant out of the loop. The high-cut
/// has its zero at half the sample rate; near 20 kHz that zero moves onto the pole, so that it is
/// out of the way when fully open.
struct EchoTone: BitwiseCopyable {
  private var lowPole: Course
  private var highPole: Course
  // The gain of the high-cut at half the sample rate.
  private var opening: Course
  private let rate: Float

  private var lastLeft: Float = 0
  private var lastRight: Float = 0
  private var passedLeft: Float = 0
  private var passedRight: Float = 0
  private var mutedLeft: Float = 0
  private var mutedRight: Float = 0

  /// The most open filters; they keep their values in `room`.
  @_noLocks
  init(sampleRate: Float, room: EchoPiece) {
    rate = sampleRate
    lowPole = Course(
      at: Self.pole(20, sampleRate), sampleRate: sampleRate, values: room.row(.lowCut))
    highPole = Course(
      at: Self.pole(20_000, sampleRate), sampleRate: sampleRate,
      values: room.row(.highCut))
    opening = Course(at: 1, sampleRate: sampleRate, values: room.row(.opening))
  }

  /// The pole of a first-order section that is 3 dB down at a frequency.
  @_noLocks
  private static func pole(_ hertz: Float, _ rate: Float) -> Float {
    let angle = Double.pi * Double(min(hertz / rate, 0.49))
    let tangent = rt_sin(angle) / rt_cos(angle)
    return Float((1 - tangent) / (1 + tangent))
  }

  /// Sets the frequency below which repeats lose.
  @_noLocks
  mutating func setLowCut(hertz: Float) { lowPole.move(to: Self.pole(hertz, rate)) }

  /// Sets the frequency above which repeats lose; 20 kHz is out of the way.
  @_noLocks
  mutating func setHighCut(hertz: Float) {
    highPole.move(to: Self.pole(hertz, rate))
    let share = hertz / 20_000
    let fourth = share * share * share * share
    opening.move(to: fourth * fourth)
  }

  /// Jumps to the frequencies that it glides to.
  @_noLocks
  mutating func settle() {
    lowPole.settle()
    highPole.settle()
    opening.settle()
  }

  /// Forgets what it has heard.
  @_noLocks
  mutating func clear() {
    lastLeft = 0
    lastRight = 0
    passedLeft = 0
    passedRight = 0
    mutedLeft = 0
    mutedRight = 0
  }

  /// Whether nothing of what it has heard is left above a level.
  @_noLocks
  func isQuieter(than level: Float) -> Bool {
    abs(passedLeft) < level && abs(passedRight) < level && abs(mutedLeft) < level
      && abs(mutedRight) < level
  }

  /// Filters `frames` frames from one place to another.
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
