import OSC
import Testing

@Suite struct PacketTests {
  private func read(_ bytes: [UInt8]) throws -> [(String, TimeTag)] {
    var result: [(String, TimeTag)] = []
    try bytes.withUnsafeBytes {
      try Packet.read($0) { result.append(($0.addressText, $1)) }
    }
    return result
  }

  private func message(_ address: String) -> [UInt8] { [UInt8](address: address, []) }

  @Test func `messages of nested bundles arrive in order with their times`() throws {
    let (early, late) = (TimeTag(bits: 100 << 32), TimeTag(bits: 200 << 32))
    let inner = [UInt8](bundle: [message("/b")], at: late)
    // Earlier than its enclosing bundle, which the specification forbids: it takes that bundle's
    // time.
    let hasty = [UInt8](bundle: [message("/c")], at: TimeTag(bits: 50 << 32))
    let packet = [UInt8](bundle: [message("/a"), inner, hasty, message("/d")], at: early)
    let read = try read(packet)
    #expect(read.map(\.0) == ["/a", "/b", "/c", "/d"])
    #expect(read.map(\.1) == [early, late, early, early])
  }

  @Test func `a malformed bundle delivers no messages`() {
    var packet = [UInt8](bundle: [message("/a"), message("/b")], at: .immediately)
    packet[packet.count - 4] = UInt8(ascii: "!")
    var count = 0
    #expect(throws: MalformedPacket.self) {
      try packet.withUnsafeBytes { try Packet.read($0) { _, _ in count += 1 } }
    }
    #expect(count == 0)
  }

  @Test func `elements with a wrong size are refused`() {
    for size: UInt8 in [0, 3, 9, 200] {
      var packet = [UInt8](bundle: [message("/a")], at: .immediately)
      packet[19] = size
      #expect(throws: MalformedPacket.self) { try read(packet) }
    }
  }

  @Test func `bundles can be nested up to a limit`() throws {
    var packet = message("/a")
    for _ in 0..<Packet.deepestBundle { packet = [UInt8](bundle: [packet], at: .immediately) }
    #expect(try read(packet).count == 1)
    packet = [UInt8](bundle: [packet], at: .immediately)
    #expect(throws: MalformedPacket.deep) { try read(packet) }
  }

  @Test func `an empty bundle is valid`() throws {
    #expect(try read([UInt8](bundle: [], at: .immediately)).isEmpty)
  }
}

@Suite struct TimeTagTests {
  @Test func `times survive a round trip within a microsecond`() {
    for time in [0.0, 1e6, 1_795_000_000_123_456, 2_085_978_496_000_000, 2_200_000_000_000_000.5] {
      #expect(abs(TimeTag(unixMicroseconds: time).unixMicroseconds - time) < 0.5)
    }
  }

  @Test func `1970 is the Unix epoch`() {
    #expect(TimeTag(unixMicroseconds: 0).bits == 2_208_988_800 << 32)
  }
}
