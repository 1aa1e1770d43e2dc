internal import CRealtime

/// A tone tracked from window to window: a howl, or an instrument's.
struct HowlTrack: BitwiseCopyable {
  /// The number of consecutive windows that make a track steady.
  static var steadyHops: Int32 { @_noLocks get { 5 } }
  // The number of hops that a track survives without a peak.
  private static var patience: Int32 { @_noLocks get { 3 } }
  // The largest standard deviation of the frequency, in bins. A voice's is larger.
  private static var waver: Float { @_noLocks get { 0.06 } }
  // The smallest slope in dB per hop: a decaying tone isn't feedback.
  private static var fall: Float { @_noLocks get { -0.3 } }
  // The hops before a tone without response is probed again; and the shorter wait if it has since
  // grown by this many dB.
  private static var restHops: Int32 { @_noLocks get { 60 } }
  private static var shortRestHops: Int32 { @_noLocks get { 8 } }
  private static var growth: Float { @_noLocks get { 3 } }

  var isUsed = false
  /// Whether the tone was present in this window.
  private(set) var isPresent = false
  private var misses: Int32 = 0
  private var hops: Int32 = 0
  private var rest: Int32 = 0
  private var levelThen: Float = 0
  private var places = SIMD8<Float>()
  private var levels = SIMD8<Float>()
  /// The index of its probe, or -1.
  var probe: Int32 = -1
  /// Evidence from earlier probes.
  var hint = HowlProbe.Hint()

  @_noLocks
  init() {}

  /// The latest frequency, in bins.
  var place: Float { @_noLocks get { places[0] } }
  /// The latest level, in dB.
  var level: Float { @_noLocks get { levels[0] } }

  /// Starts a track with a peak.
  @_noLocks
  mutating func begin(_ peak: HowlSpectrum.Peak) {
    self = HowlTrack()
    isUsed = true
    hit(peak)
  }

  /// Starts a window.
  @_noLocks
  mutating func expect() { isPresent = false }

  /// Continues the track with a peak.
  @_noLocks
  mutating func hit(_ peak: HowlSpectrum.Peak) {
    isPresent = true
    misses = 0
    hops = min(hops &+ 1, 1000)
    places = SIMD8(
      peak.place, places[0], places[1], places[2], places[3], 0, 0, 0)
    levels = SIMD8(
      peak.level, levels[0], levels[1], levels[2], levels[3], 0, 0, 0)
  }

  /// Ends a window; drops the track if it has been missing too long.
  @_noLocks
  mutating func endHop() {
    if rest > 0 { rest &-= 1 }
    if isPresent { return }
    misses &+= 1
    hops = 1
    if misses > Self.patience && probe < 0 { isUsed = false }
  }

  /// Suspends probing for a while, or not at all after a near miss.
  @_noLocks
  mutating func rest(at level: Float, isShort: Bool) {
    levelThen = level
    rest = isShort ? 0 : Self.restHops
  }

  /// The standard deviation of the frequency, in bins.
  var wavering: Float {
    @_noLocks get {
      let mean = (places[0] + places[1] + places[2] + places[3] + places[4]) * 0.2
      var sum: Float = 0
      for index in 0..<5 { sum += (places[index] - mean) * (places[index] - mean) }
      return rt_square_root(sum * 0.2)
    }
  }

  /// The mean frequency, in bins.
  var meanPlace: Float {
    @_noLocks get { (places[0] + places[1] + places[2] + places[3] + places[4]) * 0.2 }
  }

  /// Whether to probe the tone: it is steady, doesn't decay, and reaches a level in dB.
  @_noLocks
  func isSuspect(from least: Float) -> Bool {
    guard isUsed && isPresent && probe < 0 && hops >= Self.steadyHops && level >= least else {
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
