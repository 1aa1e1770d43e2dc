package import Posix

/// Someone who talks to the node: a host, a port and a protocol.
package struct Client: Hashable, Sendable {
  /// The way its messages come, and answers go.
  package enum Transport: Hashable, Sendable {
    /// Datagrams, by the node's socket of this number.
    case datagrams(socket: Int)
    /// The connection of this number.
    case stream(connection: Int)
  }

  /// Its address and port.
  package let endpoint: Endpoint
  /// The way to it.
  package let transport: Transport
  /// Whether what it sent can come from the node's own machine only, whatever sender it names.
  package let isOnThisMachine: Bool

  /// Someone at an address, reached in a way.
  package init(endpoint: Endpoint, transport: Transport, isOnThisMachine: Bool = false) {
    self.endpoint = endpoint
    self.transport = transport
    self.isOnThisMachine = isOnThisMachine
  }

  /// Whether two are one place to answer to.
  package static func == (one: Client, other: Client) -> Bool {
    one.endpoint == other.endpoint && one.transport == other.transport
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(endpoint)
    hasher.combine(transport)
  }

  /// The same host at another port, for datagrams.
  func at(port: UInt16) -> Client {
    var endpoint = endpoint
    endpoint.port = port
    return Client(
      endpoint: endpoint, transport: transport, isOnThisMachine: isOnThisMachine)
  }
}

/// Sends packets to clients.
///
/// The node writes to this and knows no sockets.
package protocol Outlet: AnyObject {
  /// Sends one packet, or loses it; never waits.
  func send(_ packet: [UInt8], to client: Client)
}
