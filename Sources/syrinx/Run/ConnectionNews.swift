internal import Drivers
internal import Posix

/// What the link's thread tells the main one of the node's connections.
final class ConnectionNews: Sendable {
  private let latest = Guarded<[JackConnection]?>(nil)
  private let signal: Signal

  init() throws(SystemError) { signal = try Signal() }

  /// Can be read when there is something to take.
  var readable: Descriptor { signal.readable }

  /// Tells of all connections that there are, or shall be.
  ///
  /// Any thread.
  func tell(_ connections: [JackConnection]) {
    latest.withLock { $0 = connections }
    signal.set()
  }

  /// Takes the latest; nil where that was taken already.
  func take() -> [JackConnection]? {
    signal.clear()
    return latest.withLock { latest in
      defer { latest = nil }
      return latest
    }
  }
}
