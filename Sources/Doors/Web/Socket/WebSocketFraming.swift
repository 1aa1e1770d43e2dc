internal import CWslay

/// The framing of a WebSocket: received bytes to messages, and messages to bytes to send.
///
/// It has no socket.
package final class WebSocketFraming {
  /// A received message.
  package enum Message: Equatable {
    case binary([UInt8])
    case text([UInt8])
    /// The reply to a ping.
    case pong
  }

  /// The reasons for which the node closes a socket.
  package enum Closing: UInt16 {
    case goingAway = 1001
    case denied = 1008
    case tooMuch = 1013
  }

  /// The longest message, in bytes.
  package static let longest = 65_536

  private var context: OpaquePointer?
  private var incoming: [UInt8] = []
  private var place = 0
  fileprivate var outgoing: [UInt8] = []
  fileprivate var messages: [Message] = []

  /// Creates the framing of a new connection.
  package init() {
    var callbacks = wslay_event_callbacks()
    callbacks.recv_callback = receiveBytes
    callbacks.send_callback = sendBytes
    callbacks.on_msg_recv_callback = receiveMessage
    let result = wslay_event_context_server_init(
      &context, &callbacks, Unmanaged.passUnretained(self).toOpaque())
    precondition(result == 0, "no memory")
    wslay_event_config_set_max_recv_msg_length(context, UInt64(Self.longest))
  }

  deinit { wslay_event_context_free(context) }

  /// Takes received bytes, and returns the messages that they complete.
  package func take(_ bytes: UnsafeRawBufferPointer) -> [Message] {
    incoming.removeFirst(place)
    place = 0
    incoming.append(contentsOf: bytes)
    // A protocol violation is answered with a close frame, and nothing more is read.
    if wslay_event_recv(context) != 0 { wslay_event_shutdown_read(context) }
    write()
    defer { messages.removeAll(keepingCapacity: true) }
    return messages
  }

  /// Whether nothing more is read: the client has left or violated the protocol.
  package var hasEnded: Bool { wslay_event_get_read_enabled(context) == 0 }

  /// Sends a binary message.
  package func send(_ bytes: [UInt8]) { queue(WSLAY_BINARY_FRAME, bytes) }

  /// Sends a text message.
  package func send(_ text: String) { queue(WSLAY_TEXT_FRAME, Array(text.utf8)) }

  /// Sends a ping.
  package func ping() { queue(WSLAY_PING, []) }

  /// Sends a close frame.
  package func close(_ reason: Closing) {
    wslay_event_queue_close(context, reason.rawValue, nil, 0)
    write()
  }

  /// Takes the bytes to send.
  package func takeOutgoing() -> [UInt8] {
    defer { outgoing.removeAll(keepingCapacity: true) }
    return outgoing
  }

  private func queue(_ kind: wslay_opcode, _ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer {
      var message = wslay_event_msg(
        opcode: UInt8(kind.rawValue), msg: $0.baseAddress, msg_length: $0.count)
      wslay_event_queue_msg(context, &message)
    }
    write()
  }

  private func write() {
    // The call fails only without memory. The next read then finds the stream closed.
    if wslay_event_send(context) != 0 { wslay_event_shutdown_read(context) }
  }

  fileprivate func read(into buffer: UnsafeMutablePointer<UInt8>, most: Int) -> Int {
    let count = min(most, incoming.count - place)
    guard count > 0 else { return 0 }
    incoming.withUnsafeBufferPointer {
      buffer.update(from: $0.baseAddress! + place, count: count)
    }
    place += count
    return count
  }
}

// Callbacks for C.

private func framing(_ context: UnsafeMutableRawPointer?) -> WebSocketFraming {
  Unmanaged<WebSocketFraming>.fromOpaque(context!).takeUnretainedValue()
}

private func receiveBytes(
  _ events: OpaquePointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ most: Int, _ flags: Int32,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let count = framing(context).read(into: buffer!, most: most)
  if count == 0 {
    wslay_event_set_error(events, Int32(WSLAY_ERR_WOULDBLOCK.rawValue))
    return -1
  }
  return count
}

private func sendBytes(
  _ events: OpaquePointer?, _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ flags: Int32,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  framing(context).outgoing.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
  return count
}

private func receiveMessage(
  _ events: OpaquePointer?, _ message: UnsafePointer<wslay_event_on_msg_recv_arg>?,
  _ context: UnsafeMutableRawPointer?
) {
  guard let message = message?.pointee else { return }
  let bytes = Array(UnsafeBufferPointer(start: message.msg, count: message.msg_length))
  switch UInt32(message.opcode) {
  case WSLAY_BINARY_FRAME.rawValue: framing(context).messages.append(.binary(bytes))
  case WSLAY_TEXT_FRAME.rawValue: framing(context).messages.append(.text(bytes))
  case WSLAY_PONG.rawValue: framing(context).messages.append(.pong)
  default: break
  }
}
