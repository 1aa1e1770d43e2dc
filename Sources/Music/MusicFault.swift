/// The error of a musical value that can't be played, in one line.
package struct MusicFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of a fault.
  package enum Kind: Sendable {
    /// A name that nothing has.
    case missing
    /// A value out of its range.
    case range
    /// Something that can't be done in the present state.
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

  /// Quotes a text for one line: shortened, and without what would break the line.
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
