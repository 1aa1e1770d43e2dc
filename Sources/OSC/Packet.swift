/// An OSC packet: a message or a bundle.
package enum Packet {
  /// The maximum nesting depth of bundles.
  package static let deepestBundle = 8

  private static let bundleStart: [UInt8] = Array("#bundle".utf8) + [0]

  /// Validates a packet, then calls `body` for each message in order, with the time tag of its
  /// innermost bundle.
  ///
  /// If any part of the packet is malformed, `body` isn't called at all.
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
    // A nested bundle can't be earlier than its enclosing one.
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
