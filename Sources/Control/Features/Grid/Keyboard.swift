internal import Engine
internal import Music

/// The keyboard under the fingers: the grid with its scales and its tuning, the piano's keys, and the
/// notes that are held.
///
/// A value: where the commands of a packet are not accepted, what it was before comes back.
struct Keyboard {
  /// The velocity of a note where nobody names one, from 0 to 1.
  static let usualVelocity: Float = 0.8
  /// The frequencies that A4 can have, in Hz.
  static let possibleReferences = 400.0...480.0
  /// The numbers that a seed can be: any that a surface can send as a number.
  static let possibleSeeds = 0.0...9_999_999.0

  /// The grid.
  private(set) var grid = Grid()
  /// The layout of notes on the grid.
  private(set) var layout: Layout
  /// The pitch of each MIDI key in the tuning, in cents above key 0.
  var keyCents: [Double]
  /// The same where keys snap to the scale.
  var snappedCents: [Double]
  /// The performer's own scales, and the others.
  var scales = ScaleBook()
  /// The order of the notes where it is a random one.
  var seed: Int32 = 0
  /// Whether the cells are told with their names.
  var showsNames = true
  /// The file of the tuning; empty where that is the equal one.
  var tuningFile = ""
  /// The white keys.
  var piano = Piano()
  /// The notes that are held.
  var held = HeldNotes()

  init() {
    do throws(MusicFault) {
      layout = try Layout(grid)
      keyCents = try KeySnap.cents(of: grid, snaps: false)
      snappedCents = try KeySnap.cents(of: grid, snaps: true)
    } catch {
      preconditionFailure("the grid at the start has a layout: \(error)")
    }
  }

  /// Goes over to another grid, unless it can't be laid out; returns whether other notes lie on it.
  mutating func change(to grid: Grid) throws(Refusal) -> Bool {
    let layout: Layout
    do throws(MusicFault) {
      layout = try Layout(grid)
    } catch {
      throw Refusal(error)
    }
    let cells = layout.rows * layout.columns
    guard cells <= Finger.mostCells else {
      throw Refusal(
        .range,
        "a grid has at most \(Finger.mostCells) cells; this one would have \(cells), fewer "
          + "octaves make it smaller")
    }
    self.grid = grid
    defer { self.layout = layout }
    return layout != self.layout
  }

  /// The finger of a cell.
  func finger(row: Int, column: Int) -> Finger {
    .cell((row - 1) * layout.columns + column - 1)
  }

  /// The cell in a row and a column, from 1.
  func cell(row: Int, column: Int) throws(Refusal) -> Layout.Cell {
    guard let cell = layout.cell(row: row, column: column) else {
      let isInside = 1...layout.rows ~= row && 1...layout.columns ~= column
      throw Refusal(
        .range,
        isInside
          ? "the last row of the grid ends before column \(column); /grid/layout tells all cells"
          : "the grid has rows 1 to \(layout.rows) and columns 1 to \(layout.columns); "
            + "got row \(row), column \(column)")
    }
    return cell
  }

  /// The note of a cell, begun.
  func start(_ cell: Layout.Cell, velocity: Float) -> NoteStart {
    Self.start(
      finger(row: cell.row, column: cell.column), Double(cell.note) * 100 + cell.cents, velocity)
  }

  /// A MIDI key, begun in the tuning.
  func start(_ finger: Finger, key: Int, velocity: Float) -> NoteStart {
    Self.start(finger, keyCents[key], velocity)
  }

  private static func start(_ finger: Finger, _ cents: Double, _ velocity: Float) -> NoteStart {
    let nearest = UInt8(min(max((cents / 100).rounded(), 0), 127))
    return NoteStart(finger: finger, key: nearest, cents: Float(cents), velocity: velocity)
  }

  /// The name of the root.
  var rootName: String {
    let spelling = Spelling(of: grid.scale, on: grid.root)
    let name = spelling.names.first ?? Spelling(of: .initial, on: grid.root).names[0]
    return "\(name)"
  }

  /// The scale of a name in the present tuning.
  func scale(named name: String) throws(MusicFault) -> Scale {
    let scale = try scales.scale(named: name)
    // All notes are all that there are.
    return scale == .initial ? try Scale.all(of: grid.tuning.count) : scale
  }
}

extension Refusal {
  init(_ fault: MusicFault) {
    let code: Code =
      switch fault.kind {
      case .missing: .missing
      case .range: .range
      case .state: .state
      }
    self.init(code, fault.description)
  }
}
