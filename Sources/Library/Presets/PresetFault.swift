/// Why something could not be done with a preset.
package struct PresetFault: Error, Equatable {
  /// The kinds.
  package enum Kind: Sendable {
    /// The name is none that a preset can have, or its preset can't be touched.
    case denied
    /// There is no such preset.
    case missing
    /// The file is not what it should be.
    case broken
    /// There are as many as there can be.
    case full
    /// The system refuses.
    case io
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
