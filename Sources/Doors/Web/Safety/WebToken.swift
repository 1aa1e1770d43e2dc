internal import HTTP
package import Posix

/// The secret that pairs a phone with the node: 128 random bits in a file that only its owner can
/// read.
///
/// The file is read each time, so replacing the token in it shuts out every holder of the old one.
package struct WebToken: Sendable {
  /// The path of the file.
  package let path: String

  /// The token of a data directory; creates it if it does not exist.
  package init(home: String) throws(SystemError) {
    path = "\(home)/web-token"
    if text == nil { try renew() }
  }

  /// The token in a file.
  package init(at path: String) { self.path = path }

  /// The token as 32 hexadecimal digits; nil if the file has none.
  package var text: String? {
    guard let bytes = try? Files.contents(of: path, atMost: 256) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    let isToken = text.utf8.count == 32 && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
    return isToken ? text : nil
  }

  /// Replaces the token; holders of the old one must pair again.
  package func renew() throws(SystemError) {
    try Files.writePrivate(Hexadecimal.random(bytes: 16) + "\n", to: path)
  }

  /// Compares a text with the token in constant time.
  package func matches(_ given: String) -> Bool {
    guard let text else { return false }
    let (one, other) = (Array(text.utf8), Array(given.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
