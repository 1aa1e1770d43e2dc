internal import HTTP
package import Posix

/// The HTTP server of a standalone board: its sockets, and a thread for requests.
package final class BoardDoor {
  /// The network options of the server.
  package struct Options: Sendable {
    /// The port, or 0 for any free one.
    package var port: UInt16
    /// The clients that it accepts.
    package var access = NetworkAccess()
    /// Additional host names of this machine.
    package var hosts: [String] = []

    /// Creates options for the loopback interface on a port.
    package init(port: UInt16) { self.port = port }
  }

  private static let headers = [
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
  ]

  /// The port that it listens on.
  package let port: UInt16
  private let options: Options
  private let loop: EventLoop
  private let listeners: [Socket]
  private let routes: BoardRoutes
  private let board: Board
  private let http: HTTPServer

  /// Starts the server of a board on an event loop.
  package init(_ options: Options, board: Board, loop: EventLoop) throws(SystemError) {
    self.options = options
    self.board = board
    self.loop = loop
    listeners = try Socket.listening(at: options.port, isOpen: options.access.isOpen)
    port = listeners[0].port
    let routes = BoardRoutes(limits: board.limits, scratch: { board.scratch }, open: { board })
    self.routes = routes
    let hosts = HostList(others: options.hosts)
    http = try HTTPServer(headers: Self.headers, upgraded: { _ in }) { request in
      if let refusal = Self.refusal(of: request, hosts) { return .answer(refusal) }
      return routes.course(request, request.path)
    }
    for listener in listeners {
      loop.watch(listener.descriptor) { [unowned self] in accept(from: listener) }
    }
  }

  /// Returns the error response for a request with an invalid host or origin, or nil if it is
  /// acceptable.
  private static func refusal(of request: HTTPRequest, _ hosts: HostList) -> HTTPAnswer? {
    if let refusal = hosts.refusal(of: request, to: "board", option: "--host") { return refusal }
    guard request.isReading || request.isOfOwnOrigin else {
      return .refusal(403, "posts from pages of other sites are denied")
    }
    return nil
  }

  private func accept(from listener: Socket) {
    while let (socket, peer) = listener.accept() {
      guard socket.canHear(peer.address), options.access.admits(peer.address) else { continue }
      http.take(socket, from: peer)
    }
  }

  /// Answers pending requests and closes everything.
  package func end() {
    for listener in listeners { loop.forget(listener.descriptor) }
    routes.end()
    http.end()
    board.close()
  }
}
