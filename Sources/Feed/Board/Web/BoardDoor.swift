internal import HTTP
package import Posix

/// The door of a board that is a server of its own: its sockets, and HTTP on a thread of its own.
package final class BoardDoor {
  /// Who may come in, and how.
  package struct Options: Sendable {
    /// The port; 0 takes a free one.
    package var port: UInt16
    /// Whether other machines can reach it.
    package var isOpen = false
    /// The addresses that are answered; all where it is empty.
    package var allowed: [AddressRange] = []
    /// Names that lead to this machine, beside its own.
    package var hosts: [String] = []

    /// This machine alone, at a port.
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

  /// Opens the door of a board, on a loop.
  package init(_ options: Options, board: Board, loop: EventLoop) throws(SystemError) {
    self.options = options
    self.board = board
    self.loop = loop
    listeners = try Socket.listening(at: options.port, isOpen: options.isOpen)
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

  /// Why a request is not answered at all; nil where it is.
  private static func refusal(of request: HTTPRequest, _ hosts: HostList) -> HTTPAnswer? {
    guard let host = request[.host] else {
      return .refusal(400, "a request needs a Host header")
    }
    guard hosts.allows(host) else {
      return .refusal(421, "this board is not called so; --host NAME allows a name that leads here")
    }
    guard request.isReading || request.isOfOwnOrigin else {
      return .refusal(403, "the page of another site may not post here")
    }
    return nil
  }

  private func accept(from listener: Socket) {
    while let (socket, peer) = listener.accept() {
      let isAllowed =
        options.allowed.isEmpty || options.allowed.contains { $0.contains(peer.address) }
      guard socket.canHear(peer.address), isAllowed else { continue }
      http.take(socket, from: peer)
    }
  }

  /// Answers what waits, and lets go of all.
  package func end() {
    for listener in listeners { loop.forget(listener.descriptor) }
    routes.end()
    http.end()
    board.close()
  }
}
