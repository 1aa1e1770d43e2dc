/// What can't be played as it was asked for, in one line.
package struct MusicFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of fault it is.
  package enum Kind: Sendable {
    /// Nothing has this name.
    case missing
    /// A value is outside of what can be.
    case range
    /// It can't be done as things are.
    case state
  }

  /// The kind.
  package let kind: Kind
  /// What was wrong, and what would be right.
  package let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// A text as a line can quote it: short, and without what would break the line.
  static func quoted(_ text: String) -> String {
    guard !text.isEmpty else { return "nothing" }
    // Bounded first, for what comes over the network can be long.
    let shown = text.unicodeScalars.prefix(40).map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: "?"
      default: String(scalar)
      }
    }
    return shown.joined()
  }
}
