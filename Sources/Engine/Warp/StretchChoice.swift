/// Whether a source that follows a tempo is stretched by an engine, or drifts.
///
/// It changes seldom: the estimate of a clock moves a little all the time.
struct StretchChoice: BitwiseCopyable {
  // The greatest deviation of the speed at which it drifts, with room for corrections below the limit of a drift.
  private static var mostDrift: Double { @_noLocks get { 0.0018 } }
  // What is stretched drifts once it has been within this deviation for as many seconds.
  private static var driftAgain: Double { @_noLocks get { 0.0015 } }
  private static var secondsToDrift: Double { @_noLocks get { 0.5 } }

  private(set) var isStretched = false
  private var secondsWithin = 0.0

  @_noLocks
  init() {}

  /// Takes in a ratio of the tempo to the source's, so many seconds after the last one.
  @_noLocks
  mutating func update(_ ratio: Double, after seconds: Double) {
    let deviation = abs(ratio - 1)
    secondsWithin = deviation > Self.driftAgain ? 0 : secondsWithin + seconds
    if deviation > Self.mostDrift {
      isStretched = true
    } else if secondsWithin >= Self.secondsToDrift {
      isStretched = false
    }
  }

  /// Takes in the first ratio, before anything sounds.
  @_noLocks
  mutating func begin(_ ratio: Double) {
    isStretched = false
    update(ratio, after: 0)
  }
}
