internal import CRealtime

/// A narrow filter at one frequency that shifts the phase there, or cuts the level.
///
/// A trapezoidal state-variable filter (A. Simper, "Linear trapezoidal state variable filter",
/// 2013), a tenth of an octave wide. Subtracting its bandpass output gives the notch. The
/// difference of its lowpass and highpass outputs lags by a quarter period; adding it shifts the
/// phase at constant level. Both channels share the coefficients. There is no latency.
struct HowlNotch: BitwiseCopyable {
  /// The use of a notch slot.
  enum State: BitwiseCopyable {
    case free, probing, cutting, leaving
  }

  // The gain at the center in dB and the matching share of the bandpass to subtract, for single and
  // merged notches.
  private static var narrowDecibels: Float { @_noLocks get { -30 } }
  private static var narrowDepth: Float { @_noLocks get { 0.968_377_2 } }
  private static var wideDecibels: Float { @_noLocks get { -12 } }
  private static var wideDepth: Float { @_noLocks get { 0.748_811_4 } }
  // The -3 dB bandwidth in octaves, and its growth per octave between the howls of a merged notch.
  private static var octaves: Float { @_noLocks get { 0.1 } }
  private static var growth: Float { @_noLocks get { 1.5 } }
  // Fade times in seconds: for cutting and phase shifts, and for slow release.
  private static var quickSeconds: Float { @_noLocks get { 0.004 } }
  private static var slowSeconds: Float { @_noLocks get { 0.1 } }
  // Depth below which a fade counts as finished: -100 dB.
  private static let near: Float = 1e-5

  private(set) var state = State.free
  /// The center frequency, in Hz.
  private(set) var hertz: Float = 0
  /// The lowest and highest howl that the notch covers, in Hz.
  private(set) var lowest: Float = 0
  private(set) var highest: Float = 0
  /// The gain at the center, in dB.
  private(set) var decibels: Float = narrowDecibels
  /// Remaining lifetime, in hops.
  var hopsLeft: Int32 = 0
  /// The number of hops since it started cutting.
  var hopsOn: Int32 = 0
  /// The level in dB at which the howl was detected.
  var levelBefore: Float = 0

  private var gains = SIMD4<Float>()
  private var first = SIMD2<Float>()
  private var second = SIMD2<Float>()
  private var cut: Float = 0
  private var cutTarget: Float = 0
  private var turn: Float = 0
  private var turnTarget: Float = 0
  private var cutStep: Float = 0
  private var turnStep: Float = 0
  private let rate: Float

  init(sampleRate: Float) { rate = sampleRate }

  /// Whether the filter alters the signal or soon will.
  var isAwake: Bool {
    @_noLocks get { if case .free = state { cut != 0 || turn != 0 } else { true } }
  }

  /// Whether the slot is unused.
  var isFree: Bool {
    @_noLocks get { if case .free = state { !isAwake } else { false } }
  }

  /// Whether the notch cuts permanently and is reported.
  var isCutting: Bool {
    @_noLocks get { if case .cutting = state { true } else { false } }
  }

  /// Starts a probe at a frequency.
  @_noLocks
  mutating func probe(hertz: Float) {
    state = .probing
    begin(lowest: hertz, highest: hertz)
  }

  /// Cuts two or more howls with one wider, shallower notch.
  @_noLocks
  mutating func share(lowest: Float, highest: Float) {
    begin(lowest: lowest, highest: highest)
    cut(from: 0)
  }

  /// Returns the interval between two frequencies, in octaves.
  @_noLocks
  static func octaves(_ lowest: Float, _ highest: Float) -> Float {
    1.442_695 * rt_log(highest / lowest)
  }

  @_noLocks
  private mutating func begin(lowest: Float, highest: Float) {
    self.lowest = lowest
    self.highest = highest
    let apart = Self.octaves(lowest, highest)
    hertz = rt_square_root(lowest * highest)
    decibels = apart > 0 ? Self.wideDecibels : Self.narrowDecibels
    let angle = Double.pi * Double(hertz / rate)
    let tangent = Float(rt_sin(angle) / rt_cos(angle))
    // 1/Q: half the bandwidth as a frequency ratio, minus its inverse.
    let half = rt_exp(0.346_573_6 * (Self.octaves + Self.growth * apart))
    let damping = half - 1 / half
    let share = 1 / (1 + tangent * (tangent + damping))
    gains = SIMD4(share, tangent * share, tangent * tangent * share, damping)
    first = SIMD2()
    second = SIMD2()
    cut = 0
    cutTarget = 0
    turn = 0
    turnTarget = 0
    turnStep = 1 - rt_exp(-1 / (Self.quickSeconds * rate))
    cutStep = turnStep
  }

  /// Sets the target phase shift in radians; positive values delay.
  @_noLocks
  mutating func turn(by radians: Float) { turnTarget = radians }

  /// Starts cutting.
  @_noLocks
  mutating func cut(from level: Float) {
    state = .cutting
    turnTarget = 0
    cutTarget = lowest < highest ? Self.wideDepth : Self.narrowDepth
    levelBefore = level
    hopsOn = 0
  }

  /// Releases the notch, either quickly or slowly enough to be inaudible.
  @_noLocks
  mutating func leave(slowly: Bool) {
    state = .leaving
    turnTarget = 0
    cutTarget = 0
    if slowly { cutStep = 1 - rt_exp(-1 / (Self.slowSeconds * rate)) }
  }

  /// Clears the filter state.
  @_noLocks
  mutating func forget() {
    first = SIMD2()
    second = SIMD2()
  }

  /// Jumps to the target depth and phase shift.
  ///
  /// For use in silence.
  @_noLocks
  mutating func settle() {
    cut = cutTarget
    turn = turnTarget
    rest()
  }

  /// Snaps a finished fade to zero and frees the slot.
  @_noLocks
  mutating func rest() {
    guard cutTarget == 0 && turnTarget == 0 else { return }
    if abs(cut) < Self.near && abs(turn) < Self.near {
      cut = 0
      turn = 0
      if case .leaving = state { state = .free }
    }
  }

  /// Filters in place.
  @_noLocks
  mutating func process(_ sound: Stereo, frames: Int) {
    let gains = self.gains
    var (first, second, cut, turn) = (self.first, self.second, self.cut, self.turn)
    for frame in 0..<frames {
      cut += cutStep * (cutTarget - cut)
      turn += turnStep * (turnTarget - turn)
      // Subtracts 1 - cos of the bandpass, so that a pure phase shift keeps the level.
      let square = turn * turn
      let taken = cut + (1 - cut) * square * (0.5 + 0.125 * square)
      let input = SIMD2(sound.left[frame], sound.right[frame])
      let difference = input - second
      let middle = gains[0] * first + gains[1] * difference
      let low = second + gains[1] * first + gains[2] * difference
      first = middle + middle - first
      second = low + low - second
      let band = gains[3] * middle
      let late = 0.5 * gains[3] * (low + low + band - input)
      let output = input - taken * band + turn * late
      sound.left[frame] = output[0]
      sound.right[frame] = output[1]
    }
    self.first = first
    self.second = second
    self.cut = cut
    self.turn = turn
  }
}
