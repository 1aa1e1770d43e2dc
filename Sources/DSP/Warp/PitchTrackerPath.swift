internal import CRealtime

/// Chooses among candidate periods with a cost for changes, so that octave jumps are rare.
///
/// The costs follow Paul Boersma, "Accurate Short-Term Analysis of the Fundamental Frequency"
/// (1993). The path is only followed forward, because the result can't wait.
struct PitchPath: BitwiseCopyable {
  private static var most: Int { @_noLocks get { 7 } }
  // The correlation that a maximum must reach to count as a period.
  private static var threshold: Float { @_noLocks get { 0.5 } }
  // The bonus in correlation per octave of pitch: real voices often correlate better after two
  // periods than after one.
  private static var octaveCost: Float { @_noLocks get { 0.03 } }
  // Costs of a change, for cycles of 10 ms.
  private static var jumpCost: Float { @_noLocks get { 0.35 } }
  private static var voicingCost: Float { @_noLocks get { 0.10 } }
  // The start of a voice is detected late anyway.
  private static var beginningCost: Float { @_noLocks get { 0.02 } }

  private let jumps: Float
  private let voicings: Float
  private let beginnings: Float
  private let shortest: Float
  // Lane 0 is unvoiced. Lags are stored in octaves; unused lanes score low.
  private var octaves = SIMD8<Float>(repeating: 0)
  private var lags = SIMD8<Float>(repeating: 0)
  private var scores = SIMD8<Float>(repeating: -1000)
  private var count = 0
  private var oldOctaves = SIMD8<Float>(repeating: 0)
  private var oldScores = SIMD8<Float>(repeating: -1000)
  private var oldCount = 0

  /// The chosen lag; 0 if unvoiced.
  private(set) var lag: Float = 0

  @_noLocks
  init(secondsARound: Float, shortest: Int) {
    let scale = 0.01 / secondsARound
    jumps = Self.jumpCost * scale
    voicings = Self.voicingCost * scale
    beginnings = Self.beginningCost * scale
    self.shortest = Float(shortest)
  }

  /// Clears the history.
  @_noLocks
  mutating func forget() { oldCount = 0 }

  /// Starts a cycle.
  @_noLocks
  mutating func begin() {
    count = 1
    lags[0] = 0
    scores[0] = Self.threshold
  }

  /// Adds a candidate, if it is among the best.
  @_noLocks
  mutating func consider(lag: Float, likeness: Float) {
    let octave = rt_log(lag / shortest) * 1.442_695
    let score = likeness - Self.octaveCost * octave
    var lane = count
    if count > Self.most {
      lane = 1
      for other in 2...Self.most where scores[other] < scores[lane] { lane = other }
      if scores[lane] >= score { return }
    } else {
      count &+= 1
    }
    lags[lane] = lag
    octaves[lane] = octave
    scores[lane] = score
  }

  /// Ends a cycle and chooses a lag.
  @_noLocks
  mutating func choose() {
    if oldCount > 0 {
      for lane in 0..<count {
        var best = -Float.greatestFiniteMagnitude
        for old in 0..<oldCount {
          let cost =
            lane == 0
            ? (old == 0 ? 0 : voicings)
            : old == 0 ? beginnings : jumps * abs(octaves[lane] - oldOctaves[old])
          best = max(best, oldScores[old] - cost)
        }
        scores[lane] += best
      }
    }
    var winner = 0
    for lane in 1..<max(1, count) where scores[lane] > scores[winner] { winner = lane }
    lag = lags[winner]
    let top = scores[winner]
    oldCount = count
    oldOctaves = octaves
    for lane in 0..<count { oldScores[lane] = scores[lane] - top }
  }
}
