package import Posix

/// A client of the node: endpoint, transport and server.
package struct Client: Hashable, Sendable {
  /// The transport by which messages arrive and replies go out.
  package enum Transport: Hashable, Sendable {
    /// Datagrams, through the server's socket of this number.
    case datagrams(socket: Int)
    /// The server's connection of this number.
    case stream(connection: Int)
  }

  /// The IP address and port.
  package let endpoint: Endpoint
  /// The transport.
  package let transport: Transport
  /// Whether its packets can only come from this machine, even if the sender address is forged.
  package let isOnThisMachine: Bool
  /// The number of the server that received the message, from 0.
  package let door: Int

  /// Creates a client.
  package init(
    endpoint: Endpoint, transport: Transport, door: Int = 0, isOnThisMachine: Bool = false
  ) {
    self.endpoint = endpoint
    self.transport = transport
    self.door = door
    self.isOnThisMachine = isOnThisMachine
  }

  /// Whether both have the same reply target.
  package static func == (one: Client, other: Client) -> Bool {
    one.endpoint == other.endpoint && one.transport == other.transport && one.door == other.door
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(endpoint)
    hasher.combine(transport)
    hasher.combine(door)
  }

  /// The same host at another UDP port.
  func at(port: UInt16) -> Client {
    var endpoint = endpoint
    endpoint.port = port
    return Client(
      endpoint: endpoint, transport: transport, door: door, isOnThisMachine: isOnThisMachine)
  }

  /// Whether the client has a connection, which carries all replies.
  var isConnected: Bool { if case .stream = transport { true } else { false } }
}

/// The output of a server: sends packets to the clients connected through it.
package protocol Outlet: AnyObject {
  /// Sends one packet, or drops it.
  ///
  /// Never blocks.
  func send(_ packet: [UInt8], to client: Client)
}
