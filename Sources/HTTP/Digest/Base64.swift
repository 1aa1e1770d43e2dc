internal import CCrypto

/// Base64 (RFC 4648).
package enum Base64 {
  private static let padding = UInt8(ascii: "=")
  /// Encodes bytes.
  package static func text(of bytes: [UInt8]) -> String {
    // A zero byte follows.
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { text in
      Int(EVP_EncodeBlock(text.baseAddress, bytes, Int32(bytes.count)))
    }
  }

  /// Decodes a text.
  ///
  /// Ignores line ends, accepts missing padding, and returns nil if it is invalid.
  package static func bytes(of text: String) -> [UInt8]? {
    var letters = text.utf8.filter { $0 != 10 && $0 != 13 }
    while letters.last == padding { letters.removeLast() }
    // A group of one letter has too few bits.
    guard letters.count % 4 != 1, !letters.contains(padding) else { return nil }
    let count = letters.count * 3 / 4
    letters += repeatElement(padding, count: -letters.count & 3)
    let bytes = [UInt8](unsafeUninitializedCapacity: letters.count / 4 * 3) { bytes, decoded in
      decoded = max(0, Int(EVP_DecodeBlock(bytes.baseAddress, letters, Int32(letters.count))))
    }
    // Fewer bytes: the text is invalid, or has blanks at its ends, which are skipped.
    return bytes.count == letters.count / 4 * 3 ? Array(bytes.prefix(count)) : nil
  }
}
