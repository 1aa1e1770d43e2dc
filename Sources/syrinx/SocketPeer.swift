internal import OSC
internal import Posix

/// A peer over the node's own UDP sockets, by IPv4 or IPv6.
final class SocketPeer: OSCPeer {
  var whenReceived: (_ path: String, _ arguments: [Argument]) -> Void = { _, _ in }
  private(set) var fault = ""

  private let endpoint: Endpoint
  private let socket: Socket
  private let reader = DatagramReader()

  init(_ endpoint: Endpoint) throws(SystemError) {
    self.endpoint = endpoint
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

  func receive(milliseconds: Int) -> Bool {
    let loop = EventLoop()
    loop.watch(socket.descriptor) {}
    loop.turn(milliseconds: milliseconds)
    let count = reader.read(socket) { bytes, _ in
      // A packet that is not OSC is no reply of the node.
      try? Packet.read(bytes) { message, _ in whenReceived(message.addressText, message.arguments) }
    }
    // An unreachable receiver makes the next call fail unless its error is read.
    if socket.hasFault { while socket.nextUnreachable() != nil {} }
    return count > 0
  }
}
