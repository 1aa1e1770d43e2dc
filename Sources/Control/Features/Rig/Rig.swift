internal import OSC

/// The nodes that can be found, on this machine and on the network.
package final class Rig: Feature {
  private let context: Context
  private let worker = Worker("rig", isAwaited: false)
  private var prepare: (() -> @Sendable () -> [RigNode])?
  // The requests that the search in progress answers.
  private var waiting: [Request] = []
  private static let mostWaiting = 64

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] }

  /// Sets what prepares a search, which then runs on a thread of its own.
  package func begin(_ prepare: @escaping () -> @Sendable () -> [RigNode]) {
    self.prepare = prepare
  }

  fileprivate func list(_ request: Request) throws(Refusal) {
    guard let prepare else { throw Refusal(.state, "nodes are found by `syrinx run` only") }
    guard waiting.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(waiting.count) requests wait for the search; try again later")
    }
    waiting.append(request)
    guard worker.count == 0 else { return }
    let search = prepare()
    worker.run { () throws(Refusal) in
      search()
    } then: { [weak self] outcome in
      guard let self else { return }
      let requests = waiting
      waiting = []
      for request in requests {
        request.complete(outcome) { nodes in
          request.answer(nodes, Self.node, end: Self.end, row: Self.row)
        }
      }
    }
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
      "Lists the nodes of this machine, and those that Avahi finds on the network, within three seconds: replies "
        + "/node for each, then /rig/end i:count"),
    Address(node), Address(end),
  ]
}
