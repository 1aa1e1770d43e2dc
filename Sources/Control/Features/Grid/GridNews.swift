internal import Engine
internal import Music
internal import OSC

/// The news of a grid for those who want them: how it is laid out, and which cells sound.
struct GridNews {
  // How often to look while something sounds, in milliseconds, and while somebody could play who
  // does not wake this thread.
  private static let busyMilliseconds = 10
  private static let idleMilliseconds = 20
  // And where nobody is told of it, so that a lease ends.
  private static let leaseMilliseconds = 1000
  // A layout is many messages: told so often at most, in microseconds.
  private static let layoutPeriod = 50_000.0
  // And which cells sound, a hundred times a second.
  private static let lightPeriod = 10_000.0
  private static let layoutAddresses = [Fingerboard.layoutPath, Fingerboard.cell.path]

  private var isLayoutNew = false
  private var nextLayout = 0.0
  private var nextLight = 0.0
  private var changes: UInt64 = 0
  // By place, of the layout that was told.
  private var lit: [Float] = []
  private var columns = 1
  // Fingers that still sound of the layout before.
  private var past: Set<Int> = []

  /// Notes that other notes lie on the grid, or go by other names.
  mutating func layoutChanged() { isLayoutNew = true }

  /// Tells of what sounds now; returns in how many milliseconds to look again, nil for any time.
  mutating func poll(_ now: Double, _ board: Fingerboard) -> Int? {
    if isLayoutNew {
      guard now >= nextLayout else { return max(1, Int((nextLayout - now) / 1000)) }
      nextLayout = now + Self.layoutPeriod
      isLayoutNew = false
      tellLayout(board)
    }
    let changes = board.context.engine.shared.notes.changes
    if changes != self.changes {
      guard now >= nextLight else { return max(1, Int((nextLight - now) / 1000)) }
      nextLight = now + Self.lightPeriod
      self.changes = changes
      tellLit(board)
    }
    let isHeld = !board.keyboard.held.isEmpty
    guard board.context.isWanted(Fingerboard.lit.path) else {
      return isHeld ? Self.leaseMilliseconds : nil
    }
    return isHeld || lit.contains { $0 > 0 } ? Self.busyMilliseconds : Self.idleMilliseconds
  }

  // MARK: - Layout

  /// The messages that tell a layout.
  static func messages(_ keyboard: Keyboard) -> [(path: String, arguments: [Argument])] {
    let layout = keyboard.layout
    return [(Fingerboard.layoutPath, [.int32(Int32(layout.rows)), .int32(Int32(layout.columns))])]
      + layout.cells.map { cell in
        (
          Fingerboard.cell.path,
          [
            .int32(Int32(cell.row)), .int32(Int32(cell.column)),
            .string(keyboard.showsNames ? cell.name : ""), .int32(Int32(cell.note)),
          ]
        )
      }
  }

  /// Tells a new subscriber how the grid is.
  func welcome(_ newcomer: Newcomer, _ board: Fingerboard) {
    // Both are asked: each is told once a packet.
    if !Self.layoutAddresses.filter(newcomer.wants).isEmpty {
      for message in Self.messages(board.keyboard) {
        newcomer.tell(message.path, message.arguments)
      }
    }
    guard newcomer.wants(Fingerboard.lit.path) else { return }
    for place in lit.indices where lit[place] > 0 {
      newcomer.tell(Fingerboard.lit.path, row(place, lit[place]))
    }
  }

  private mutating func tellLayout(_ board: Fingerboard) {
    // What was lit has other places now.
    for place in lit.indices where lit[place] > 0 { tell(place, 0, board) }
    let layout = board.keyboard.layout
    lit = Array(repeating: 0, count: layout.rows * layout.columns)
    columns = layout.columns
    let shared = board.context.engine.shared
    past = Set(
      (0..<Finger.mostCells).filter {
        shared.notes.level(of: .cell($0)) > 0 && !board.keyboard.held.isHeld(.cell($0))
      })
    changes = 0
    let answerer = board.context.answerer
    let targets = answerer.feedback.targets(wanting: Self.layoutAddresses)
    guard !targets.isEmpty else { return }
    for message in Self.messages(board.keyboard) {
      let packet = [UInt8](address: message.path, message.arguments)
      for target in targets { answerer.send(packet, to: target) }
    }
  }

  // MARK: - Light

  private mutating func tellLit(_ board: Fingerboard) {
    let layout = board.keyboard.layout
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
      tell(place, level, board)
    }
  }

  /// The MIDI keys that sound, by hand or by the phrase: their pitches in cents, and how strongly.
  private func soundingKeys(_ board: Fingerboard) -> [(cents: Double, level: Float)] {
    let shared = board.context.engine.shared
    let snaps = board.context[.notes(.snap)] != 0
    let cents = snaps ? board.keyboard.snappedCents : board.keyboard.keyCents
    return (0..<128).compactMap { key in
      let finger = Finger.midi(UInt8(key))
      let level = max(
        shared.notes.level(of: finger), shared.notes.level(of: finger.repeated()))
      return level > 0 ? (cents[key], level) : nil
    }
  }

  /// The strength with which a cell sounds: what is played on it, or on a MIDI key of its pitch.
  private mutating func level(
    of cell: Layout.Cell, at place: Int, _ keys: [(cents: Double, level: Float)],
    _ board: Fingerboard
  ) -> Float {
    let shared = board.context.engine.shared
    var own = shared.notes.level(of: .cell(place))
    if past.contains(place) {
      if own == 0 || board.keyboard.held.isHeld(.cell(place)) {
        past.remove(place)
      } else {
        own = 0
      }
    }
    let cents = Double(cell.note) * 100 + cell.cents
    for key in keys where abs(key.cents - cents) < 1 { own = max(own, key.level) }
    // A phrase repeats the cells of the layout on which it was recorded.
    guard board.context[Phrases.self].layout == board.keyboard.layout else { return own }
    return max(own, shared.notes.level(of: Finger.cell(place).repeated()))
  }

  private func tell(_ place: Int, _ level: Float, _ board: Fingerboard) {
    board.context.announce(Fingerboard.lit, row(place, level))
  }

  private func row(_ place: Int, _ level: Float) -> [Argument] {
    let (row, column) = place.quotientAndRemainder(dividingBy: columns)
    return [.int32(Int32(row + 1)), .int32(Int32(column + 1)), .float(level)]
  }
}
