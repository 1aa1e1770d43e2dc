import Music
import Testing

@Suite struct SpellingTests {
  private static let names = NoteName.Letter.allCases.flatMap { letter in
    [-1, 0, 1].map { NoteName(letter, $0) }
  }
  private static let roots = names.map { Root($0) } + (0..<12).map { try! Root(number: $0) }

  private func spelled(_ root: String, _ scale: String) throws -> String {
    let root = try Int(root).map { try Root(number: $0) } ?? Root(root)
    let spelling = Spelling(of: try ScaleBook().scale(named: scale), on: root)
    return spelling.names.map(\.description).joined(separator: " ")
  }

  @Test func `every scale on every root has names of its pitch classes`() {
    for shipped in Scale.shipped {
      for root in Self.roots {
        let names = Spelling(of: shipped.scale, on: root).names
        let expected = shipped.scale.steps.map { (root.pitchClass + $0) % 12 }
        #expect(names.map(\.pitchClass) == expected, "\(shipped.scale.name) on \(root)")
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { abs($0.accidentals) <= 2 })
      }
    }
  }

  @Test func `seven notes use each letter once, in order`() {
    for shipped in Scale.shipped where shipped.scale.steps.count == 7 {
      for root in Self.roots {
        let letters = Spelling(of: shipped.scale, on: root).names.map(\.letter)
        let expected = (0..<7).map { NoteName.Letter(rawValue: (letters[0].rawValue + $0) % 7)! }
        #expect(letters == expected, "\(shipped.scale.name) on \(root)")
      }
    }
  }

  @Test func `other scales use at most one accidental, except for a named root`() {
    for shipped in Scale.shipped where shipped.scale.steps.count != 7 {
      for root in Self.roots {
        let names = Spelling(of: shipped.scale, on: root).names
        #expect(names.allSatisfy { abs($0.accidentals) <= 1 })
        #expect(root.name == nil || names[0] == root.name)
      }
    }
  }

  @Test func `a root keeps its name unless a note would need three accidentals`() throws {
    var changed: [String] = []
    for shipped in Scale.shipped where shipped.scale.steps.count == 7 {
      for name in Self.names where Spelling(of: shipped.scale, on: Root(name)).names[0] != name {
        changed.append("\(name) \(shipped.scale.name)")
      }
    }
    // The first would need three sharps for F, the last three flats for B; only such extreme cases
    // change.
    #expect(changed.contains("B# lydian-augmented"))
    #expect(changed.contains("Fb altered"))
    #expect(!changed.contains { $0.hasSuffix(" major") || $0.hasSuffix(" minor") })
    #expect(try spelled("B#", "lydian-augmented") == "C D E F# G# A B")
  }

  @Test(arguments: [
    ("E", "minor", "E F# G A B C D"), ("F", "minor", "F G Ab Bb C Db Eb"),
    ("C", "major", "C D E F G A B"), ("Gb", "major", "Gb Ab Bb Cb Db Eb F"),
    ("F#", "major", "F# G# A# B C# D# E#"), ("G#", "major", "G# A# B# C# D# E# F##"),
    ("G#", "harmonic-minor", "G# A# B C# D# E F##"), ("D", "dorian", "D E F G A B C"),
    ("Cb", "minor", "Cb Db Ebb Fb Gb Abb Bbb"), ("C", "locrian", "C Db Eb F Gb Ab Bb"),
    ("C", "altered", "C Db Eb Fb Gb Ab Bb"), ("C", "hungarian-minor", "C D Eb F# G Ab B"),
    ("A", "blues", "A C D Eb E G"), ("F", "blues", "F Ab Bb B C Eb"),
    ("E", "minor-pentatonic", "E G A B D"), ("F", "minor-pentatonic", "F Ab Bb C Eb"),
    ("F", "pentatonic", "F G A C D"), ("C", "hirajoshi", "C D Eb G Ab"),
    ("A", "chromatic", "A A# B C C# D D# E F F# G G#"),
    ("F", "chromatic", "F Gb G Ab A Bb B C Db D Eb E"), ("C", "whole-tone", "C D E F# G# A#"),
    ("C", "diminished", "C D Eb F Gb Ab A B"), ("C", "bebop", "C D E F G A Bb B"),
    ("A♯", "minor", "A# B# C# D# E# F# G#"),
  ])
  func `scales are spelled as musicians write them`(
    root: String, scale: String, names: String
  ) throws {
    #expect(try spelled(root, scale) == names)
  }

  @Test func `roots by number use the usual key`() throws {
    func roots(_ scale: String) throws -> String {
      try (0..<12).map { try spelled("\($0)", scale).prefix { $0 != " " } }.joined(separator: " ")
    }
    #expect(try roots("major") == "C Db D Eb E F F# G Ab A Bb B")
    #expect(try roots("minor") == "C C# D Eb E F F# G G# A Bb B")
    #expect(try roots("minor-pentatonic") == "C C# D Eb E F F# G G# A Bb B")
    #expect(try roots("chromatic") == "C Db D Eb E F F# G Ab A Bb B")
  }

  @Test func `user scales of seven notes use each letter once where possible`()
    throws
  {
    let own = try Scale(name: "x", steps: [0, 2, 3, 6, 7, 9, 11])
    #expect(Spelling(of: own, on: try Root("C")).names.map(\.description).joined() == "CDEbF#GAB")
    let cluster = try Scale(name: "x", steps: Array(0...6))
    for root in Self.roots {
      let names = Spelling(of: cluster, on: root).names
      #expect(names.map(\.pitchClass) == (0...6).map { (root.pitchClass + $0) % 12 })
      #expect(Set(names).count == 7)
    }
  }

  @Test func `any user scale has names of its pitch classes`() throws {
    // All possible scales: each of the eleven notes above the root is included or not.
    for bits in 0..<2048 {
      let steps = [0] + (1...11).filter { bits & 1 << ($0 - 1) != 0 }
      let scale = try Scale(name: "x", steps: steps)
      for root in 0..<12 {
        let names = Spelling(of: scale, on: try Root(number: root)).names
        #expect(names.map(\.pitchClass) == steps.map { (root + $0) % 12 })
      }
    }
  }
}
