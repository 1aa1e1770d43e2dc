internal import Engine
internal import Music
internal import OSC

/// The grid of buttons that play a scale, the keys of a piano, and the held notes.
final class Fingerboard: Feature {
  let context: Context
  /// The state of the grid and keys.
  var gridState = GridState()
  private var notifier = GridNotifier()
  // Whether the audio thread has an outdated key map.
  private var isKeyMapDue = false

  init(_ context: Context) {
    self.context = context
    context.dispatcher.onPacket { [unowned self] client in
      gridState.held.renew(client, now: context.now)
    }
  }

  /// Ends notes whose lease has expired, and sends updates.
  func poll(_ now: Double) -> Int? {
    if isKeyMapDue { sendKeyMap() }
    let silent = gridState.held.silent(now: now)
    if !silent.isEmpty { endNotes { silent.contains($0) } }
    return notifier.poll(now, self)
  }

  /// Sends the layout and the sounding cells to a new subscriber.
  func sendInitialState(_ snapshot: InitialSnapshot) { notifier.sendInitialState(snapshot, self) }

  /// Ends the notes of disconnected clients.
  func clientsLeft(_ isGone: (Client) -> Bool) { endNotes(of: isGone) }

  /// Ends all notes, and deletes the user scales of the session.
  func beginSession() {
    try? context.perform(Self.allOff, [])
    for name in gridState.scales.own.map(\.name) {
      try? context.perform(Self.deletion, [.string(name)])
    }
  }

  /// Replies with the size of the grid, then with each cell.
  func replyLayout(_ request: Request) {
    for message in GridNotifier.messages(gridState) {
      request.answer(on: message.path, message.arguments)
    }
  }

  /// Notes a change of the layout or of note names.
  func layoutChanged() { notifier.layoutChanged() }

  /// Registers the undo of changes to the grid.
  ///
  /// The copy retains the buffers of `gridState`, and the first change of the packet copies only the buffer
  /// that it changes.
  func registerUndo(_ plan: inout Plan) {
    plan.takesBack(self) {
      let before = gridState
      return { [unowned self] in gridState = before }
    }
  }

  /// Sends the pitch of each MIDI key, which depends on root, scale and tuning.
  func sendKeyMap() {
    do throws(Refusal) {
      try context[MIDI.self].setKeyMap(gridState.keyMap)
      isKeyMapDue = false
    } catch {
      // The command queue is full.
      isKeyMapDue = true
    }
  }

  // MARK: - Scenes

  /// The addresses that change the layout or the pitch of keys.
  static let layoutSettings: Set<String> = [
    "/grid/root", tuning, "/grid/reference", scale, "/grid/size", "/grid/octaves", seed,
    order,
  ]

  /// The effects of messages to `layoutSettings` on held notes and MIDI keys, to be queued with other commands
  /// before the messages; nil for none.
  func change(by messages: [ReadyScene.Message]) -> SwitchPart? {
    let (ends, after) = context.dispatcher.preview(messages.map { ($0.path, $0.arguments) }) {
      plan, _ in (plan.commands, gridState)
    }
    var part = SwitchPart(commands: ends)
    if after.keyCents != gridState.keyCents || after.snappedCents != gridState.snappedCents {
      let map = after.keyMap
      let change = context[MIDI.self].keyMaps.change(to: map, by: .keyMap(map.pointer))
      part.commands += change.commands
      part.whenQueued = change.whenQueued
    }
    return part.commands.isEmpty ? nil : part
  }
}
