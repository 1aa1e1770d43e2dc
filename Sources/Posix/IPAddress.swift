package import Glibc

/// An IP address, version 4 or 6.
///
/// Version 4 is stored as an IPv4-mapped IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The upper and lower 64 bits.
  package let high: UInt64, low: UInt64

  /// The loopback addresses.
  package static let loopback4 = IPAddress(v4: 0x7F00_0001)
  package static let loopback6 = IPAddress(high: 0, low: 1)
  /// The wildcard addresses.
  package static let any4 = IPAddress(v4: 0)
  package static let any6 = IPAddress(high: 0, low: 0)

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(v4: UInt32) {
    self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(v4))
  }

  /// Parses a numeric address.
  package init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4: UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(v6)
    } else {
      return nil
    }
  }

  init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) {
      IPAddress(
        high: UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  var in6: in6_addr {
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) {
      $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }

  /// Whether the address is IPv4.
  package var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

  var v4: UInt32 { UInt32(truncatingIfNeeded: low) }

  /// Whether this is a loopback address.
  package var isLoopback: Bool {
    isVersion4 ? v4 >> 24 == 127 : self == .loopback6
  }

  /// The address that stands for its owner: the IPv4 address itself, or the first one of the IPv6 /64
  /// network, in which one machine can have any address.
  package var network: IPAddress { isVersion4 ? self : IPAddress(high: high, low: 0) }

  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isVersion4 {
      var address = in_addr(s_addr: v4.bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    } else {
      var address = in6
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    }
    return String(terminated: text)
  }

  /// Whether this is a link-local IPv6 address (fe80::/10).
  package var isLinkLocal6: Bool { !isVersion4 && high >> 54 == 0xFE80 >> 6 }

  /// Whether this is an address that one other machine can have: no loopback, wildcard, multicast or broadcast
  /// address.
  package var isOfOneMachine: Bool {
    if isVersion4 { return (1..<224).contains(v4 >> 24) && !isLoopback }
    return high >> 56 != 0xFF && self != .any6 && !isLoopback
  }

  /// The name of this machine; empty if unknown.
  package static var nameOfThisMachine: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(terminated: name)
  }

  /// The address that other machines most likely use for this one.
  package static var likelyForOthers: IPAddress {
    let own = ofThisMachine.filter { !$0.isLoopback }
    return own.first { $0.isVersion4 } ?? own.first ?? .loopback4
  }

  /// The addresses of all network interfaces.
  package static var ofThisMachine: [IPAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    return entries(list, next: \.ifa_next).compactMap {
      $0.ifa_addr.flatMap { Endpoint($0)?.address }
    }
  }
}

/// The error for a host that can't be resolved.
package struct UnknownHost: Error {
  let code: Int32

  /// The system's description.
  package var reason: String { String(cString: gai_strerror(code)) }
}

/// Returns the entries of a linked list of C.
private func entries<Entry>(
  _ list: UnsafeMutablePointer<Entry>?, next: (Entry) -> UnsafeMutablePointer<Entry>?
) -> [Entry] {
  var (entries, rest) = ([Entry](), list)
  while let entry = rest?.pointee {
    entries.append(entry)
    rest = next(entry)
  }
  return entries
}

/// A UDP or TCP endpoint: an address and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  package var address: IPAddress
  package var port: UInt16
  /// The interface index of a link-local address.
  private var scope: UInt32 = 0

  /// Creates an endpoint.
  package init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Converts a `sockaddr`.
  ///
  /// Returns nil for other address families.
  package init?(_ pointer: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(pointer)
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET:
      let v4 = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(
        address: IPAddress(v4: UInt32(bigEndian: v4.sin_addr.s_addr)),
        port: UInt16(bigEndian: v4.sin_port))
    case AF_INET6:
      let v6 = raw.loadUnaligned(as: sockaddr_in6.self)
      self.init(address: IPAddress(v6.sin6_addr), port: UInt16(bigEndian: v6.sin6_port))
      scope = v6.sin6_scope_id
    default: return nil
    }
  }

  /// Resolves a host name, or a numeric address without brackets.
  package init(resolving host: String, port: UInt16) throws(UnknownHost) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = host.isEmpty ? EAI_NONAME : getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else { throw UnknownHost(code: code) }
    defer { freeaddrinfo(list) }
    let found = entries(list, next: \.ai_next).compactMap { Endpoint($0.ai_addr) }
    // IPv4 first: most control surfaces listen on nothing else.
    guard var endpoint = found.first(where: { $0.address.isVersion4 }) ?? found.first
    else { throw UnknownHost(code: EAI_NONAME) }
    endpoint.port = port
    self = endpoint
  }

  /// Calls `body` with the endpoint as a `sockaddr`.
  package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
    -> Result
  {
    var storage = sockaddr_storage()
    let size = withUnsafeMutableBytes(of: &storage) { bytes in
      if address.isVersion4 {
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        v4.sin_addr.s_addr = address.v4.bigEndian
        bytes.storeBytes(of: v4, as: sockaddr_in.self)
        return MemoryLayout<sockaddr_in>.size
      }
      var v6 = sockaddr_in6()
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = port.bigEndian
      v6.sin6_addr = address.in6
      v6.sin6_scope_id = scope
      bytes.storeBytes(of: v6, as: sockaddr_in6.self)
      return MemoryLayout<sockaddr_in6>.size
    }
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
    }
  }

  package var description: String {
    address.isVersion4 ? "\(address):\(port)" : "[\(address)]:\(port)"
  }
}

/// The clients that a server accepts.
package struct NetworkAccess: Sendable {
  /// Whether other machines can reach it.
  package var isOpen = false
  /// The address ranges that it accepts; all if empty.
  package var allowed: [AddressRange] = []

  /// Creates access for this machine only.
  package init() {}

  /// Whether a client's address is accepted.
  package func admits(_ address: IPAddress) -> Bool {
    allowed.isEmpty || allowed.contains { $0.contains(address) }
  }
}

/// An address range in CIDR form.
package struct AddressRange: Sendable, CustomStringConvertible {
  private let base: IPAddress
  private let bits: Int

  /// Parses a range such as `192.168.1.0/24`.
  ///
  /// A single address is a range, too.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let width = address.isVersion4 ? 32 : 128
    var bits = width
    if parts.count == 2 {
      guard let given = Int(parts[1]), (0...width).contains(given) else { return nil }
      bits = given
    }
    base = address
    self.bits = bits + 128 - width
  }

  /// Whether the range contains an address.
  package func contains(_ address: IPAddress) -> Bool {
    func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }
    return (address.high ^ base.high) & mask(bits) == 0
      && (address.low ^ base.low) & mask(bits - 64) == 0
  }

  package var description: String {
    "\(base)/\(base.isVersion4 ? bits - 96 : bits)"
  }
}
