internal import Foundation
internal import Glibc

/// Two simulated machines connected by a cable: network namespaces, in which a thread can run code.
package final class Cable {
  /// One end of the cable.
  package struct Machine {
    /// Its addresses on the cable.
    package let address4: String, address6: String
    fileprivate let name: String

    /// Runs a body on this machine: sockets that it opens, and programs that it starts, stay there.
    package func inside<Result>(_ body: () throws -> Result) throws -> Result {
      let outside = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
      let inside = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
      defer {
        close(outside)
        close(inside)
      }
      guard outside >= 0, inside >= 0, Cable.enter(inside) else {
        throw Fault("can't enter the network namespace \(name)")
      }
      defer { precondition(Cable.enter(outside), "no way back from \(name)") }
      return try body()
    }
  }

  /// The machine under test.
  package let near: Machine
  /// The other machine.
  package let far: Machine

  /// Connects two new machines; requires root.
  package init() throws {
    let id = UInt16.random(in: 1...65_535)
    near = Machine(address4: "10.94.0.1", address6: "fd5e:4e::1", name: "syrinx-\(id)-near")
    far = Machine(address4: "10.94.0.2", address6: "fd5e:4e::2", name: "syrinx-\(id)-far")
    for machine in [near, far] { try Self.ip("netns", "add", machine.name) }
    try Self.ip(
      "link", "add", "cable", "netns", near.name, "type", "veth", "peer", "name", "cable", "netns",
      far.name)
    for machine in [near, far] {
      try Self.ip("-n", machine.name, "addr", "add", "\(machine.address4)/24", "dev", "cable")
      try Self.ip(
        "-n", machine.name, "addr", "add", "\(machine.address6)/64", "dev", "cable", "nodad")
      for interface in ["lo", "cable"] {
        try Self.ip("-n", machine.name, "link", "set", interface, "up")
      }
    }
  }

  deinit { for machine in [near, far] { try? Self.ip("netns", "del", machine.name) } }

  // Swift's Glibc module is built without _GNU_SOURCE, and omits this call.
  private static func enter(_ namespace: Int32) -> Bool {
    typealias Call = @convention(c) (Int32, Int32) -> Int32
    guard let symbol = dlsym(nil, "setns") else { return false }
    return unsafeBitCast(symbol, to: Call.self)(namespace, 0) == 0
  }

  private static func ip(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ip"] + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Fault("ip \(arguments.joined(separator: " ")) failed")
    }
  }

  /// The source port of forged datagrams.
  package static let forgedPort: UInt16 = 9000

  /// Sends an IPv6 datagram with a forged source address.
  package static func forge(
    _ payload: [UInt8], from source: String, to target: String, port: UInt16
  )
    throws
  {
    let (from, to) = (try bytes(of: source), try bytes(of: target))
    let length = UInt16(8 + payload.count)
    var datagram = [forgedPort, port, length, 0].flatMap(Self.bytes) + payload
    // The IPv6 checksum covers the addresses, the length and the protocol number.
    let covered = from + to + [0, 0] + bytes(length) + [0, 0, 0, 17] + datagram
    datagram.replaceSubrange(6..<8, with: bytes(checksum(covered)))
    let packet = [0x60, 0, 0, 0] + bytes(length) + [17, 64] + from + to + datagram

    let number = socket(AF_INET6, Int32(SOCK_RAW.rawValue), Int32(IPPROTO_RAW))
    defer { close(number) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: to) }
    let sent = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(number, packet, packet.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
    guard sent == packet.count else { throw Fault("can't send a forged packet") }
  }

  private static func bytes(of address: String) throws -> [UInt8] {
    var binary = in6_addr()
    guard inet_pton(AF_INET6, address, &binary) == 1 else { throw Fault("not IPv6: \(address)") }
    return withUnsafeBytes(of: binary) { Array($0) }
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 0xFF)]
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt32 = 0
    for (index, byte) in bytes.enumerated() {
      sum += UInt32(byte) << (index.isMultiple(of: 2) ? 8 : 0)
    }
    while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
    // A checksum of zero is sent as all ones: zero means no checksum.
    return sum == 0xFFFF ? 0xFFFF : ~UInt16(truncatingIfNeeded: sum)
  }
}
