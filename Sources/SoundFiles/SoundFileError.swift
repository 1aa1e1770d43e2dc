internal import CSndfile
internal import Glibc

/// The reason why a sound file can't be read or written, in one line.
package struct SoundFileError: Error, CustomStringConvertible {
  /// The kinds that a caller may want to tell apart.
  package enum Kind: Sendable {
    /// The file is not there, or may not be read.
    case missing
    /// What is there is no sound, or broken.
    case notSound
    /// No format is known by this ending.
    case unknownEnding
    /// The system takes the file not, or not all of it.
    case cannotWrite
  }

  /// The kind of the fault.
  package let kind: Kind
  /// The reason, with the path.
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Reads libsndfile's error message for a file, or, without one, for the last that it could not
  /// open.
  package static func reason(_ file: OpaquePointer?) -> String {
    var text = String(cString: sf_strerror(file)).lowercased()
    if text.hasPrefix("error : ") { text.removeFirst(8) }
    while text.hasSuffix(".") || text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
