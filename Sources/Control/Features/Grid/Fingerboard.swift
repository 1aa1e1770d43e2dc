internal import Engine
internal import Music
internal import OSC

/// The grid of buttons that play a scale, the keys of a piano, and the notes that are held on them.
final class Fingerboard: Feature {
  let context: Context
  /// The layout under the fingers, and what they hold.
  var keyboard = Keyboard()
  private var news = GridNews()
  // The audio thread has the pitches of another scale still.
  private var isKeyMapDue = false

  init(_ context: Context) {
    self.context = context
    context.whenHeard { [unowned self] client in
      keyboard.held.renew(client, now: context.now)
    }
  }

  /// Ends what is held by who has fallen silent, and tells of the grid.
  func poll(_ now: Double) -> Int? {
    if isKeyMapDue { updateKeyMap() }
    let silent = keyboard.held.silent(now: now)
    if !silent.isEmpty { endNotes { silent.contains($0) } }
    return news.poll(now, self)
  }

  /// Tells a new subscriber how the grid is.
  func welcome(_ newcomer: Newcomer) { news.welcome(newcomer, self) }

  /// Ends what is held by clients that have gone.
  func clientsLeft(_ isGone: (Client) -> Bool) { endNotes(of: isGone) }

  /// Ends all notes, and forgets the scales of the session before.
  func beginSession() {
    try? context.perform(Self.allOff, [])
    for name in keyboard.scales.own.map(\.name) {
      try? context.perform(Self.deletion, [.string(name)])
    }
  }

  /// Notes that other notes lie on the grid, or go by other names.
  func layoutChanged() { news.layoutChanged() }

  /// Has the keyboard taken back where the plan is refused.
  func settle(_ plan: inout Plan) {
    plan.takesBack(self) {
      let before = keyboard
      return { [unowned self] in
        keyboard = before
        layoutChanged()
        updateKeyMap()
      }
    }
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
      try context[MIDI.self].setKeyMap(
        snapped: keyboard.snappedCents.map { Float($0) }, own: keyboard.keyCents.map { Float($0) })
      isKeyMapDue = false
    } catch {
      // There is no room for it now.
      isKeyMapDue = true
    }
  }
}
