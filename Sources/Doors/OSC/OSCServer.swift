package import Control
internal import OSC
package import Posix

/// The OSC server: one port for UDP and TCP, on one thread.
///
/// No call blocks: data that a client does not read is buffered for a while, then the client is
/// dropped.
package final class OSCServer: Outlet {
  // How long datagrams are read and handled before other work gets its turn, in microseconds. While they arrive
  // faster than they can be read, most of the time goes into reading: a datagram that the system drops for want
  // of room may be anybody's.
  private static let longestReading = 5000.0
  private static let longestTurn = 5000.0
  private static let longestTurnInFlood = 1000.0
  private static let mostConnections = 64
  private static let attemptsAtFreePort = 20

  /// The port that the server listens on.
  package private(set) var port: UInt16 = 0
  private let access: NetworkAccess
  private let node: Node
  // The number by which the node's clients identify this server.
  private var door = 0
  private let loop: EventLoop
  private let reader = DatagramReader()
  private var turns = DatagramTurns()
  // Set while datagrams wait for their turn.
  private let hasMore: Signal
  private var datagrams: [Socket] = []
  private var listeners: [Socket] = []
  private var connections: [Int: Connection] = [:]
  private var connectionCount = 0
  private var budget = DatagramBudget()

  /// Listens on a port for UDP and TCP; 0 takes a free one.
  package init(port: UInt16, access: NetworkAccess, node: Node, loop: EventLoop) throws(SystemError)
  {
    self.access = access
    self.node = node
    self.loop = loop
    hasMore = try Signal()
    var attempts = port == 0 ? Self.attemptsAtFreePort : 1
    while true {
      do throws(SystemError) {
        try bind(port)
        break
      } catch {
        attempts -= 1
        guard attempts > 0, error.isAddressInUse else { throw error }
      }
    }
    door = node.connect(to: self)
    for (index, socket) in datagrams.enumerated() {
      loop.watch(socket.descriptor) { [unowned self] in receive(on: index) }
    }
    loop.watch(hasMore.readable) { [unowned self] in
      hasMore.clear()
      for index in datagrams.indices { receive(on: index) }
      for (number, connection) in connections where connection.hasWaiting { serve(number) }
    }
    for listener in listeners {
      loop.watch(listener.descriptor) { [unowned self] in accept(from: listener) }
    }
  }

  private func bind(_ wanted: UInt16) throws(SystemError) {
    var datagrams: [Socket] = []
    var listeners: [Socket] = []
    var port = wanted
    try Socket.forBothVersions(isOpen: access.isOpen) { address throws(SystemError) in
      let socket = try Socket(.datagrams, boundTo: Endpoint(address: address, port: port))
      port = socket.port
      listeners.append(try Socket(.stream, boundTo: Endpoint(address: address, port: port)))
      datagrams.append(socket)
    }
    self.datagrams = datagrams
    self.listeners = listeners
    self.port = port
  }

  private func client(
    _ endpoint: Endpoint, _ transport: Client.Transport, _ isOnThisMachine: Bool = false
  ) -> Client {
    Client(
      endpoint: endpoint, transport: transport, door: door, isOnThisMachine: isOnThisMachine)
  }

  // MARK: - Datagrams

  private func receive(on index: Int) {
    let socket = datagrams[index]
    let start = HostTime.steady
    // Usually there are a few datagrams, which are handled as they are read. More of them wait for their
    // turns, so that the system's queue, which is not shared fairly, stays short.
    var isDirect = turns.count == 0
    var isFlood = false
    while true {
      let count = reader.read(socket) { bytes, sender in
        let endpoint = sender.endpoint
        guard socket.canHear(endpoint.address), access.admits(endpoint.address) else {
          node.counters.denied += 1
          return
        }
        guard !isDirect else { return take(bytes, from: sender, on: index) }
        node.counters.flooded += turns.append(
          DatagramTurns.Datagram(Array(bytes), from: sender, socket: index))
      }
      // A batch that is not full was the last.
      if count < DatagramReader.most { break }
      isFlood = HostTime.steady - start > Self.longestReading
      if isFlood { break }
      isDirect = false
    }
    node.takeEvents()
    serveTurns(microseconds: isFlood ? Self.longestTurnInFlood : Self.longestTurn)
    // An undeliverable reply makes the next call fail, so only then is there an error to read.
    guard socket.hasFault else { return }
    while let gone = socket.nextUnreachable() {
      node.forget(client(gone, .datagrams(socket: index)))
    }
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, from sender: DatagramReader.Sender, on index: Int
  ) {
    node.receive(
      bytes, from: client(sender.endpoint, .datagrams(socket: index), sender.isOnLoopback))
  }

  /// Handles waiting datagrams in turns of their senders.
  private func serveTurns(microseconds: Double) {
    let start = HostTime.steady
    var count = 0
    while let datagram = turns.next() {
      datagram.bytes.withUnsafeBytes { take($0, from: datagram.sender, on: datagram.socket) }
      count += 1
      if count % DatagramReader.most == 0 { node.takeEvents() }
      // Packets can be long, with many messages: signals and feedback get their turn.
      if HostTime.steady - start > microseconds { break }
    }
    if count > 0 { node.takeEvents() }
    if turns.count > 0 { hasMore.set() }
  }

  // MARK: - Streams

  private func accept(from listener: Socket) {
    while let (socket, peer) = listener.accept() {
      guard socket.canHear(peer.address), access.admits(peer.address) else {
        node.counters.denied += 1
        continue
      }
      if connections.count >= Self.mostConnections {
        // The longest idle client without a subscription makes room.
        let idle = connections.filter { !node.isSubscribed($0.value.client) }
          .min { $0.value.lastHeard < $1.value.lastHeard }
        node.counters.dropped += 1
        let crowd = Crowd.connections(
          connections.mapValues { $0.client.endpoint.address }, tooManyFor: peer.address)
        guard let leaving = idle?.key ?? crowd.min() else { continue }
        close(leaving)
      }
      connectionCount += 1
      let number = connectionCount
      connections[number] = Connection(
        socket: socket, now: HostTime.steady,
        client: client(
          peer, .stream(connection: number), Self.isOfThisMachine(peer.address)))
      loop.watch(socket.descriptor) { [unowned self] in serve(number) }
    }
  }

  /// Whether a connection's other end is on this machine.
  ///
  /// A connection has completed its handshake, and packets to an own address never leave the
  /// machine, so a forged address does not get this far.
  static func isOfThisMachine(_ address: IPAddress) -> Bool {
    address.isLoopback || IPAddress.ofThisMachine.contains(address)
  }

  private func serve(_ number: Int) {
    guard let connection = connections[number] else { return }
    connection.flush()
    if connection.isFinishing { return }
    // One client's packets must not delay everybody else's.
    let waiting = connections.values.count { $0.hasWaiting }
    let state = connection.receive(
      now: HostTime.steady, microseconds: Self.longestTurn / Double(max(1, waiting))
    ) { node.receive($0, from: connection.client) }
    switch state {
    case .open:
      loop.watchWriting(connection.socket.descriptor, connection.hasUnsent)
      if connection.hasWaiting { hasMore.set() }
    case .ended:
      // The client may have closed its own side only, and still expect its replies.
      connection.finish(now: HostTime.steady)
      loop.forget(connection.socket.descriptor)
    case .broken:
      node.counters.malformed += 1
      node.counters.dropped += 1
      close(number)
    case .behind:
      node.counters.dropped += 1
      close(number)
    }
  }

  private func close(_ number: Int) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    loop.forget(connection.socket.descriptor)
    node.forget(connection.client)
  }

  /// Drops connections that have stalled in the middle of a message or don't read what they are
  /// sent.
  package func tick() {
    guard !connections.isEmpty else { return }
    let now = HostTime.steady
    for (number, connection) in connections {
      if connection.isFinished(now: now) {
        close(number)
      } else if connection.isHopeless(now: now) {
        node.counters.dropped += 1
        close(number)
      }
    }
  }

  // MARK: - Out

  package func send(_ packet: [UInt8], to client: Client) {
    switch client.transport {
    case .datagrams(let socket):
      guard budget.take(packet.count, to: client.endpoint.address, now: HostTime.steady) else {
        node.counters.refused += 1
        return
      }
      // A permanent IPv6 target may belong to the second socket.
      datagrams[min(socket, datagrams.count - 1)].send(packet, to: client.endpoint)
    case .stream(let number):
      guard let connection = connections[number] else { return }
      connection.send(packet)
      loop.watchWriting(connection.socket.descriptor, connection.hasUnsent)
    }
  }

  /// Sends changes to an endpoint that did not subscribe, for as long as the node runs.
  package func addPermanentSubscriber(_ endpoint: Endpoint) throws(Refusal) {
    let index = endpoint.address.isVersion4 ? 0 : datagrams.count - 1
    try node.subscribePermanently(
      client(endpoint, .datagrams(socket: index)))
  }
}
