internal import CCrypto

/// Base64 (RFC 4648).
package enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")
  // The value of each character. Invalid characters have 255.
  private static let numbers = {
    var numbers = [UInt8](repeating: 255, count: 256)
    for (number, letter) in letters.enumerated() { numbers[Int(letter)] = UInt8(number) }
    return numbers
  }()

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
    var text = text
    return text.withUTF8 { text in
      numbers.withUnsafeBufferPointer { numbers in
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var (bits, count) = (0, 0)
        var end = text.count
        while end > 0, text[end - 1] == padding || isBlank(text[end - 1]) { end -= 1 }
        for letter in text[..<end] {
          let number = numbers[Int(letter)]
          guard number < 64 else {
            if isBlank(letter) { continue }
            return nil
          }
          bits = (bits << 6 | Int(number)) & 0xFF_FFFF
          count += 1
          guard count & 3 == 0 else { continue }
          bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
          bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
          bytes.append(UInt8(truncatingIfNeeded: bits))
        }
        switch count & 3 {
        case 0: break
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
          bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
          bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return bytes
      }
    }
  }

  private static func isBlank(_ letter: UInt8) -> Bool { letter == 10 || letter == 13 }
}
