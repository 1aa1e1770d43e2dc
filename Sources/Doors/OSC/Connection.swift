internal import Control
internal import OSC
internal import Posix

/// A TCP client's connection.
final class Connection {
  /// The state of a connection after a read.
  enum State {
    case open, ended, broken
  }

  // Time limit for a complete message.
  private static let messageSeconds = 5.0
  // Limit of unsent bytes: a client further behind is gone, or too slow to play with.
  private static let mostUnsent = 1 << 20
  private static let mostAtOnce = 1 << 18

  let socket: Socket
  let client: Client
  private var framing = StreamFraming()
  private var insideSince: Double?
  private var unsent: [UInt8] = []
  private var isBroken = false
  private var finishingSince: Double?
  /// The time of the last received data, in microseconds.
  private(set) var lastHeard: Double

  init(socket: Socket, now: Double, client: Client) {
    self.socket = socket
    lastHeard = now
    self.client = client
  }

  /// Reads the available data and hands over the complete packets.
  func receive(now: Double, _ body: (UnsafeRawBufferPointer) -> Void) -> State {
    // Handed over only after the framing returns: a reply asks it for its style.
    var packets: [[UInt8]] = []
    defer { for packet in packets { packet.withUnsafeBytes(body) } }
    var isWhole = true
    let reading = socket.read(atMost: Self.mostAtOnce) { bytes in
      isWhole = framing.take(bytes) { packets.append(Array($0)) }
      return isWhole
    }
    guard isWhole else { return .broken }
    if case .closed = reading { return framing.isInsidePacket ? .broken : .ended }
    lastHeard = now
    if !packets.isEmpty { insideSince = nil }
    insideSince = framing.isInsidePacket ? insideSince ?? now : nil
    return .open
  }

  /// Whether the client has stalled in the middle of a message or has stopped reading.
  func isHopeless(now: Double) -> Bool {
    if let insideSince, now - insideSince > Self.messageSeconds * 1e6 { return true }
    return isBroken
  }

  /// Stops reading, and closes the connection once its last replies are sent.
  func finish(now: Double) { finishingSince = now }

  /// Whether reading has stopped.
  var isFinishing: Bool { finishingSince != nil }

  /// Whether the last replies are sent, or never will be.
  func isFinished(now: Double) -> Bool {
    guard let finishingSince else { return false }
    flush()
    let seconds = (now - finishingSince) / 1e6
    // The audio thread replies within a block or two.
    return isBroken || seconds > 1 || (seconds > 0.25 && unsent.isEmpty)
  }

  /// Whether data is waiting to be written.
  var hasUnsent: Bool { !unsent.isEmpty }

  /// Sends a packet, as much as the socket accepts; buffers the rest.
  func send(_ packet: [UInt8]) {
    guard !isBroken else { return }
    unsent += StreamFraming.frame(packet, framing.style ?? .lengthPrefix)
    flush()
    if unsent.count > Self.mostUnsent { isBroken = true }
  }

  /// Writes the buffered data.
  func flush() {
    while !unsent.isEmpty {
      guard let count = socket.write(unsent[...]) else {
        isBroken = true
        unsent.removeAll()
        return
      }
      if count == 0 { return }
      unsent.removeFirst(count)
    }
  }
}
