/// A rate limit for log lines about a persistent fault, with growing intervals.
package struct GrowingDistance {
  private static let least = 1.0
  private static let most = 600.0

  private var next = -Double.infinity
  private var distance = 0.0

  /// Creates a limit.
  ///
  /// The first line is due at once.
  package init() {}

  /// Whether a line is due at a time in seconds.
  ///
  /// If so, it counts as logged.
  ///
  /// The interval doubles each time, up to ten minutes. It resets after an equally long time
  /// without lines.
  package mutating func isDue(_ now: Double) -> Bool {
    guard now >= next else { return false }
    let hasRested = now >= next + distance
    distance = hasRested ? Self.least : min(2 * distance, Self.most)
    next = now + distance
    return true
  }
}
