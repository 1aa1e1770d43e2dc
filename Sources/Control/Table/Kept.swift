/// The persistence of a value: where it is stored, and how it is read and restored.
struct Kept: Sendable {
  /// Where a value is stored.
  enum Place: Sendable {
    /// The state file of the node of this name, restored at the next start.
    case session
    /// The library in the data directory, shared by all nodes that use it.
    case home
  }

  /// Where it is stored.
  let place: Place
  /// Returns the stored text; nil to store the value of a query.
  var read: (@Sendable (Features) -> String?)?
  /// Restores the stored text, and returns a line for each part that can't be restored; nil to set the
  /// value like a message.
  var restore: (@Sendable (Features, String) throws(Refusal) -> [String])?
  /// Whether every session stores it, set or not.
  var isInEverySession = false

  /// The value, in the state file.
  static let session = Kept(place: .session)
  /// The value, in the data directory.
  static let home = Kept(place: .home)
}
