internal import Glibc
internal import Posix

/// A client's connection: the bytes of its requests and responses.
///
/// The server's thread only.
final class HTTPConnection {
  /// The result of reading a head.
  enum HeadReading {
    case open
    case whole(HTTPRequestHead)
    case malformed(HTTPAnswer)
    case gone
  }

  /// The result of reading a body.
  enum BodyReading {
    case open
    case whole(Upload)
    case refused(HTTPAnswer)
    case gone
  }

  /// The result of sending.
  enum Sending {
    case open, whole, gone
  }

  private static let atOnce = 16_384
  // What one connection may move before the others have their turn.
  private static let mostInOneTurn = 1 << 20

  let socket: Socket
  let peer: Endpoint
  private(set) var stage = HTTPConnectionStage.idle
  /// Whether the connection is closed after the response.
  var isLast = false
  /// The request that is being answered.
  private(set) var request: HTTPRequest?
  /// The number of the exchange, by which a late answer is recognized.
  private(set) var exchange = 0
  /// When the stage began, for a body that of its request, in microseconds.
  private(set) var since: Double
  private let limits: HTTPLimits
  private var lastMoved: Double
  // The bytes of the stage that have been moved.
  private var moved = 0
  private var received: [UInt8] = []
  private var scanner = HTTPHeadScanner()
  private var upload: Upload?
  private var left: Int?
  private var chunks = ChunkedBody()
  private var outgoing: [UInt8] = []
  private var sent = 0
  private var file: (descriptor: Descriptor, offset: Int, left: Int)?

  init(_ socket: Socket, from peer: Endpoint, limits: HTTPLimits, now: Double) {
    (self.socket, self.peer, self.limits) = (socket, peer, limits)
    (since, lastMoved) = (now, now)
  }

  /// The order in which connections are closed to make room: those that wait for the client first.
  var rank: Int {
    switch stage {
    case .parting: 0
    // A new client has had no time for its request.
    case .idle: exchange > 0 ? 1 : 2
    case .head, .body: 2
    case .sending: 3
    case .waiting: 4
    }
  }

  /// Whether the client has had its time, in the current stage.
  func isOverdue(now: Double) -> Bool {
    let (elapsed, pause) = ((now - since) / 1e6, (now - lastMoved) / 1e6)
    switch stage {
    case .waiting: return false
    case .idle, .parting: return pause > limits.seconds
    case .head: return elapsed > limits.seconds
    case .body, .sending:
      return pause > limits.seconds
        || elapsed > limits.seconds + Double(moved) / limits.bytesPerSecond
    }
  }

  private func enter(_ stage: HTTPConnectionStage, now: Double) {
    // A body belongs to the time of its request.
    if stage != .body { since = now }
    self.stage = stage
    lastMoved = now
    moved = 0
  }

  // MARK: - Reading

  /// Reads what has arrived, up to a limit.
  private func receive() -> Socket.Reading {
    let former = received.count
    received.reserveCapacity(former + Self.atOnce)
    return withUnsafeTemporaryAllocation(byteCount: Self.atOnce, alignment: 8) { buffer in
      let reading = socket.read(into: buffer)
      if case .bytes(let count) = reading { received += buffer[..<count] }
      return reading
    }
  }

  /// Reads a head.
  func readHead(now: Double) -> HeadReading {
    while true {
      if let reading = scanHead(now: now) { return reading }
      switch receive() {
      case .bytes: continue
      case .nothingNow: return .open
      case .closed: return .gone
      }
    }
  }

  private func scanHead(now: Double) -> HeadReading? {
    if stage == .idle, !received.isEmpty { enter(.head, now: now) }
    switch scanner.scan(received) {
    case .malformed:
      return .malformed(
        HTTPRequestHead.fault("invalid request; expected lines of text that end with CR and LF"))
    case .open where received.count > limits.headBytes:
      return .malformed(
        scanner.isBehindFirstLine
          ? .refusal(431, "the headers are larger than \(limits.headBytes >> 10) kB")
          : .refusal(414, "the path is longer than \(limits.headBytes >> 10) kB"))
    case .open: return nil
    case .whole(let count):
      scanner = HTTPHeadScanner()
      // Some clients send an empty line after a body.
      guard count > 2 else {
        received.removeFirst(count)
        return scanHead(now: now)
      }
      guard count <= limits.headBytes else {
        return .malformed(.refusal(431, "the headers are larger than \(limits.headBytes >> 10) kB"))
      }
      do throws(HTTPAnswer) {
        let head = try HTTPRequestHead(received[..<count], from: peer.address)
        received.removeFirst(count)
        request = head.request
        exchange += 1
        isLast = head.isLast
        return .whole(head)
      } catch {
        return .malformed(error)
      }
    }
  }

