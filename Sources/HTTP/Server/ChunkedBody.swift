/// A decoder of a chunked body.
struct ChunkedBody {
  private enum State {
    case size, sizeEnd
    case bytes
    case bytesReturn, bytesEnd
    case trailer, trailerEnd
    case whole
  }

  // Limits a line of a size with its extensions, and all trailer lines together.
  private static let mostLineBytes = 4096
  private static let mostDigits = 15

  private var state = State.size
  private var size = 0
  private var digits = 0
  private var isInExtension = false
  private var lineBytes = 0
  private var trailerLine = 0

  /// Whether the body is complete.
  var isWhole: Bool { if case .whole = state { true } else { false } }

  /// Decodes bytes until the body is complete, and hands over its parts.
  ///
  /// Returns the number of bytes taken, or nil if they are malformed.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Int? {
    var index = 0
    while index < bytes.count, !isWhole {
      if case .bytes = state {
        let count = min(size, bytes.count - index)
        body(UnsafeRawBufferPointer(rebasing: bytes[index..<index + count]))
        index += count
        size -= count
        if size == 0 { state = .bytesReturn }
        continue
      }
      guard take(bytes[index]) else { return nil }
      index += 1
    }
    return index
  }

  /// Takes a byte between the parts.
  private mutating func take(_ byte: UInt8) -> Bool {
    switch (state, byte) {
    case (.size, 13) where digits > 0: state = .sizeEnd
    case (.size, 59) where digits > 0: isInExtension = true
    case (.size, _):
      lineBytes += 1
      guard lineBytes <= Self.mostLineBytes else { return false }
      if isInExtension { return byte == 9 || byte >= 32 && byte != 127 }
      guard digits < Self.mostDigits, let digit = HTTPRequestHead.digit(byte) else { return false }
      size = size << 4 | Int(digit)
      digits += 1
    case (.sizeEnd, 10):
      state = size == 0 ? .trailer : .bytes
      (digits, isInExtension, lineBytes) = (0, false, 0)
    case (.bytesReturn, 13): state = .bytesEnd
    case (.bytesEnd, 10): state = .size
    case (.trailer, 13): state = .trailerEnd
    case (.trailer, _):
      // Trailers have no effect.
      lineBytes += 1
      trailerLine += 1
      return lineBytes <= Self.mostLineBytes && (byte == 9 || byte >= 32 && byte != 127)
    case (.trailerEnd, 10):
      state = trailerLine == 0 ? .whole : .trailer
      trailerLine = 0
    default: return false
    }
    return true
  }
}
