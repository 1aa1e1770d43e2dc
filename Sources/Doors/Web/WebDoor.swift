package import Control
package import Feed
internal import HTTP
package import Posix

/// The web server for browsers and OSCQuery clients: HTTP, and WebSockets that carry OSC.
///
/// HTTP has its own thread. WebSocket frames are read on the node's event loop, like UDP and TCP,
/// and wait for no other thread.
package final class WebDoor: Outlet, @unchecked Sendable {
  /// The server's port, and the clients that it accepts.
  package struct Options: Sendable {
    /// The port; 0 takes a free one.
    package var port: UInt16
    /// Whether to fall back to another port if that one is taken.
    package var takesOther: Bool
    /// Additional host names of this machine.
    package var hosts: [String] = []
    /// Origins of other pages that may use the node.
    package var origins: [String] = []
    /// Whether clients may play without a token.
    package var isFree = false
    /// Whether the port also serves HTTPS.
    package var isSecure = false

    /// Creates options with a port and no exceptions.
    package init(port: UInt16, takesOther: Bool) {
      self.port = port
      self.takesOther = takesOther
    }
  }

  private static let mostSockets = 96
  private static let portsToTry: UInt16 = 10
  // The shortest interval between checks of all clients, and of a throttled one, in milliseconds:
  // the node's event loop turns for each message.
  private static let lookMilliseconds = 10
  private static let tokenPeriod = 1e6

  /// The port that the server listens on.
  package private(set) var port: UInt16 = 0
  /// The fingerprint of the certificate authority for HTTPS; nil without HTTPS.
  package let fingerprint: String?
  /// Whether the certificate authority is new, so that phones have yet to install it.
  package let isAuthorityNew: Bool
  /// The secret that pairs a phone; nil if none is needed.
  package var token: WebToken? { access.token }
  private let who: NetworkAccess
  private let access: WebAccess
  private let node: Node
  private let loop: EventLoop
  private let clock: @Sendable () -> Double
  private let oscPort: UInt16
  private let inbox: Inbox
  private let questions: NodeQuestions
  private let boardRoutes: BoardRoutes
  private var http: HTTPServer?
  private var secure: SecureDoor?
  private var listeners: [Socket] = []
  private var sockets: [Int: WebSocket] = [:]
  private var socketCount = 0
  // The number by which the node's clients identify this server.
  private var door = 0
  // The last extents of each address that stands for several, by its index in the table.
  private var extents: [Int: [Int]] = [:]
  private var nextLook = 0.0
  private var knownToken: String?
  private var nextToken = 0.0
  private lazy var fleeting = ["/meter", "/tuner"].map { Array($0.utf8) + [0] }

  /// Starts the server, with the access rules of the node's OSC server.
  ///
  /// `board` defaults to the node's own feed server. `clock` returns microseconds, by default the host's steady clock.
  package init(
    _ options: Options, access who: NetworkAccess, home: String, node: Node, oscPort: UInt16,
    loop: EventLoop, board: HomeBoard? = nil,
    clock: @escaping @Sendable () -> Double = { HostTime.steady }
  ) throws(SystemError) {
    self.who = who
    self.node = node
    self.loop = loop
    self.clock = clock
    self.oscPort = oscPort
    // A client on this machine could play through UDP anyway.
    let token = who.isOpen && !options.isFree ? try WebToken(home: home) : nil
    let hosts = HostList(others: options.hosts)
    let authority =
      options.isSecure
      ? try CertificateAuthority(
        folder: "\(home)/tls", hosts: hosts.names.sorted(), addresses: IPAddress.ofThisMachine)
      : nil
    fingerprint = authority?.fingerprint
    isAuthorityNew = authority?.isNew ?? false
    access = WebAccess(
      hosts: hosts, origins: options.origins, token: token)
    inbox = try Inbox()
    questions = NodeQuestions(node, inbox)
    let board = board ?? node.ownBoard
    boardRoutes = BoardRoutes(
      scratch: { board.scratch }, open: { () throws(BoardFault) in try board.board() })
    knownToken = token?.text
    try listen(options)
    for (index, address) in node.table.addresses.enumerated() where address.standsForMany {
      extents[index] = node.extents(of: address)
    }
    let certified = Guarded<Set<String>>([])
    var routes = WebRoutes(
      certificate: authority?.certificate, certified: certified, access: access, clock: clock,
      takes: TakeRoutes(questions: questions),
      board: boardRoutes,
      questions: questions,
      table: node.table,
      hostInfo: { [unowned self] in
        HostInfo(name: self.node.name, oscPort: self.oscPort, webPort: self.port)
      })
    let http = try server(for: routes)
    self.http = http
    if let authority {
      routes.isSecure = true
      secure = try SecureDoor(
        authority, loop: loop, plain: http, server: try server(for: routes), certified: certified)
    }
    door = node.connect(to: self)
    loop.watch(inbox.readable) { [unowned self] in inbox.work() }
    for listener in listeners {
      loop.watch(listener.descriptor) { [unowned self] in accept(from: listener) }
    }
  }

  private func server(for routes: WebRoutes) throws(SystemError) -> HTTPServer {
    try HTTPServer(
      headers: WebRoutes.headers,
      upgraded: { [unowned self] stream in _ = inbox.leave { [self] in open(stream) } },
      course: { routes.course($0) })
  }

  private func listen(_ options: Options) throws(SystemError) {
    let last = options.takesOther ? options.port + Self.portsToTry : options.port
    var wanted = options.port
    while true {
      do throws(SystemError) {
        listeners = try Socket.listening(at: wanted, isOpen: who.isOpen)
        port = listeners[0].port
        return
      } catch {
        guard error.isAddressInUse, options.takesOther, wanted != 0 else { throw error }
        // Any port is better than none.
        wanted = wanted < last ? wanted + 1 : 0
      }
    }
  }

  private func accept(from listener: Socket) {
    while let (socket, peer) = listener.accept() {
      guard socket.canHear(peer.address), who.admits(peer.address) else {
        node.counters.denied += 1
        continue
      }
      if let secure {
        secure.take(socket, from: peer, now: clock())
      } else {
        http?.take(socket, from: peer)
      }
    }
  }

  // MARK: - WebSockets

  private func open(_ stream: UpgradedStream) {
    let socket = stream.socket
    let now = clock()
    socketCount += 1
    let number = socketCount
    let peer = stream.request.peer
    let client = Client(
      endpoint: Endpoint(address: peer, port: 0), transport: .stream(connection: number),
      door: door, isOnThisMachine: OSCServer.isOfThisMachine(peer))
    let isPaired = access.token == nil || stream.request.bearer != nil
    let new = WebSocket(
      stream, socket, client: client, isPaired: isPaired,
      isForeign: access.readableOrigin(stream.request) != nil, now: now)
    if sockets.count >= Self.mostSockets { makeRoom(for: peer, now: now) }
    guard sockets.count < Self.mostSockets else {
      node.counters.dropped += 1
      new.close(.tooMuch, now: now)
      return
    }
    sockets[number] = new
    loop.watch(socket.descriptor) { [unowned self] in serve(number) }
    stream.early.withUnsafeBytes { early in
      new.take(early, now: now) { take($0, number) }
    }
    settle(number)
  }

  /// Closes a WebSocket of the address that has the most: of those that may only read, if any, the oldest.
  private func makeRoom(for newcomer: IPAddress, now: Double) {
    let crowd = Crowd.connections(
      sockets.mapValues { $0.client.endpoint.address }, tooManyFor: newcomer)
    let readers = crowd.filter { sockets[$0]?.isPaired == false }
    guard let oldest = (readers.isEmpty ? crowd : readers).min() else { return }
    node.counters.dropped += 1
    sockets[oldest]?.close(.tooMuch, now: now)
    close(oldest)
  }

  private func serve(_ number: Int) {
    guard let socket = sockets[number] else { return }
    socket.flush()
    socket.receive(now: clock()) { take($0, number) }
    settle(number)
  }

  /// Watches a socket for the events that it needs, or closes it.
  private func settle(_ number: Int) {
    guard let socket = sockets[number] else { return }
    let now = clock()
    if socket.isOver(now: now) { return close(number) }
    loop.watchReading(socket.socket.descriptor, socket.isReading(now: now))
    loop.watchWriting(socket.socket.descriptor, socket.hasUnsent)
  }

  private func close(_ number: Int) {
    guard let socket = sockets.removeValue(forKey: number) else { return }
    if socket.wasDropped { node.counters.dropped += 1 }
    loop.forget(socket.socket.descriptor)
    node.forget(socket.client)
  }

  private func take(_ message: WebSocketFraming.Message, _ number: Int) {
    guard let socket = sockets[number] else { return }
    switch message {
    case .pong: node.renewLease(of: socket.client)
    case .binary(let packet):
      guard socket.isPaired else {
        socket.send(
          Refusal(.denied, WebAccess.needsToken).answer(to: ""), isFleeting: false)
        return
      }
      guard socket.follows(packet, now: clock()) else { return }
      packet.withUnsafeBytes { node.receive($0, from: socket.client) }
    case .text(let text):
      node.renewLease(of: socket.client)
      guard let command = SocketCommand(text) else { return }
      follow(command, socket)
    }
  }

  private func follow(_ command: SocketCommand, _ socket: WebSocket) {
    switch command {
    case .listen(let path):
      guard let index = node.table.index(of: path) else { return }
      _ = node.listen(socket.client, to: index)
    case .ignore(let path):
      guard let index = node.table.index(of: path) else { return }
      node.ignore(socket.client, index)
    case .pair(let token):
      let now = clock()
      switch access.pair(token, from: socket.client.endpoint.address, now: now) {
      case .paired: socket.isPaired = true
      case .wrong: break
      case .tooOften: socket.close(.denied, now: now)
      }
      socket.send(SocketCommand.written("PAIRED", socket.isPaired))
    }
  }

  // MARK: - Sending

  package func send(_ packet: [UInt8], to client: Client) {
    guard case .stream(let number) = client.transport, let socket = sockets[number] else { return }
    socket.send(packet, isFleeting: fleeting.contains { packet.starts(with: $0) })
    loop.watchWriting(socket.socket.descriptor, socket.hasUnsent)
  }

  // MARK: - Time

  /// Polls the connections.
  ///
  /// Returns the delay until the next poll in milliseconds.
  package func tick() -> Int {
    let now = clock()
    guard now >= nextLook else { return Int(((nextLook - now) / 1000).rounded(.up)) }
    nextLook = now + Double(Self.lookMilliseconds) * 1000
    questions.look()
    tellPaths()
    forgetToken(now)
    secure?.look(now: now)
    var isHoldingUp = false
    for number in sockets.keys {
      settle(number)
      isHoldingUp = isHoldingUp || sockets[number].map { !$0.isReading(now: now) } ?? false
    }
    return isHoldingUp ? Self.lookMilliseconds : 1000
  }

  /// Notifies clients of addresses that were added or removed.
  private func tellPaths() {
    for (index, former) in extents {
      let address = node.table.addresses[index]
      let new = node.extents(of: address)
      guard new != former else { continue }
      let before = OSCQueryTree.paths(address, extents: former)
      let after = OSCQueryTree.paths(address, extents: new)
      extents[index] = new
      let (old, present) = (Set(before), Set(after))
      let lines =
        before.filter { !present.contains($0) }.map { SocketCommand.written("PATH_REMOVED", $0) }
        + after.filter { !old.contains($0) }.map { SocketCommand.written("PATH_ADDED", $0) }
      for socket in sockets.values { for line in lines { socket.send(line) } }
    }
  }

  /// Unpairs clients whose token is no longer valid.
  private func forgetToken(_ now: Double) {
    guard let token = access.token, now >= nextToken else { return }
    nextToken = now + Self.tokenPeriod
    let text = token.text
    guard text != knownToken else { return }
    knownToken = text
    for socket in sockets.values where socket.isPaired { socket.close(.denied, now: now) }
  }

  /// Closes all sockets and ends the thread.
  package func end() {
    for listener in listeners { loop.forget(listener.descriptor) }
    listeners = []
    // Its work opens further sockets.
    loop.forget(inbox.readable)
    inbox.close()
    let now = clock()
    for (number, socket) in sockets {
      socket.close(.goingAway, now: now)
      close(number)
    }
    boardRoutes.end()
    secure?.end()
    secure = nil
    http?.end()
    http = nil
  }
}
