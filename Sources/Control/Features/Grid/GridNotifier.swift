internal import Engine
internal import Music
internal import OSC

/// Sends updates of the grid to subscribers: the layout, and the sounding cells.
struct GridNotifier {
  // The poll interval while something sounds, in milliseconds, and while a client of another thread could
  // play.
  private static let busyMilliseconds = 10
  private static let idleMilliseconds = 20
  // And without subscribers, for the expiry of leases.
  private static let leaseMilliseconds = 1000
  // A layout is many messages: the minimum interval, in microseconds.
  private static let layoutPeriod = 50_000.0
  // Sounding cells are sent 100 times per second.
  private static let lightPeriod = 10_000.0
  private static let layoutAddresses = [Fingerboard.layoutPath, Fingerboard.cell.path]

  private var isLayoutNew = false
  private var nextLayout = 0.0
  private var nextLight = 0.0
  private var changes: UInt64 = 0
  // By index, in the layout sent last.
  private var lit: [Float] = []
  private var columns = 1
  // Fingers of the previous layout that still sound.
  private var past: Set<Int> = []

  /// Notes a change of the layout or of note names.
  mutating func layoutChanged() { isLayoutNew = true }

  /// Sends changes.
  mutating func poll(_ now: Double, _ board: Fingerboard) -> Int? {
    if isLayoutNew {
      guard now >= nextLayout else { return max(1, Int((nextLayout - now) / 1000)) }
      nextLayout = now + Self.layoutPeriod
      isLayoutNew = false
      sendLayout(board)
    }
    let changes = board.context.shared.notes.changes
    if changes != self.changes {
      guard now >= nextLight else { return max(1, Int((nextLight - now) / 1000)) }
      nextLight = now + Self.lightPeriod
      self.changes = changes
      sendLit(board)
    }
    let isHeld = !board.gridState.held.isEmpty
    guard board.context.isWanted(Fingerboard.lit.path) else {
      return isHeld ? Self.leaseMilliseconds : nil
    }
    return isHeld || lit.contains { $0 > 0 } ? Self.busyMilliseconds : Self.idleMilliseconds
  }

  // MARK: - Layout

  /// The messages of a layout.
  static func messages(_ gridState: GridState) -> [(path: String, arguments: [Argument])] {
    let layout = gridState.layout
    return [(Fingerboard.layoutPath, Argument.row(layout.rows, layout.columns))]
      + layout.cells.map { cell in
        let name = gridState.showsNames ? cell.name : ""
        return (Fingerboard.cell.path, Argument.row(cell.row, cell.column, name, cell.note))
      }
  }

  /// Sends the layout and the sounding cells to a new subscriber.
  func sendInitialState(_ snapshot: InitialSnapshot, _ board: Fingerboard) {
    // Both are checked, since each counts once per packet.
    if !Self.layoutAddresses.filter(snapshot.wants).isEmpty {
      for message in Self.messages(board.gridState) {
        snapshot.send(message.path, message.arguments)
      }
    }
    guard snapshot.wants(Fingerboard.lit.path) else { return }
    for place in lit.indices where lit[place] > 0 {
      snapshot.send(Fingerboard.lit.path, row(place, lit[place]))
    }
  }

  private mutating func sendLayout(_ board: Fingerboard) {
    // The lit cells of the previous layout.
    for place in lit.indices where lit[place] > 0 { send(place, 0, board) }
    let layout = board.gridState.layout
    lit = Array(repeating: 0, count: layout.rows * layout.columns)
    columns = layout.columns
    let shared = board.context.shared
    past = Set(
      (0..<Finger.mostCells).filter {
        shared.notes.level(of: .cell($0)) > 0 && !board.gridState.held.isHeld(.cell($0))
      })
    changes = 0
    board.context.send(Self.messages(board.gridState), toSubscribersOf: Self.layoutAddresses)
  }

  // MARK: - Light

  private mutating func sendLit(_ board: Fingerboard) {
    let layout = board.gridState.layout
    if lit.count != layout.rows * layout.columns {
      lit = Array(repeating: 0, count: layout.rows * layout.columns)
      columns = layout.columns
    }
    let keys = soundingKeys(board)
    for cell in layout.path {
      let place = (cell.row - 1) * columns + cell.column - 1
      let level = level(of: cell, at: place, keys, board)
      guard level != lit[place] else { continue }
      lit[place] = level
      send(place, level, board)
    }
  }

  /// The sounding MIDI keys of players and the phrase: their pitches in cents, and their levels.
  private func soundingKeys(_ board: Fingerboard) -> [(cents: Double, level: Float)] {
    let shared = board.context.shared
    let snaps = board.context[.notes(.snap)] != 0
    let cents = snaps ? board.gridState.snappedCents : board.gridState.keyCents
    return (0..<128).compactMap { key in
      let finger = Finger.midi(UInt8(key))
      let level = max(shared.notes.level(of: finger), shared.notes.level(of: finger.repeated()))
      return level > 0 ? (cents[key], level) : nil
    }
  }

  /// The level of a cell: of its own note, or of a MIDI key with its pitch.
  private mutating func level(
    of cell: Layout.Cell, at place: Int, _ keys: [(cents: Double, level: Float)],
    _ board: Fingerboard
  ) -> Float {
    let shared = board.context.shared
    var own = shared.notes.level(of: .cell(place))
    if past.contains(place) {
      if own == 0 || board.gridState.held.isHeld(.cell(place)) {
        past.remove(place)
      } else {
        own = 0
      }
    }
    let cents = Double(cell.note) * 100 + cell.cents
    for key in keys where abs(key.cents - cents) < 1 { own = max(own, key.level) }
    // A phrase plays cells of the layout on which it was recorded.
    guard board.context[Phrases.self].layout == board.gridState.layout else { return own }
    return max(own, shared.notes.level(of: Finger.cell(place).repeated()))
  }

  private func send(_ place: Int, _ level: Float, _ board: Fingerboard) {
    board.context.announce(Fingerboard.lit, row(place, level))
  }

  private func row(_ place: Int, _ level: Float) -> [Argument] {
    let (row, column) = place.quotientAndRemainder(dividingBy: columns)
    return Argument.row(row + 1, column + 1, level)
  }
}
