/// What decides how the grid of buttons looks.
package struct Grid: Hashable, Sendable {
  /// How large a button is, and with it how many octaves there are room for.
  package enum Size: String, CaseIterable, Sendable {
    case small, medium, large

    /// 4, 3 1/2 and 3 octaves, in halves.
    package var halfOctaves: Int {
      switch self {
      case .small: 8
      case .medium: 7
      case .large: 6
      }
    }
  }

  /// In what order the notes lie on the buttons.
  package enum Order: Hashable, Sendable {
    /// As the scale goes, along the rows.
    case scale
    /// Anyhow, but the same with each seed on every machine.
    case random(seed: UInt64)
  }

  /// How many whole octaves there can be.
  package static let possibleOctaves = 1...8
  /// By how many octaves the grid can be moved.
  package static let possibleShifts = -3...3

  /// On which note the scale stands.
  package var root = Root.initial
  /// Which notes there are.
  package var scale = Scale.initial
  /// How large a button is.
  package var size = Size.medium
  /// In what order the notes lie.
  package var order = Order.scale
  /// How many octaves there are; as many as the size has room for, where nil.
  package var octaves: Int?
  /// Octaves by which all is moved up.
  ///
  /// Without, the first note is from A2 (45) to G#3 (56).
  package var shift = 0
  /// What frequencies the notes have.
  ///
  /// One of twelve notes is taken as it is. Another one begins on the root, and its scale must have
  /// its period.
  package var tuning = Tuning.equal

  /// The grid as it is unless something else is asked for.
  package init() {}

  /// The MIDI note with which it begins.
  package var lowestNote: Int { 45 + (root.pitchClass - 45).remainder(of: 12) + 12 * shift }

  /// Checks what numbers there are.
  func check() throws(MusicFault) {
    if let octaves, !Self.possibleOctaves.contains(octaves) {
      throw MusicFault(
        .range,
        "a grid has \(Self.possibleOctaves.lowerBound) to "
          + "\(Self.possibleOctaves.upperBound) octaves; got \(octaves)")
    }
    guard Self.possibleShifts.contains(shift) else {
      throw MusicFault(
        .range,
        "a grid moves by \(Self.possibleShifts.lowerBound) to "
          + "\(Self.possibleShifts.upperBound) octaves; got \(shift)")
    }
    guard scale.period == tuning.count else {
      throw MusicFault(
        .state,
        "the scale \(MusicFault.quoted(scale.name)) is for \(scale.period) notes to the "
          + "octave, and the tuning has \(tuning.count)")
    }
  }
}
