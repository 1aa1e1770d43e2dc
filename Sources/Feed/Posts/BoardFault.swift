/// The reason why a board does not do what it was asked.
package struct BoardFault: Error, Equatable, Sendable {
  /// The kinds of reasons.
  package enum Kind: Sendable {
    /// What was sent is not of the form that it should have.
    case wrong
    /// A text or a sound is larger than the board takes.
    case large
    /// What was sent as a sound is none.
    case noSound
    /// Something else has that identifier.
    case taken
    case missing
    case denied
    /// Too much was asked in too short a time; later it will do.
    case often
    /// The database or its disk does not take it; later it may.
    case store
  }

  /// The kind of the reason.
  package let kind: Kind
  /// The reason in one line.
  package let message: String

  /// A reason of a kind.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
