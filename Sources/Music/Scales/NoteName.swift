/// A note name without octave: a letter with accidentals.
package struct NoteName: Hashable, Sendable, CustomStringConvertible {
  /// The seven letters, from C.
  package enum Letter: Int, CaseIterable, Sendable {
    case c, d, e, f, g, a, b

    /// The number of semitones above C.
    package var semitones: Int { [0, 2, 4, 5, 7, 9, 11][rawValue] }

    /// The position on the circle of fifths, with C at 0 and F at -1.
    var fifths: Int { [0, 2, 4, -1, 1, 3, 5][rawValue] }

    /// Returns the letter `letters` higher; C follows B.
    func further(by letters: Int) -> Letter {
      Self.allCases[(rawValue + letters).remainder(of: 7)]
    }
  }

  /// The letter.
  package let letter: Letter
  /// The number of sharps, or of flats if negative.
  package let accidentals: Int

  /// Creates a name from a letter and its sharps, or flats if negative.
  package init(_ letter: Letter, _ accidentals: Int = 0) {
    self.letter = letter
    self.accidentals = accidentals
  }

  /// Spells a pitch class with a letter, in the direction that needs fewer accidentals.
  init(_ letter: Letter, for pitchClass: Int) {
    let semitones = (pitchClass - letter.semitones).remainder(of: 12)
    self.init(letter, semitones > 6 ? semitones - 12 : semitones)
  }

  /// Spells a pitch class with at most one accidental, sharp or flat.
  package init(_ pitchClass: Int, inFlats: Bool) {
    let pitchClass = pitchClass.remainder(of: 12)
    for letter in Letter.allCases where letter.semitones == pitchClass {
      self.init(letter)
      return
    }
    let accidental = inFlats ? -1 : 1
    let letter = Letter.allCases.first { $0.semitones == pitchClass - accidental }!
    self.init(letter, accidental)
  }

  /// Parses a letter in either case and an optional `#`, `b`, `♯` or `♭`.
  package init?(_ text: String) {
    // By scalar: some phones append U+FE0F to a sharp, which joins it into one character.
    guard text.utf8.count <= 16 else { return nil }
    let scalars = Array(text.unicodeScalars).filter { $0 != "\u{FE0F}" && $0 != "\u{FE0E}" }
    guard let first = scalars.first, scalars.count <= 2,
      let letter = Letter.allCases.first(where: { "\($0)" == "\(first)".lowercased() })
    else { return nil }
    guard scalars.count == 2 else {
      self.init(letter)
      return
    }
    switch scalars[1] {
    case "#", "♯": self.init(letter, 1)
    case "b", "♭": self.init(letter, -1)
    default: return nil
    }
  }

  /// The number of semitones above C, 0 to 11.
  package var pitchClass: Int { (letter.semitones + accidentals).remainder(of: 12) }

  /// The position on the circle of fifths: C 0, G 1, F -1.
  var fifths: Int { letter.fifths + 7 * accidentals }

  /// The letter, followed by `#` or `b` for each accidental.
  package var description: String {
    "\(letter)".uppercased()
      + String(repeating: accidentals < 0 ? "b" : "#", count: abs(accidentals))
  }
}

extension Int {
  /// Returns the remainder of floored division, which is never negative.
  func remainder(of divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
