internal import CCrypto
package import Posix

/// Decrypts connections for a server that knows no TLS, on a thread of its own.
package final class TLSRelay: @unchecked Sendable {
  private static let endSeconds = 0.5
  private static let outgoingBytes = 65_536

  private let inbox: Inbox
  private let isEnded = Monitor(false)
  // The relay's thread only.
  private let loop = EventLoop()
  private var connections: [Int: TLSConnection] = [:]
  private var count = 0
  private var identity: TLSIdentity
  private var isEnding = false

  /// Starts the thread, with the identity for new connections.
  package init(_ identity: TLSIdentity) throws(SystemError) {
    self.identity = identity
    inbox = try Inbox()
    try Thread.start("web-tls") { [self] in work() }
  }

  /// Changes the identity for new connections.
  package func use(_ identity: TLSIdentity) {
    _ = inbox.leave { [self] in self.identity = identity }
  }

  /// Takes over a connection with TLS, and returns the decrypted one.
  package func take(_ socket: Socket) throws(SystemError) -> Socket {
    let (inner, outer) = try Socket.pair()
    socket.limitOutgoing(bytes: Self.outgoingBytes)
    inner.limitOutgoing(bytes: Self.outgoingBytes)
    let sockets = Sockets(outside: socket, inside: outer)
    _ = inbox.leave { [self] in begin(sockets) }
    return inner
  }

  /// Ends when the server has closed all connections and their last bytes are sent, or after half a second.
  package func end() {
    _ = inbox.leave { [self] in isEnding = true }
    _ = isEnded.wait(seconds: Self.endSeconds) { $0 ? true : nil }
  }

  /// Two sockets on their way to the relay's thread.
  private struct Sockets: @unchecked Sendable {
    let outside: Socket
    let inside: Socket
  }

  // MARK: - On the relay's thread

  private func work() {
    loop.watch(inbox.readable) { [self] in inbox.work() }
    while !isEnding || !connections.isEmpty {
      loop.turn(milliseconds: 1000)
      let now = HostTime.steady
      for (number, connection) in connections where connection.isOverdue(now) { close(number) }
    }
    loop.forget(inbox.readable)
    inbox.close()
    isEnded.change { $0 = true }
  }

  private func begin(_ sockets: Sockets) {
    guard
      let new = TLSConnection(
        identity, outside: sockets.outside, inside: sockets.inside, on: loop)
    else { return }
    count += 1
    let number = count
    connections[number] = new
    for socket in [sockets.outside, sockets.inside] {
      loop.watch(socket.descriptor) { [unowned self] in serve(number) }
    }
    serve(number)
  }

  private func serve(_ number: Int) {
    guard let connection = connections[number] else { return }
    if !connection.serve({ [unowned self] in serve(number) }) { close(number) }
  }

  private func close(_ number: Int) {
    guard let old = connections.removeValue(forKey: number) else { return }
    loop.forget(old.outside.descriptor)
    loop.forget(old.inside.descriptor)
  }
}

/// A connection with TLS outside, and without it inside.
private final class TLSConnection {
  private static let atOnce = 16_384
  // Time limit for the last bytes after the server has closed, in microseconds.
  private static let partingTime = 15e6

  let outside: Socket
  let inside: Socket
  private let loop: EventLoop
  private let session: OpaquePointer
  // Owned by the session.
  private let received: OpaquePointer
  private let toSend: OpaquePointer
  private var encrypted: [UInt8] = []
  private var decrypted: [UInt8] = []
  private var isWatchedInside = true
  // When the server has closed its side.
  private var closedSince: Double?
  private var buffer = [UInt8](repeating: 0, count: atOnce)

  init?(_ identity: TLSIdentity, outside: Socket, inside: Socket, on loop: EventLoop) {
    guard let session = SSL_new(identity.settings), let received = BIO_new(BIO_s_mem()),
      let toSend = BIO_new(BIO_s_mem())
    else { return nil }
    (self.outside, self.inside, self.loop) = (outside, inside, loop)
    (self.session, self.received, self.toSend) = (session, received, toSend)
    SSL_set_bio(session, received, toSend)
    SSL_set_accept_state(session)
  }

