internal import Engine
internal import Library
internal import Music
internal import Posix

/// The grid under fingers, and the settings of it.
extension Fingerboard {
  // MARK: - Fingers

  /// Begins the note of a cell; with a velocity of 0 it ends it.
  func touch(
    row: Int, column: Int, velocity: Double?, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    if velocity == 0 {
      release(row: row, column: column, request, into: &plan)
      return
    }
    let cell = try keyboard.cell(row: row, column: column)
    let velocity = velocity.map { Float($0) } ?? Keyboard.usualVelocity
    try begin(
      keyboard.start(cell, velocity: velocity), cell: (row, column), request, into: &plan)
  }

  /// Ends the note of a cell.
  func release(row: Int, column: Int, _ request: Request, into plan: inout Plan) {
    // Numbers of another layout could be those of another cell's finger.
    guard 1...keyboard.layout.rows ~= row, 1...keyboard.layout.columns ~= column else { return }
    end(keyboard.finger(row: row, column: column), request, into: &plan)
  }

  /// Moves the client's nearest finger to a cell: its note ends, and that of the cell begins, on one
  /// frame.
  func slide(
    row: Int, column: Int, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    let cell = try keyboard.cell(row: row, column: column)
    var nearest: (note: HeldNotes.Note, distance: Int)?
    for note in keyboard.held.notes where isOf(note.client, request.client) {
      guard let from = note.cell else { continue }
      let distance = abs(from.row - row) + abs(from.column - column)
      // Of two, the one that was touched last.
      if let nearest, (nearest.distance, note.number) < (distance, nearest.note.number) {
        continue
      }
      nearest = (note, distance)
    }
    if nearest?.distance == 0 { return }
    if let old = nearest?.note { end(old.finger, request, into: &plan) }
    try begin(
      keyboard.start(cell, velocity: nearest?.note.velocity ?? Keyboard.usualVelocity),
      cell: (row, column), request, into: &plan)
  }

  // MARK: - Settings

  /// Changes the grid; what is held on it ends where other notes lie on it then.
  func changeGrid(
    _ request: Request, into plan: inout Plan,
    _ change: (inout Grid) throws(MusicFault) -> Void
  ) throws(Refusal) {
    var grid = keyboard.grid
    do throws(MusicFault) {
      try change(&grid)
    } catch {
      throw Refusal(error)
    }
    let isTunedAnew = grid.tuning != keyboard.grid.tuning
    guard try keyboard.change(to: grid) else {
      // Other keys than the grid's may sound different.
      if isTunedAnew { updateKeyMap() }
      return
    }
    let held = keyboard.held.take { $0.cell != nil }
    plan.add(ends(of: held, at: request.due), from: request.origin)
    layoutChanged()
    updateKeyMap()
  }

  /// Lays the notes out along the scale, or in the random order of the present seed.
  func setOrder(_ word: String, _ request: Request, into plan: inout Plan) throws(Refusal) {
    let order: Grid.Order
    switch word {
    case "scale": order = .scale
    case "random": order = .random(seed: UInt64(bitPattern: Int64(keyboard.seed)))
    default:
      throw Refusal(.range, "\(Self.order) takes one of scale, random; got \(quoted(word))")
    }
    try changeGrid(request, into: &plan) { grid in grid.order = order }
  }

  /// Lays the notes out anyhow: in the order of a seed, or of a new one.
  func randomize(_ seed: Int?, _ request: Request, into plan: inout Plan) throws(Refusal) {
    keyboard.seed =
      seed.map { Int32($0) } ?? Int32.random(in: 1...Int32(Keyboard.possibleSeeds.upperBound))
    try setOrder("random", request, into: &plan)
    plan.afterwards { [context] in
      context.keep(Self.seed, for: request)
      context.keep(Self.order, for: request)
    }
  }

  /// Takes another seed; the notes are laid out anew where their order is a random one.
  func setSeed(_ seed: Int, _ request: Request, into plan: inout Plan) throws(Refusal) {
    keyboard.seed = Int32(seed)
    if case .random = keyboard.grid.order { try setOrder("random", request, into: &plan) }
  }

  // MARK: - Tuning

  /// Takes the tuning of a file in the home folder, or the equal one where the name is empty.
  ///
  /// On the control thread, though a disk can be slow: what comes after it in the same bundle, or
  /// in the next packet, must follow it.
  func setTuning(_ name: String, _ request: Request, into plan: inout Plan) throws(Refusal) {
    let cents = name.isEmpty ? Tuning.equal.cents : try readTuning(name)
    try changeTuning(cents, keyboard.grid.tuning.referenceHz, request, into: &plan)
    keyboard.tuningFile = name
  }

  /// Takes another frequency of A4, in Hz.
  func setReference(_ hertz: Double, _ request: Request, into plan: inout Plan) throws(Refusal) {
    try changeTuning(keyboard.grid.tuning.cents, hertz, request, into: &plan)
  }

  private func changeTuning(
    _ cents: [Double], _ hertz: Double, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    let scale = keyboard.grid.scale
    try changeGrid(request, into: &plan) { grid throws(MusicFault) in
      grid.tuning = try Tuning(cents: cents, referenceHz: hertz)
      // A scale is for as many notes to the octave as it was made for.
      if grid.scale.period != grid.tuning.count {
        grid.scale = try Scale.all(of: grid.tuning.count)
      }
    }
    if keyboard.grid.scale != scale {
      plan.afterwards { [context] in context.keep(Self.scale, for: request) }
    }
  }

  private func readTuning(_ name: String) throws(Refusal) -> [Double] {
    guard let home = context[Takes.self].home else {
      throw Refusal(.state, "this node has no home folder, and thus no tunings")
    }
    let bytes: [UInt8]
    do throws(LibraryFault) {
      bytes = try HomeFile(reading: name, home: home).contents(atMost: ScalaFile.longestFile)
    } catch {
      throw Refusal(error)
    }
    do throws(ScalaFile.Fault) {
      return try ScalaFile(bytes).cents
    } catch {
      throw Refusal(.type, "\(name): \(error.description)")
    }
  }
}
