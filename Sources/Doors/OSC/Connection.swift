package import Control
internal import OSC
package import Posix

/// A TCP client's connection.
package final class Connection {
  /// The state of a connection after a read.
  package enum State {
    /// More can follow.
    case open
    /// The other end has closed it.
    case ended
    /// The data is no OSC, or ends within a packet.
    case broken
    /// The other end doesn't read its replies.
    case behind
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
  // The packets that wait for the next turn, and what follows them. Nothing is read meanwhile.
  private var waiting: ArraySlice<[UInt8]> = []
  private var following = State.open
  private var unsent: [UInt8] = []
  private var isBroken = false
  private var finishingSince: Double?
  /// The time of the last received data, in microseconds.
  private(set) var lastHeard: Double

  /// Serves a client on a connected socket.
  package init(socket: Socket, now: Double, client: Client) {
    self.socket = socket
    lastHeard = now
    self.client = client
  }

  /// Reads the available data and hands over complete packets, at least one, until `microseconds` have passed.
  package func receive(
    now: Double, microseconds: Double, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> State {
    // Handed over only after the framing returns: a reply asks it for its style.
    if waiting.isEmpty { following = read(now: now) }
    while let packet = waiting.popFirst() {
      packet.withUnsafeBytes(body)
      if isBroken { return .behind }
      guard !waiting.isEmpty, HostTime.steady - now >= microseconds else { continue }
      // The rest of its last packet isn't read yet.
      if insideSince != nil { insideSince = now }
      return .open
    }
    return following
  }

  /// Whether packets wait for the next turn.
  package var hasWaiting: Bool { !waiting.isEmpty }

  private func read(now: Double) -> State {
    var packets: [[UInt8]] = []
    defer { waiting = packets[...] }
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
  package func send(_ packet: [UInt8]) {
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
