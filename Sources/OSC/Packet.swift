/// An OSC packet: a message or a bundle of them.
package enum Packet {
  /// How deep bundles may be nested.
  package static let deepestBundle = 8

  private static let bundleStart: [UInt8] = Array("#bundle".utf8) + [0]

  /// Checks a whole packet, then hands each message in it to `body`, in order, with the time of
  /// the innermost bundle around it.
  ///
  /// Nothing is handed over unless all of the packet is well-formed.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, _ body: (Message, TimeTag) -> Void
  ) throws(MalformedPacket) {
    if bytes.first == UInt8(ascii: "/") {
      body(try Message(bytes), .immediately)
      return
    }
    try visit(bytes, time: .immediately, depth: 0) { _, _ in }
    try visit(bytes, time: .immediately, depth: 0, body)
  }

  private static func visit(
    _ bytes: UnsafeRawBufferPointer, time: TimeTag, depth: Int, _ body: (Message, TimeTag) -> Void
  ) throws(MalformedPacket) {
    guard bytes.count > 0 else { throw .empty }
    guard bytes.starts(with: bundleStart) else {
      body(try Message(bytes), time)
      return
    }
    guard depth < deepestBundle else { throw .deep }
    guard bytes.count >= 16, bytes.count % 4 == 0 else { throw .badBundle }
    let own = TimeTag(
      bits: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    // An inner bundle may not be earlier than the one around it.
    let inner =
      own == .immediately || (time != .immediately && own.bits < time.bits) ? time : own
    var position = 16
    while position < bytes.count {
      guard position + 4 <= bytes.count else { throw .badBundle }
      let size = Int(
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      position += 4
      guard size > 0, size % 4 == 0, size <= bytes.count - position else { throw .badBundle }
      let element = UnsafeRawBufferPointer(rebasing: bytes[position..<position + size])
      try visit(element, time: inner, depth: depth + 1, body)
      position += size
    }
  }
}
