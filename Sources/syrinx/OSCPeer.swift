internal import OSC
internal import Posix

/// A node or a session manager that this program talks to, over UDP or TCP.
final class OSCPeer {
  private static let mostBytes = 1 << 16

  /// Called for each received message.
  var whenReceived: (_ path: String, _ arguments: [Argument]) -> Void = { _, _ in }
  /// The reason why the last message could not be sent.
  private(set) var fault = ""
  /// The socket, which becomes readable when a message arrives; nil while there is no connection.
  private(set) var socket: Socket?

  private let endpoint: Endpoint?
  private let isStream: Bool
  private let isExclusive: Bool
  private let reader = DatagramReader()
  private var framing = StreamFraming()

  /// Opens a socket to an endpoint; if exclusive, datagrams of other senders are ignored.
  ///
  /// A connection is made by the first message.
  init(_ place: NodePlace, isExclusive: Bool = false) throws(SystemError) {
    isStream = place.isStream
    self.isExclusive = isExclusive
    do throws(UnknownHost) {
      endpoint = try Endpoint(place)
    } catch {
      endpoint = nil
      fault = error.reason
    }
    guard !isStream else { return }
    let isVersion4 = endpoint?.address.isVersion4 ?? true
    socket = try Socket(
      .datagrams, boundTo: Endpoint(address: isVersion4 ? .any4 : .any6, port: 0))
  }

  // MARK: - Sending

  /// Sends a message from the port that receives the replies.
  ///
  /// Returns false if it could not be sent.
  @discardableResult
  func send(_ path: String, _ arguments: [Argument]) -> Bool {
    send([UInt8](address: path, arguments))
  }

  /// Sends a message from the port that receives the replies.
  ///
  /// Returns false if it could not be sent.
  @discardableResult
  func send(_ path: String, _ arguments: Argument...) -> Bool { send(path, arguments) }

  /// Sends messages in one bundle, due at a time.
  ///
  /// Returns false if it could not be sent.
  func send(_ messages: [(path: String, arguments: [Argument])], at time: TimeTag) -> Bool {
    send([UInt8](bundle: messages.map { [UInt8](address: $0.path, $0.arguments) }, at: time))
  }

  private func send(_ packet: [UInt8]) -> Bool {
    guard let endpoint else { return false }
    do throws(SystemError) {
      if isStream {
        try connection(to: endpoint).descriptor.write(
          StreamFraming.frame(packet, .lengthPrefix), action: "send")
      } else if let socket, !socket.send(packet, to: endpoint) {
        throw SystemError("send")
      }
      return true
    } catch {
      fault = error.reason
      if isStream { socket = nil }
      return false
    }
  }

  private func connection(to endpoint: Endpoint) throws(SystemError) -> Socket {
    if let socket { return socket }
    let new = try Socket(connectedTo: endpoint)
    socket = new
    framing = StreamFraming()
    return new
  }

  // MARK: - Receiving

  /// Waits up to `milliseconds` for messages.
  ///
  /// Returns false if none arrived.
  func receive(milliseconds: Int) -> Bool {
    let loop = EventLoop()
    var isReadable = false
    if let socket { loop.watch(socket.descriptor) { isReadable = true } }
    loop.turn(milliseconds: milliseconds)
    guard isReadable, let socket else { return false }
    return isStream ? readStream(socket) : readDatagrams(socket)
  }

  private func readDatagrams(_ socket: Socket) -> Bool {
    let count = reader.read(socket) { bytes, sender in
      if !isExclusive || isFrom(sender.endpoint) { take(bytes) }
    }
    // An unreachable receiver makes the next call fail unless its error is read.
    if socket.hasFault { while socket.nextUnreachable() != nil {} }
    return count > 0
  }

  private func isFrom(_ sender: Endpoint) -> Bool {
    guard let endpoint, sender.port == endpoint.port else { return false }
    // A machine answers itself from any of its addresses.
    let own = IPAddress.ofThisMachine
    return sender.address == endpoint.address
      || [sender.address, endpoint.address].allSatisfy { $0.isLoopback || own.contains($0) }
  }

  private func readStream(_ socket: Socket) -> Bool {
    var packets: [[UInt8]] = []
    let isOpen = withUnsafeTemporaryAllocation(byteCount: Self.mostBytes, alignment: 8) { buffer in
      guard case .bytes(let count) = socket.read(into: buffer) else { return false }
      return framing.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
        packets.append(Array($0))
      }
    }
    if !isOpen { self.socket = nil }
    for packet in packets { packet.withUnsafeBytes(take) }
    return !packets.isEmpty
  }

  private func take(_ packet: UnsafeRawBufferPointer) {
    // A packet that is not OSC is no reply of the node.
    try? Packet.read(packet) { message, _ in whenReceived(message.addressText, message.arguments) }
  }
}

extension Endpoint {
  /// Resolves the endpoint of a node.
  init(_ place: NodePlace) throws(UnknownHost) {
    try self.init(resolving: place.host, port: place.port)
  }
}

extension NodePlace {
  /// Opens a socket to talk to this node.
  func peer() throws(Failure) -> OSCPeer {
    try Failure.of(.unavailable, "can't connect to \(text): ", try OSCPeer(self))
  }
}
