/// Serialization of messages and bundles.
extension [UInt8] {
  /// Serializes a message.
  package init(address: String, _ arguments: [Argument]) {
    self.init()
    reserveCapacity(address.utf8.count + 8 + arguments.count * 8)
    append(osc: address)
    var tags = ","
    for argument in arguments { tags.append(argument.tag) }
    append(osc: tags)
    for argument in arguments { append(osc: argument) }
  }

  /// Serializes a bundle of packets.
  package init(bundle packets: [[UInt8]], at time: TimeTag) {
    self.init()
    append(osc: "#bundle")
    append(bigEndian: time.bits)
    for packet in packets {
      append(bigEndian: UInt32(packet.count))
      append(contentsOf: packet)
    }
  }

  private mutating func append(osc text: String) {
    // A zero byte would terminate the string early and misalign everything after it.
    var count = 0
    for byte in text.utf8 where byte != 0 {
      append(byte)
      count += 1
    }
    pad(after: count)
  }

  private mutating func pad(after count: Int) {
    append(contentsOf: repeatElement(0, count: 4 - count % 4))
  }

  private mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  private mutating func append(osc argument: Argument) {
    switch argument {
    case .int32(let value): append(bigEndian: value)
    case .int64(let value): append(bigEndian: value)
    case .float(let value): append(bigEndian: value.bitPattern)
    case .double(let value): append(bigEndian: value.bitPattern)
    case .string(let value), .symbol(let value): append(osc: value)
    case .blob(let bytes):
      append(bigEndian: UInt32(bytes.count))
      append(contentsOf: bytes)
      if bytes.count % 4 != 0 { pad(after: bytes.count) }
    case .timeTag(let value): append(bigEndian: value.bits)
    case .character(let value), .color(let value), .midi(let value): append(bigEndian: value)
    case .bool, .nil, .infinitum: break
    }
  }
}
