/// The settings of the grid of buttons: root, scale, size, order, octaves and tuning.
package struct Grid: Hashable, Sendable {
  /// The size of a button, and with it the number of octaves that there is room for.
  package enum Size: String, CaseIterable, Sendable {
    case small, medium, large

    /// The octaves of the size, in halves: 4, 3 1/2 and 3 octaves.
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
    /// The order of the scale, along the rows.
    case scale
    /// A random order, which is the same with each seed on every machine.
    case random(seed: UInt64)
  }

  /// The range of whole octaves.
  package static let possibleOctaves = 1...8
  /// The range of octaves by which the grid can be moved.
  package static let possibleShifts = -3...3

  /// The root of the scale.
  package var root = Root.initial
  /// The scale, whose notes lie on the buttons.
  package var scale = Scale.initial
  /// The size of a button.
  package var size = Size.medium
  /// The order of the notes.
  package var order = Order.scale
  /// The number of octaves; as many as the size has room for, where nil.
  package var octaves: Int?
  /// Octaves by which all is moved up.
  ///
  /// Without, the first note is from A2 (45) to G#3 (56).
  package var shift = 0
  /// The tuning: the frequencies of the notes.
  ///
  /// One of twelve notes is taken as it is. Another one begins on the root, and its scale must have
  /// its period.
  package var tuning = Tuning.equal

  /// Creates the default grid.
  package init() {}

  /// The MIDI note of the lowest button.
  package var lowestNote: Int { 45 + (root.pitchClass - 45).remainder(of: 12) + 12 * shift }

  /// Checks the numbers of octaves and of the shift.
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
