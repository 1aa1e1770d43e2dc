internal import CRealtime

/// Chooses among the candidates for a period, round by round, so that it seldom jumps.
///
/// The costs are those of Paul Boersma, "Accurate Short-Term Analysis of the Fundamental
/// Frequency" (1993); the best path is followed forwards only, because nobody waits for it.
struct PitchPath: BitwiseCopyable {
  private static var most: Int { @_noLocks get { 7 } }
  // The height that a maximum must have to be taken for a period.
  private static var threshold: Float { @_noLocks get { 0.5 } }
  // How much less of likeness an octave higher may have: real voices are most like themselves
  // after two periods as often as after one.
  private static var octaveCost: Float { @_noLocks get { 0.03 } }
  // Costs of changing, for rounds of 10 ms.
  private static var jumpCost: Float { @_noLocks get { 0.35 } }
  private static var voicingCost: Float { @_noLocks get { 0.10 } }
  // A voice that begins is late already.
  private static var beginningCost: Float { @_noLocks get { 0.02 } }

  private let jumps: Float
  private let voicings: Float
  private let beginnings: Float
  private let shortest: Float
  // Lane 0 stands for no period at all; lags are kept as octaves, those not in use score low.
  private var octaves = SIMD8<Float>(repeating: 0)
  private var lags = SIMD8<Float>(repeating: 0)
  private var scores = SIMD8<Float>(repeating: -1000)
  private var count = 0
  private var oldOctaves = SIMD8<Float>(repeating: 0)
  private var oldScores = SIMD8<Float>(repeating: -1000)
  private var oldCount = 0

  /// The chosen lag; 0 for none.
  private(set) var lag: Float = 0

  @_noLocks
  init(secondsARound: Float, shortest: Int) {
    let scale = 0.01 / secondsARound
    jumps = Self.jumpCost * scale
    voicings = Self.voicingCost * scale
    beginnings = Self.beginningCost * scale
    self.shortest = Float(shortest)
  }

  /// Forgets what came before.
  @_noLocks
  mutating func forget() { oldCount = 0 }

  /// Begins a round.
  @_noLocks
  mutating func begin() {
    count = 1
    lags[0] = 0
    scores[0] = Self.threshold
  }

  /// Puts a candidate among the best.
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

  /// Ends a round.
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
