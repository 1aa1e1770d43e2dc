internal import Control
internal import HTTP
internal import Posix

/// A client's WebSocket.
final class WebSocket {
  // On top of the system's buffer. Behind this, frequent updates (meters) are dropped.
  private static let mostBehindMeters = 32 << 10
  // A client further behind is too slow to play with.
  private static let mostUnsent = 256 << 10
  private static let pingPeriod = 5e6
  private static let hangUpAfter = 15e6
  // Time limit for sending the last messages.
  private static let partingTime = 1e6
  private static let mostAtOnce = 1 << 18

  let stream: UpgradedStream
  let socket: Socket
  let client: Client
  /// Whether the client may play, rather than only read.
  var isPaired: Bool
  private let framing = WebSocketFraming()
  private var pace: MessagePace
  private var settling: Settling
  private var unsent: [UInt8] = []
  private var lastHeard: Double
  private var nextPing: Double
  private var closingSince: Double?
  private var isBroken = false

  init(
    _ stream: UpgradedStream, _ socket: Socket, client: Client, isPaired: Bool, isForeign: Bool,
    now: Double
  ) {
    self.stream = stream
    self.socket = socket
    self.client = client
    self.isPaired = isPaired
    pace = MessagePace(now: now)
    settling = Settling(isForeign: isForeign, now: now)
    lastHeard = now
    nextPing = now + Self.pingPeriod
  }

  // MARK: - Receiving

  /// Reads the available data and hands over the complete messages.
  func receive(now: Double, _ body: (WebSocketFraming.Message) -> Void) {
    guard isReading(now: now) else { return }
    let reading = socket.read(atMost: Self.mostAtOnce) { bytes in
      take(bytes, now: now, body)
      return isReading(now: now)
    }
    if case .closed = reading { isBroken = true }
  }

  /// Takes bytes that have already been read.
  func take(
    _ bytes: UnsafeRawBufferPointer, now: Double, _ body: (WebSocketFraming.Message) -> Void
  ) {
    lastHeard = now
    let messages = framing.take(bytes)
    pace.spend(messages.count, bytes: bytes.count)
    for message in messages where closingSince == nil { body(message) }
    if framing.hasEnded, closingSince == nil { closingSince = now }
    flush()
  }

  /// Whether to process a packet: false for those that a page of another site sends as it opens.
  func follows(_ packet: [UInt8], now: Double) -> Bool { settling.follows(packet, now: now) }

  /// Whether the socket is read at the moment: a client that sends more than anybody can play is
  /// throttled.
  func isReading(now: Double) -> Bool { closingSince == nil && pace.hasRoom(now: now) }

  // MARK: - Sending

  /// Sends a packet.
  ///
  /// A frequent update is dropped if the client is behind.
  func send(_ packet: [UInt8], isFleeting: Bool) {
    guard !isBroken, closingSince == nil else { return }
    if isFleeting, unsent.count > Self.mostBehindMeters { return }
    framing.send(packet)
    flush()
  }

  /// Sends an OSCQuery command.
  func send(_ text: String) {
    guard !isBroken, closingSince == nil else { return }
    framing.send(text)
    flush()
  }

  /// Whether data is waiting to be written.
  var hasUnsent: Bool { !unsent.isEmpty }

  /// Writes the buffered data.
  func flush() {
    unsent += framing.takeOutgoing()
    while !unsent.isEmpty, !isBroken {
      guard let count = socket.write(unsent[...]) else {
        isBroken = true
        return
      }
      if count == 0 { break }
      unsent.removeFirst(count)
    }
    if unsent.count > Self.mostUnsent { isBroken = true }
  }

  /// Whether the socket was dropped because the client fell too far behind.
  var wasDropped: Bool { unsent.count > Self.mostUnsent }

  // MARK: - Time

  /// Starts the closing handshake; the socket is over once that is sent.
  func close(_ reason: WebSocketFraming.Closing, now: Double) {
    guard closingSince == nil else { return }
    framing.close(reason)
    closingSince = now
    flush()
  }

  /// Pings the client when that is due.
  ///
  /// Returns true if the connection is over.
  func isOver(now: Double) -> Bool {
    if isBroken || now - lastHeard > Self.hangUpAfter { return true }
    if let closingSince { return unsent.isEmpty || now - closingSince > Self.partingTime }
    if now >= nextPing {
      nextPing = now + Self.pingPeriod
      framing.ping()
      flush()
    }
    return isBroken
  }
}

/// A rate limit for one client's messages.
struct MessagePace {
  // Ten sliding fingers send fewer than a thousand messages per second.
  private static let (burst, perSecond) = (2000.0, 1000.0)
  private static let (burstBytes, bytesPerSecond) = (1_048_576.0, 524_288.0)

  private var messages = burst
  private var bytes = burstBytes
  private var since: Double

  init(now: Double) { since = now }

  mutating func spend(_ count: Int, bytes: Int) {
    messages -= Double(count)
    self.bytes -= Double(bytes)
  }

  /// Whether another message may be read, at a time in microseconds.
  mutating func hasRoom(now: Double) -> Bool {
    let seconds = max(0, now - since) / 1e6
    since = max(since, now)
    messages = min(Self.burst, messages + seconds * Self.perSecond)
    bytes = min(Self.burstBytes, bytes + seconds * Self.bytesPerSecond)
    return messages > 0 && bytes > 0
  }
}
