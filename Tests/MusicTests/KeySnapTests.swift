import Music
import Testing

/// The pitches of a MIDI keyboard's keys.
@Suite struct KeySnapTests {
  private func cents(_ grid: Grid, snaps: Bool) throws -> [Int] {
    // A hundredth of a cent is inaudible, and large enough to round to.
    try KeySnap.cents(of: grid, snaps: snaps).map { Int(($0 * 100).rounded()) }
  }

  @Test func `without snapping each key has its own pitch`() throws {
    var grid = Grid()
    grid.scale = try ScaleBook().scale(named: "major")
    #expect(try cents(grid, snaps: false) == (0..<128).map { $0 * 10_000 })
    grid.tuning = try Tuning(cents: Tuning.equal.cents, referenceHz: 440 * Cents.ratio(-30))
    #expect(try cents(grid, snaps: false) == (0..<128).map { $0 * 10_000 - 3000 })
  }

  @Test func `a key outside the scale plays the nearest note, the lower of two`() throws {
    var grid = Grid()
    grid.root = try Root("C")
    grid.scale = try ScaleBook().scale(named: "major")
    let keys = try cents(grid, snaps: true).map { $0 / 10_000 }
    // C# lies between C and D, F# between F and G.
    #expect(keys[60...72] == [60, 60, 62, 62, 64, 65, 65, 67, 67, 69, 69, 71, 72])
    grid.scale = try Scale(name: "fifths", steps: [0, 7])
    let wide = try cents(grid, snaps: true).map { $0 / 10_000 }
    #expect(wide[60...72] == [60, 60, 60, 60, 67, 67, 67, 67, 67, 67, 72, 72, 72])
    // Below the grid's root, and at both ends.
    #expect(wide[...6] == [0, 0, 0, 0, 7, 7, 7] && wide[127] == 127)
  }

  @Test func `other tunings snap to their own notes`() throws {
    var grid = Grid()
    grid.tuning = try Tuning(cents: (1...19).map { Double($0) * 1200 / 19 })
    grid.scale = try Scale(name: "third", steps: [0, 6, 11], period: 19)
    let plain = try KeySnap.cents(of: grid, snaps: false)
    let snapped = try KeySnap.cents(of: grid, snaps: true)
    // The grid starts at A2 (45), with the pitch of twelve-tone equal temperament.
    #expect(abs(plain[45] - 4500) < 1e-9 && abs(snapped[45] - 4500) < 1e-9)
    #expect(abs(plain[46] - plain[45] - 1200.0 / 19) < 1e-9)
    #expect(snapped[48] == plain[45] && snapped[49] == plain[51] && snapped[64] == plain[64])
  }

  @Test func `every key has a pitch, even in tunings with huge steps`() throws {
    var grid = Grid()
    grid.tuning = try Tuning(cents: [7000, 14_000])
    grid.scale = try Scale(name: "one", steps: [0], period: 2)
    #expect(try KeySnap.cents(of: grid, snaps: true).allSatisfy(\.isFinite))
  }

  @Test func `a scale with another period is refused`() throws {
    var grid = Grid()
    grid.tuning = try Tuning(cents: (1...19).map { Double($0) * 1200 / 19 })
    #expect(throws: MusicFault.self) { try KeySnap.cents(of: grid, snaps: true) }
  }
}
