internal import OSC
internal import Posix

/// A peer over the node's own UDP sockets, by IPv4 or IPv6.
final class SocketPeer: OSCPeer {
  var whenReceived: (_ path: String, _ arguments: [Argument]) -> Void = { _, _ in }
  private(set) var fault = ""

  /// The socket, which becomes readable when a message arrives.
  let socket: Socket
  private let endpoint: Endpoint
  private let isExclusive: Bool
  private let reader = DatagramReader()

  /// Opens a socket to talk to an endpoint; if exclusive, messages of other senders are ignored.
  init(_ endpoint: Endpoint, isExclusive: Bool = false) throws(SystemError) {
    self.endpoint = endpoint
    self.isExclusive = isExclusive
    socket = try Socket(
      .datagrams,
      boundTo: Endpoint(address: endpoint.address.isVersion4 ? .any4 : .any6, port: 0))
  }

  var descriptor: Int32 { socket.descriptor.number }

  func send(_ path: String, _ arguments: [Argument]) -> Bool {
    send([UInt8](address: path, arguments))
  }

  func send(_ messages: [(path: String, arguments: [Argument])], at time: TimeTag) -> Bool {
    send(
      [UInt8](bundle: messages.map { [UInt8](address: $0.path, $0.arguments) }, at: time))
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    let hasGone = socket.send(bytes, to: endpoint)
    if !hasGone { fault = SystemError("send").description }
    return hasGone
  }

  private func isFrom(_ sender: Endpoint) -> Bool {
    guard sender.port == endpoint.port else { return false }
    // A machine answers itself from any of its addresses.
    let own = IPAddress.ofThisMachine
    return sender.address == endpoint.address
      || [sender.address, endpoint.address].allSatisfy { $0.isLoopback || own.contains($0) }
  }

  func receive(milliseconds: Int) -> Bool {
    let loop = EventLoop()
    loop.watch(socket.descriptor) {}
    loop.turn(milliseconds: milliseconds)
    let count = reader.read(socket) { bytes, sender in
      guard !isExclusive || isFrom(sender.endpoint) else { return }
      // A packet that is not OSC is no reply of the node.
      try? Packet.read(bytes) { message, _ in whenReceived(message.addressText, message.arguments) }
    }
    // An unreachable receiver makes the next call fail unless its error is read.
    if socket.hasFault { while socket.nextUnreachable() != nil {} }
    return count > 0
  }
}
