internal import Engine
internal import Music
internal import Posix
internal import Takes

/// The grid: what is done on it, and how it is set.
extension Node {
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
    endNotes(held, at: request.due, into: &plan)
    gridWatch.layoutChanged()
    updateKeyMap()
  }

  /// Lays the notes out along the scale, or in the random order of the present seed.
  func setOrder(_ word: String, _ request: Request, into plan: inout Plan) throws(Refusal) {
    let order: Grid.Order
    switch word {
    case "scale": order = .scale
    case "random": order = .random(seed: UInt64(bitPattern: Int64(keyboard.seed)))
    default:
      throw Refusal(.range, "/grid/order takes one of scale, random; got \(quoted(word))")
    }
    try changeGrid(request, into: &plan) { grid in grid.order = order }
  }

  /// Lays the notes out anyhow: in the order of a seed, or of a new one.
  func randomize(_ seed: Int?, _ request: Request, into plan: inout Plan) throws(Refusal) {
    keyboard.seed =
      seed.map { Int32($0) } ?? Int32.random(in: 1...Int32(Keyboard.possibleSeeds.upperBound))
    try setOrder("random", request, into: &plan)
    plan.afterwards.append { [self] in
      settingChanged("/grid/seed", for: request.client)
      settingChanged("/grid/order", for: request.client)
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
      plan.afterwards.append { [self] in settingChanged("/grid/scale", for: request.client) }
    }
  }

  private func readTuning(_ name: String) throws(Refusal) -> [Double] {
    guard let home = takes?.home else {
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

  // MARK: - Scales

  /// Keeps a scale of one's own, in semitones above the root, or in notes of the present tuning.
  func addScale(_ name: String, _ steps: [Int], _ request: Request, into plan: inout Plan)
    throws(Refusal)
  {
    let scale: Scale
    do throws(MusicFault) {
      scale = try Scale(name: name, steps: steps, period: keyboard.grid.tuning.count)
    } catch {
      throw Refusal(error)
    }
    try changeScales(request, into: &plan) { scales, current throws(MusicFault) in
      try scales.add(scale)
      // The one that was called so until now.
      return current.name == name ? scale : nil
    }
  }

  /// Deletes a scale of one's own; where it is in use, all notes are there then.
  func deleteScale(_ name: String, _ request: Request, into plan: inout Plan) throws(Refusal) {
    try changeScales(request, into: &plan) { [keyboard] scales, current throws(MusicFault) in
      let deleted = try scales.scale(named: name)
      try scales.delete(name)
      return deleted == current ? try Scale.all(of: keyboard.grid.tuning.count) : nil
    }
    plan.afterwards.append { [self] in settingChanged("/scale/user", for: request.client) }
  }

  private func changeScales(
    _ request: Request, into plan: inout Plan,
    _ change: (inout ScaleBook, Scale) throws(MusicFault) -> Scale?
  ) throws(Refusal) {
    var scales = keyboard.scales
    let scale: Scale?
    do throws(MusicFault) {
      scale = try change(&scales, keyboard.grid.scale)
    } catch {
      throw Refusal(error)
    }
    if let scale {
      try changeGrid(request, into: &plan) { grid in grid.scale = scale }
      plan.afterwards.append { [self] in settingChanged("/grid/scale", for: request.client) }
    }
    keyboard.scales = scales
    plan.afterwards.append { [self] in feedback.changed("/scales") }
  }

  /// One's own scales as they are kept: the name, the period where it is not 12, and the steps, such
  /// as `mine:0,3,7` and `bohlen/13:0,2,4`.
  var ownScales: [String] {
    keyboard.scales.own.map { scale in
      let period = scale.period == 12 ? "" : "/\(scale.period)"
      return "\(scale.name)\(period):" + scale.steps.map { "\($0)" }.joined(separator: ",")
    }
  }

  /// Takes over scales that were kept; returns a line for each that can't be.
  func restoreScales(_ kept: String) -> [String] {
    kept.split(separator: " ").compactMap { text in
      let parts = text.split(separator: ":", maxSplits: 1)
      let name = parts[0].split(separator: "/", maxSplits: 1)
      let steps = parts.dropFirst().first?.split(separator: ",").compactMap { Int($0) } ?? []
      let period = name.count > 1 ? Int(name[1]) ?? 0 : 12
      do throws(MusicFault) {
        try keyboard.scales.add(
          Scale(name: name.first.map { String($0) } ?? "", steps: steps, period: period))
        return nil
      } catch {
        return "the scale \(quoted(String(text))) is not as it was kept: \(error.description)"
      }
    }
  }
}
