internal import Engine
internal import OSC

/// The node's ports on the sound server, and what they are connected to.
final class SoundPorts: Feature {
  private let context: Context
  private var changesSeen = 0
  private var known: [SoundPort] = []

  init(_ context: Context) { self.context = context }

  /// Tells of the ports whose connections are others.
  func poll(_ now: Double) -> Int? {
    // Whoever changes them wakes this thread.
    let changes = context.soundServer.status.portChanges
    guard changes != changesSeen else { return nil }
    changesSeen = changes
    let ports = context.soundServer.ports
    for port in ports where port.connections != connections(of: port.name, in: known) {
      context.announce(Self.port, Self.row(port))
    }
    for var port in known where !ports.contains(where: { $0.name == port.name }) {
      if port.connections.isEmpty { continue }
      // The server has gone, and its connections with it.
      port.connections = []
      context.announce(Self.port, Self.row(port))
    }
    known = ports
    return nil
  }

  private func connections(of name: String, in ports: [SoundPort]) -> [String] {
    ports.first { $0.name == name }?.connections ?? []
  }

  fileprivate func tell(_ request: Request) {
    let ports = context.soundServer.ports
    for port in ports { request.answer(Self.port, Self.row(port)) }
    request.answer(Self.end, [.int32(Int32(ports.count))])
  }

  private static func row(_ port: SoundPort) -> [Argument] {
    [
      .string(port.name), .string(port.isMIDI ? "midi" : "audio"),
      .string(port.isInput ? "in" : "out"),
    ] + port.connections.map(Argument.string)
  }
}

extension SoundPorts {
  private static let port = Event(
    "/port", "ssss…",
    "One of the answers to /ports, and sent to subscribers when its connections change: s:name "
      + "s:audio or midi s:in or out s…:ports to which it is connected")
  private static let end = Event("/ports/end", "i", "The end of the answer to /ports")

  static let addresses: [Address] = [
    Address(
      "/ports",
      Of<SoundPorts>.question(end: end.path) { ports, request in ports.tell(request) },
      "Answers /port for each of the node's JACK ports, then /ports/end i:count; none without a "
        + "sound server"),
    Address(port), Address(end),
  ]
}
