internal import Engine
internal import Music
internal import Posix

/// Notes, from whatever plays them.
extension Node {
  /// Begins a note that a client holds.
  func begin(
    _ start: NoteStart, cell: (row: Int, column: Int)? = nil, _ request: Request,
    into plan: inout Plan
  ) throws(Refusal) {
    try keyboard.held.add(
      HeldNotes.Note(
        finger: start.finger, client: request.client, cell: cell, velocity: start.velocity,
        due: request.due),
      now: now)
    plan.commands.append(PlannedCommand(action: .note(.on(start)), due: request.due))
  }

  /// Ends what the client holds on a finger; the note goes on where another client holds it, too.
  ///
  /// What is not held is no error: the layout can have changed under the finger.
  func end(_ finger: Finger, _ request: Request, into plan: inout Plan) {
    let taken = keyboard.held.take(finger) { isOf($0.client, request.client) }
    // Not before it begins, where that is still to come.
    endNotes(taken, at: request.due, into: &plan)
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
    plan.commands.append(PlannedCommand(action: .stopPhrase, due: request.due))
    plan.commands.append(PlannedCommand(action: .note(.allOff), due: request.due))
    // Those that begin later end as they begin.
    endNotes(held.filter { $0.due ?? 0 > request.due ?? 0 }, at: request.due, into: &plan)
  }

  /// Ends notes that were taken from those that are held, and none before it begins.
  func endNotes(_ notes: [HeldNotes.Note], at due: Double?, into plan: inout Plan) {
    // Many can hold the same finger: it ends once, when the last of them has begun.
    var ends: [(finger: Finger, due: Double?)] = []
    var places: [UInt16: Int] = [:]
    let present = engine.shared.clockReading.microseconds
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
    for end in ends {
      plan.commands.append(PlannedCommand(action: .note(.off(end.finger)), due: end.due))
    }
  }

  /// Ends at once what clients hold who have gone.
  func endNotes(of isGone: (Client) -> Bool) {
    let notes = keyboard.held.take { $0.client.map(isGone) ?? false }
    guard !notes.isEmpty else { return }
    var plan = Plan()
    endNotes(notes, at: nil, into: &plan)
    // Where there is no room now, their lease ends once more.
    do throws(Refusal) {
      try submit(plan.commands, path: "/note/off", client: nil)
    } catch {
      // Where they have just been taken out there is room.
      for note in notes { try? keyboard.held.add(note, now: now) }
    }
  }

  /// Whether what one client holds is another's, too: those who don't subscribe, such as
  /// `syrinx send`, come from another port each time.
  func isOf(_ holder: Client?, _ client: Client?) -> Bool {
    if holder == client { return true }
    guard let holder, let client else { return false }
    return holder.endpoint.address == client.endpoint.address && !isSubscribed(holder)
      && !isSubscribed(client)
  }

  /// Takes over what pitch each MIDI key has, which changes with root, scale and tuning.
  func updateKeyMap() {
    do throws(MusicFault) {
      keyboard.keyCents = try KeySnap.cents(of: keyboard.grid, snaps: false)
      keyboard.snappedCents = try KeySnap.cents(of: keyboard.grid, snaps: true)
    } catch {
      preconditionFailure("a grid that was laid out has pitches: \(error)")
    }
    do throws(Refusal) {
      try setKeyMap(
        snapped: keyboard.snappedCents.map { Float($0) }, own: keyboard.keyCents.map { Float($0) })
      isKeyMapDue = false
    } catch {
      // There is no room for it now.
      isKeyMapDue = true
    }
  }

  /// Goes back to what the keyboard was before a packet that was not accepted.
  func takeBack(to before: Keyboard?) {
    guard let before else { return }
    keyboard = before
    gridWatch.layoutChanged()
    updateKeyMap()
  }
}
