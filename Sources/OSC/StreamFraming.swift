/// Splits a TCP byte stream into OSC packets.
///
/// The first byte decides between length-prefixed packets (OSC 1.0) and SLIP with END on both sides
/// (OSC 1.1).
package struct StreamFraming {
  /// The framing: length prefix or SLIP.
  package enum Style: Sendable {
    case lengthPrefix, slip
  }

  /// The longest packet accepted, in bytes.
  package static let longestPacket = 65_536

  private static let end: UInt8 = 0xC0
  private static let escape: UInt8 = 0xDB
  private static let escapedEnd: UInt8 = 0xDC
  private static let escapedEscape: UInt8 = 0xDD

  /// The framing of this stream; nil before its first byte.
  package private(set) var style: Style?
  private var partial: [UInt8] = []
  private var isEscaped = false

  /// Creates framing for a new stream.
  package init() {}

  /// Whether a packet is incomplete.
  package var isInsidePacket: Bool { !partial.isEmpty || isEscaped }

  /// Parses the next bytes and calls `body` for each completed packet.
  ///
  /// Returns false if the stream can't be parsed any further.
  package mutating func take(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    if style == nil, let first = bytes.first { style = first == Self.end ? .slip : .lengthPrefix }
    return switch style {
    case .slip: takeSlip(bytes, body)
    case .lengthPrefix: takePrefixed(bytes, body)
    case nil: true
    }
  }

  private mutating func takePrefixed(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    partial.append(contentsOf: bytes)
    var start = 0
    while partial.count - start >= 4 {
      let size = partial[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      guard size <= Self.longestPacket else { return false }
      guard partial.count - start - 4 >= size else { break }
      partial.withUnsafeBytes { all in
        body(UnsafeRawBufferPointer(rebasing: all[start + 4..<start + 4 + size]))
      }
      start += 4 + size
    }
    partial.removeFirst(start)
    return true
  }

  private mutating func takeSlip(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    for byte in bytes {
      if isEscaped {
        isEscaped = false
        switch byte {
        case Self.escapedEnd: partial.append(Self.end)
        case Self.escapedEscape: partial.append(Self.escape)
        default: return false
        }
      } else if byte == Self.end {
        if !partial.isEmpty { partial.withUnsafeBytes(body) }
        partial.removeAll(keepingCapacity: true)
      } else if byte == Self.escape {
        isEscaped = true
      } else {
        partial.append(byte)
      }
      guard partial.count <= Self.longestPacket else { return false }
    }
    return true
  }

  /// Frames a packet for a stream of this style.
  package static func frame(_ packet: [UInt8], _ style: Style) -> [UInt8] {
    switch style {
    case .lengthPrefix:
      return withUnsafeBytes(of: UInt32(packet.count).bigEndian) { Array($0) } + packet
    case .slip:
      var framed = [end]
      for byte in packet {
        switch byte {
        case end: framed += [escape, escapedEnd]
        case escape: framed += [escape, escapedEscape]
        default: framed.append(byte)
        }
      }
      framed.append(end)
      return framed
    }
  }
}
