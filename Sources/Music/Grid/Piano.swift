/// The white keys of one octave.
package struct Piano: Hashable, Sendable {
  /// The range of octaves; 4 starts at middle C (60).
  package static let possibleOctaves = -1...8
  /// The default octave.
  package static let initialOctave = 4

  /// The octave.
  package let octave: Int

  /// Creates the default octave.
  package init() { octave = Self.initialOctave }

  /// Creates an octave.
  package init(octave: Int) throws(MusicFault) {
    guard Self.possibleOctaves.contains(octave) else {
      throw MusicFault(
        .range,
        "expected an octave from \(Self.possibleOctaves.lowerBound) to "
          + "\(Self.possibleOctaves.upperBound); got \(octave)")
    }
    self.octave = octave
  }

  /// The MIDI notes of the seven keys, C to B.
  package var notes: [Int] { NoteName.Letter.allCases.map { (octave + 1) * 12 + $0.semitones } }

  /// Returns the name of a key, 1 (C) to 7 (B).
  package static func name(key: Int) -> NoteName? {
    1...7 ~= key ? NoteName(NoteName.Letter.allCases[key - 1]) : nil
  }
}
