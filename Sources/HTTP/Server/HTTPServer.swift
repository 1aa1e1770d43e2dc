internal import CMicrohttpd
internal import Glibc
package import Posix

/// An HTTP/1.1 server, which handles requests on its own thread.
///
/// Accepted connections are passed to it. A request that another thread must answer is suspended
/// and blocks nothing else.
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

  // Enough for the phones of a band. Further connections wait.
  private static let mostConnections: UInt32 = 160
  private static let mostOfOneAddress: UInt32 = 96
  private static let idleSeconds: UInt32 = 10

  private let course: @Sendable (HTTPRequest) -> RequestHandling
  private let common: [(name: String, value: String)]
  private let upgraded: @Sendable (UpgradedStream) -> Void
  private var server: OpaquePointer?
  // The suspended requests. libmicrohttpd aborts the process if one is left when it stops.
  private let waiting = Guarded<(exchanges: Set<HTTPExchange>, isEnding: Bool)>(([], false))

  /// Creates a server with common headers for all responses.
  ///
  /// `course` decides how to handle each request.
  package init(
    headers: [(name: String, value: String)],
    upgraded: @escaping @Sendable (UpgradedStream) -> Void,
    course: @escaping @Sendable (HTTPRequest) -> RequestHandling
  ) throws(SystemError) {
    common = headers
    self.upgraded = upgraded
    self.course = course
    let context = Unmanaged.passUnretained(self).toOpaque()
    server = mh_start(
      handleRequest, endRequest, context, Self.mostConnections, Self.mostOfOneAddress,
      Self.idleSeconds)
    guard server != nil else { throw SystemError("can't start the thread of the HTTP server") }
  }

  /// Takes over a connection.
  ///
  /// Closes it if there are too many.
  package func take(_ socket: Socket, from peer: Endpoint) {
    let number = fcntl(socket.descriptor.number, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { return }
    peer.withSockaddr { _ = mh_add(server, number, $0, $1) }
  }

  /// Closes all connections.
  ///
  /// Requests that are not answered yet are refused; later answers to them have no effect.
  package func end() {
    guard let server else { return }
    waiting.withLock { waiting in
      waiting.isEnding = true
      for exchange in waiting.exchanges { exchange.resume { Self.exiting } }
      waiting.exchanges = []
    }
    MHD_stop_daemon(server)
    self.server = nil
  }

  private static let exiting = HTTPAnswer.refusal(503, "the server is exiting")

  // MARK: - On the server's thread

  fileprivate func handle(_ exchange: HTTPExchange) -> MHD_Result {
    switch exchange.state {
    case .new where exchange.request.isReading:
      // libmicrohttpd closes the connection if a response is queued before the request has been
      // read.
      exchange.state = .read
      return mh_yes
    case .new, .read:
      exchange.state = .decided
      return follow(course(exchange.request), exchange)
    case .decided:
      if let refusal = exchange.refusal { return reply(refusal, to: exchange) }
      guard let upload = exchange.upload else { return mh_no }
      exchange.upload = nil
      return putAside(exchange, upload.finish)
    case .answered(let make):
      // Release the data for the response, such as a received file, before it is sent.
      exchange.state = .decided
      return reply(make(), to: exchange)
    }
  }

  private func follow(_ course: RequestHandling, _ exchange: HTTPExchange) -> MHD_Result {
    switch course {
    case .answer(let answer): return reply(answer, to: exchange)
    case .wait(let ask): return putAside(exchange, ask)
    case .upgrade(let accept): return upgrade(exchange, accept)
    case .receive(let begin):
      switch begin() {
      case .success(let upload): exchange.upload = upload
      case .failure(let refusal): return reply(refusal, to: exchange)
      }
      return mh_yes
    }
  }

  /// Receives the next part of a body.
  fileprivate func take(_ bytes: UnsafeRawBufferPointer, of exchange: HTTPExchange) -> MHD_Result {
    guard let upload = exchange.upload else { return mh_yes }
    exchange.refusal = upload.take(bytes)
    // The rest is read and discarded, so that the client receives the response.
    if exchange.refusal != nil { exchange.upload = nil }
    return mh_yes
  }

  private func putAside(
    _ exchange: HTTPExchange, _ ask: Question
  ) -> MHD_Result {
    let isSuspended = waiting.withLock { waiting in
      if waiting.isEnding { return false }
      MHD_suspend_connection(exchange.connection)
      waiting.exchanges.insert(exchange)
      return true
    }
    guard isSuspended else { return reply(Self.exiting, to: exchange) }
    ask { [waiting, exchange] make in
      waiting.withLock { $0.exchanges.remove(exchange)?.resume(make) }
    }
    return mh_yes
  }

  private func reply(_ answer: HTTPAnswer, to exchange: HTTPExchange) -> MHD_Result {
    let response: OpaquePointer?
    switch answer.body {
    case .bytes(let bytes): response = bytes.withUnsafeBytes { mh_bytes($0.baseAddress, $0.count) }
    case .file(let file, let start, let count):
      response = MHD_create_response_from_fd_at_offset64(
        UInt64(count), fcntl(file.number, F_DUPFD_CLOEXEC, 0), UInt64(start))
    }
    guard let response else { return mh_no }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers + common {
      _ = MHD_add_response_header(response, name, value)
    }
    return MHD_queue_response(exchange.connection, UInt32(answer.status), response)
  }

  private func upgrade(_ exchange: HTTPExchange, _ accept: String) -> MHD_Result {
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard let response = MHD_create_response_for_upgrade(beginUpgraded, context) else {
      return mh_no
    }
    defer { MHD_destroy_response(response) }
    _ = MHD_add_response_header(response, "Upgrade", "websocket")
    _ = MHD_add_response_header(response, "Sec-WebSocket-Accept", accept)
    return MHD_queue_response(exchange.connection, 101, response)
  }

  fileprivate func go(on stream: UpgradedStream) { upgraded(stream) }
}

