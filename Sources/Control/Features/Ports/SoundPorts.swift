internal import Engine
internal import OSC

/// The node's ports on the sound server, and their connections.
final class SoundPorts: Feature {
  private let context: Context
  private var changesSeen = 0
  private var known: [SoundPort] = []

  init(_ context: Context) { self.context = context }

  /// Announces ports whose connections changed.
  func poll(_ now: Double) -> Int? {
    // Changes wake the control thread.
    let changes = context.soundServer.status.portChanges
    guard changes != changesSeen else { return nil }
    changesSeen = changes
    let ports = context.soundServer.ports
    for port in ports where port.connections != connections(of: port.name, in: known) {
      context.announce(Self.port, Self.row(port))
    }
    for var port in known where !ports.contains(where: { $0.name == port.name }) {
      if port.connections.isEmpty { continue }
      // The server is gone, and with it the connections.
      port.connections = []
      context.announce(Self.port, Self.row(port))
    }
    known = ports
    return nil
  }

  private func connections(of name: String, in ports: [SoundPort]) -> [String] {
    ports.first { $0.name == name }?.connections ?? []
  }

  fileprivate func list(_ request: Request) {
    request.answer(context.soundServer.ports, Self.port, end: Self.end, row: Self.row)
  }

  private static func row(_ port: SoundPort) -> [Argument] {
    Argument.row(
      port.name, port.isMIDI ? "midi" : "audio", port.isInput ? "in" : "out", port.connections)
  }
}

extension SoundPorts {
  private static let port = Event(
    "/port", "ssss…",
    "Reply to /ports, and sent to subscribers when the connections change: s:name "
      + "s:audio or midi s:in or out s…:connected ports")
  private static let end = Event("/ports/end", "i", "End of the replies to /ports: number of ports")

  static let addresses: [Address] = [
    Address(
      "/ports", Declaring<SoundPorts>.question(end: end, SoundPorts.list),
      "Lists the node's JACK ports: replies /port for each, then /ports/end i:count; none without a "
        + "sound server"),
    Address(port), Address(end),
  ]
}
