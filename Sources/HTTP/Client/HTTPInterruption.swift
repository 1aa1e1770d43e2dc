internal import CCurl
internal import Posix

/// A switch that ends the requests of clients: those in progress, and later ones before they begin.
///
/// Any thread.
package final class HTTPInterruption: Sendable {
  private struct State {
    var hasHappened = false
    var clients: Set<OpaquePointer> = []
  }

  private let state = Guarded(State())

  /// Creates an interruption that has not happened yet.
  package init() {}

  /// Ends all requests.
  package func interrupt() {
    state.withLock { state in
      state.hasHappened = true
      for client in state.clients { curl_multi_wakeup(UnsafeMutableRawPointer(client)) }
    }
  }

  /// Whether requests are over.
  var hasHappened: Bool { state.withLock { $0.hasHappened } }

  /// Registers the libcurl handle of a client, until it is freed.
  func add(_ client: OpaquePointer) { state.withLock { _ = $0.clients.insert(client) } }

  func remove(_ client: OpaquePointer) { state.withLock { _ = $0.clients.remove(client) } }
}
