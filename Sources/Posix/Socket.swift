internal import CPosix
internal import Glibc

/// A nonblocking UDP or TCP socket.
package final class Socket {
  /// The kind of socket: datagrams (UDP) or a stream (TCP).
  package enum Kind: Sendable {
    case datagrams, stream
  }

  /// The result of reading from a stream.
  package enum Reading {
    case bytes(Int)
    case nothingNow
    case closed
  }

  /// The socket's descriptor, for polling.
  package let descriptor: Descriptor
  private let isVersion4: Bool

  private init(_ descriptor: Descriptor, isVersion4: Bool) {
    self.descriptor = descriptor
    self.isVersion4 = isVersion4
  }

  /// Whether an address can be the source of a packet on this socket.
  ///
  /// No network carries IPv4-mapped IPv6 addresses such as `::ffff:127.0.0.1`. A packet with such a
  /// source is forged.
  package func canHear(_ address: IPAddress) -> Bool { address.isVersion4 == isVersion4 }

  /// Creates a socket bound to a local endpoint.
  ///
  /// A stream socket listens.
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
      // Reports the interface of each datagram, and unreachable receivers. Otherwise a datagram to a
      // closed port makes a later call fail.
      if isVersion4 {
        set(Int32(IPPROTO_IP), IP_PKTINFO, 1)
        set(Int32(IPPROTO_IP), IP_RECVERR, 1)
      } else {
        set(Int32(IPPROTO_IPV6), IPV6_RECVPKTINFO, 1)
        set(Int32(IPPROTO_IPV6), IPV6_RECVERR, 1)
      }
    case .stream:
      // A restart must not wait for old connections to time out.
      set(SOL_SOCKET, SO_REUSEADDR, 1)
    }
    guard endpoint.withSockaddr({ bind(descriptor.number, $0, $1) }) == 0 else {
      throw SystemError("port \(endpoint.port)")
    }
    // The phones of a whole band reconnect at once when the network is back.
    if kind == .stream, listen(descriptor.number, 128) != 0 { throw SystemError("listen") }
  }

  /// Opens listening sockets on a port, on the loopback or on all interfaces.
  ///
  /// Port 0 selects a free one.
  package static func listening(
    at wanted: UInt16, isOpen: Bool
  ) throws(SystemError) -> [Socket] {
    var sockets: [Socket] = []
    try forBothVersions(isOpen: isOpen) { address throws(SystemError) in
      let port = sockets.first?.port ?? wanted
      sockets.append(try Socket(.stream, boundTo: Endpoint(address: address, port: port)))
    }
    return sockets
  }

  /// Binds sockets to the addresses of both IP versions, of the loopback or of all interfaces.
  package static func forBothVersions(
    isOpen: Bool, _ bind: (IPAddress) throws(SystemError) -> Void
  ) throws(SystemError) {
    for address: IPAddress in isOpen ? [.any4, .any6] : [.loopback4, .loopback6] {
      do throws(SystemError) {
        try bind(address)
      } catch {
        // IPv6 may be unavailable.
        guard !address.isVersion4, !error.isAddressInUse else { throw error }
      }
    }
  }

  /// Connects a stream to an endpoint.
  ///
  /// Writing to it blocks until the system has taken all bytes.
  package init(connectedTo endpoint: Endpoint) throws(SystemError) {
    isVersion4 = endpoint.address.isVersion4
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = try Descriptor(
      socket(isVersion4 ? AF_INET : AF_INET6, type, 0), orThrow: "socket")
    guard endpoint.withSockaddr({ connect(descriptor.number, $0, $1) }) == 0 else {
      throw SystemError("connect")
    }
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
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

  /// Accepts the next connection on a listening socket.
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
        // Single notes must not be delayed by Nagle's algorithm.
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        return (socket, endpoint)
      }
    }
  }

  /// Sends a datagram.
  ///
  /// Returns false on failure.
  @discardableResult
  package func send(_ bytes: [UInt8], to endpoint: Endpoint) -> Bool {
    // A call may report that an earlier receiver was unreachable, in which case nothing was sent.
    for _ in 0..<3 {
      let sent = endpoint.withSockaddr {
        sendto(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1)
      }
      if sent == bytes.count { return true }
      guard errno == ECONNREFUSED || errno == EHOSTUNREACH || errno == EINTR else { return false }
    }
    return false
  }

  /// Writes to a stream.
  ///
  /// Returns the number of bytes written, or nil if the stream has ended.
  package func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count >= 0 ? count : errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// The next unread byte of a stream, or the reason why there is none.
  package enum NextByte {
    case byte(UInt8)
    case nothingNow
    case closed
  }

  /// The first unread byte, which stays unread.
  package var nextByte: NextByte {
    var byte: UInt8 = 0
    let count = recv(descriptor.number, &byte, 1, Int32(MSG_PEEK))
    if count == 1 { return .byte(byte) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingNow : .closed
  }

  /// Closes the outgoing direction of a stream.
  package func endWriting() { shutdown(descriptor.number, Int32(SHUT_WR)) }

  /// Whether both directions are closed.
  package var isHungUp: Bool {
    var entry = pollfd(fd: descriptor.number, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP | POLLERR) != 0
  }

  /// Limits the send buffer of the system: data in it can't be withdrawn when it is outdated.
  package func limitOutgoing(bytes: Int) { set(SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes)) }

  /// Creates two streams that are connected to each other.
  package static func pair() throws(SystemError) -> (Socket, Socket) {
    var numbers: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &numbers) == 0 else { throw SystemError("socketpair") }
    return (
      Socket(try Descriptor(numbers[0], orThrow: "socketpair"), isVersion4: true),
      Socket(try Descriptor(numbers[1], orThrow: "socketpair"), isVersion4: true)
    )
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .bytes(count) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingNow : .closed
  }

  /// Reads the available bytes in pieces, until they are `most` or `body` returns false.
  ///
  /// Returns the result of the last read.
  package func read(atMost most: Int, _ body: (UnsafeRawBufferPointer) -> Bool) -> Reading {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
      var taken = 0
      while true {
        let reading = read(into: buffer)
        guard case .bytes(let count) = reading else { return reading }
        taken += count
        let wantsMore = body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        guard wantsMore, taken < most else { return reading }
      }
    }
  }

  /// Whether the error queue has a report of an unreachable receiver.
  package var hasFault: Bool {
    var entry = pollfd(fd: descriptor.number, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR) != 0
  }

  /// Takes an unreachable receiver from the error queue.
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

