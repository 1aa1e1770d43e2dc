package import Posix

/// Someone who talks to the node: a host, a port, and the door through which the messages come.
package struct Client: Hashable, Sendable {
  /// The way in a door by which messages come, and answers go.
  package enum Transport: Hashable, Sendable {
    /// Datagrams, by the door's socket of this number.
    case datagrams(socket: Int)
    /// The door's connection of this number.
    case stream(connection: Int)
  }

  /// Its address and port.
  package let endpoint: Endpoint
  /// The way to it.
  package let transport: Transport
  /// Whether what it sent can come from the node's own machine only, whatever sender it names.
  package let isOnThisMachine: Bool
  /// The number of the door, as the node gave it; the first is 0.
  package let door: Int

  /// Someone at an address, reached in a way.
  package init(
    endpoint: Endpoint, transport: Transport, door: Int = 0, isOnThisMachine: Bool = false
  ) {
    self.endpoint = endpoint
    self.transport = transport
    self.door = door
    self.isOnThisMachine = isOnThisMachine
  }

  /// Whether two are one place to answer to.
  package static func == (one: Client, other: Client) -> Bool {
    one.endpoint == other.endpoint && one.transport == other.transport && one.door == other.door
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(endpoint)
    hasher.combine(transport)
    hasher.combine(door)
  }

  /// The same host at another port, for datagrams.
  func at(port: UInt16) -> Client {
    var endpoint = endpoint
    endpoint.port = port
    return Client(
      endpoint: endpoint, transport: transport, door: door, isOnThisMachine: isOnThisMachine)
  }

  /// Whether it has a connection of its own, on which everything for it goes.
  var isConnected: Bool { if case .stream = transport { true } else { false } }
}

/// A door's way out: what sends packets to the clients that came through it.
///
/// The node writes to this and knows no sockets.
package protocol Outlet: AnyObject {
  /// Sends one packet, or loses it; never waits.
  func send(_ packet: [UInt8], to client: Client)
}
