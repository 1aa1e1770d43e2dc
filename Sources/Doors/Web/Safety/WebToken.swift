internal import Glibc
internal import HTTP
package import Posix

/// The secret that pairs a phone with the node: 128 random bits in a file that nobody else can read.
///
/// The file is read each time, so that another one in it shuts out whoever had the former.
package struct WebToken: Sendable {
  /// The path of the file.
  package let path: String

  /// The token of a home folder; it is made where there is none.
  package init(home: String) throws(SystemError) {
    path = "\(home)/web-token"
    if text == nil { try renew() }
  }

  /// The token in a file.
  package init(at path: String) { self.path = path }

  /// The token in 32 digits of hexadecimal numbers; nil where the file holds none.
  package var text: String? {
    guard let bytes = try? Files.contents(of: path, atMost: 256) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    let isToken = text.utf8.count == 32 && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
    return isToken ? text : nil
  }

  /// Makes another token; who had the former one must pair again.
  package func renew() throws(SystemError) {
    let text = Hexadecimal.random(bytes: 16)
    // Nobody reads it even while it is written.
    let temporary = "\(path).\(getpid())"
    unlink(temporary)
    do {
      let file = try Descriptor(
        open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), orThrow: path)
      let line = Array((text + "\n").utf8)
      guard write(file.number, line, line.count) == line.count, fsync(file.number) == 0 else {
        throw SystemError(path)
      }
    }
    guard Files.move(temporary, to: path) else { throw SystemError(path) }
  }

  /// Whether a text is the token; how long that takes tells nothing of where they differ.
  package func matches(_ given: String) -> Bool {
    guard let text else { return false }
    let (one, other) = (Array(text.utf8), Array(given.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
  }
}
