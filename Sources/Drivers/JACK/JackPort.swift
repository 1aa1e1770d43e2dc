/// One of the node's ports on a JACK server.
package struct JackPort: Equatable, Sendable {
  /// Its name, without the client's.
  package let name: String
  /// Whether MIDI goes through it, and no sound.
  package let isMIDI: Bool
  /// Whether it takes in what others send.
  package let isInput: Bool
  /// The whole names of the ports to which it is connected, in the order of the alphabet.
  package let connections: [String]

  /// All ports of the node, in their order, with these connections.
  static func all(_ links: Set<JackConnection>, loops: Int) -> [JackPort] {
    PortPlan.all(loops: loops).map { plan in
      JackPort(
        name: plan.name, isMIDI: plan.isMIDI, isInput: plan.isInput,
        connections: links.filter { $0.own == plan.name }.map(\.other).sorted())
    }
  }
}