  deinit { SSL_free(session) }

  /// Whether its last bytes are not taken in time.
  func isOverdue(_ now: Double) -> Bool { closedSince.map { now - $0 > Self.partingTime } ?? false }

  /// Moves what can be moved in both directions.
  ///
  /// Returns false if the connection is over. `again` serves it when it is watched again.
  func serve(_ again: @escaping () -> Void) -> Bool {
    // Both sides of it are closed, so nothing can be sent.
    if outside.isHungUp { return false }
    if SSL_is_init_finished(session) == 0, inside.isHungUp { return false }
    var isMoving = true
    while isMoving {
      isMoving = false
      guard let sent = flushOutside(), let read = decrypt() else { return false }
      isMoving = sent || read
      if flushInside() { isMoving = true }
      if encrypt() { isMoving = true }
    }
    if closedSince != nil, encrypted.isEmpty { return false }
    watch(again)
    return true
  }

  private func watch(_ again: @escaping () -> Void) {
    loop.watchReading(outside.descriptor, decrypted.isEmpty)
    loop.watchWriting(outside.descriptor, !encrypted.isEmpty)
    // A closed side is reported again and again, although it can't be read before the other one is written.
    let isWanted = closedSince == nil && (encrypted.isEmpty || !decrypted.isEmpty)
    if isWanted != isWatchedInside {
      isWatchedInside = isWanted
      if isWanted { loop.watch(inside.descriptor, again) } else { loop.forget(inside.descriptor) }
    }
    guard isWanted else { return }
    loop.watchReading(
      inside.descriptor, encrypted.isEmpty && SSL_is_init_finished(session) == 1)
    loop.watchWriting(inside.descriptor, !decrypted.isEmpty)
  }

  /// Writes encrypted bytes; nil if the client is gone.
  private func flushOutside() -> Bool? {
    var hasMoved = false
    while true {
      if encrypted.isEmpty {
        let count = BIO_read(toSend, &buffer, Int32(buffer.count))
        if count > 0 { encrypted = Array(buffer[..<Int(count)]) }
      }
      if encrypted.isEmpty { return hasMoved }
      guard let count = outside.write(encrypted[...]) else { return nil }
      if count == 0 { return hasMoved }
      encrypted.removeFirst(count)
      hasMoved = true
    }
  }

  /// Decrypts the next bytes, unless earlier ones wait; nil if the client has left or violated the protocol.
  private func decrypt() -> Bool? {
    guard decrypted.isEmpty else { return false }
    while true {
      ERR_clear_error()
      let count = SSL_read(session, &buffer, Int32(buffer.count))
      if count > 0 {
        decrypted = Array(buffer[..<Int(count)])
        return true
      }
      guard SSL_get_error(session, count) == SSL_ERROR_WANT_READ else {
        // The alert that says why.
        _ = flushOutside()
        return nil
      }
      switch buffer.withUnsafeMutableBytes({ outside.read(into: $0) }) {
      case .bytes(let count): BIO_write(received, buffer, Int32(count))
      // The reply of the handshake may be in memory still.
      case .nothingNow: return BIO_ctrl_pending(toSend) > 0 && encrypted.isEmpty
      case .closed: return nil
      }
    }
  }

  /// Writes decrypted bytes to the server.
  private func flushInside() -> Bool {
    guard !decrypted.isEmpty else { return false }
    guard let count = inside.write(decrypted[...]) else {
      // The server reads no more, but its reply may not be read yet.
      decrypted = []
      return true
    }
    decrypted.removeFirst(count)
    return count > 0
  }

  /// Encrypts the server's next bytes, unless earlier ones wait.
  private func encrypt() -> Bool {
    guard encrypted.isEmpty, closedSince == nil, SSL_is_init_finished(session) == 1 else {
      return false
    }
    switch buffer.withUnsafeMutableBytes({ inside.read(into: $0) }) {
    case .bytes(let count):
      ERR_clear_error()
      // Into memory: all of it.
      SSL_write(session, buffer, Int32(count))
      return true
    case .nothingNow: return false
    case .closed:
      closedSince = HostTime.steady
      SSL_shutdown(session)
      return true
    }
  }
}
