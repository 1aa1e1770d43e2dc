internal import CRealtime

/// A narrow filter at one frequency, which turns the phase there or takes the sound there out.
///
/// A state-variable filter in the trapezoidal form (A. Simper, "Linear trapezoidal state variable
/// filter", 2013), a tenth of an octave wide. What passes its band, taken away, is the notch. The
/// difference of its low and high outputs is late by a quarter period: added, it turns the phase by
/// as much, and the level stays. Both sides go through the same one, without delay.
struct HowlNotch: BitwiseCopyable {
  /// The use of a notch.
  enum State: BitwiseCopyable {
    case free, probing, cutting, leaving
  }

  // The level that it leaves at its middle, in dB, and the share that it takes away for that; of a notch
  // that two howls share, too.
  private static var narrowDecibels: Float { @_noLocks get { -30 } }
  private static var narrowDepth: Float { @_noLocks get { 0.968_377_2 } }
  private static var wideDecibels: Float { @_noLocks get { -12 } }
  private static var wideDepth: Float { @_noLocks get { 0.748_811_4 } }
  // The octaves between both points of -3 dB; of one that is shared, for each octave between its howls,
  // besides.
  private static var octaves: Float { @_noLocks get { 0.1 } }
  private static var growth: Float { @_noLocks get { 1.5 } }
  // In seconds: to cut, and to turn; to leave.
  private static var quickSeconds: Float { @_noLocks get { 0.004 } }
  private static var slowSeconds: Float { @_noLocks get { 0.1 } }
  // Nearer to nothing is nothing: -100 dB.
  private static let near: Float = 1e-5

  private(set) var state = State.free
  /// The middle, in Hz.
  private(set) var hertz: Float = 0
  /// The howls that it is for: the lowest and the highest, in Hz.
  private(set) var lowest: Float = 0
  private(set) var highest: Float = 0
  /// The level that it leaves at its middle, in dB.
  private(set) var decibels: Float = narrowDecibels
  /// The hops until it leaves.
  var hopsLeft: Int32 = 0
  /// The hops since it began to cut.
  var hopsOn: Int32 = 0
  /// The level in dB at which the howl was found.
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

  /// Whether it changes the sound, or soon will.
  var isAwake: Bool {
    @_noLocks get {
      if case .free = state { return cut != 0 || turn != 0 }
      return true
    }
  }

  /// Whether nobody has it.
  var isFree: Bool {
    @_noLocks get {
      if case .free = state { return !isAwake }
      return false
    }
  }

  /// Whether it takes sound out for good, and is one of those that are told.
  var isCutting: Bool {
    @_noLocks get {
      if case .cutting = state { return true }
      return false
    }
  }

  /// Begins to probe at a frequency.
  @_noLocks
  mutating func probe(hertz: Float) {
    state = .probing
    begin(lowest: hertz, highest: hertz)
  }

  /// Takes out two howls, or more, at once: wider, and less deep.
  @_noLocks
  mutating func share(lowest: Float, highest: Float) {
    begin(lowest: lowest, highest: highest)
    cut(from: 0)
  }

  /// The octaves between two frequencies.
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
    // Half of the width, as a share of the middle, twice: the frequency over the width, upside down.
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

  /// Turns the phase from now on, by radians; positive makes it late.
  @_noLocks
  mutating func turn(by radians: Float) { turnTarget = radians }

  /// Takes out what is at its frequency from now on.
  @_noLocks
  mutating func cut(from level: Float) {
    state = .cutting
    turnTarget = 0
    cutTarget = lowest < highest ? Self.wideDepth : Self.narrowDepth
    levelBefore = level
    hopsOn = 0
  }

  /// Lets go: at once, or so slowly that what comes back is not heard as a step.
  @_noLocks
  mutating func leave(slowly: Bool) {
    state = .leaving
    turnTarget = 0
    cutTarget = 0
    if slowly { cutStep = 1 - rt_exp(-1 / (Self.slowSeconds * rate)) }
  }

  /// Forgets the sound.
  @_noLocks
  mutating func forget() {
    first = SIMD2()
    second = SIMD2()
  }

  /// Jumps to where it is going to, while there is nothing to be heard.
  @_noLocks
  mutating func settle() {
    cut = cutTarget
    turn = turnTarget
    rest()
  }

  /// Comes to rest, and is free, where nothing is left to be done.
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
      // As much less of the sound itself as keeps the level where it is only turned: 1 - cos.
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
