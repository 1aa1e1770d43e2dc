/// The part of an address that outlives the node, and where it is kept.
struct Kept: Sendable {
  /// A place where something is kept.
  enum Place: Sendable {
    /// The state of the node of this name: there again when it is started again.
    case session
    /// The library in the home folder: there for every node that has that folder.
    case home
  }

  /// The place where it is kept.
  let place: Place
  /// The text that is written down; nil for the value as it is asked for.
  let read: (@Sendable (Features) -> String?)?
  /// The way to take it over again, which returns a line for each part that can't be; nil to set the value
  /// as any message does.
  let restore: (@Sendable (Features, String) throws(Refusal) -> [String])?
  /// Whether a session has it from its beginning, set or not.
  let isInEverySession: Bool

  init(
    _ place: Place, read: (@Sendable (Features) -> String?)? = nil,
    restore: (@Sendable (Features, String) throws(Refusal) -> [String])? = nil,
    isInEverySession: Bool = false
  ) {
    self.place = place
    self.read = read
    self.restore = restore
    self.isInEverySession = isInEverySession
  }

  /// The value, in the state of the node.
  static let session = Kept(.session)
  /// The value, in the library of the home folder.
  static let home = Kept(.home)
}
