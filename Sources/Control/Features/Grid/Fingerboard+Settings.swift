internal import Engine
internal import Library
internal import Music
internal import Posix

/// Touches and settings of the grid.
extension Fingerboard {
  // MARK: - Fingers

  /// Starts the note of a cell, or ends it with velocity 0.
  func touch(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let (row, column) = Self.position(request)
    try touch(row: row, column: column, velocity: request.number(2), request, into: &plan)
  }

  /// Starts or ends the note of a cell whose row and column are in the path.
  func touchNumbered(_ request: Request, into plan: inout Plan) throws(Refusal) {
    guard request.numbers.count == 2 else {
      throw Refusal(
        .unknown, "/grid/{row}/{column} is a template; use an address such as /grid/1/3")
    }
    let (row, column) = (request.numbers[0], request.numbers[1])
    // Unlike with /grid/release, an unknown cell is an error.
    _ = try gridState.cell(row: row, column: column)
    try touch(row: row, column: column, velocity: request.number(0), request, into: &plan)
  }

  private static func position(_ request: Request) -> (row: Int, column: Int) {
    (request.whole(0) ?? 0, request.whole(1) ?? 0)
  }

  private func touch(
    row: Int, column: Int, velocity: Double?, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    if velocity == 0 {
      release(row: row, column: column, request, into: &plan)
      return
    }
    let cell = try gridState.cell(row: row, column: column)
    let velocity = velocity.map { Float($0) } ?? GridState.usualVelocity
    try startNote(
      gridState.start(cell, velocity: velocity), cell: (row, column), request, into: &plan)
  }

  /// Ends the note of a cell.
  func release(_ request: Request, into plan: inout Plan) {
    let (row, column) = Self.position(request)
    release(row: row, column: column, request, into: &plan)
  }

  private func release(row: Int, column: Int, _ request: Request, into plan: inout Plan) {
    // The numbers of another layout could match the finger of another cell.
    guard 1...gridState.layout.rows ~= row, 1...gridState.layout.columns ~= column else { return }
    endNote(gridState.finger(row: row, column: column), request, into: &plan)
  }

  /// Moves the client's nearest finger to a cell.
  ///
  /// Its note ends and that of the cell starts on the same frame.
  func slide(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let (row, column) = Self.position(request)
    let cell = try gridState.cell(row: row, column: column)
    var nearest: (note: HeldNotes.Note, distance: Int)?
    for note in gridState.held.notes where isOf(note.client, request.client) {
      guard let from = note.cell else { continue }
      let distance = abs(from.row - row) + abs(from.column - column)
      // Of equally near fingers, the one touched last.
      if let nearest, (nearest.distance, note.number) < (distance, nearest.note.number) {
        continue
      }
      nearest = (note, distance)
    }
    if nearest?.distance == 0 { return }
    if let old = nearest?.note { endNote(old.finger, request, into: &plan) }
    try startNote(
      gridState.start(cell, velocity: nearest?.note.velocity ?? GridState.usualVelocity),
      cell: (row, column), request, into: &plan)
  }

  // MARK: - Settings

  /// Changes the grid.
  ///
  /// Held notes end if the layout changes.
  func changeGrid(
    _ request: Request, into plan: inout Plan,
    _ change: (inout Grid) throws(MusicFault) -> Void
  ) throws(Refusal) {
    var grid = gridState.grid
    try refusing { () throws(MusicFault) in try change(&grid) }
    let isTunedAnew = grid.tuning != gridState.grid.tuning
    let isLaidOutAnew = try gridState.change(to: grid)
    // The tuning affects keys outside the grid, too.
    if isLaidOutAnew || isTunedAnew { plan.afterwards { [unowned self] in sendKeyMap() } }
    guard isLaidOutAnew else { return }
    let held = gridState.held.remove { $0.cell != nil }
    plan.add(ends(of: held, at: request.due), from: request.origin)
    plan.afterwards { [unowned self] in layoutChanged() }
  }

  /// Sets the root by name or number.
  func setRoot(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let (name, number) = (request.text(0), request.whole(1))
    guard name == nil || number == nil else {
      throw Refusal(.type, "/grid/root: got both a name and a number; expected one of them")
    }
    try changeGrid(request, into: &plan) { grid throws(MusicFault) in
      if let name { grid.root = try Root(name) }
      if let number { grid.root = try Root(number: number) }
    }
  }

