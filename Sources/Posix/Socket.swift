internal import CPosix
internal import Glibc

/// A UDP or TCP socket that never blocks.
package final class Socket {
  /// The kind of socket: datagrams (UDP) or a stream (TCP).
  package enum Kind: Sendable {
    case datagrams, stream
  }

  /// The outcome of reading from a stream.
  package enum Reading {
    case bytes(Int)
    case nothingNow
    case closed
  }

  /// The socket's descriptor, to be watched.
  package let descriptor: Descriptor
  private let isVersion4: Bool

  private init(_ descriptor: Descriptor, isVersion4: Bool) {
    self.descriptor = descriptor
    self.isVersion4 = isVersion4
  }

  /// Whether an address can be one that this socket hears from.
  ///
  /// No network carries an address of version 4 mapped into version 6, such as
  /// `::ffff:127.0.0.1`; only who forges a packet writes one as its sender.
  package func canHear(_ address: IPAddress) -> Bool { address.isVersion4 == isVersion4 }

  /// A socket bound to an address of this machine; a stream one listens.
  package init(_ kind: Kind, boundTo endpoint: Endpoint) throws(SystemError) {
    let type = kind == .datagrams ? SOCK_DGRAM : SOCK_STREAM
    isVersion4 = endpoint.address.isVersion4
    descriptor = try Descriptor(
      socket(
        endpoint.address.isVersion4 ? AF_INET : AF_INET6,
        Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0),
      orThrow: "socket")
    if !endpoint.address.isVersion4 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    switch kind {
    case .datagrams:
      set(SOL_SOCKET, SO_RCVBUF, 4 << 20)
      _ = px_tell_interface(descriptor.number, isVersion4 ? AF_INET : AF_INET6)
      // Tells which receiver is gone; without it a datagram to nobody fails some other call.
      if endpoint.address.isVersion4 {
        set(Int32(IPPROTO_IP), IP_RECVERR, 1)
      } else {
        set(Int32(IPPROTO_IPV6), IPV6_RECVERR, 1)
      }
    case .stream:
      // A restart must not wait until the old connections are forgotten.
      set(SOL_SOCKET, SO_REUSEADDR, 1)
    }
    guard endpoint.withSockaddr({ bind(descriptor.number, $0, $1) }) == 0 else {
      throw SystemError("port \(endpoint.port)")
    }
    // A band's phones all come at once when the network is back.
    if kind == .stream, listen(descriptor.number, 128) != 0 { throw SystemError("listen") }
  }

  /// Listening sockets at a port of this machine alone, or of all its networks; 0 takes a free one.
  package static func listening(
    at wanted: UInt16, isOpen: Bool
  ) throws(SystemError) -> [Socket] {
    var sockets: [Socket] = []
    for address: IPAddress in isOpen ? [.any4, .any6] : [.loopback4, .loopback6] {
      do throws(SystemError) {
        let port = sockets.first?.port ?? wanted
        sockets.append(try Socket(.stream, boundTo: Endpoint(address: address, port: port)))
      } catch {
        // A machine without version 6 is a whole machine.
        guard !address.isVersion4, !error.isAddressInUse else { throw error }
      }
    }
    return sockets
  }

  /// A stream by another descriptor of it, which stays its owner's; its end is told by both.
  ///
  /// The system keeps so many bytes at most that wait for its peer.
  package init(ofStream number: Int32, outgoingBytes: Int) throws(SystemError) {
    isVersion4 = true
    descriptor = try Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 0), orThrow: "a stream")
    _ = fcntl(descriptor.number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(SOL_SOCKET, SO_SNDBUF, Int32(clamping: outgoingBytes))
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor.number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The port that the socket is bound to.
  package var port: UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor.number, $0, &size)
        return Endpoint($0)?.port ?? 0
      }
    }
  }

  /// Accepts the next connection to a listening socket.
  package func accept() -> (Socket, Endpoint)? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> (Socket, Endpoint)? in
        let number = px_accept(descriptor.number, pointer, &size)
        guard let descriptor = try? Descriptor(number, orThrow: "accept"),
          let endpoint = Endpoint(pointer)
        else { return nil }
        let socket = Socket(descriptor, isVersion4: isVersion4)
        // Single notes must not wait for more to fill a packet.
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        return (socket, endpoint)
      }
    }
  }

  /// Sends one datagram; false when it did not go.
  @discardableResult
  package func send(_ bytes: [UInt8], to endpoint: Endpoint) -> Bool {
    // A call may fail with the news that an earlier receiver is gone: then nothing was sent.
    for _ in 0..<3 {
      let sent = endpoint.withSockaddr {
        sendto(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1)
      }
      if sent == bytes.count { return true }
      guard errno == ECONNREFUSED || errno == EHOSTUNREACH || errno == EINTR else { return false }
    }
    return false
  }

  /// Writes to a stream and returns how much went; nil when the stream has ended.
  package func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count >= 0 ? count : errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Reads from a stream.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .bytes(count) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingNow : .closed
  }

  /// Whether the error queue has news that a receiver of datagrams is gone.
  package var hasFault: Bool {
    var entry = pollfd(fd: descriptor.number, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR) != 0
  }

  /// Takes from the error queue a receiver of datagrams that is gone.
  package func nextUnreachable() -> Endpoint? {
    var storage = sockaddr_storage()
    var control = [UInt8](repeating: 0, count: 512)
    return withUnsafeMutableBytes(of: &storage) { name in
      control.withUnsafeMutableBytes { control -> Endpoint? in
        var header = msghdr()
        header.msg_name = name.baseAddress
        header.msg_namelen = socklen_t(name.count)
        header.msg_control = control.baseAddress
        header.msg_controllen = control.count
        guard recvmsg(descriptor.number, &header, Int32(MSG_ERRQUEUE)) >= 0 else {
          return nil
        }
        return Endpoint(name.baseAddress!.assumingMemoryBound(to: sockaddr.self))
      }
    }
  }
}