/// A request in progress.
///
/// Its state is accessed by the server's thread and, while the connection is suspended, by the
/// answering thread.
private final class HTTPExchange: Hashable, @unchecked Sendable {
  enum State {
    case new, read, decided
    case answered(@Sendable () -> HTTPAnswer)
  }

  let request: HTTPRequest
  let connection: OpaquePointer?
  var state = State.new
  var upload: Upload?
  // The error of an upload that was given up.
  var refusal: HTTPAnswer?

  init(_ request: HTTPRequest, _ connection: OpaquePointer?) {
    self.request = request
    self.connection = connection
  }

  /// Continues a suspended request with this answer.
  func resume(_ make: @escaping @Sendable () -> HTTPAnswer) {
    state = .answered(make)
    MHD_resume_connection(connection)
  }

  static func == (one: HTTPExchange, other: HTTPExchange) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private let mh_yes = MHD_Result(rawValue: 1)!
private let mh_no = MHD_Result(rawValue: 0)!

// Callbacks from C.

private func handleRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
  _ count: UnsafeMutablePointer<Int>?, _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  let server = Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
  if let known = exchange!.pointee {
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
    if let data, count!.pointee > 0 {
      defer { count!.pointee = 0 }
      return server.take(UnsafeRawBufferPointer(start: data, count: count!.pointee), of: exchange)
    }
    return server.handle(exchange)
  }
  guard let peer = mh_peer(connection).flatMap({ Endpoint($0) }) else { return mh_no }
  var request = HTTPRequest(
    String(cString: method!), String(cString: path!), from: peer.address)
  for header in HTTPRequest.Header.allCases {
    request.headers[header] = mh_header(connection, header.rawValue).map { String(cString: $0) }
  }
  withUnsafeMutablePointer(to: &request) {
    mh_each_query(
      connection,
      { request, name, value in
        request!.assumingMemoryBound(to: HTTPRequest.self).pointee.query.append(
          (String(cString: name!), value.map { String(cString: $0) }))
      }, $0)
  }
  let new = HTTPExchange(request, connection)
  exchange!.pointee = Unmanaged.passRetained(new).toOpaque()
  return server.handle(new)
}

private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let known = exchange!.pointee else { return }
  Unmanaged<HTTPExchange>.fromOpaque(known).release()
}

private func beginUpgraded(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ exchange: UnsafeMutableRawPointer?, _ early: UnsafePointer<CChar>?, _ earlyCount: Int,
  _ socket: Int32, _ handle: OpaquePointer?
) {
  let server = Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
  let exchange = Unmanaged<HTTPExchange>.fromOpaque(exchange!).takeUnretainedValue()
  let early = UnsafeRawBufferPointer(start: early, count: earlyCount)
  server.go(
    on: UpgradedStream(exchange.request, socket: socket, early: Array(early), handle: handle))
}
