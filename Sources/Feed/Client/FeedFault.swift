/// The reason why something can't be had from a board, or sent to it.
package struct FeedFault: Error, Equatable, Sendable {
  /// Whether the same may work later: the board can't be reached, or is too busy.
  package let isPassing: Bool
  /// Whether there is no such post.
  package let isMissing: Bool
  /// The reason in one line.
  package let message: String

  /// A reason that may pass or will stay.
  package init(_ message: String, isPassing: Bool, isMissing: Bool = false) {
    self.isPassing = isPassing
    self.isMissing = isMissing
    self.message = message
  }
}
