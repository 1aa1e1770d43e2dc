internal import Engine
internal import Music
internal import Posix

/// The notes of the grid and the keys, from whatever plays them.
extension Fingerboard {
  /// Begins a note that a client holds.
  func begin(
    _ start: NoteStart, cell: (row: Int, column: Int)? = nil, _ request: Request,
    into plan: inout Plan
  ) throws(Refusal) {
    try keyboard.held.add(
      HeldNotes.Note(
        finger: start.finger, client: request.client, cell: cell, velocity: start.velocity,
        due: request.due),
      now: context.now)
    plan.add(PlannedCommand(action: .note(.on(start))), for: request)
  }

  /// Ends what the client holds on a finger; the note goes on where another client holds it, too.
  ///
  /// What is not held is no error: the layout can have changed under the finger.
  func end(_ finger: Finger, _ request: Request, into plan: inout Plan) {
    let taken = keyboard.held.take(finger) { isOf($0.client, request.client) }
    // Not before it begins, where that is still to come.
    plan.add(ends(of: taken, at: request.due), from: request.origin)
  }

  /// Plays a note on a finger, or ends it where the velocity is 0.
  func play(
    _ finger: Finger, key: Int, velocity: Double?, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    let velocity = velocity.map { Float($0) } ?? Keyboard.usualVelocity
    if velocity > 0 {
      try begin(
        keyboard.start(finger, key: key, velocity: velocity), request, into: &plan)
    } else {
      end(finger, request, into: &plan)
    }
  }

  /// Ends all notes, whoever plays them.
  func endAllNotes(_ request: Request, into plan: inout Plan) {
    let held = keyboard.held.take { _ in true }
    plan.add(PlannedCommand(action: .stopPhrase), for: request)
    plan.add(PlannedCommand(action: .note(.allOff)), for: request)
    // Those that begin later end as they begin.
    plan.add(
      ends(of: held.filter { $0.due ?? 0 > request.due ?? 0 }, at: request.due),
      from: request.origin)
  }

  /// The commands that end notes that were taken from those that are held, and none before it
  /// begins.
  func ends(of notes: [HeldNotes.Note], at due: Double?) -> [PlannedCommand] {
    // Many can hold the same finger: it ends once, when the last of them has begun.
    var ends: [(finger: Finger, due: Double?)] = []
    var places: [UInt16: Int] = [:]
    let present = context.engine.shared.clockReading.microseconds
    for note in notes where !keyboard.held.isHeld(note.finger) {
      // A time that has passed is as good as none.
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

  /// Ends at once what clients hold who have gone.
  func endNotes(of isGone: (Client) -> Bool) {
    let notes = keyboard.held.take { $0.client.map(isGone) ?? false }
    guard !notes.isEmpty else { return }
    // Where there is no room now, their lease ends once more.
    do throws(Refusal) {
      try context.submit(ends(of: notes, at: nil), path: Self.noteOff)
    } catch {
      // Where they have just been taken out there is room.
      for note in notes { try? keyboard.held.add(note, now: context.now) }
    }
  }

  /// Whether what one client holds is another's, too: those who don't subscribe, such as
  /// `syrinx send`, come from another port each time.
  func isOf(_ holder: Client?, _ client: Client?) -> Bool {
    if holder == client { return true }
    guard let holder, let client else { return false }
    return holder.endpoint.address == client.endpoint.address && !context.isSubscribed(holder)
      && !context.isSubscribed(client)
  }
}
