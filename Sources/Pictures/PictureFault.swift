/// The reason why no picture was found.
package struct PictureFault: Error, Equatable, Sendable {
  /// The kind of fault.
  package enum Kind: Sendable {
    /// There is no picture with a suitable license.
    case missing
    /// The service can't be reached or limits requests.
    case unreachable
    /// The response can't be used.
    case unusable
  }

  package let kind: Kind
  /// The message, in one line.
  package let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
