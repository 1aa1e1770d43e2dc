import Music
import Testing

@Suite struct LayoutTests {
  private func grid(
    _ root: String = "A", _ scale: String = "chromatic", _ size: Grid.Size = .medium
  ) throws -> Grid {
    var grid = Grid()
    grid.root = try Root(root)
    grid.scale = try ScaleBook().scale(named: scale)
    grid.size = size
    return grid
  }

  private func drawn(_ layout: Layout) -> [String] {
    (1...layout.rows).map { row in
      (1...layout.columns).map { layout.cell(row: row, column: $0)?.name ?? "." }
        .joined(separator: " ")
    }
  }

  /// Every combination of scale, size and root.
  private func everyGrid(_ check: (Grid) throws -> Void) throws {
    for shipped in Scale.shipped {
      for size in Grid.Size.allCases {
        for root in 0..<12 {
          var grid = Grid()
          grid.root = try Root(number: root)
          grid.scale = shipped.scale
          grid.size = size
          try check(grid)
        }
      }
    }
  }

  @Test func `E minor runs right, down and back left`() throws {
    let layout = try Layout(grid("E", "minor", .large))
    #expect(drawn(layout) == ["E F# G A B C D", "D C B A G F# E", "E F# G A B C D"])
    #expect(layout.cells.prefix(8).map(\.note) == [52, 54, 55, 57, 59, 60, 62, 74])
    #expect(layout.path.prefix(8).map(\.note) == [52, 54, 55, 57, 59, 60, 62, 64])
  }