  /// Begins to receive a body.
  func beginBody(_ head: HTTPRequestHead, into upload: Upload, now: Double) {
    self.upload = upload
    switch head.framing {
    case .none: left = 0
    case .counted(let count): left = count
    case .chunked:
      left = nil
      chunks = ChunkedBody()
    }
    enter(.body, now: now)
    guard head.awaitsContinue, received.isEmpty, left != 0 else { return }
    _ = socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
  }

  /// Reads a body, up to a limit.
  func readBody(now: Double) -> BodyReading {
    var count = 0
    while true {
      if let reading = takeBody() { return reading }
      guard count < Self.mostInOneTurn else { return .open }
      switch receive() {
      case .bytes(let new):
        count += new
        moved += new
        lastMoved = now
      case .nothingNow: return .open
      case .closed: return .gone
      }
    }
  }

  /// Takes received bytes of a body; nil if more are needed.
  private func takeBody() -> BodyReading? {
    guard let upload else { return .gone }
    var refusal: HTTPAnswer?
    let (taken, isWhole) = received.withUnsafeBytes { bytes -> (Int?, Bool) in
      if let left {
        let count = min(left, bytes.count)
        if count > 0 { refusal = upload.take(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
        self.left = left - count
        return (count, left == count)
      }
      let count = chunks.take(bytes) { if refusal == nil { refusal = upload.take($0) } }
      return (count, chunks.isWhole)
    }
    if let refusal {
      self.upload = nil
      return .refused(refusal)
    }
    guard let taken else {
      self.upload = nil
      return .refused(HTTPRequestHead.fault("invalid chunked body"))
    }
    received.removeFirst(taken)
    guard isWhole else { return nil }
    self.upload = nil
    return .whole(upload)
  }

  // MARK: - Answering

  /// Stops reading until the answer is there.
  func wait(now: Double) { enter(.waiting, now: now) }

  /// Prepares a response.
  func answer(_ answer: HTTPAnswer, headers common: [(name: String, value: String)], now: Double) {
    upload = nil
    let count: Int
    switch answer.body {
    case .bytes(let bytes): count = bytes.count
    case .file(_, _, let bytes): count = bytes
    }
    outgoing = HTTPResponseHead.bytes(
      answer.status, headers: answer.headers + common, length: count, isLast: isLast)
    (sent, file) = (0, nil)
    if request?.method != "HEAD", HTTPResponseHead.hasBody(answer.status) {
      switch answer.body {
      case .bytes(let bytes): outgoing += bytes
      case .file(let descriptor, let start, let count):
        let whole = (descriptor, start, count)
        file = whole
        // The first bytes go with the head.
        if count > 0 { _ = fill(from: whole) }
      }
    }
    request = nil
    enter(.sending, now: now)
  }

  /// Sends a response, up to a limit.
  func send(now: Double) -> Sending {
    var count = 0
    while count < Self.mostInOneTurn {
      if sent == outgoing.count {
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
        guard let file, file.left > 0 else { return .whole }
        guard fill(from: file) else { return .gone }
      }
      guard let new = socket.write(outgoing[sent...]) else { return .gone }
      guard new > 0 else { return .open }
      sent += new
      count += new
      moved += new
      lastMoved = now
    }
    return .open
  }

  private func fill(from file: (descriptor: Descriptor, offset: Int, left: Int)) -> Bool {
    let wanted = min(file.left, Self.atOnce * 4)
    let count = withUnsafeTemporaryAllocation(byteCount: wanted, alignment: 8) { buffer in
      let (count, _) = file.descriptor.read(into: buffer, at: file.offset)
      outgoing += buffer[..<count]
      return count
    }
    self.file = (file.descriptor, file.offset + count, file.left - count)
    // A file that has become shorter can't fill the announced length.
    return count > 0
  }

  /// Begins the next request.
  func reopen(now: Double) {
    (outgoing, file) = ([], nil)
    enter(.idle, now: now)
  }

  /// Ends the connection's own side, so that the client receives the response before the rest of its request
  /// is refused.
  func part(now: Double) {
    (outgoing, file, received) = ([], nil, [])
    socket.endWriting()
    enter(.parting, now: now)
  }

  /// Discards what still arrives; returns false if the client has closed.
  func discard() -> Bool {
    var count = 0
    while count < Self.mostInOneTurn {
      switch receive() {
      case .bytes(let new): count += new
      case .nothingNow: return true
      case .closed: return false
      }
      received.removeAll(keepingCapacity: true)
    }
    return true
  }

  /// Sends the response that upgrades the connection, and returns its stream; nil if the client is gone.
  func upgrade(_ headers: [(name: String, value: String)]) -> UpgradedStream? {
    guard let request else { return nil }
    let head = HTTPResponseHead.bytes(101, headers: headers, length: 0, isLast: false)
    guard socket.write(head[...]) == head.count else { return nil }
    return UpgradedStream(request, socket: socket, early: received)
  }
}
