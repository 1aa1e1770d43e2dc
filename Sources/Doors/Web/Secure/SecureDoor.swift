internal import HTTP
internal import Posix

/// TLS on the port of the web server: a connection that begins with a TLS record goes to a server of its own,
/// all others to the plain one.
///
/// On the node's event loop.
final class SecureDoor {
  // The type of a handshake record.
  private static let handshake: UInt8 = 22
  private static let mostUndecided = 32
  private static let silence = 10e6
  private static let addressPeriod = 5e6
  // A network that assigns more addresses than this gets no certificates for the rest.
  private static let mostServers = 16

  private struct Undecided {
    let socket: Socket
    let peer: Endpoint
    let since: Double
  }

  private let authority: CertificateAuthority
  private let loop: EventLoop
  private let plain: HTTPServer
  private let make: (TLSIdentity) throws(SystemError) -> HTTPServer
  // The last one has new connections; former ones serve theirs until the end.
  private var servers: [HTTPServer] = []
  // Those that the certificate has been issued for.
  private var addresses: Set<IPAddress> = []
  private var nextAddresses = 0.0
  private var undecided: [Int32: Undecided] = [:]

  /// Starts a server for TLS, which `make` creates.
  init(
    _ authority: CertificateAuthority, loop: EventLoop, plain: HTTPServer,
    make: @escaping (TLSIdentity) throws(SystemError) -> HTTPServer
  ) throws(SystemError) {
    (self.authority, self.loop, self.plain, self.make) = (authority, loop, plain, make)
    try issue(IPAddress.ofThisMachine)
  }

  private func issue(_ addresses: [IPAddress]) throws(SystemError) {
    self.addresses.formUnion(addresses)
    servers.append(try make(try authority.identity(addresses: addresses)))
  }

  /// Takes over a connection, and passes it on when its first byte is there.
  func take(_ socket: Socket, from peer: Endpoint, now: Double) {
    if undecided.count >= Self.mostUndecided,
      let oldest = undecided.min(by: { $0.value.since < $1.value.since })
    {
      drop(oldest.key)
    }
    let number = socket.descriptor.number
    undecided[number] = Undecided(socket: socket, peer: peer, since: now)
    loop.watch(socket.descriptor) { [unowned self] in decide(number) }
  }

  private func decide(_ number: Int32) {
    guard let new = drop(number), let byte = new.socket.nextByte else { return }
    let server = byte == Self.handshake ? servers.last : plain
    server?.take(new.socket, from: new.peer)
  }

  @discardableResult
  private func drop(_ number: Int32) -> Undecided? {
    guard let old = undecided.removeValue(forKey: number) else { return nil }
    loop.forget(old.socket.descriptor)
    return old
  }

  /// Closes connections that stay silent, and includes new addresses of this machine in the certificate: a
  /// machine that starts by itself may not have its address yet.
  func look(now: Double) {
    for (number, old) in undecided where now - old.since > Self.silence { drop(number) }
    guard now >= nextAddresses else { return }
    nextAddresses = now + Self.addressPeriod
    let present = IPAddress.ofThisMachine
    guard !addresses.isSuperset(of: present), servers.count < Self.mostServers else { return }
    try? issue(present)
  }

  /// Closes all connections.
  func end() {
    for number in undecided.keys { drop(number) }
    for server in servers { server.end() }
    servers = []
  }
}
