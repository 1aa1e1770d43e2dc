/// The spelling of a scale on a root: its note names.
package struct Spelling: Hashable, Sendable {
  /// The name of each note, starting with the root; empty unless the octave has twelve notes.
  package let names: [NoteName]
  /// Whether notes outside the scale are spelled with flats.
  package let inFlats: Bool

  /// Spells a scale on a root.
  ///
  /// A scale of seven notes uses each letter once, with double accidentals where needed. Notes of
  /// other scales use the letters of their parent scale, as long as that takes one accidental and
  /// no E#, B#, Cb or Fb; otherwise they use sharps or flats, according to the key. A root given by
  /// name keeps its name, unless a note would need three accidentals. A root given by number gets
  /// the name that needs the fewest accidentals, or else the usual one of the key.
  package init(of scale: Scale, on root: Root) {
    guard scale.period == 12 else {
      names = []
      inFlats = Self.isFlat(scale, on: Self.usual(scale, root.pitchClass))
      return
    }
    let usual = Self.usual(scale, root.pitchClass)
    let sharp = NoteName(root.pitchClass, inFlats: false)
    let flat = NoteName(root.pitchClass, inFlats: true)
    let other = usual == flat ? sharp : flat
    var best: (root: NoteName, names: [NoteName])?
    if scale.steps.count == 7, let letters = scale.letters {
      // The named root first, otherwise both names: the first of those with the fewest accidentals.
      for candidates in [root.name.map { [$0] } ?? [], [usual, other]] where best == nil {
        let spelled = candidates.compactMap { root in
          Self.each(letters, of: scale, on: root).map { (root, $0) }
        }
        best = spelled.min { Self.accidentals($0.1) < Self.accidentals($1.1) }
      }
    }
    if let best {
      names = best.names
      inFlats = Self.isFlat(scale, on: best.root)
      return
    }
    let root = root.name ?? usual
    let inFlats = Self.isFlat(scale, on: root)
    self.inFlats = inFlats
    names = scale.steps.enumerated().map { index, step in
      guard index > 0 else { return root }
      let pitchClass = (root.pitchClass + step).remainder(of: 12)
      let plain = NoteName(pitchClass, inFlats: inFlats)
      guard let letters = scale.letters, letters.count == scale.steps.count, plain.accidentals != 0
      else { return plain }
      let own = NoteName(root.letter.further(by: letters[index]), for: pitchClass)
      return abs(own.accidentals) == 1 ? own : plain
    }
  }

  private static func each(
    _ letters: [Int], of scale: Scale, on root: NoteName
  ) -> [NoteName]? {
    let names = zip(letters, scale.steps).map { letters, step in
      NoteName(root.letter.further(by: letters), for: root.pitchClass + step)
    }
    return names.allSatisfy { abs($0.accidentals) <= 2 } ? names : nil
  }

  private static func accidentals(_ names: [NoteName]) -> Int {
    names.reduce(0) { $0 + abs($1.accidentals) }
  }

  /// Returns the usual name of a root: the one with the shorter key signature; with six
  /// accidentals, F# major and Eb minor.
  private static func usual(_ scale: Scale, _ pitchClass: Int) -> NoteName {
    let inFlats: Set = scale.isMinor ? [3, 10] : [1, 3, 8, 10]
    return NoteName(pitchClass, inFlats: inFlats.contains(pitchClass))
  }

  /// Whether a key uses flats.
  ///
  /// Without a key signature, minor does and major doesn't.
  private static func isFlat(_ scale: Scale, on root: NoteName) -> Bool {
    let signature = root.fifths - (scale.isMinor ? 3 : 0)
    return signature < 0 || signature == 0 && scale.isMinor
  }
}
