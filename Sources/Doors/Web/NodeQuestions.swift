internal import Control
internal import HTTP
internal import Posix

/// The node as the web thread sees it: requests are queued, and the node's own thread answers them.
final class NodeQuestions: @unchecked Sendable {
  /// The data directory, which a session can change.
  var home: String? { place.withLock { $0 } }

  private let inbox: Inbox
  private let place: Guarded<String?>
  // The node's own thread only.
  private unowned let node: Node

  init(_ node: Node, _ inbox: Inbox) {
    self.node = node
    self.inbox = inbox
    place = Guarded(node.home)
  }

  /// Runs work that replies on the node's thread.
  ///
  /// If that thread has ended, replies at once.
  func ask(_ reply: @escaping HTTPServer.Reply, _ work: @escaping @Sendable (Node) -> Void) {
    let isTaken = inbox.leave { [self] in work(node) }
    if !isTaken { reply { .refusal(503, "the node is exiting") } }
  }

  /// Updates the path of the data directory; call on the node's own thread.
  func look() { place.withLock { $0 = node.home } }
}