/// A reader that receives datagrams many at a time.
package final class DatagramReader {
  /// The sender of a datagram: as the datagram says, and what the kernel knows of it.
  package struct Sender {
    /// The address and port in the datagram, which whoever sends it can forge.
    package let endpoint: Endpoint
    /// Whether it came by the loopback interface, which nobody else's packets do.
    ///
    /// One from this machine's address on a network counts as having come by that network: the
    /// kernel has it so, for the sake of addresses that hold on one interface.
    package let isOnLoopback: Bool
  }

  /// The longest datagram that there is, in bytes.
  private static let longest = 65_536
  /// The most datagrams that one reading brings.
  package static let most = Int(PX_MOST_DATAGRAMS)

  private let buffers: UnsafeMutableRawBufferPointer
  private let senders: UnsafeMutablePointer<sockaddr_storage>
  private let lengths: UnsafeMutablePointer<UInt32>
  private let interfaces: UnsafeMutablePointer<UInt32>

  /// A reader with its buffers.
  package init() {
    buffers = .allocate(byteCount: Self.longest * Self.most, alignment: 16)
    senders = .allocate(capacity: Self.most)
    lengths = .allocate(capacity: Self.most)
    interfaces = .allocate(capacity: Self.most)
  }

  deinit {
    buffers.deallocate()
    senders.deallocate()
    lengths.deallocate()
    interfaces.deallocate()
  }

  /// Receives what has come to a socket, and returns how many datagrams that were.
  package func read(
    _ socket: Socket, _ body: (UnsafeRawBufferPointer, Sender) -> Void
  ) -> Int {
    let count = px_receive(
      socket.descriptor.number, buffers.baseAddress, Self.longest, UInt32(Self.most), senders,
      lengths, interfaces)
    guard count > 0 else { return 0 }
    for index in 0..<Int(count) {
      let name = UnsafeRawPointer(senders + index).assumingMemoryBound(to: sockaddr.self)
      guard let endpoint = Endpoint(name) else { continue }
      let sender = Sender(
        endpoint: endpoint, isOnLoopback: interfaces[index] == UInt32(PX_LOOPBACK_INTERFACE))
      let start = index * Self.longest
      body(
        UnsafeRawBufferPointer(rebasing: buffers[start..<start + Int(lengths[index])]), sender)
    }
    return Int(count)
  }
}
