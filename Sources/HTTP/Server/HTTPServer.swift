package import Posix

/// An HTTP/1.1 server, which handles requests on its own thread.
///
/// Accepted connections are passed to it. A request that another thread must answer is suspended
/// and blocks nothing else.
///
/// No client can keep others out: a request has a time limit as a whole, and where the connections are used
/// up, the oldest unfinished one of the address that has the most is closed for a new one.
package final class HTTPServer: @unchecked Sendable {
  /// The handling of a request.
  package enum RequestHandling: Sendable {
    case answer(HTTPAnswer)
    /// Answered later, from any thread.
    case wait(Question)
    /// Answered after its body was received into a file, or rejected before.
    case receive(@Sendable () -> Result<Upload, HTTPAnswer>)
    /// Upgraded to a WebSocket, with the accept key.
    case upgrade(accept: String)
  }

  /// A request that is answered asynchronously, from any thread.
  ///
  /// The server's own thread builds the response.
  package typealias Question = @Sendable (@escaping Reply) -> Void
  package typealias Reply = @Sendable (_ make: @escaping @Sendable () -> HTTPAnswer) -> Void

  // How long the last responses may take at the end.
  private static let endSeconds = 0.25
  // How often the time limits are checked.
  private static let lookMilliseconds = 250
  // Steps of one connection before the others have their turn.
  private static let mostSteps = 16
  // Work of its own that takes longer, such as a write to a slow disk, is not the clients' delay.
  private static let stall = 1e5
  private static let exiting = HTTPAnswer.refusal(503, "the server is exiting")

  private let course: @Sendable (HTTPRequest) -> RequestHandling
  private let common: [(name: String, value: String)]
  private let upgraded: @Sendable (UpgradedStream) -> Void
  private let limits: HTTPLimits
  private let clock: @Sendable () -> Double
  private let inbox: Inbox
  private let hasEnded = Monitor(false)
  // Connections on their way to the thread.
  private let arriving = Guarded(0)
  // The server's thread only.
  private let loop = EventLoop()
  private var connections: [Int: HTTPConnection] = [:]
  private var count = 0
  private var stalled = 0.0
  private var endTime: Double?

  /// Creates a server with common headers for all responses.
  ///
  /// `course` decides how to handle each request. `clock` returns microseconds, by default the host's steady
  /// clock.
  package init(
    headers: [(name: String, value: String)], limits: HTTPLimits = HTTPLimits(),
    clock: @escaping @Sendable () -> Double = { HostTime.steady },
    upgraded: @escaping @Sendable (UpgradedStream) -> Void,
    course: @escaping @Sendable (HTTPRequest) -> RequestHandling
  ) throws(SystemError) {
    common = headers
    self.limits = limits
    self.clock = clock
    self.upgraded = upgraded
    self.course = course
    inbox = try Inbox()
    try Thread.start("web") { [self] in work() }
  }

  /// A connection on its way to the server's thread.
  private struct Arrival: @unchecked Sendable {
    let socket: Socket
    let peer: Endpoint
  }

  /// Takes over a connection.
  ///
  /// Another one is closed if there are too many.
  package func take(_ socket: Socket, from peer: Endpoint) {
    let mayArrive = arriving.withLock { arriving in
      guard arriving < 2 * limits.connections else { return false }
      arriving += 1
      return true
    }
    guard mayArrive else { return }
    let arrival = Arrival(socket: socket, peer: peer)
    _ = inbox.leave { [self] in
      arriving.withLock { $0 -= 1 }
      begin(arrival)
    }
  }

  /// Closes all connections.
  ///
  /// Requests that are not answered yet are refused; later answers to them have no effect.
  package func end() {
    _ = inbox.leave { [self] in refuseWaiting() }
    _ = hasEnded.wait { $0 ? true : nil }
  }

  // MARK: - On the server's thread

  private var now: Double { clock() - stalled }

  private func work() {
    loop.watch(inbox.readable) { [unowned self] in inbox.work() }
    while true {
      if let endTime, connections.isEmpty || HostTime.steady >= endTime { break }
      let isPrompt = endTime != nil || !connections.isEmpty
      loop.turn(milliseconds: endTime != nil ? 5 : isPrompt ? Self.lookMilliseconds : 60_000)
      dropOverdue()
    }
    for connection in connections.values { loop.forget(connection.socket.descriptor) }
    connections = [:]
    loop.forget(inbox.readable)
    inbox.close()
    hasEnded.change { $0 = true }
  }

  private func begin(_ arrival: Arrival) {
    guard endTime == nil else { return }
    makeRoom(for: arrival.peer.address)
    count += 1
    let number = count
    connections[number] = HTTPConnection(
      arrival.socket, from: arrival.peer, limits: limits, now: now)
    loop.watch(arrival.socket.descriptor) { [unowned self] in serve(number) }
  }

  private func close(_ number: Int) {
    guard let old = connections.removeValue(forKey: number) else { return }
    loop.forget(old.socket.descriptor)
  }

  private func refuseWaiting() {
    guard endTime == nil else { return }
    endTime = HostTime.steady + Self.endSeconds * 1e6
    for (number, connection) in connections {
      switch connection.stage {
      case .waiting:
        connection.isLast = true
        reply(Self.exiting, to: connection)
        serve(number)
      case .sending: connection.isLast = true
      default: close(number)
      }
    }
  }

  // MARK: - Limits

  /// Closes a connection if there are too many: the oldest one of the most that one address has.
  private func makeRoom(for address: IPAddress) {
    guard connections.count >= min(limits.connections, limits.connectionsOfOneAddress) else {
      return
    }
    let crowds = Dictionary(grouping: connections) { $0.value.peer.address.network }
    let own = crowds[address.network] ?? []
    let candidates: [(key: Int, value: HTTPConnection)]
    if own.count >= limits.connectionsOfOneAddress {
      candidates = own
    } else if connections.count >= limits.connections {
      let most = crowds.values.reduce(0) { max($0, $1.count) }
      let parting = connections.filter { $0.value.stage == .parting }
      candidates =
        parting.isEmpty
        ? crowds.values.filter { $0.count == most }.flatMap { $0 } : parting.map { $0 }
    } else {
      return
    }
    let victim = candidates.min { one, other in
      (one.value.rank, one.value.since, one.key)
        < (other.value.rank, other.value.since, other.key)
    }
    if let victim { close(victim.key) }
  }

  private func dropOverdue() {
    let now = now
    for (number, connection) in connections where connection.isOverdue(now: now) {
      switch connection.stage {
      case .head, .body:
        refuse(
          connection,
          .refusal(
            408,
            "the request took too long; the limit is \(Int(limits.seconds)) s, and for long ones "
              + "\(Int(limits.bytesPerSecond / 1024)) kB per second"))
        serve(number)
      default: close(number)
      }
    }
  }

  // MARK: - Requests

  private func serve(_ number: Int) {
    guard let connection = connections[number] else { return }
    let start = clock()
    var isOpen = true
    var steps = 0
    while steps < Self.mostSteps, let goesOn = step(connection, number) {
      steps += 1
      if !goesOn {
        isOpen = false
        break
      }
    }
    let elapsed = clock() - start
    if elapsed > Self.stall { stalled += elapsed }
    guard isOpen else { return close(number) }
    if steps == Self.mostSteps { _ = inbox.leave { [self] in serve(number) } }
    settle(connection)
  }

  /// Moves a connection on; returns whether it is still open, or nil if there is nothing to do now.
  private func step(_ connection: HTTPConnection, _ number: Int) -> Bool? {
    switch connection.stage {
    case .idle, .head:
      switch connection.readHead(now: now) {
      case .open: return nil
      case .whole(let head): return begin(head, connection, number)
      case .malformed(let answer): refuse(connection, answer)
      case .gone: return false
      }
    case .body:
      switch connection.readBody(now: now) {
      case .open: return nil
      case .whole(let upload): putAside(connection, number, upload.finish)
      case .refused(let answer): refuse(connection, answer)
      case .gone: return false
      }
    case .waiting: return connection.socket.isHungUp ? false : nil
    case .sending:
      switch connection.send(now: now) {
      case .open: return nil
      case .gone: return false
      case .whole where endTime != nil: return false
      case .whole where connection.isLast: connection.part(now: now)
      case .whole: connection.reopen(now: now)
      }
    case .parting: return connection.discard() ? nil : false
    }
    return true
  }

  /// Watches a connection for the events that it needs.
  private func settle(_ connection: HTTPConnection) {
    let isReading: Bool
    switch connection.stage {
    case .idle, .head, .body, .parting: isReading = true
    case .sending, .waiting: isReading = false
    }
    loop.watchReading(connection.socket.descriptor, isReading)
    loop.watchWriting(connection.socket.descriptor, connection.stage == .sending)
  }

  /// Begins to handle a request; returns false if the connection is over.
  private func begin(
    _ head: HTTPRequestHead, _ connection: HTTPConnection, _ number: Int
  ) -> Bool {
    switch course(head.request) {
    case .receive(let begin):
      switch begin() {
      case .success(let upload): connection.beginBody(head, into: upload, now: now)
      case .failure(let refusal): refuse(connection, refusal, isLast: head.framing != .none)
      }
    case .upgrade(let accept):
      guard head.framing == .none else {
        refuse(connection, HTTPRequestHead.fault("an upgrade takes no body"))
        break
      }
      let headers = [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", accept)]
      if let stream = connection.upgrade(headers + common) {
        loop.forget(connection.socket.descriptor)
        connections[number] = nil
        upgraded(stream)
      }
      return false
    case .answer(let answer): refuse(connection, answer, isLast: head.framing != .none)
    case .wait(let ask):
      // A body that nobody reads would be taken for the next request.
      if head.framing != .none { connection.isLast = true }
      putAside(connection, number, ask)
    }
    return true
  }

  private func putAside(_ connection: HTTPConnection, _ number: Int, _ ask: Question) {
    connection.wait(now: now)
    let exchange = connection.exchange
    ask { [self] make in
      _ = inbox.leave { [self] in answer(make, number, exchange) }
    }
  }

  /// Answers a request that has waited.
  private func answer(_ make: () -> HTTPAnswer, _ number: Int, _ exchange: Int) {
    guard let connection = connections[number], connection.exchange == exchange,
      connection.stage == .waiting
    else { return }
    reply(make(), to: connection)
    serve(number)
  }

  private func reply(_ answer: HTTPAnswer, to connection: HTTPConnection) {
    connection.answer(answer, headers: common, now: now)
  }

  /// Answers at once, by default as the last response.
  private func refuse(_ connection: HTTPConnection, _ answer: HTTPAnswer, isLast: Bool = true) {
    if isLast { connection.isLast = true }
    reply(answer, to: connection)
  }
}
