internal import HTTP
internal import Posix

/// HTTPS on the port of the web server: a connection that begins with a TLS record goes to a server of its own,
/// through a relay that decrypts it; all others go to the plain server.
///
/// On the node's event loop.
final class SecureDoor {
  // The type of a handshake record.
  private static let handshake: UInt8 = 22
  private static let mostUndecided = 64
  private static let silence = 10e6
  private static let addressPeriod = 5e6

  private struct Undecided {
    let number: Int
    let socket: Socket
    let peer: Endpoint
    let since: Double
  }

  private let authority: CertificateAuthority
  private let loop: EventLoop
  private let plain: HTTPServer
  private let server: HTTPServer
  private let relay: TLSRelay
  private let certified: Guarded<Set<String>>
  // Those that the certificate has been issued for, and on which day.
  private var addresses: Set<IPAddress>
  private var day: Int
  private var nextAddresses = 0.0
  private var undecided: [Int: Undecided] = [:]
  private var count = 0

  /// Starts the relay; `certified` is kept at the hosts of the certificate.
  init(
    _ authority: CertificateAuthority, loop: EventLoop, plain: HTTPServer, server: HTTPServer,
    certified: Guarded<Set<String>>
  ) throws(SystemError) {
    (self.authority, self.loop) = (authority, loop)
    (self.plain, self.server, self.certified) = (plain, server, certified)
    (addresses, day) = (Set(IPAddress.ofThisMachine), Self.today)
    let identity = try authority.identity(addresses: Array(addresses))
    relay = try TLSRelay(identity)
    certified.withLock { $0 = identity.hosts }
  }

  private static var today: Int { Int((HostTime.steady - HostTime.steadyOfUnixEpoch) / 86_400e6) }

  /// Takes over a connection, and passes it on when its first byte is there.
  func take(_ socket: Socket, from peer: Endpoint, now: Double) {
    count += 1
    let new = Undecided(number: count, socket: socket, peer: peer, since: now)
    if decide(new) { return }
    if undecided.count >= Self.mostUndecided { dropOne() }
    undecided[new.number] = new
    loop.watch(socket.descriptor) { [unowned self] in
      if decide(new) { drop(new.number) }
    }
  }

  /// Returns false as long as the client has sent nothing.
  private func decide(_ new: Undecided) -> Bool {
    switch new.socket.nextByte {
    case .byte(Self.handshake):
      if let inner = try? relay.take(new.socket) { server.take(inner, from: new.peer) }
      return true
    case .byte:
      plain.take(new.socket, from: new.peer)
      return true
    case .closed: return true
    case .nothingNow: return false
    }
  }

  /// Drops the oldest connection of the address that has the most.
  private func dropOne() {
    let crowd = Dictionary(grouping: undecided.values) { $0.peer.address }
      .values.max { $0.count < $1.count }
    if let oldest = crowd?.min(by: { $0.number < $1.number }) { drop(oldest.number) }
  }

  private func drop(_ number: Int) {
    guard let old = undecided.removeValue(forKey: number) else { return }
    loop.forget(old.socket.descriptor)
  }

  /// Closes connections that stay silent, and issues a certificate for new addresses of this machine and on
  /// each day: a machine that starts by itself may get its address and the date later.
  func look(now: Double) {
    for old in undecided.values where now - old.since > Self.silence { drop(old.number) }
    guard now >= nextAddresses else { return }
    nextAddresses = now + Self.addressPeriod
    let all = addresses.union(IPAddress.ofThisMachine)
    guard all != addresses || day != Self.today,
      let identity = try? authority.identity(addresses: Array(all))
    else { return }
    (addresses, day) = (all, Self.today)
    relay.use(identity)
    certified.withLock { $0 = identity.hosts }
  }

  /// Closes all connections.
  func end() {
    for number in undecided.keys { drop(number) }
    server.end()
    relay.end()
  }
}
