/// A state of the machine that will cost sound sooner or later.
package struct MachineWarning: Sendable, Equatable {
  /// The kind of a warning.
  package enum Kind: String, Sendable, CaseIterable {
    case governor, realtime, disk, temperature, voltage, clock
  }

  /// Its kind.
  package let kind: Kind
  /// What is wrong, and what would be right.
  package let text: String

  /// Creates a warning.
  package init(_ kind: Kind, _ text: String) {
    (self.kind, self.text) = (kind, text)
  }
}
