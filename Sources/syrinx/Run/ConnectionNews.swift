internal import Drivers
internal import Posix

/// A queue that passes the node's connections from the link's thread to the main thread.
final class ConnectionNews: Sendable {
  private let latest = Guarded<[JackConnection]?>(nil)
  private let signal: Signal

  init() throws(SystemError) { signal = try Signal() }

  /// The descriptor that becomes readable when connections are queued.
  var readable: Descriptor { signal.readable }

  /// Queues all connections that exist or will be restored.
  ///
  /// Any thread.
  func tell(_ connections: [JackConnection]) {
    latest.withLock { $0 = connections }
    signal.set()
  }

  /// Wakes the main thread because the ports' connections have changed.
  ///
  /// Any thread.
  func wake() { signal.set() }

  /// Takes the latest connections; nil if already taken.
  func take() -> [JackConnection]? {
    signal.clear()
    return latest.withLock { latest in
      defer { latest = nil }
      return latest
    }
  }
}