/// A reader that receives batches of datagrams.
package final class DatagramReader {
  /// The sender of a datagram: the address in the packet, and what the kernel knows about it.
  package struct Sender {
    /// The source address and port in the packet, which can be forged.
    package let endpoint: Endpoint
    /// Whether the packet arrived on the loopback interface, which other machines can't reach.
    ///
    /// A packet from one of this machine's network addresses counts as received on that network's
    /// interface, since the kernel reports it so for link-local addresses.
    package let isOnLoopback: Bool

    /// Creates a sender.
    package init(endpoint: Endpoint, isOnLoopback: Bool) {
      self.endpoint = endpoint
      self.isOnLoopback = isOnLoopback
    }
  }

  /// The maximum length of a datagram in bytes.
  private static let longest = 65_536
  /// The maximum number of datagrams per read.
  package static let most = Int(PX_MOST_DATAGRAMS)

  private let buffers = UnsafeMutableRawBufferPointer.allocate(
    byteCount: longest * most, alignment: 16)
  private var senders = [sockaddr_storage](repeating: sockaddr_storage(), count: most)
  private var lengths = [UInt32](repeating: 0, count: most)
  private var interfaces = [UInt32](repeating: 0, count: most)

  /// Creates a reader with its buffers.
  package init() {}

  deinit { buffers.deallocate() }

  /// Receives pending datagrams from a socket, and returns their number.
  package func read(
    _ socket: Socket, _ body: (UnsafeRawBufferPointer, Sender) -> Void
  ) -> Int {
    let count = px_receive(
      socket.descriptor.number, buffers.baseAddress, Self.longest, UInt32(Self.most), &senders,
      &lengths, &interfaces)
    guard count > 0 else { return 0 }
    for index in 0..<Int(count) {
      let found = withUnsafeBytes(of: senders[index]) {
        Endpoint($0.baseAddress!.assumingMemoryBound(to: sockaddr.self))
      }
      guard let endpoint = found else { continue }
      let sender = Sender(
        endpoint: endpoint, isOnLoopback: interfaces[index] == UInt32(PX_LOOPBACK_INTERFACE))
      let start = index * Self.longest
      body(
        UnsafeRawBufferPointer(rebasing: buffers[start..<start + Int(lengths[index])]), sender)
    }
    return Int(count)
  }
}
