internal import Drivers
internal import Posix

/// The node's connections on their way from the link's thread to the main one.
final class ConnectionNews: Sendable {
  private let latest = Guarded<[JackConnection]?>(nil)
  private let signal: Signal

  init() throws(SystemError) { signal = try Signal() }

  /// The descriptor that becomes readable when there are connections to take.
  var readable: Descriptor { signal.readable }

  /// Tells of all connections that there are, or shall be.
  ///
  /// Any thread.
  func tell(_ connections: [JackConnection]) {
    latest.withLock { $0 = connections }
    signal.set()
  }

  /// Wakes the main thread, because ports have other connections.
  ///
  /// Any thread.
  func wake() { signal.set() }

  /// Takes the latest; nil where that was taken already.
  func take() -> [JackConnection]? {
    signal.clear()
    return latest.withLock { latest in
      defer { latest = nil }
      return latest
    }
  }
}
