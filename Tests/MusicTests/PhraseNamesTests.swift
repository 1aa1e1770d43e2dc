import Music
import Testing

/// The names of the notes in a phrase.
@Suite struct PhraseNamesTests {
  @Test func `notes of the scale use its names, others the key's sharps or flats`() throws {
    var grid = Grid()
    grid.root = try Root("Eb")
    grid.scale = try ScaleBook().scale(named: "minor")
    let flats = try PhraseNames(grid)
    #expect(
      [63, 66, 71, 64].map { flats.name(cents: Double($0) * 100) } == ["Eb", "Gb", "Cb", "E"])
    grid.root = try Root("E")
    let sharps = try PhraseNames(grid)
    #expect(
      [64, 66, 65, 68].map { sharps.name(cents: Double($0) * 100) } == ["E", "F#", "F", "G#"])
  }

  @Test func `a tuning at another reference names its own keys`() throws {
    var grid = Grid()
    // A4 at 415 Hz is almost a semitone lower.
    grid.tuning = try Tuning(cents: Tuning.equal.cents, referenceHz: 415)
    let names = try PhraseNames(grid)
    #expect(names.name(cents: 6900 + Cents.of(415.0 / 440)) == "A")
    #expect(names.name(cents: 0) == "C#")
  }

  @Test func `other tunings are named in cents from the nearest of twelve`() throws {
    var grid = Grid()
    grid.tuning = try Tuning(cents: (1...19).map { Double($0) * 1200 / 19 })
    grid.scale = try Scale.all(of: 19)
    let names = try PhraseNames(grid)
    #expect(names.name(cents: 4500) == "A" && names.name(cents: 4563.16) == "A#-37")
  }
}
