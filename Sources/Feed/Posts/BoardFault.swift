/// The reason why a board rejected a request.
package struct BoardFault: Error, Equatable, Sendable {
  /// The kind of fault.
  package enum Kind: Sendable {
    /// The request is malformed.
    case wrong
    /// A text or a sound exceeds the limit.
    case large
    /// The data is not a sound file.
    case noSound
    /// The ID is in use by another post.
    case taken
    case missing
    case denied
    /// The database or its disk failed. Another attempt may succeed.
    case store
  }

  package let kind: Kind
  /// The message, in one line.
  package let message: String
  /// Whether the disk of the database has no space left.
  package let isDiskFull: Bool

  /// Creates a fault.
  package init(_ kind: Kind, _ message: String, isDiskFull: Bool = false) {
    self.kind = kind
    self.message = message
    self.isDiskFull = isDiskFull
  }
}
