internal import OSC

/// A feature that lists the nodes of this machine and of the network.
package final class Rig: Feature {
  private let context: Context
  private let worker = Worker("rig", isAwaited: false)
  private var search: (@Sendable (_ ownName: String) -> [RigNode])?
  // The requests that the search in progress answers.
  private var waiting: [Request] = []
  private static let mostWaiting = 64
  // How long a result is returned again, in microseconds.
  private static let freshness = 1e6
  private var latest: (nodes: [RigNode], time: Double)?

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] }

  /// Sets the search, which runs on the worker thread with the name of this node.
  package func begin(_ search: @escaping @Sendable (_ ownName: String) -> [RigNode]) {
    self.search = search
  }

  fileprivate func list(_ request: Request) throws(Refusal) {
    guard let search else { throw Refusal(.state, "only `syrinx run` can list nodes") }
    if let latest, context.now() - latest.time < Self.freshness {
      return answer(request, latest.nodes)
    }
    // The earlier request of a client would be answered by the same rows.
    waiting.removeAll { $0.client == request.client }
    guard waiting.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(waiting.count) requests are already waiting; try again later")
    }
    waiting.append(request)
    guard worker.count == 0 else { return }
    worker.run { [name = context.name] () throws(Refusal) in
      search(name)
    } then: { [weak self] outcome in
      guard let self else { return }
      if case .success(let nodes) = outcome { latest = (nodes, context.now()) }
      let requests = waiting
      waiting = []
      for request in requests {
        // Each has the reply budget of a packet of its own.
        context.replySender.beginPacket(now: context.now())
        request.complete(outcome) { nodes in self.answer(request, nodes) }
      }
    }
  }

  private func answer(_ request: Request, _ nodes: [RigNode]) {
    request.answer(nodes, Self.node, end: Self.end, row: Self.row)
  }

  private static func row(_ node: RigNode) -> [Argument] {
    Argument.row(
      node.name, node.host, node.load ?? -1, node.lost ?? -1, node.server, node.scene)
  }
}

extension Rig {
  private static let node = Event(
    "/node", "ssfiss",
    "Reply to /rig: s:name s:host f:load i:lost s:server s:scene; lost is the number of times it lost sound, "
      + "server is running, gone, or silent for a node that doesn't reply, whose numbers are -1")
  private static let end = Event(
    "/rig/end", "i", "End of the replies to /rig: number of nodes")

  static let addresses: [Address] = [
    Address(
      "/rig", Declaring<Rig>.question(end: end, Rig.list),
      "Lists the nodes of this machine, and those that Avahi finds on the network, in up to 3.5 s: replies /node "
        + "for each, then /rig/end i:count"),
    Address(node), Address(end),
  ]
}
