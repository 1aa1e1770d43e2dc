extension Scale {
  /// A built-in scale and its aliases.
  package struct Shipped: Sendable {
    /// The scale.
    package let scale: Scale
    /// The aliases of the scale.
    package let aliases: [String]

    init(_ name: String, _ steps: [Int], letters: [Int]? = nil, _ aliases: String...) {
      // A scale of seven notes uses each letter once.
      scale = Scale(name, steps, letters: steps.count == 7 ? Array(0..<7) : letters)
      self.aliases = aliases
    }
  }

  /// The built-in scales, best known first, chromatic last.
  package static let shipped: [Shipped] =
    sevens + fives + sixes + eights + [
      Shipped("chromatic", Array(0..<12), "all", "twelve-tone")
    ]

  private static let sevens = [
    Shipped("major", [0, 2, 4, 5, 7, 9, 11], "ionian"),
    Shipped("minor", [0, 2, 3, 5, 7, 8, 10], "natural-minor", "natural", "aeolian"),
    Shipped("harmonic-minor", [0, 2, 3, 5, 7, 8, 11], "harmonic"),
    // The ascending form; the descending one is natural minor.
    Shipped("melodic-minor", [0, 2, 3, 5, 7, 9, 11], "melodic", "jazz-minor"),
    Shipped("dorian", [0, 2, 3, 5, 7, 9, 10]),
    Shipped("phrygian", [0, 1, 3, 5, 7, 8, 10]),
    Shipped("lydian", [0, 2, 4, 6, 7, 9, 11]),
    Shipped("mixolydian", [0, 2, 4, 5, 7, 9, 10], "dominant"),
    Shipped("locrian", [0, 1, 3, 5, 6, 8, 10]),
    Shipped("harmonic-major", [0, 2, 4, 5, 7, 8, 11]),
    Shipped("double-harmonic", [0, 1, 4, 5, 7, 8, 11], "byzantine", "arabic"),
    Shipped("hungarian-minor", [0, 2, 3, 6, 7, 8, 11], "hungarian", "gypsy-minor"),
    Shipped("phrygian-dominant", [0, 1, 4, 5, 7, 8, 10], "freygish", "spanish", "hijaz"),
    Shipped("ukrainian-dorian", [0, 2, 3, 6, 7, 9, 10], "romanian-minor", "misheberakh"),
    Shipped("lydian-dominant", [0, 2, 4, 6, 7, 9, 10], "acoustic", "overtone"),
    Shipped("lydian-augmented", [0, 2, 4, 6, 8, 9, 11]),
    Shipped("melodic-major", [0, 2, 4, 5, 7, 8, 10], "mixolydian-b6", "aeolian-dominant"),
    Shipped("half-diminished", [0, 2, 3, 5, 6, 8, 10], "locrian-2"),
    Shipped("altered", [0, 1, 3, 4, 6, 8, 10], "super-locrian"),
    Shipped("neapolitan-minor", [0, 1, 3, 5, 7, 8, 11]),
    Shipped("neapolitan-major", [0, 1, 3, 5, 7, 9, 11], "neapolitan"),
    Shipped("persian", [0, 1, 4, 5, 6, 8, 11]),
    Shipped("enigmatic", [0, 1, 4, 6, 8, 10, 11]),
  ]

  private static let fives = [
    Shipped(
      "major-pentatonic", [0, 2, 4, 7, 9], letters: [0, 1, 2, 4, 5], "pentatonic",
      "pentatonic-major"),
    Shipped("minor-pentatonic", [0, 3, 5, 7, 10], letters: [0, 2, 3, 4, 6], "pentatonic-minor"),
    Shipped("egyptian", [0, 2, 5, 7, 10], letters: [0, 1, 3, 4, 6], "suspended"),
    Shipped("hirajoshi", [0, 2, 3, 7, 8], letters: [0, 1, 2, 4, 5], "hirajōshi"),
    Shipped("in", [0, 1, 5, 7, 8], letters: [0, 1, 3, 4, 5], "miyako-bushi", "sakura"),
    Shipped("insen", [0, 1, 5, 7, 10], letters: [0, 1, 3, 4, 6]),
    Shipped("iwato", [0, 1, 5, 6, 10], letters: [0, 1, 3, 4, 6]),
    Shipped("yo", [0, 2, 5, 7, 9], letters: [0, 1, 3, 4, 5]),
    Shipped("kumoi", [0, 2, 3, 7, 9], letters: [0, 1, 2, 4, 5]),
    // Only an approximation in twelve equal semitones.
    Shipped("pelog", [0, 1, 3, 7, 8], letters: [0, 1, 2, 4, 5]),
  ]

  private static let sixes = [
    Shipped("blues", [0, 3, 5, 6, 7, 10], letters: [0, 2, 3, 4, 4, 6], "minor-blues"),
    Shipped("major-blues", [0, 2, 3, 4, 7, 9], letters: [0, 1, 2, 2, 4, 5], "blues-major"),
    Shipped("whole-tone", [0, 2, 4, 6, 8, 10], "whole"),
    Shipped("augmented", [0, 3, 4, 7, 8, 11]),
    Shipped("prometheus", [0, 2, 4, 6, 9, 10], letters: [0, 1, 2, 3, 5, 6], "mystic"),
    Shipped("tritone", [0, 1, 4, 6, 7, 10], letters: [0, 1, 2, 4, 4, 6], "petrushka"),
  ]

  private static let eights = [
    Shipped("diminished", [0, 2, 3, 5, 6, 8, 9, 11], "whole-half", "octatonic"),
    Shipped("half-whole", [0, 1, 3, 4, 6, 7, 9, 10], "dominant-diminished"),
    Shipped(
      "bebop", [0, 2, 4, 5, 7, 9, 10, 11], letters: [0, 1, 2, 3, 4, 5, 6, 6], "bebop-dominant"),
    Shipped("bebop-major", [0, 2, 4, 5, 7, 8, 9, 11], letters: [0, 1, 2, 3, 4, 4, 5, 6]),
    Shipped(
      "bebop-minor", [0, 2, 3, 4, 5, 7, 9, 10], letters: [0, 1, 2, 2, 3, 4, 5, 6], "bebop-dorian"),
  ]
}
