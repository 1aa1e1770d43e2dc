internal import CSndfile
internal import Glibc

/// The reason why a sound file can't be read or written, in one line.
package struct SoundFileError: Error, CustomStringConvertible {
  /// The kind of error.
  package enum Kind: Sendable {
    /// The file does not exist or is not readable.
    case missing
    /// The file is malformed or not a sound file.
    case notSound
    /// The file extension belongs to no known format.
    case unknownEnding
    /// The system refused all or part of a write.
    case cannotWrite
  }

  package let kind: Kind
  /// The message, with the path.
  package let description: String
  /// Whether the same write can succeed later: the disk is full.
  package let isTemporary: Bool

  package init(_ kind: Kind, _ description: String, isTemporary: Bool = false) {
    self.kind = kind
    self.description = description
    self.isTemporary = isTemporary
  }

  /// Returns libsndfile's error message for a file, or for the last failed open if `file` is nil.
  package static func reason(_ file: OpaquePointer?) -> String {
    var text = String(cString: sf_strerror(file)).lowercased()
    if text.hasPrefix("error : ") { text.removeFirst(8) }
    while text.hasSuffix(".") || text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
