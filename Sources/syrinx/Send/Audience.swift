internal import Control
internal import OSC
internal import Posix

/// Conversations with one node, or with several that receive the same messages.
final class Audience {
  private final class Listener {
    /// The name of the node; nil if it is the only one.
    let name: String?
    let conversation: Conversation
    /// Why nothing is sent to the node any more.
    var failure: Failure?

    init(name: String?, _ conversation: Conversation) {
      self.name = name
      self.conversation = conversation
    }

    /// A failure with the name of the node.
    func named(_ failure: Failure) -> Failure {
      name.map { Failure(failure.code, "\($0): \(failure.message)") } ?? failure
    }
  }

  private let listeners: [Listener]

  /// Begins conversations with nodes.
  ///
  /// `whenAnswered` is called for each reply, with the name of the node if there can be several.
  init(
    _ audience: NodeAudience,
    whenAnswered: @escaping (_ node: String?, _ path: String, _ arguments: [Argument]) -> Void
  ) throws(Failure) {
    switch audience {
    case .one(let place):
      listeners = [Listener(name: nil, try Conversation(with: place))]
    case .all:
      let nodes = try FoundNode.needed()
      listeners = try nodes.map { node throws(Failure) in
        let isUnique = nodes.count { $0.name == node.name } == 1
        return Listener(
          name: isUnique ? node.name : "\(node.name)@\(node.host)",
          try Conversation(with: node.place))
      }
    }
    for listener in listeners {
      listener.conversation.whenAnswered = { whenAnswered(listener.name, $0, $1) }
    }
  }

  /// Reports refusals of all nodes from now on, instead of throwing the first one.
  func collectRefusals(_ whenRefused: @escaping (Failure) -> Void) {
    for listener in listeners {
      listener.conversation.whenRefused = { whenRefused(listener.named($0)) }
    }
  }

  /// Sends a message.
  func send(_ path: String, _ arguments: [Argument]) throws(Failure) {
    try forAll { conversation throws(Failure) in try conversation.send(path, arguments) }
  }

  /// Sends messages in one bundle, due at a time.
  func send(_ messages: [(path: String, arguments: [Argument])], at time: TimeTag) throws(Failure) {
    try forAll { conversation throws(Failure) in try conversation.send(messages, at: time) }
  }

  /// Receives the available replies.
  func hear() { for listener in listeners { listener.conversation.hear() } }

  /// Waits until the nodes have processed everything sent, except long-running commands.
  func settle() throws(Failure) {
    try forAll { conversation throws(Failure) in try conversation.beginSettling() }
    hear(while: \.millisecondsToSettle)
    try forAll { conversation throws(Failure) in try conversation.endSettling() }
  }

  /// Listens for this long, or until everything has completed.
  ///
  /// Throws the nodes' errors.
  func listen(seconds: Double?) throws(Failure) {
    if seconds != 0 {
      for listener in reached { listener.conversation.beginListening() }
      hear { $0.millisecondsLeft(of: seconds) }
      try forAll { conversation throws(Failure) in
        try conversation.endListening(seconds: seconds)
      }
    }
    try reportFailures()
  }

  /// Receives replies until no node has time left.
  private func hear(while timeLeft: (Conversation) -> Int?) {
    while true {
      let open = reached.compactMap { listener in
        timeLeft(listener.conversation).map { (listener.conversation, $0) }
      }
      if open.isEmpty { return }
      for (conversation, left) in open {
        conversation.hear(milliseconds: min(max(1, 50 / open.count), left))
      }
    }
  }

  /// The listeners whose nodes could be reached so far.
  private var reached: [Listener] { listeners.filter { $0.failure == nil } }

  /// Calls `act` for each conversation that has not failed.
  ///
  /// Those that fail are left out from then on. Throws the first failure once all have failed.
  private func forAll(_ act: (Conversation) throws(Failure) -> Void) throws(Failure) {
    for listener in reached {
      do throws(Failure) {
        try act(listener.conversation)
      } catch {
        listener.failure = listener.named(error)
      }
    }
    if reached.isEmpty { try reportFailures() }
  }

  /// Throws the first failure, and prints the others.
  private func reportFailures() throws(Failure) {
    let failures = listeners.compactMap(\.failure)
    for failure in failures.dropFirst() { Environment.say(failure.message) }
    if let first = failures.first { throw first }
  }
}
