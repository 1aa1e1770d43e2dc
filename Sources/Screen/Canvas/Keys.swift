/// The keys in use.
package enum Key: Equatable, Sendable {
  case letter(Character)
  case tab, backTab, left, right, up, down, escape
  case control(Character)
}

/// A parser of a terminal's input.
package struct KeyReader {
  private var bytes: [UInt8] = []

  /// Creates a parser.
  package init() {}

  /// Whether an Escape is pending that may begin a sequence.
  package var isWaiting: Bool { !bytes.isEmpty }

  /// Parses bytes, and returns the completed keys.
  package mutating func take(_ more: [UInt8]) -> [Key] {
    bytes += more
    var keys: [Key] = []
    while let (key, count) = next() {
      bytes.removeFirst(count)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Ends a pending Escape after a timeout: alone it is the key, else an incomplete sequence is
  /// dropped.
  package mutating func finish() -> [Key] {
    defer { bytes = [] }
    return bytes == [0x1B] ? [.escape] : []
  }

  /// The next key and its number of bytes; no key for other input.
  private func next() -> (Key?, Int)? {
    guard let first = bytes.first else { return nil }
    switch first {
    case 0x1B: return sequence()
    case 0x09: return (.tab, 1)
    case 0x01...0x1A: return (.control(Character(UnicodeScalar(first + 0x60))), 1)
    case 0x20..<0x7F: return (.letter(Character(UnicodeScalar(first))), 1)
    default: return (nil, 1)
    }
  }

  private func sequence() -> (Key?, Int)? {
    guard bytes.count > 1 else { return nil }
    guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
      return (.escape, 1)
    }
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return nil
    }
    let key: Key? =
      switch bytes[end] {
      case UInt8(ascii: "A"): .up
      case UInt8(ascii: "B"): .down
      case UInt8(ascii: "C"): .right
      case UInt8(ascii: "D"): .left
      case UInt8(ascii: "Z"): .backTab
      default: nil
      }
    return (key, end + 1)
  }
}
