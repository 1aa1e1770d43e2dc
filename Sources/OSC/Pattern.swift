/// An address pattern as defined by OSC 1.0: `?`, `*`, `[a-z]`, `[!a-z]` and `{one,two}`, none of
/// which matches a `/`.
package struct Pattern: Hashable, Sendable {
  private let bytes: [UInt8]

  // Bounds the matching time of malicious patterns with many stars and braces. No sensible one
  // needs a hundredth of this.
  private static let mostSteps = 20_000

  // Each star may recurse. No address is half as long.
  private static let longest = 256

  /// Creates a pattern from text.
  package init(_ text: String) {
    self.init(text.utf8)
  }

  /// Creates a pattern from a message's address bytes.
  ///
  /// More than 256 bytes match nothing.
  package init(_ bytes: some Sequence<UInt8>) {
    let all = Array(bytes)
    self.bytes = all.count <= Self.longest ? all : [UInt8(ascii: "[")]
  }

  /// Whether an address contains pattern characters.
  package static func isPattern(_ address: UnsafeRawBufferPointer) -> Bool {
    address.contains { byte in
      switch byte {
      case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "{"): true
      default: false
      }
    }
  }

  /// Whether the pattern matches a whole address.
  package func matches(_ address: String) -> Bool {
    matches(Array(address.utf8), orAnythingBelow: false)
  }

  /// Whether the pattern matches an address, or a prefix of it that ends before a `/` and thus
  /// includes everything below.
  package func covers(_ address: String) -> Bool {
    matches(Array(address.utf8), orAnythingBelow: true)
  }

  private func matches(_ address: [UInt8], orAnythingBelow: Bool) -> Bool {
    var steps = Self.mostSteps
    return bytes.withUnsafeBufferPointer { pattern in
      address.withUnsafeBufferPointer { address in
        Self.match(pattern[...], address[...], orAnythingBelow, &steps)
      }
    }
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private static func match(
    _ pattern: Bytes, _ text: Bytes, _ orBelow: Bool, _ steps: inout Int
  ) -> Bool {
    var pattern = pattern
    var text = text
    while let token = pattern.first {
      steps -= 1
      guard steps > 0 else { return false }
      switch token {
      case UInt8(ascii: "*"):
        return matchStar(pattern.dropFirst(), text, orBelow, &steps)
      case UInt8(ascii: "{"):
        return matchAlternatives(pattern.dropFirst(), text, orBelow, &steps)
      case UInt8(ascii: "["):
        guard let close = pattern.firstIndex(of: UInt8(ascii: "]")) else { return false }
        guard let byte = text.first, byte != UInt8(ascii: "/"),
          matchSet(pattern[pattern.startIndex + 1..<close], byte)
        else { return false }
        pattern = pattern[(close + 1)...]
      case UInt8(ascii: "?"):
        guard let byte = text.first, byte != UInt8(ascii: "/") else { return false }
        pattern = pattern.dropFirst()
      default:
        guard text.first == token else { return false }
        pattern = pattern.dropFirst()
      }
      text = text.dropFirst()
    }
    return text.isEmpty || (orBelow && text.first == UInt8(ascii: "/"))
  }

  private static func matchStar(
    _ rest: Bytes, _ text: Bytes, _ orBelow: Bool, _ steps: inout Int
  ) -> Bool {
    var text = text
    while true {
      if match(rest, text, orBelow, &steps) { return true }
      guard steps > 0, let byte = text.first, byte != UInt8(ascii: "/") else { return false }
      text = text.dropFirst()
    }
  }

  private static func matchAlternatives(
    _ inside: Bytes, _ text: Bytes, _ orBelow: Bool, _ steps: inout Int
  ) -> Bool {
    guard let close = inside.firstIndex(of: UInt8(ascii: "}")) else { return false }
    let rest = inside[(close + 1)...]
    for alternative in inside[..<close].split(
      separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    {
      steps -= alternative.count
      if text.starts(with: alternative)
        && match(rest, text.dropFirst(alternative.count), orBelow, &steps)
      {
        return true
      }
    }
    return false
  }

  private static func matchSet(_ set: Bytes, _ byte: UInt8) -> Bool {
    var set = set
    let isNegated = set.first == UInt8(ascii: "!")
    if isNegated { set = set.dropFirst() }
    var isInside = false
    while let low = set.first {
      set = set.dropFirst()
      if set.first == UInt8(ascii: "-"), set.count > 1 {
        let high = set[set.startIndex + 1]
        if low <= byte && byte <= high { isInside = true }
        set = set.dropFirst(2)
      } else if low == byte {
        isInside = true
      }
    }
    return isInside != isNegated
  }
}