  /// Sets the scale by name.
  func setScale(_ request: Request, into plan: inout Plan) throws(Refusal) {
    try changeGrid(request, into: &plan) { [gridState] grid throws(MusicFault) in
      grid.scale = try gridState.scale(named: request.text(0) ?? "")
    }
  }

  /// Sets the size of the buttons.
  func setSize(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let word = request.text(0) ?? ""
    guard let size = Grid.Size(rawValue: word) else {
      let words = Grid.Size.allCases.map(\.rawValue).joined(separator: ", ")
      throw Refusal(.range, "/grid/size: \(quoted(word)) is not one of \(words)")
    }
    try changeGrid(request, into: &plan) { grid in grid.size = size }
  }

  /// Sets the number of octaves; 0 fills the size.
  func setOctaves(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let octaves = request.whole(0) ?? 0
    try changeGrid(request, into: &plan) { grid in grid.octaves = octaves == 0 ? nil : octaves }
  }

  /// Shows or hides the names of notes.
  func showNames(_ request: Request, into plan: inout Plan) {
    gridState.showsNames = request.whole(0) == 1
    plan.afterwards { [unowned self] in layoutChanged() }
  }

  /// Sets the order of the notes: along the scale, or random by the current seed.
  func setOrder(_ request: Request, into plan: inout Plan) throws(Refusal) {
    try setOrder(request.text(0) ?? "", request, into: &plan)
  }

  private func setOrder(_ word: String, _ request: Request, into plan: inout Plan) throws(Refusal) {
    let order: Grid.Order
    switch word {
    case "scale": order = .scale
    case "random": order = .random(seed: UInt64(bitPattern: Int64(gridState.seed)))
    default:
      throw Refusal(.range, "\(Self.order): \(quoted(word)) is not one of scale, random")
    }
    try changeGrid(request, into: &plan) { grid in grid.order = order }
  }

  /// Shuffles the notes by a seed, or by a new one.
  ///
  /// 0 is a released button.
  func randomize(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let seed = request.whole(0) ?? Int.random(in: 1...Int(GridState.possibleSeeds.upperBound))
    if seed == 0 { return }
    gridState.seed = Int32(seed)
    try setOrder("random", request, into: &plan)
    plan.afterwards { [context] in
      context.keeper.keep(Self.seed, for: request)
      context.keeper.keep(Self.order, for: request)
    }
  }

  /// Sets the seed, and lays out the notes again if their order is random.
  func setSeed(_ request: Request, into plan: inout Plan) throws(Refusal) {
    gridState.seed = Int32(request.whole(0) ?? 0)
    if case .random = gridState.grid.order { try setOrder("random", request, into: &plan) }
  }

  // MARK: - Tuning

  /// Loads a tuning from a file in the data directory; an empty name is the equal one.
  ///
  /// On the control thread, even though disks can be slow, so that later messages in the same bundle or the
  /// next packet follow it.
  func setTuning(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let name = request.text(0) ?? ""
    let cents = name.isEmpty ? Tuning.equal.cents : try readTuning(name)
    try changeTuning(cents, gridState.grid.tuning.referenceHz, request, into: &plan)
    gridState.tuningFile = name
  }

  /// Sets the frequency of A4, in Hz.
  func setReference(_ request: Request, into plan: inout Plan) throws(Refusal) {
    try changeTuning(gridState.grid.tuning.cents, request.number(0) ?? 440, request, into: &plan)
  }

  private func changeTuning(
    _ cents: [Double], _ hertz: Double, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    let scale = gridState.grid.scale
    try changeGrid(request, into: &plan) { grid throws(MusicFault) in
      grid.tuning = try Tuning(cents: cents, referenceHz: hertz)
      // A scale belongs to a number of notes per octave.
      if grid.scale.period != grid.tuning.count {
        grid.scale = try Scale.all(of: grid.tuning.count)
      }
    }
    if gridState.grid.scale != scale {
      plan.afterwards { [context] in context.keeper.keep(Self.scale, for: request) }
    }
  }

  private func readTuning(_ name: String) throws(Refusal) -> [Double] {
    guard let home = context[Takes.self].home else {
      throw Refusal(.state, "tunings need a data directory")
    }
    let bytes = try refusing { () throws(LibraryFault) in
      try HomeFile(reading: name, home: home).contents(atMost: ScalaFile.longestFile)
    }
    do throws(ScalaFile.Fault) {
      return try ScalaFile(bytes).cents
    } catch {
      throw Refusal(.type, "\(name): \(error.description)")
    }
  }
}
