/// The settings of the note grid: root, scale, button size, order, octaves and tuning.
package struct Grid: Hashable, Sendable {
  /// The size of a button, which determines how many octaves fit.
  package enum Size: String, CaseIterable, Sendable {
    case small, medium, large

    /// The number of half octaves that fit: 4, 3 1/2 or 3 octaves.
    package var halfOctaves: Int {
      switch self {
      case .small: 8
      case .medium: 7
      case .large: 6
      }
    }
  }

  /// The order of the notes on the buttons.
  package enum Order: Hashable, Sendable {
    /// Scale order, along the rows.
    case scale
    /// A random order, identical for each seed on every machine.
    case random(seed: UInt64)
  }

  /// The range of the number of octaves.
  package static let possibleOctaves = 1...8

  /// The root of the scale.
  package var root = Root.initial
  /// The scale on the buttons.
  package var scale = Scale.initial
  /// The size of a button.
  package var size = Size.medium
  /// The order of the notes.
  package var order = Order.scale
  /// The number of octaves, or nil for as many as fit.
  package var octaves: Int?
  /// The tuning.
  ///
  /// A tuning of twelve notes is used as it is. Any other starts on the root, and the scale must
  /// have the same period.
  package var tuning = Tuning.equal

  /// Creates the default grid.
  package init() {}

  /// The MIDI note of the lowest button: A2 (45) to G#3 (56).
  package var lowestNote: Int { 45 + (root.pitchClass - 45).remainder(of: 12) }

  /// Checks the number of octaves and the scale's period.
  func check() throws(MusicFault) {
    if let octaves, !Self.possibleOctaves.contains(octaves) {
      throw MusicFault(
        .range,
        "expected \(Self.possibleOctaves.lowerBound) to "
          + "\(Self.possibleOctaves.upperBound) octaves; got \(octaves)")
    }
    guard scale.period == tuning.count else {
      throw MusicFault(
        .state,
        "the scale \(MusicFault.quoted(scale.name)) is for \(scale.period) notes to the "
          + "octave, and the tuning has \(tuning.count)")
    }
  }
}