  @Test func `small buttons fit four octaves, medium ones three and a half, large ones three`()
    throws
  {
    #expect(
      try drawn(Layout(grid("C", "major", .small))) == [
        "C D E F G A B", "B A G F E D C", "C D E F G A B", "B A G F E D C",
      ])
    #expect(
      try drawn(Layout(grid("C", "major", .medium))) == [
        "C D E F G A B", "B A G F E D C", "C D E F G A B", ". . . F E D C",
      ])
    #expect(try Layout(grid("C", "major", .large)).rows == 3)
  }

  @Test func `with large buttons an octave of more than eight notes takes two rows`() throws {
    let layout = try Layout(grid("A", "chromatic", .large))
    #expect(
      drawn(layout).prefix(3) == ["A A# B C C# D", "G# G F# F E D#", "A A# B C C# D"])
    #expect(layout.rows == 6)
    #expect(try Layout(grid("A", "chromatic", .medium)).columns == 12)
    #expect(try Layout(grid("A", "diminished", .large)).columns == 8)
  }

  @Test func `an odd number of notes continues across rows`() throws {
    for notes in [9, 11] {
      var grid = try grid("C", "chromatic", .large)
      grid.scale = try Scale(name: "x", steps: Array(0..<notes))
      let layout = try Layout(grid)
      #expect(layout.columns == (notes + 1) / 2)
      #expect(layout.cells.count == 3 * notes)
      #expect(layout.rows == 6)
      #expect((1...5).allSatisfy { row in layout.cells.count { $0.row == row } == layout.columns })
    }
  }

  @Test func `sliding along the rows plays every scale without a gap`() throws {
    try everyGrid { grid in
      let layout = try Layout(grid)
      let octave = grid.scale.steps.count
      let notes = layout.path.indices.map { index in
        grid.lowestNote + index / octave * 12 + grid.scale.steps[index % octave]
      }
      #expect(layout.path.map(\.note) == notes, "\(grid.scale.name)")
      #expect(layout.path[0].row == 1 && layout.path[0].column == 1)
      let isWhole = zip(layout.path, layout.path.dropFirst()).allSatisfy { before, cell in
        // One step to the side or one down.
        cell.row >= before.row
          && cell.row - before.row + abs(cell.column - before.column) == 1
      }
      #expect(isWhole, "\(grid.scale.name)")
      let halves = grid.size.halfOctaves
      #expect(layout.path.count == halves / 2 * octave + halves % 2 * ((octave + 1) / 2))
    }
  }

  @Test func `each button is at its position, and only the last row has empty places`() throws {
    try everyGrid { grid in
      let layout = try Layout(grid)
      for row in 1...layout.rows {
        let areRight = (1...layout.columns).allSatisfy { column in
          let cell = layout.cell(row: row, column: column)
          return cell.map { $0.row == row && $0.column == column } ?? (row == layout.rows)
        }
        #expect(areRight, "\(grid.scale.name) in row \(row)")
      }
      #expect(Set(layout.cells) == Set(layout.path))
      for (row, column) in [(0, 1), (1, 0), (layout.rows + 1, 1), (1, layout.columns + 1)] {
        #expect(layout.cell(row: row, column: column) == nil)
      }
      #expect(layout.cell(row: .max, column: .min) == nil)
    }
  }

  @Test func `a random order permutes the same notes, reproducibly for each seed`() throws {
    try everyGrid { grid in
      let straight = try Layout(grid)
      var random = grid
      random.order = .random(seed: 7)
      let layout = try Layout(random)
      #expect(layout.cells.map(\.note).sorted() == straight.cells.map(\.note).sorted())
      #expect(layout.path.map(\.row) == straight.path.map(\.row))
      #expect(layout.path.map(\.column) == straight.path.map(\.column))
      #expect(try Layout(random) == layout)
      random.order = .scale
      #expect(try Layout(random) == straight)
      let names = Dictionary(straight.cells.map { ($0.note, $0.name) }) { first, _ in first }
      let haveTheirNames = layout.cells.allSatisfy { names[$0.note] == $0.name }
      #expect(haveTheirNames)
    }
  }

  @Test func `the first note is A2 to G sharp 3`() throws {
    for root in 0..<12 {
      var grid = Grid()
      grid.root = try Root(number: root)
      #expect(try Layout(grid).path[0].note == 45 + (root + 3) % 12)
    }
  }

  @Test func `the number of octaves can be set, and notes above MIDI have no button`() throws {
    var grid = try grid("G#", "major", .large)
    grid.octaves = 8
    let layout = try Layout(grid)
    #expect(layout.rows == 8)
    // From note 56, the sixth octave ends at 127.
    #expect(layout.path.count == 6 * 7)
    #expect(layout.path.last?.note == 127)
    #expect(layout.cell(row: 7, column: 1) == nil)
    grid.octaves = 1
    #expect(try Layout(grid).rows == 1)
  }

  @Test func `a tuning of twelve notes changes only the cents`() throws {
    var grid = try grid("C", "major", .large)
    let equal = try Layout(grid)
    #expect(equal.cells.allSatisfy { abs($0.cents) < 1e-9 })
    let cents = (1...12).map { Double($0) * 100 + ($0 == 4 ? -13.7 : 0) }
    grid.tuning = try Tuning(cents: cents)
    let layout = try Layout(grid)
    #expect(layout.cells.map(\.note) == equal.cells.map(\.note))
    for cell in layout.cells {
      #expect(abs(cell.cents - (cell.name == "E" ? -13.7 : 0)) < 1e-9)
    }
  }

  @Test func `other tunings start on the root and show cents from the nearest note`() throws {
    var grid = try grid("A", "chromatic", .large)
    grid.tuning = try Tuning(cents: (1...19).map { Double($0) * 1200 / 19 })
    grid.scale = try Scale.all(of: 19)
    let layout = try Layout(grid)
    // A step is 63 cents, which is closer to one semitone than to none.
    #expect(layout.path.prefix(4).map(\.name) == ["A", "A#-37", "A#+26", "B-11"])
    let pitches = layout.path.map { Double($0.note) * 100 + $0.cents }
    #expect(pitches[0] == 4500)
    #expect(abs(pitches[19] - 5700) < 1e-9)
    #expect(zip(pitches, pitches.dropFirst()).allSatisfy { $0 < $1 })
    #expect(layout.path.allSatisfy { abs($0.cents) <= 50 })
    #expect(layout.columns == 10 && layout.path.count == 57)
  }

  @Test func `values out of range are refused with a one-line message`() throws {
    func message(_ change: (inout Grid) throws -> Void) throws -> String? {
      var grid = Grid()
      try change(&grid)
      let fault = #expect(throws: MusicFault.self) { try Layout(grid) }
      return fault?.description
    }
    #expect(try message { $0.octaves = 9 } == "expected 1 to 8 octaves; got 9")
    #expect(try message { $0.octaves = 0 } == "expected 1 to 8 octaves; got 0")
    #expect(
      try message { $0.tuning = try Tuning(cents: [600, 1200]) }
        == "the scale chromatic is for 12 notes to the octave, and the tuning has 2")
  }

  @Test func `the default grid is chromatic from A, of medium size`() throws {
    let layout = try Layout(Grid())
    #expect(layout.columns == 12 && layout.rows == 4)
    #expect(layout.path.count == 42)
    #expect(layout.path[0].name == "A" && layout.path[0].note == 45)
    #expect(layout.path[0].cents == 0)
  }
}
