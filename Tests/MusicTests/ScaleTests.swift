import Music
import Testing

@Suite struct ScaleTests {
  private func steps(_ name: String) throws -> [Int] { try ScaleBook().scale(named: name).steps }

  @Test func `built-in scales ascend within an octave from the root`() {
    for shipped in Scale.shipped {
      let steps = shipped.scale.steps
      #expect(steps.first == 0 && steps.last! < 12, "\(shipped.scale.name)")
      #expect(zip(steps, steps.dropFirst()).allSatisfy(<), "\(shipped.scale.name)")
      #expect(shipped.scale.period == 12)
    }
  }

  @Test func `no two scales share their notes or a name`() {
    #expect(Set(Scale.shipped.map(\.scale.steps)).count == Scale.shipped.count)
    let names = Scale.shipped.flatMap { [$0.scale.name] + $0.aliases }
    #expect(Set(names).count == names.count)
  }

  @Test func `names are lowercase words that need no quoting in a shell`() {
    for name in Scale.shipped.map(\.scale.name) {
      #expect(name.allSatisfy { "a"..."z" ~= $0 || $0 == "-" }, "\(name)")
    }
  }

  @Test func `the modes are rotations of major`() throws {
    let major = try steps("major")
    let modes = ["ionian", "dorian", "phrygian", "lydian", "mixolydian", "aeolian", "locrian"]
    for (degree, mode) in modes.enumerated() {
      let turned = major.map { ($0 - major[degree] + 12) % 12 }.sorted()
      #expect(try steps(mode) == turned, "\(mode)")
    }
  }

  @Test(arguments: [
    ("harmonic-minor", "phrygian-dominant", 4), ("harmonic-minor", "ukrainian-dorian", 3),
    ("melodic-minor", "lydian-augmented", 2), ("melodic-minor", "lydian-dominant", 3),
    ("melodic-minor", "melodic-major", 4), ("melodic-minor", "half-diminished", 5),
    ("melodic-minor", "altered", 6), ("major-pentatonic", "minor-pentatonic", 4),
    ("major-pentatonic", "egyptian", 1), ("major-pentatonic", "yo", 3),
    ("major-blues", "blues", 5), ("diminished", "half-whole", 1),
    ("double-harmonic", "hungarian-minor", 3),
  ])
  func `some scales are rotations of others`(
    of: String, mode: String, degree: Int
  ) throws {
    let scale = try steps(of)
    #expect(try steps(mode) == scale.map { ($0 - scale[degree] + 12) % 12 }.sorted())
  }

  @Test func `the default scale is chromatic`() {
    #expect(Scale.initial.name == "chromatic")
    #expect(Scale.initial.steps == Array(0..<12))
  }

  @Test func `user scales may omit the root`() throws {
    #expect(try Scale(name: "x", steps: [3, 7]).steps == [0, 3, 7])
    #expect(try Scale(name: "x", steps: [0, 3, 7]).steps == [0, 3, 7])
    #expect(try Scale(name: "x", steps: [0]).steps == [0])
    #expect(try Scale(name: "x", steps: Array(1...11)).steps == Array(0..<12))
  }

  @Test(arguments: [
    ([], "expected at least one note, in semitones above the root"),
    ([0, 12], "expected notes from 0 to 11 semitones above the root; got 12"),
    ([-1, 2], "expected notes from 0 to 11 semitones above the root; got -1"),
    ([2, 2], "expected ascending notes; got 2 after 2"),
    ([0, 0], "expected ascending notes; got 0 after 0"),
    ([4, 3], "expected ascending notes; got 3 after 4"),
    ([.min, .max], "expected notes from 0 to 11 semitones above the root; got \(Int.min)"),
  ])
  func `user scales that don't ascend within an octave are refused`(
    semitones: [Int], message: String
  ) {
    let fault = #expect(throws: MusicFault.self) { try Scale(name: "x", steps: semitones) }
    #expect(fault?.kind == .range)
    #expect(fault?.description == message)
  }

  @Test func `other tunings have scales of their own`() throws {
    #expect(try Scale(name: "x", steps: [0, 5, 18], period: 19).steps == [0, 5, 18])
    #expect(try Scale.all(of: 31).steps == Array(0..<31))
    #expect(try Scale.all(of: 12) == .initial)
    #expect(throws: MusicFault.self) { try Scale(name: "x", steps: [0, 19], period: 19) }
    for period in [0, -1, 1025, Int.max] {
      #expect(throws: MusicFault.self) { try Scale.all(of: period) }
    }
  }
}
