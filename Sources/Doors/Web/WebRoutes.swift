internal import Control
internal import Feed
internal import HTTP
internal import Posix

/// The router of HTTP requests: to the page, the address tree, files, the board, or a WebSocket.
struct WebRoutes: Sendable {
  /// The certificate of the node's authority in PEM, if the port also serves HTTPS.
  let certificate: String?
  /// The hosts for which the server's certificate is valid.
  let certified: Guarded<Set<String>>
  /// Whether these requests came through TLS.
  var isSecure = false
  let access: WebAccess
  /// The time in microseconds.
  let clock: @Sendable () -> Double
  let page = PageFiles()
  let takes: TakeRoutes
  let board: BoardRoutes
  let questions: NodeQuestions
  let table: AddressTable
  let hostInfo: @Sendable () -> HostInfo

  /// The headers of every response.
  static let headers = [
    ("X-Content-Type-Options", "nosniff"),
    // Tile servers require a referrer.
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
  ]

  /// The action for a request.
  func course(_ request: HTTPRequest) -> HTTPServer.RequestHandling {
    if let refusal = access.refusal(of: request) { return .answer(refusal) }
    if request.wantsSocket { return upgrade(request) }
    if request.path.hasPrefix("/files/") {
      if let refusal = access.refusalWithoutToken(request, now: clock()) {
        return .answer(refusal)
      }
      return takes.course(request)
    }
    // Open to every client that can reach the node: other nodes and phones post there without a
    // token.
    if let path = request.path(below: "/board") { return board.course(request, path) }
    guard request.isReading else {
      return .answer(
        .refusal(
          405, "only files of takes can be uploaded",
          headers: [("Allow", "GET, HEAD")]))
    }
    if request.path == "/", request.query.isEmpty, request.wantsPage {
      return .answer(secureAnswer(request) ?? page.index(request))
    }
    if request.path == "/certificate", let certificate { return .answer(answer(certificate)) }
    if request.path.hasPrefix("/page/") {
      return .answer(page.file(String(request.path.dropFirst(6)), request))
    }
    return tell(request)
  }

  // MARK: - TLS

  /// The redirect of another machine's browser to HTTPS, without which it gives the page no location.
  private func secureAnswer(_ request: HTTPRequest) -> HTTPAnswer? {
    guard certificate != nil, !isSecure, !request.peer.isLoopback,
      // A proxy has its own certificate.
      request[.forwardedProtocol] == nil, let header = request[.host],
      let host = HostList.host(header), certified.withLock({ $0.contains(host) })
    else { return nil }
    var answer = HTTPAnswer.empty(307)
    answer.headers = [("Location", "https://\(header)/"), ("Cache-Control", "no-store")]
    return answer
  }

  /// The authority's certificate as phones install it.
  private func answer(_ certificate: String) -> HTTPAnswer {
    var answer = HTTPAnswer(200, Array(certificate.utf8), type: "application/x-x509-ca-cert")
    answer.headers.append(("Content-Disposition", "attachment; filename=\"syrinx.crt\""))
    return answer
  }

  // MARK: - WebSockets

  private func upgrade(_ request: HTTPRequest) -> HTTPServer.RequestHandling {
    guard request.method == "GET", request.path == "/" else {
      return .answer(.refusal(404, "the WebSocket is at /"))
    }
    guard request[.webSocketVersion] == "13" else {
      return .answer(
        .refusal(
          426, "only version 13 of the WebSocket protocol is supported",
          headers: [("Sec-WebSocket-Version", "13")]))
    }
    guard let accept = request[.webSocketKey].flatMap(WebSocketKey.answer(to:)) else {
      return .answer(.refusal(400, "expected a Sec-WebSocket-Key of 16 bytes in Base64"))
    }
    // A wrong token is refused even where reading needs none.
    if request.bearer != nil,
      let refusal = access.refusalWithoutToken(request, now: clock())
    {
      return .answer(refusal)
    }
    return .upgrade(accept: accept)
  }

  // MARK: - OSCQuery

  private func tell(_ request: HTTPRequest) -> HTTPServer.RequestHandling {
    // Some clients ask for ATTRIBUTE, some for ATTRIBUTE=1.
    let attribute = request.query.first?.name
    return .wait { [questions, table, access, hostInfo] reply in
      questions.ask(reply) { node in
        if attribute == "HOST_INFO" {
          let info = hostInfo()
          return reply { Self.readable(.json(info.json), access, request) }
        }
        // Read at once, on the node's thread; encoded on the web thread.
        let tree = OSCQueryTree(
          table, values: table.addresses.map { node.values(of: $0) },
          extents: table.addresses.map { node.extents(of: $0) })
        reply { Self.readable(Self.answer(tree, request.path, attribute), access, request) }
      }
    }
  }

  private static func answer(
    _ tree: OSCQueryTree, _ path: String, _ attribute: String?
  ) -> HTTPAnswer {
    switch tree.reply(to: path, attribute) {
    case .json(let text): .json(text)
    case .nothing: .empty(204)
    case .missing: .refusal(404, "unknown address \(quoted(path)); / lists all")
    }
  }

  /// Adds the CORS headers if the origin is allowed, so that the script of another page can read
  /// the response.
  private static func readable(
    _ answer: HTTPAnswer, _ access: WebAccess, _ request: HTTPRequest
  ) -> HTTPAnswer {
    guard let origin = access.readableOrigin(request) else { return answer }
    var answer = answer
    answer.headers += [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]
    return answer
  }
}
