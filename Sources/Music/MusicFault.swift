/// An error for a musical value that can't be used, as a one-line message.
package struct MusicFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  package enum Kind: Sendable {
    /// No such name.
    case missing
    /// A value out of range.
    case range
    /// Something that isn't possible in the current state.
    case state
  }

  /// The kind of the error.
  package let kind: Kind
  /// The error, and the accepted values.
  package let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Shortens a text and removes line breaks, for quoting in one line.
  static func quoted(_ text: String) -> String {
    guard !text.isEmpty else { return "nothing" }
    // Bounded first, because input from the network may be long.
    let shown = text.unicodeScalars.prefix(40).map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: "?"
      default: String(scalar)
      }
    }
    return shown.joined()
  }
}
