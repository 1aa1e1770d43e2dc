/// The root of a scale: a pitch class, spelled where it came by name.
package struct Root: Hashable, Sendable {
  /// Semitones above C, from 0 to 11.
  package let pitchClass: Int
  /// The spelling that was asked for; nil for a number, which is spelled as its scale has it best.
  package let name: NoteName?

  /// The default root: A.
  package static let initial = Root(NoteName(.a))

  /// Creates a root by its name.
  package init(_ name: NoteName) {
    pitchClass = name.pitchClass
    self.name = name
  }

  /// Reads `A` to `G`, with `#`, `b`, `♯` or `♭`.
  package init(_ text: String) throws(MusicFault) {
    guard let name = NoteName(text) else {
      throw MusicFault(
        .range,
        "a root is a letter from A to G, with # or b, or 0 (C) to 11 (B); "
          + "got \(MusicFault.quoted(text))")
    }
    self.init(name)
  }

  /// Reads a number: semitones above C, or any MIDI note (0 to 127), of which the octave is left
  /// out.
  package init(number: Int) throws(MusicFault) {
    guard 0...127 ~= number else {
      throw MusicFault(
        .range, "a root is 0 (C) to 11 (B), or a MIDI note up to 127; got \(number)")
    }
    pitchClass = number % 12
    name = nil
  }
}
