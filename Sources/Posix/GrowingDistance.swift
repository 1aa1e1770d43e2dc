/// A limit on log lines about a fault that goes on: the longer it does, the farther apart.
package struct GrowingDistance {
  private static let least = 1.0
  private static let most = 600.0

  private var next = -Double.infinity
  private var distance = 0.0

  /// A limit under which the first line is due at once.
  package init() {}

  /// Whether a line may be told at a time in seconds, which it is then taken to be.
  ///
  /// Each is twice as far from the one before, up to ten minutes; after as long a time without any
  /// it begins anew.
  package mutating func isDue(_ now: Double) -> Bool {
    guard now >= next else { return false }
    let hasRested = now >= next + distance
    distance = hasRested ? Self.least : min(2 * distance, Self.most)
    next = now + distance
    return true
  }
}
