internal import Control
internal import OSC
internal import Posix

/// The states of all nodes that can be found, as they report them.
enum RigCensus {
  // A reply takes less than 1 ms on one machine, and up to a few tenths of a second over Wi-Fi. The query is
  // repeated once.
  private static let (patience, repetition) = (1.0, 0.4)
  // A scene's name is shorter, unless another program claims to be a node.
  private static let longestScene = 100
  private static let questions = [
    "/status/load", "/status/losses", "/status/server", "/scene", "/status/clock",
  ]

  /// A node and its replies.
  private final class Asked {
    let node: FoundNode
    private let peer: OSCPeer?
    private var answers: [String: [Argument]] = [:]

    init(_ node: FoundNode) {
      self.node = node
      peer = try? OSCPeer(node.place)
      peer?.whenReceived = { [unowned self] path, arguments in
        // A node of another version may refuse a question, and another program may send anything.
        let path = path == "/error" ? arguments.first?.text ?? "" : path
        if RigCensus.questions.contains(path) { answers[path] = arguments }
      }
    }

    var isDone: Bool { peer == nil || answers.count >= RigCensus.questions.count }

    func ask() {
      _ = peer?.send(RigCensus.questions.map { ($0, []) }, at: .immediately)
    }

    func hear(milliseconds: Int) { _ = peer?.receive(milliseconds: milliseconds) }

    private func number(_ path: String, in range: ClosedRange<Double>) -> Double? {
      answers[path]?.first?.number.flatMap { range ~= $0 ? $0 : nil }
    }
    private func text(_ path: String) -> String? {
      answers[path].flatMap { $0.count == 1 ? $0[0].text : nil }
    }

    /// The state, as far as the node has replied.
    var state: RigNode {
      var state = RigNode(name: node.name, host: node.host, place: node.place.text)
      guard let server = answers["/status/server"] else { return state }
      state.load = number("/status/load", in: 0...1000).map(Float.init)
      state.lost = number("/status/losses", in: 0...1e9).map { Int($0) }
      state.server = server.first?.text == "gone" ? "gone" : "running"
      state.scene = String((text("/scene") ?? "").prefix(RigCensus.longestScene))
      state.clockError = number("/status/clock", in: -1...1e9)
      return state
    }
  }

  /// Finds all nodes, including the requesting one, and queries their states, in up to 3.5 s.
  ///
  /// Without Avahi, only nodes of this machine are found.
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
