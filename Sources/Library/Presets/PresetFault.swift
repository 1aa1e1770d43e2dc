/// The reason why a preset operation failed.
package struct PresetFault: Error, Equatable {
  /// The kind of fault.
  package enum Kind: Sendable {
    /// The name is invalid, or the preset is read-only.
    case denied
    /// The preset was not found.
    case missing
    /// The file is malformed.
    case broken
    /// The maximum number of presets is reached.
    case full
    /// A system call failed.
    case io
  }

  package let kind: Kind
  /// The message, in one line.
  package let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
