/// The root of a scale: a pitch class, with its spelling if given by name.
package struct Root: Hashable, Sendable {
  /// The number of semitones above C, 0 to 11.
  package let pitchClass: Int
  /// The requested spelling; nil if given by number, which is spelled to suit the scale.
  package let name: NoteName?

  /// The default root: A.
  package static let initial = Root(NoteName(.a))

  /// Creates a root from a note name.
  package init(_ name: NoteName) {
    pitchClass = name.pitchClass
    self.name = name
  }

  /// Parses `A` to `G`, optionally with `#`, `b`, `♯` or `♭`.
  package init(_ text: String) throws(MusicFault) {
    guard let name = NoteName(text) else {
      throw MusicFault(
        .range,
        "expected a root from A to G, with # or b, or 0 (C) to 11 (B); "
          + "got \(MusicFault.quoted(text))")
    }
    self.init(name)
  }

  /// Creates a root from semitones above C, or from any MIDI note (0 to 127), whose octave is
  /// ignored.
  package init(number: Int) throws(MusicFault) {
    guard 0...127 ~= number else {
      throw MusicFault(
        .range, "expected a root from 0 (C) to 11 (B), or a MIDI note up to 127; got \(number)")
    }
    pitchClass = number % 12
    name = nil
  }
}
