internal import Engine
internal import Music
internal import Posix

/// The state of the grid and keys: scales, tuning, layout, piano keys, and held notes.
///
/// A value type, so that the changes of a refused packet can be undone.
struct GridState {
  /// The default velocity, from 0 to 1.
  static let usualVelocity: Float = 0.8
  /// The range of A4, in Hz.
  static let possibleReferences = 400.0...480.0
  /// The range of seeds, which any surface can send as a number.
  static let possibleSeeds = 0.0...9_999_999.0

  /// The grid.
  private(set) var grid = Grid()
  /// The layout of notes on the grid.
  private(set) var layout: Layout
  /// The pitch of each MIDI key in the tuning, in cents above key 0.
  private(set) var keyCents: [Double]
  /// The pitch of each MIDI key, in cents above key 0, with keys snapped to the scale.
  private(set) var snappedCents: [Double]
  /// The built-in and user scales.
  var scales = ScaleBook { $0.lowercased().nearest(of: $1) }
  /// The seed of the random order.
  var seed: Int32 = 0
  /// Whether updates of cells include note names.
  var showsNames = true
  /// The file of the tuning; empty for the equal one.
  var tuningFile = ""
  /// The white keys.
  var piano = Piano()
  /// The held notes.
  var held = HeldNotes()

  init() {
    do throws(MusicFault) {
      layout = try Layout(grid)
      (keyCents, snappedCents) = try Self.keys(of: grid)
    } catch {
      preconditionFailure("the initial grid has a layout: \(error)")
    }
  }

  /// Changes the grid, or throws if it has no valid layout.
  ///
  /// Returns whether the layout changes.
  mutating func change(to grid: Grid) throws(Refusal) -> Bool {
    let layout = try refusing { () throws(MusicFault) in try Layout(grid) }
    let cells = layout.rows * layout.columns
    guard cells <= Finger.mostCells else {
      throw Refusal(
        .range,
        "the grid would have \(cells) cells, more than \(Finger.mostCells); fewer "
          + "octaves reduce it")
    }
    (keyCents, snappedCents) = try refusing { () throws(MusicFault) in try Self.keys(of: grid) }
    self.grid = grid
    defer { self.layout = layout }
    return layout != self.layout
  }

  private static func keys(
    of grid: Grid
  ) throws(MusicFault) -> (own: [Double], snapped: [Double]) {
    (try KeySnap.cents(of: grid, snaps: false), try KeySnap.cents(of: grid, snaps: true))
  }

  /// The pitches of MIDI keys for the audio thread.
  var keyMap: KeyMap {
    KeyMap(snapped: snappedCents.map { Float($0) }, own: keyCents.map { Float($0) })
  }

  /// The finger of a cell.
  func finger(row: Int, column: Int) -> Finger {
    .cell((row - 1) * layout.columns + column - 1)
  }

  /// The cell in a row and column, from 1.
  func cell(row: Int, column: Int) throws(Refusal) -> Layout.Cell {
    guard let cell = layout.cell(row: row, column: column) else {
      let isInside = 1...layout.rows ~= row && 1...layout.columns ~= column
      throw Refusal(
        .range,
        isInside
          ? "the last row of the grid ends before column \(column); /grid/layout lists all cells"
          : "row \(row), column \(column) is outside the grid "
            + "(rows 1 to \(layout.rows), columns 1 to \(layout.columns))")
    }
    return cell
  }

  /// The start of a cell's note.
  func start(_ cell: Layout.Cell, velocity: Float) -> NoteStart {
    Self.start(
      finger(row: cell.row, column: cell.column), Double(cell.note) * 100 + cell.cents, velocity)
  }

  /// The start of a MIDI key's note in the tuning.
  func start(_ finger: Finger, key: Int, velocity: Float) -> NoteStart {
    Self.start(finger, keyCents[key], velocity)
  }

  private static func start(_ finger: Finger, _ cents: Double, _ velocity: Float) -> NoteStart {
    let nearest = UInt8(min(max((cents / 100).rounded(), 0), 127))
    return NoteStart(finger: finger, key: nearest, cents: Float(cents), velocity: velocity)
  }

  /// The number of octaves; 0 if they fill the size.
  var octaves: Int { grid.octaves ?? 0 }

  /// The word for the order of the notes.
  var orderName: String { if case .scale = grid.order { "scale" } else { "random" } }

  /// The name of the root.
  var rootName: String {
    let spelling = Spelling(of: grid.scale, on: grid.root)
    let name = spelling.names.first ?? Spelling(of: .initial, on: grid.root).names[0]
    return "\(name)"
  }

  /// The scale of a name in the current tuning.
  func scale(named name: String) throws(MusicFault) -> Scale {
    let scale = try scales.scale(named: name)
    // The chromatic scale has all notes of the tuning.
    return scale == .initial ? try Scale.all(of: grid.tuning.count) : scale
  }
}
