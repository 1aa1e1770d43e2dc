internal import CRealtime

/// A question to a tone: its phase is turned to a pattern, and what comes in is looked at.
struct HowlProbe: BitwiseCopyable {
  /// The outcome so far.
  enum Verdict: BitwiseCopyable {
    case open, howl, nearly, other
  }

  /// What answers have come to that are not enough each: the speed and the hops that they are late, which
  /// are those of the last one, and what all of them weigh.
  struct Hint: BitwiseCopyable {
    var speed: Float = 0
    var lag: Float = 0
    var weight: Int32 = 0

    @_noLocks
    init() {}
  }

  // The slowest answers that count, in seconds a turn of one radian takes to move the phase by one.
  private static var slowest: Float { @_noLocks get { 0.08 } }
  // How much of an answer must have been there to be seen, in hops.
  private static var leastSeen: Float { @_noLocks get { 7.3 } }
  // By how much faster an answer moves the phase than the tone wavered by itself.
  private static var ratio: Float { @_noLocks get { 5 } }
  // By how much a howl falls at most while it is probed, in dB, and rises where its loop has gain.
  private static var fall: Float { @_noLocks get { -1.5 } }
  private static var rise: Float { @_noLocks get { 3 } }
  // Above this share an answer was nearly enough; below the other it is none, half-way.
  private static var nearShare: Float { @_noLocks get { 0.82 } }
  private static var nearRisingShare: Float { @_noLocks get { 0.74 } }
  private static var nearRise: Float { @_noLocks get { 0.5 } }
  private static var leastShare: Float { @_noLocks get { 0.5 } }
  // What comes to less still is no answer by itself, but three that are alike are one: of tones that no
  // room answered, two were alike in four hours, and three never.
  private static var weakShare: Float { @_noLocks get { 0.65 } }
  private static var weakFall: Float { @_noLocks get { -5 } }
  private static var weakSpeed: Float { @_noLocks get { 0.2 } }
  // What answers weigh that were nearly enough, or weak, and what is enough.
  private static var nearWeight: Int32 { @_noLocks get { 3 } }
  private static var weakWeight: Int32 { @_noLocks get { 2 } }
  private static var wantedWeight: Int32 { @_noLocks get { 6 } }

  var isUsed = false
  /// The track and the notch that it is for.
  var track: Int32 = 0
  var notch: Int32 = 0
  private var bin: Int32 = 0
  private var isRight = false
  private(set) var hops: Int32 = 0
  private var wavering: Float = 0
  private var former: Float = 0
  private var firstLevels: Float = 0
  private var levels = SIMD4<Float>()
  /// What it has come to, with those before, where that is not enough by itself.
  private(set) var hint = Hint()

  @_noLocks
  init() {}

  /// Begins to ask.
  @_noLocks
  mutating func begin(
    track: Int32, notch: Int32, bin: Int32, isRight: Bool, wavering: Float
  ) {
    self = HowlProbe()
    isUsed = true
    self.track = track
    self.notch = notch
    self.bin = bin
    self.isRight = isRight
    // A bin's width turns the phase once in a window, which is four hops.
    self.wavering = max(1.570_796_3 * wavering, 0.004)
  }

  /// The mean level of the last windows, in dB.
  var level: Float {
    @_noLocks get { (levels[0] + levels[1] + levels[2]) * 0.333_333 }
  }

  /// Hears a window; the phases are the probe's own memory.
  @_noLocks
  mutating func hear(
    _ spectrum: borrowing HowlSpectrum, phases: UnsafeMutablePointer<Float>
  ) {
    let level = spectrum.level(Int(bin))
    levels = SIMD4(level, levels[0], levels[1], 0)
    if hops < 3 { firstLevels += level }
    let phase = spectrum.phase(Int(bin), isRight: isRight)
    if hops == 0 {
      phases[0] = 0
    } else {
      // The bin's own frequency goes on by its number of quarter turns.
      let step = phase - former - 1.570_796_3 * Float(bin & 3)
      var turns = (step * 0.159_154_94 + 12_582_912) - 12_582_912
      if !(abs(turns) < 1e6) { turns = 0 }
      phases[Int(hops)] = phases[Int(hops) &- 1] + step - 6.283_185_3 * turns
    }
    former = phase
    hops &+= 1
  }

  /// How far the phase is turned until the next window, in radians.
  var turn: Float {
    @_noLocks get {
      hops >= 1 && hops <= 16 ? HowlPattern.radians * HowlPattern.turns[Int(hops) &- 1] : 0
    }
  }

  /// Judges what was heard so far; the hops of a second are needed for it, and what answers before
  /// have come to.
  @_noLocks
  mutating func judge(
    _ pattern: borrowing HowlPattern, phases: UnsafePointer<Float>, hopSeconds: Float,
    before: Hint
  ) -> Verdict {
    let hops = Int(self.hops)
    guard hops >= HowlPattern.fewest else { return .open }
    let fit = pattern.fit(phases, hops: hops)
    let share = fit.share
    let rise = level - firstLevels * 0.333_333
    let ratio = fit.speed * HowlPattern.radians / wavering
    let isAnswer =
      fit.isRound && fit.speed * Self.slowest > hopSeconds && rise > Self.fall
      && Float(hops) - fit.lag >= Self.leastSeen
    if isAnswer && share > Self.wantedShare(hops: hops, rise: rise, ratio: ratio) { return .howl }
    if hops == 16 && share < Self.leastShare { return .other }
    guard hops >= HowlPattern.most else { return .open }
    // A tone that comes to less, but to the same each time, has two ways round that are alike.
    let least = rise > Self.nearRise ? Self.nearRisingShare : Self.nearShare
    let isNear = isAnswer && share > least && ratio > Self.ratio
    let isWeak =
      fit.isRound && share > Self.weakShare && rise > Self.weakFall && fit.speed > Self.weakSpeed
    guard isNear || isWeak else { return .other }
    hint.speed = fit.speed
    hint.lag = fit.lag
    hint.weight = isNear ? Self.nearWeight : Self.weakWeight
    if abs(fit.speed - before.speed) < 0.2 * before.speed && abs(fit.lag - before.lag) <= 1 {
      hint.weight &+= before.weight
    }
    return hint.weight >= Self.wantedWeight ? .howl : .nearly
  }

  /// The share of the movement that an answer must explain.
  ///
  /// Of 11,000 tones of instruments that were asked in eighty minutes, half of them in a room 6 dB
  /// below its limit, none came to within 0.01 of these; the longer one is asked, the less it does.
  @_noLocks
  private static func wantedShare(hops: Int, rise: Float, ratio: Float) -> Float {
    let isRising = rise > Self.rise
    let isClear = ratio > Self.ratio
    if hops < 17 { return isRising ? 0.95 : isClear ? 0.97 : 2 }
    if hops < 21 { return isRising ? 0.87 : 0.91 }
    return isRising ? 0.84 : isClear ? 0.87 : 0.91
  }
}
