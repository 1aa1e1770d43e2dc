/// The name of a note without its octave: a letter with its accidentals.
package struct NoteName: Hashable, Sendable, CustomStringConvertible {
  /// The seven letters, from C on.
  package enum Letter: Int, CaseIterable, Sendable {
    case c, d, e, f, g, a, b

    /// Semitones above C.
    package var semitones: Int {
      switch self {
      case .c: 0
      case .d: 2
      case .e: 4
      case .f: 5
      case .g: 7
      case .a: 9
      case .b: 11
      }
    }

    /// Fifths above C, on the circle on which F is one below.
    var fifths: Int {
      switch self {
      case .f: -1
      case .c: 0
      case .g: 1
      case .d: 2
      case .a: 3
      case .e: 4
      case .b: 5
      }
    }

    /// Returns the letter some letters further up, after B again C.
    func further(by letters: Int) -> Letter {
      Self.allCases[(rawValue + letters).remainder(of: 7)]
    }
  }

  /// The letter.
  package let letter: Letter
  /// Sharps, or flats where it is negative.
  package let accidentals: Int

  /// Creates a name of a letter and its sharps, or flats where negative.
  package init(_ letter: Letter, _ accidentals: Int = 0) {
    self.letter = letter
    self.accidentals = accidentals
  }

  /// Spells a pitch class with a letter, by the shorter way from that letter.
  init(_ letter: Letter, for pitchClass: Int) {
    let semitones = (pitchClass - letter.semitones).remainder(of: 12)
    self.init(letter, semitones > 6 ? semitones - 12 : semitones)
  }

  /// Spells a pitch class with one accidental at the most, among sharps, or among flats.
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

  /// Reads a letter, large or small, and up to one `#`, `b`, `♯` or `♭`.
  package init?(_ text: String) {
    // Not by characters: U+FE0F makes a sharp coloured on some phones, and one character with it.
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

  /// Semitones above C, from 0 to 11.
  package var pitchClass: Int { (letter.semitones + accidentals).remainder(of: 12) }

  /// Its place on the circle of fifths: C 0, G 1, F -1.
  var fifths: Int { letter.fifths + 7 * accidentals }

  /// The letter, and `#` or `b` as often as needed.
  package var description: String {
    "\(letter)".uppercased()
      + String(repeating: accidentals < 0 ? "b" : "#", count: abs(accidentals))
  }
}

extension Int {
  /// Returns the remainder of a division that rounds down: never negative.
  func remainder(of divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
