internal import Engine
internal import Music
internal import OSC

/// The phrase that is recorded, or was: one at a time.
final class PhraseDesk {
  // How often to look while it is played, and recorded, in milliseconds.
  private static let playingMilliseconds = 5
  private static let recordingMilliseconds = 20
  // How often its position is told, in microseconds.
  private static let positionPeriod = 100_000.0

  /// The layout on which it was recorded.
  private(set) var layout: Layout?
  // What the audio thread has.
  private var memory: PhraseMemory?
  private var naming: PhraseNames?
  // Of each event that was written; nil of those that end a note.
  private var named: [String?] = []
  private var state = PhraseState.stopped
  private var isTold = true
  private var nextPosition = 0.0
  private var told = (now: 0, before: 0)

  /// Begins to record, in the key that there is now.
  func record(_ keyboard: Keyboard) -> PlannedCommand {
    let memory = PhraseMemory(mostTouches: Phrase.mostTouches, seconds: Phrase.longest)
    return PlannedCommand(
      action: .recordPhrase(memory.pointer),
      whenDone: { [weak self] in
        // From here on the one before is not read any more.
        self?.begin(memory, keyboard)
      })
  }

  private func begin(_ memory: PhraseMemory, _ keyboard: Keyboard) {
    self.memory = memory
    naming = try? PhraseNames(keyboard.grid)
    layout = keyboard.layout
    named = []
    told = (0, 0)
    isTold = false
  }

  /// What it does, how far it is and how long, in seconds, and how many notes there are.
  var status: [Argument] {
    [
      .string("\(memory?.state ?? .stopped)"), .float(Float(memory?.position ?? 0)),
      .float(Float(memory?.length ?? 0)), .int32(Int32(memory?.touches ?? 0)),
    ]
  }

  /// The names of its notes, in order.
  var names: [String] {
    nameEvents()
    return named.compactMap { $0 }
  }

  private func nameEvents() {
    guard let memory, let naming else { return }
    for index in named.count..<max(named.count, memory.eventCount) {
      let event = memory.event(index)
      named.append(event.isTouch ? naming.name(cents: Double(event.note.cents)) : nil)
    }
  }

  /// Looks at what it does now; returns in how many milliseconds to look again, nil for any time.
  func look(_ now: Double, node: Node) -> Int? {
    guard let memory else { return nil }
    let state = memory.state
    tellNotes(memory, node)
    if state != self.state || !isTold || state != .stopped && now >= nextPosition {
      nextPosition = now + Self.positionPeriod
      node.feedback.changed("/phrase/state")
      if state != self.state || !isTold { node.feedback.changed("/phrase/notes") }
      self.state = state
      isTold = true
    }
    switch state {
    case .stopped: return nil
    case .recording: return Self.recordingMilliseconds
    case .playing: return Self.playingMilliseconds
    }
  }

  /// Tells of the notes that have begun since the last look.
  private func tellNotes(_ memory: PhraseMemory, _ node: Node) {
    let played = memory.eventsPlayed
    if played.before != told.before { told = (0, played.before) }
    guard played.now > told.now else { return }
    nameEvents()
    for index in told.now..<min(played.now, named.count) {
      guard let name = named[index] else { continue }
      node.feedback.announce("/phrase/note", [.string(name)], by: node.outlet)
    }
    told.now = played.now
  }
}
