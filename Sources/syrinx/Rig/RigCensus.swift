internal import Control
internal import OSC
internal import Posix

/// The state of all nodes that can be found, as they reply.
enum RigCensus {
  // A reply within the machine takes less than a millisecond, over wireless networks up to some tenths of a
  // second. The question is repeated once.
  private static let (patience, repetition) = (1.0, 0.4)
  private static let questions = [
    "/status/load", "/status/losses", "/status/server", "/scene", "/status/clock",
  ]

  /// A node, and what it has replied.
  private final class Asked {
    let node: FoundNode
    private let peer: OSCPeer?
    private var answers: [String: [Argument]] = [:]

    init(_ node: FoundNode) {
      self.node = node
      peer = try? OSCPeer(node.place)
      peer?.whenReceived = { [unowned self] path, arguments in
        // A node of another version may refuse a question.
        let path = path == "/error" ? arguments.first?.text ?? "" : path
        answers[path] = arguments
      }
    }

    var isDone: Bool { peer == nil || answers.count >= RigCensus.questions.count }

    func ask() {
      _ = peer?.send(RigCensus.questions.map { ($0, []) }, at: .immediately)
    }

    func hear(milliseconds: Int) { _ = peer?.receive(milliseconds: milliseconds) }

    private func number(_ path: String) -> Double? { answers[path]?.first?.number }
    private func text(_ path: String) -> String? {
      answers[path].flatMap { $0.count == 1 ? $0[0].text : nil }
    }

    /// The state, as far as the node has replied.
    var state: RigNode {
      var state = RigNode(name: node.name, host: node.host, place: node.place.text)
      guard !answers.isEmpty else { return state }
      state.load = number("/status/load").map(Float.init)
      state.lost = number("/status/losses").map { Int($0) }
      state.server = text("/status/server") ?? "running"
      state.scene = text("/scene") ?? ""
      state.clockError = number("/status/clock")
      return state
    }
  }

  /// Finds all nodes besides the one that asks, and asks them all, in up to three seconds.
  ///
  /// Without Avahi, they are those of this machine only.
  static func take(with asking: FoundNode? = nil) -> (nodes: [RigNode], hasAvahi: Bool) {
    let (nodes, hasAvahi) = FoundNode.all(with: asking)
    let asked = nodes.map(Asked.init)
    for one in asked { one.ask() }
    let start = HostTime.steady
    var hasRepeated = false
    while true {
      let open = asked.filter { !$0.isDone }
      let seconds = (HostTime.steady - start) / 1e6
      if open.isEmpty || seconds >= patience { break }
      if seconds >= repetition, !hasRepeated {
        hasRepeated = true
        for one in open { one.ask() }
      }
      for one in open { one.hear(milliseconds: max(1, 20 / open.count)) }
    }
    return (asked.map(\.state), hasAvahi)
  }
}
