/// The reason why a request to a board failed.
package struct FeedFault: Error, Equatable, Sendable {
  /// Whether another attempt may succeed: the board can't be reached or is overloaded.
  package let isPassing: Bool
  /// Whether the post was not found.
  package let isMissing: Bool
  /// The message, in one line.
  package let message: String

  /// Creates a fault, temporary or permanent.
  package init(_ message: String, isPassing: Bool, isMissing: Bool = false) {
    self.isPassing = isPassing
    self.isMissing = isMissing
    self.message = message
  }
}
