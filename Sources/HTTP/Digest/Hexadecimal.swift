/// Hexadecimal encoding of bytes.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns random bytes from the system's secure generator, encoded.
  package static func random(bytes count: Int) -> String {
    var random = SystemRandomNumberGenerator()
    return text(of: (0..<count).map { _ in random.next() as UInt8 })
  }

  /// Encodes bytes.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Decodes a text, or returns nil if it is invalid.
  package static func bytes(of text: String) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count % 2 == 0, !values.contains(nil) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map {
      UInt8(values[$0]! << 4 | values[$0 + 1]!)
    }
  }
}
