internal import OSC

/// A reading that changes on its own, and is sent to subscribers on change, up to 30 times per second.
struct PolledReading {
  private static let periodMilliseconds = 33

  private let path: String
  private var announced: [Argument] = []

  init(_ path: String) { self.path = path }

  /// Announces the present values if they have changed.
  ///
  /// Returns the delay until the next poll in milliseconds, or nil without subscribers.
  mutating func poll(_ context: Context, _ present: @autoclosure () -> [Argument]) -> Int? {
    guard context.isWanted(path) else { return nil }
    let values = present()
    if values != announced {
      announced = values
      context.announce(path, values)
    }
    return Self.periodMilliseconds
  }
}
