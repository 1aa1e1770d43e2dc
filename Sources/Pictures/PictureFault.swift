/// The reason why there is no picture.
package struct PictureFault: Error, Equatable, Sendable {
  /// The kinds.
  package enum Kind: Sendable {
    /// There is none that may be shown.
    case missing
    /// The service can't be reached, or not now.
    case unreachable
    /// The answer is of no use.
    case unusable
  }

  /// The kind.
  package let kind: Kind
  /// One line for people.
  package let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
