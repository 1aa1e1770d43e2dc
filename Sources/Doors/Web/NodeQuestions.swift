internal import Control
internal import HTTP
internal import Posix

/// The node as the web's thread sees it: it leaves questions, which the node's own thread answers.
final class NodeQuestions: @unchecked Sendable {
  /// The home folder, which a session can change.
  var home: String? { place.withLock { $0 } }

  private let inbox: Inbox
  private let place: Guarded<String?>
  // Only the node's own thread touches it.
  private unowned let node: Node

  init(_ node: Node, _ inbox: Inbox) {
    self.node = node
    self.inbox = inbox
    place = Guarded(node.home)
  }

  /// Has the node's thread do something that replies; where that has ended, it is replied at once.
  func ask(_ reply: @escaping HTTPServer.Reply, _ work: @escaping @Sendable (Node) -> Void) {
    let isTaken = inbox.leave { [self] in work(node) }
    if !isTaken { reply { .refusal(503, "the node is ending") } }
  }

  /// Notes where the home folder is; the node's own thread.
  func look() { place.withLock { $0 = node.home } }
}
