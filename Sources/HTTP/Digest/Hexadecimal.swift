/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// The text of so many random bytes, which nobody can guess.
  package static func random(bytes count: Int) -> String {
    var random = SystemRandomNumberGenerator()
    return text(of: (0..<count).map { _ in random.next() as UInt8 })
  }

  /// The text of some bytes.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes of a text; nil where it is none.
  package static func bytes(of text: String) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count % 2 == 0, !values.contains(nil) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map {
      UInt8(values[$0]! << 4 | values[$0 + 1]!)
    }
  }
}
