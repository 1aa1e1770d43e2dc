package import Control
internal import OSC
package import Posix

/// The node's ears and mouth: one port for datagrams and streams, on one thread.
///
/// No call here waits: what a client does not take is kept for a while, then the client is
/// dropped.
package final class OSCServer: Outlet {
  /// Whom it listens to.
  package struct Access {
    /// Whether it can be reached from other machines.
    package var isOpen = false
    /// The addresses that are answered; all where it is empty.
    package var allowed: [AddressRange] = []

    /// This machine only.
    package init() {}

    func admits(_ address: IPAddress) -> Bool {
      allowed.isEmpty || allowed.contains { $0.contains(address) }
    }
  }

  // Batches of datagrams taken before other work gets its turn.
  private static let mostBatches = 8
  private static let longestTurn = 5000.0
  private static let mostConnections = 64
  private static let attemptsAtFreePort = 20

  /// The port that it listens on.
  package private(set) var port: UInt16 = 0
  private let access: Access
  private let node: Node
  // The number by which the node's clients name this door.
  private var door = 0
  private let loop: EventLoop
  private let reader = DatagramReader()
  private var datagrams: [Socket] = []
  private var listeners: [Socket] = []
  private var connections: [Int: Connection] = [:]
  private var connectionCount = 0
  private var budget = DatagramBudget()

  /// Listens on a port of both protocols; 0 takes a free one.
  package init(port: UInt16, access: Access, node: Node, loop: EventLoop) throws(SystemError) {
    self.access = access
    self.node = node
    self.loop = loop
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
    for listener in listeners {
      loop.watch(listener.descriptor) { [unowned self] in accept(from: listener) }
    }
  }

  private func bind(_ wanted: UInt16) throws(SystemError) {
    var datagrams: [Socket] = []
    var listeners: [Socket] = []
    var port = wanted
    let addresses: [IPAddress] =
      access.isOpen ? [.any4, .any6] : [.loopback4, .loopback6]
    for address in addresses {
      do throws(SystemError) {
        let socket = try Socket(.datagrams, boundTo: Endpoint(address: address, port: port))
        port = socket.port
        listeners.append(
          try Socket(.stream, boundTo: Endpoint(address: address, port: port)))
        datagrams.append(socket)
      } catch {
        // A machine without version 6 is a whole machine.
        guard !address.isVersion4, !error.isAddressInUse else { throw error }
      }
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
    for _ in 0..<Self.mostBatches {
      let count = reader.read(socket) { bytes, sender in
        let endpoint = sender.endpoint
        guard socket.canHear(endpoint.address), access.admits(endpoint.address) else {
          node.counters.denied += 1
          return
        }
        node.receive(
          bytes, from: client(endpoint, .datagrams(socket: index), sender.isOnLoopback))
      }
      node.takeEvents()
      // Less than all there is room for is all there is.
      if count < DatagramReader.most { break }
      // Packets can be long, and much in them: signals and feedback get their turn.
      if HostTime.steady - start > Self.longestTurn { break }
    }
    // An answer that nobody took makes the next call fail: only then there is news.
    guard socket.hasFault else { return }
    while let gone = socket.nextUnreachable() {
      node.forget(client(gone, .datagrams(socket: index)))
    }
  }

  // MARK: - Streams

  private func accept(from listener: Socket) {
    while let (socket, peer) = listener.accept() {
      guard socket.canHear(peer.address), access.admits(peer.address) else {
        node.counters.denied += 1
        continue
      }
      if connections.count >= Self.mostConnections {
        // Who has said nothing for longest, and wants nothing, makes room.
        let idle = connections.filter { !node.isSubscribed($0.value.client) }
          .min { $0.value.lastHeard < $1.value.lastHeard }
        node.counters.dropped += 1
        guard let idle else { continue }
        close(idle.key)
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
  /// A connection has been answered, and what is sent to an own address never leaves the machine:
  /// a forged one does not get this far.
  static func isOfThisMachine(_ address: IPAddress) -> Bool {
    address.isLoopback || IPAddress.ofThisMachine.contains(address)
  }

  private func serve(_ number: Int) {
    guard let connection = connections[number] else { return }
    connection.flush()
    if connection.isFinishing { return }
    switch connection.receive(now: HostTime.steady, { node.receive($0, from: connection.client) }) {
    case .open:
      loop.watchWriting(connection.socket.descriptor, connection.hasUnsent)
    case .ended:
      // It may have closed its own side only, and still want its answers.
      connection.finish(now: HostTime.steady)
      loop.forget(connection.socket.descriptor)
    case .broken:
      node.counters.malformed += 1
      node.counters.dropped += 1
      close(number)
    }
  }

  private func close(_ number: Int) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    loop.forget(connection.socket.descriptor)
    node.forget(connection.client)
  }

  /// Ends connections that hang in the middle of a message or don't take what they are sent.
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
      // A permanent target of version 6 may be meant for the second socket.
      datagrams[min(socket, datagrams.count - 1)].send(packet, to: client.endpoint)
    case .stream(let number):
      guard let connection = connections[number] else { return }
      connection.send(packet)
      loop.watchWriting(connection.socket.descriptor, connection.hasUnsent)
    }
  }

  /// Sends changes to a place that did not ask, for as long as the node runs.
  package func addPermanentSubscriber(_ endpoint: Endpoint) throws(Refusal) {
    let index = endpoint.address.isVersion4 ? 0 : datagrams.count - 1
    try node.subscribePermanently(
      client(endpoint, .datagrams(socket: index)))
  }
}
