internal import Engine
internal import Music
internal import OSC
internal import Posix

/// Notes of the grid and the keys, from all sources.
extension Fingerboard {
  /// Starts a note held by a client.
  func startNote(
    _ start: NoteStart, cell: (row: Int, column: Int)? = nil, _ request: Request,
    into plan: inout Plan
  ) throws(Refusal) {
    try gridState.held.add(
      HeldNotes.Note(
        finger: start.finger, client: request.client, cell: cell, velocity: start.velocity,
        due: request.due),
      now: context.now)
    plan.add(PlannedCommand(action: .note(.on(start))), for: request)
  }

  /// Ends the client's note on a finger.
  ///
  /// It continues if another client holds it, too.
  ///
  /// A finger without a note is not an error, since the layout can have changed under the finger.
  func endNote(_ finger: Finger, _ request: Request, into plan: inout Plan) {
    let taken = gridState.held.remove(finger.number) { isOf($0.client, request.client) }
    // Not before a scheduled start.
    plan.add(ends(of: taken, at: request.due), from: request.origin)
  }

  /// Starts the note of a MIDI key, or ends it with velocity 0.
  func playKey(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let key = request.whole(0) ?? 0
    try play(.key(UInt8(key)), key: key, velocity: request.number(1), request, into: &plan)
  }

  /// Ends the note of a MIDI key.
  func endKey(_ request: Request, into plan: inout Plan) {
    endNote(.key(UInt8(request.whole(0) ?? 0)), request, into: &plan)
  }

  /// Starts the note of a white key of the piano, or ends it with velocity 0.
  func playPiano(_ number: Int, _ request: Request, into plan: inout Plan) throws(Refusal) {
    let key = gridState.piano.notes[number - 1]
    try play(.piano(UInt8(number)), key: key, velocity: request.number(0), request, into: &plan)
  }

  /// Sets the octave of the piano.
  func setPianoOctave(_ request: Request, into plan: inout Plan) throws(Refusal) {
    gridState.piano = try refusing { () throws(MusicFault) in
      try Piano(octave: request.whole(0) ?? Piano.initialOctave)
    }
  }

  private func play(
    _ finger: Finger, key: Int, velocity: Double?, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    let velocity = velocity.map { Float($0) } ?? GridState.usualVelocity
    if velocity > 0 {
      try startNote(gridState.start(finger, key: key, velocity: velocity), request, into: &plan)
    } else {
      endNote(finger, request, into: &plan)
    }
  }

  /// Ends all notes of all clients.
  func endAllNotes(_ request: Request, into plan: inout Plan) {
    let held = gridState.held.remove { _ in true }
    plan.add(PlannedCommand(action: .stopPhrase), for: request)
    plan.add(PlannedCommand(action: .note(.allOff)), for: request)
    // Notes that start later end as they start.
    plan.add(
      ends(of: held.filter { $0.due ?? 0 > request.due ?? 0 }, at: request.due),
      from: request.origin)
  }

  /// The commands that end notes removed from the held ones, none before its start.
  func ends(of notes: [HeldNotes.Note], at due: Double?) -> [PlannedCommand] {
    // Several clients can hold a finger. It ends once, after the last start.
    var ends: [(finger: Finger, due: Double?)] = []
    var places: [UInt16: Int] = [:]
    let present = context.clock.microseconds
    for note in notes where !gridState.held.isHeld(note.finger) {
      // A time in the past counts as immediate.
      let begin = note.due.flatMap { $0 > present ? $0 : nil }
      let due = begin.map { max($0, due ?? 0) } ?? due
      if let place = places[note.finger.number] {
        if due ?? 0 > ends[place].due ?? 0 { ends[place].due = due }
      } else {
        places[note.finger.number] = ends.count
        ends.append((note.finger, due))
      }
    }
    return ends.map { PlannedCommand(action: .note(.off($0.finger)), due: $0.due) }
  }

  /// Ends the notes held by disconnected clients.
  func endNotes(of isGone: (Client) -> Bool) {
    let notes = gridState.held.remove { $0.client.map(isGone) ?? false }
    guard !notes.isEmpty else { return }
    // If the queue is full, the expiry of their lease retries.
    do throws(Refusal) {
      try context.submit(ends(of: notes, at: nil), path: Self.noteOff)
    } catch {
      // There is room, since they were just removed.
      for note in notes { try? gridState.held.add(note, now: context.now) }
    }
  }

  /// Whether two clients share their notes.
  func isOf(_ holder: Client?, _ client: Client?) -> Bool {
    if holder == client { return true }
    guard let holder, let client else { return false }
    return context.mayBeSame(holder, client)
  }

  // MARK: - Addresses

  static let noteOff = "/note/off"
  static let allOff = "/note/allOff"

  private static let key = Form.needed("key", .whole, in: 0...127)
  private static let octaves =
    Double(Piano.possibleOctaves.lowerBound)...Double(Piano.possibleOctaves.upperBound)
  private static let velocity = Form.optional("velocity", .number, in: 0...1)

  /// Notes by number, and the keys of a piano.
  static let ofTheNotes: [Address] =
    [
      Address(
        "/note/on", gesture([key, velocity], Fingerboard.playKey),
        "Starts the note of a MIDI key in the current tuning; velocity 0.8 if none is given, 0 "
          + "ends it"),
      Address(noteOff, gesture([key], Fingerboard.endKey), "Ends the note of a key, if it is held"),
      Address(
        allOff, gesture(isButton: true, Fingerboard.endAllNotes),
        "Ends all notes of all clients, and the phrase"),
      setting(
        "/piano/octave", .needed("octave", .whole, in: octaves),
        property: \.gridState.piano.octave, Fingerboard.setPianoOctave,
        "Octave of the keys of /piano; 4, the default, starts with middle C"),
    ]
    + (1...7).map { number in
      let name = Piano.name(key: number).map { "\($0)" } ?? ""
      return Address(
        "/piano/\(number)",
        gesture([velocity]) { board in
          { request, plan throws(Refusal) in
            try board.playPiano(number, request, into: &plan)
          }
        },
        "Key \(name) of the octave: starts its note with a velocity, 0 ends it")
    }
}
