internal import Engine

/// The role of timebase master, as wanted by the node and answered by the server.
///
/// The request comes from the node's main thread, the answer from the link's thread, which waits for the
/// server in between: an answer to a request that was since withdrawn must not count.
struct TransportRole: Sendable {
  private(set) var isWanted = false
  private(set) var state = TransportLead.no

  /// Requests or releases the role.
  mutating func want(_ wants: Bool, isRunning: Bool) {
    isWanted = wants
    if !wants || !isRunning {
      state = .no
    } else if state != .yes {
      state = .asked
    }
  }

  /// Takes the server's answer.
  mutating func answer(isGranted: Bool) {
    guard isWanted else { return }
    if isGranted {
      state = .yes
    } else {
      isWanted = false
      // Another client has taken the role over, or had it already.
      state = state == .yes ? .no : .denied
    }
  }

  /// Notes that the server is gone; the request stays.
  mutating func serverIsGone() { state = .no }
}
