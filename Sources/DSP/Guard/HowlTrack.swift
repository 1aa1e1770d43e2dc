internal import CRealtime

/// A tone that goes on from window to window: a howl, or an instrument's.
struct HowlTrack: BitwiseCopyable {
  /// The windows that it must have been steady for.
  static var steadyHops: Int32 { @_noLocks get { 5 } }
  // The hops that it may be missed for.
  private static var patience: Int32 { @_noLocks get { 3 } }
  // The most that its place wavers by, in bins: the deviation. A voice's does by more.
  private static var waver: Float { @_noLocks get { 0.06 } }
  // The least that it rises by, in dB a hop: a tone that dies away is none that comes round.
  private static var fall: Float { @_noLocks get { -0.3 } }
  // The hops in which a tone that has not answered is not asked again, and how many of them even
  // where it has grown since, by so much in dB.
  private static var restHops: Int32 { @_noLocks get { 60 } }
  private static var shortRestHops: Int32 { @_noLocks get { 8 } }
  private static var growth: Float { @_noLocks get { 3 } }

  var isUsed = false
  private var isHit = false
  private var misses: Int32 = 0
  private var hops: Int32 = 0
  private var rest: Int32 = 0
  private var levelThen: Float = 0
  private var places = SIMD8<Float>()
  private var levels = SIMD8<Float>()
  /// The probe that asks it; -1 where none does.
  var probe: Int32 = -1
  /// What its answers have come to that were not enough.
  var hint = HowlProbe.Hint()

  @_noLocks
  init() {}

  /// The latest place between bins.
  var place: Float { @_noLocks get { places[0] } }
  /// The latest level in dB.
  var level: Float { @_noLocks get { levels[0] } }
  /// Whether it was there in this window.
  var isPresent: Bool { @_noLocks get { isHit } }

  /// Begins with a tone.
  @_noLocks
  mutating func begin(_ peak: HowlSpectrum.Peak) {
    self = HowlTrack()
    isUsed = true
    hit(peak)
  }

  /// Begins a window.
  @_noLocks
  mutating func expect() { isHit = false }

  /// Goes on with a tone.
  @_noLocks
  mutating func hit(_ peak: HowlSpectrum.Peak) {
    isHit = true
    misses = 0
    hops = min(hops &+ 1, 1000)
    places = SIMD8(
      peak.place, places[0], places[1], places[2], places[3], 0, 0, 0)
    levels = SIMD8(
      peak.level, levels[0], levels[1], levels[2], levels[3], 0, 0, 0)
  }

  /// Ends a window: whether it is still there.
  @_noLocks
  mutating func endHop() {
    if rest > 0 { rest &-= 1 }
    if isHit { return }
    misses &+= 1
    hops = 1
    if misses > Self.patience && probe < 0 { isUsed = false }
  }

  /// Leaves it alone for a while; not at all where it has nearly answered.
  @_noLocks
  mutating func rest(at level: Float, isShort: Bool) {
    levelThen = level
    rest = isShort ? 0 : Self.restHops
  }

  /// The deviation of its place, in bins.
  var wavering: Float {
    @_noLocks get {
      let mean = (places[0] + places[1] + places[2] + places[3] + places[4]) * 0.2
      var sum: Float = 0
      for index in 0..<5 { sum += (places[index] - mean) * (places[index] - mean) }
      return rt_square_root(sum * 0.2)
    }
  }

  /// The mean of its places.
  var meanPlace: Float {
    @_noLocks get { (places[0] + places[1] + places[2] + places[3] + places[4]) * 0.2 }
  }

  /// Whether it should be asked: it is steady, does not die away, and is as strong as a level in dB.
  @_noLocks
  func isSuspect(from least: Float) -> Bool {
    guard isUsed && isHit && probe < 0 && hops >= Self.steadyHops && level >= least else {
      return false
    }
    if rest > 0 {
      guard rest < Self.restHops &- Self.shortRestHops && level > levelThen + Self.growth else {
        return false
      }
    }
    let slope = (2 * (levels[0] - levels[4]) + levels[1] - levels[3]) * 0.1
    return slope >= Self.fall && wavering <= Self.waver
  }
}
