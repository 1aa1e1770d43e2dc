/// The layout of the grid: the note of each button.
///
/// Rows alternate between left to right and right to left, so a finger that slides right, down and
/// left plays the scale without a gap. A row is an octave; with large buttons, an octave of more
/// than eight notes takes two rows. Only the last row may be incomplete, where the scale ends
/// within it. With a half octave, the grid ends in the middle of an octave.
package struct Layout: Hashable, Sendable {
  /// A button and its note.
  package struct Cell: Hashable, Sendable {
    /// The row, from 1 at the top.
    package let row: Int
    /// The column, from 1 at the left.
    package let column: Int
    /// The note name without octave.
    ///
    /// In tunings of other than twelve notes, the name of the nearest of twelve and the offset in
    /// cents, such as `C#-24`.
    package let name: String
    /// The MIDI note, 0 to 127.
    package let note: Int
    /// The offset in cents from the MIDI note, with A4 at 440 Hz.
    package let cents: Double
  }

  /// The number of rows.
  package let rows: Int
  /// The number of columns.
  package let columns: Int
  /// The buttons in playing order.
  package let path: [Cell]

  // By row and column; nil where there is no button.
  private let places: [Cell?]

  /// The buttons row by row from the top, left to right, without empty positions.
  package var cells: [Cell] { places.compactMap { $0 } }

  /// Creates the layout of a grid.
  package init(_ grid: Grid) throws(MusicFault) {
    try grid.check()
    let octave = grid.scale.steps.count
    let width = grid.size == .large && octave > 8 ? (octave + 1) / 2 : octave
    let halves = grid.octaves.map { $0 * 2 } ?? grid.size.halfOctaves
    let count = halves / 2 * octave + halves % 2 * ((octave + 1) / 2)
    let pitches = try Pitches(grid)
    var order = Array(0..<count)
    if case .random(let seed) = grid.order {
      var shuffle = Shuffle(seed: seed)
      shuffle.shuffle(&order)
    }
    let rows = (count + width - 1) / width
    var places: [Cell?] = Array(repeating: nil, count: rows * width)
    var path: [Cell] = []
    for (index, step) in order.enumerated() {
      let (row, place) = index.quotientAndRemainder(dividingBy: width)
      let column = row.isMultiple(of: 2) ? place : width - 1 - place
      guard let cell = pitches.cell(step, row: row + 1, column: column + 1) else { continue }
      places[row * width + column] = cell
      path.append(cell)
    }
    self.rows = rows
    columns = width
    self.places = places
    self.path = path
  }

  /// Returns the button in a row and column, both from 1, or nil.
  package func cell(row: Int, column: Int) -> Cell? {
    guard 1...rows ~= row, 1...columns ~= column else { return nil }
    return places[(row - 1) * columns + column - 1]
  }
}

/// The notes of a grid with names and frequencies, indexed by scale step.
private struct Pitches {
  private let scale: Scale
  private let spelling: Spelling
  private let lowest: Int
  private let tuning: Tuning

  init(_ grid: Grid) throws(MusicFault) {
    scale = grid.scale
    spelling = Spelling(of: grid.scale, on: grid.root)
    lowest = grid.lowestNote
    // Tunings of other than twelve notes match the scale only if they start on the root.
    tuning = grid.tuning.count == 12 ? grid.tuning : try grid.tuning.moved(to: lowest)
  }

  /// Creates the cell of a scale step, or nil if it is outside the MIDI range.
  func cell(_ step: Int, row: Int, column: Int) -> Layout.Cell? {
    let (octave, degree) = step.quotientAndRemainder(dividingBy: scale.steps.count)
    let key = lowest + octave * scale.period + scale.steps[degree]
    let cents = Cents.of(tuning.frequency(of: key) / Tuning.equal.referenceHz) + 6900
    guard cents.isFinite else { return nil }
    let isOfTwelve = scale.period == 12
    let note = isOfTwelve ? key : Int((cents / 100).rounded())
    guard 0...127 ~= note else { return nil }
    let off = cents - Double(note) * 100
    var name = isOfTwelve ? "" : "\(NoteName(note, inFlats: spelling.inFlats))"
    if isOfTwelve {
      name = "\(spelling.names[degree])"
    } else if Int(off.rounded()) != 0 {
      name += (off > 0 ? "+" : "") + "\(Int(off.rounded()))"
    }
    return Layout.Cell(row: row, column: column, name: name, note: note, cents: off)
  }
}
