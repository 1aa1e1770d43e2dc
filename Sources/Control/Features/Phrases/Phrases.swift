internal import Engine
internal import Music
internal import OSC

/// The phrase of notes that is recorded, or was, and played again: one at a time.
final class Phrases: Feature {
  // How often to look while it is played, and recorded, in milliseconds.
  private static let playingMilliseconds = 5
  private static let recordingMilliseconds = 20
  // How often its position is told, in microseconds.
  private static let positionPeriod = 100_000.0
  // Each takes its memory as it is planned, and can have to wait for an hour.
  private static let mostWaiting = 8

  private let context: Context
  /// The layout on which it was recorded.
  private(set) var layout: Layout?
  // What the audio thread has.
  private var memory: PhraseMemory?
  // Those on their way there; gone where the command was not taken.
  private var waiting: [Weak] = []
  private var naming: PhraseNames?
  // Of each event that was written; nil of those that end a note.
  private var named: [String?] = []
  private var state = PhraseState.stopped
  private var isTold = true
  private var nextPosition = 0.0
  private var told = (now: 0, before: 0)

  init(_ context: Context) { self.context = context }

  /// A command that begins to record, in the key that there is now.
  private func record() throws(Refusal) -> PlannedCommand {
    waiting.removeAll { $0.memory == nil || $0.memory === self.memory }
    guard waiting.count < Self.mostWaiting else {
      throw Refusal(
        .busy,
        "\(Self.mostWaiting) phrases wait to be recorded already, as many as can; try again later")
    }
    let keyboard = context[Fingerboard.self].keyboard
    let memory = PhraseMemory(mostTouches: Phrase.mostTouches, seconds: Phrase.longest)
    waiting.append(Weak(memory: memory))
    return PlannedCommand(
      action: .recordPhrase(memory.pointer),
      whenDone: { [weak self] in
        // From here on the one before is not read any more.
        self?.begin(memory, keyboard)
      })
  }

  private struct Weak {
    weak var memory: PhraseMemory?
  }

  private func begin(_ memory: PhraseMemory, _ keyboard: Keyboard) {
    self.memory = memory
    naming = try? PhraseNames(keyboard.grid)
    layout = keyboard.layout
    named = []
    told = (0, 0)
    isTold = false
  }

  /// The phrase's state, position and length in seconds, and its number of notes.
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

  /// Tells of what it does now.
  func poll(_ now: Double) -> Int? {
    guard let memory else { return nil }
    let state = memory.state
    tellNotes(memory)
    if state != self.state || !isTold || state != .stopped && now >= nextPosition {
      nextPosition = now + Self.positionPeriod
      context.changed(Self.stateOf)
      if state != self.state || !isTold { context.changed(Self.notes) }
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
  private func tellNotes(_ memory: PhraseMemory) {
    let played = memory.eventsPlayed
    if played.before != told.before { told = (0, played.before) }
    guard played.now > told.now else { return }
    nameEvents()
    for index in told.now..<min(played.now, named.count) {
      guard let name = named[index] else { continue }
      context.announce(Self.note, [.string(name)])
    }
    told.now = played.now
  }
}

// MARK: - Addresses

extension Phrases {
  typealias Declared = Of<Phrases>

  private static let (notes, stateOf) = ("/phrase/notes", "/phrase/state")
  private static let note = Event(
    "/phrase/note", "s", "The name of a note of the phrase, sent to subscribers as it is played")

  static let addresses: [Address] = [
    Address(
      "/phrase/record",
      Declared.command(isButton: true) { phrases, _ throws(Refusal) in try phrases.record() },
      "Records the notes that are played as the phrase, up to ten seconds, in place of the one "
        + "before"),
    Address(
      "/phrase/play",
      Declared.command(isButton: true) { _, request in
        PlannedCommand(
          action: .playPhrase,
          whenRefused: { _ in
            request.refuse(
              Refusal(.state, "no phrase is recorded yet; /phrase/record does, and then notes"))
          })
      },
      "Ends the recording, and plays the phrase from its beginning, beside what is played by hand"),
    Address(
      "/phrase/stop",
      Declared.command(isButton: true) { _, _ in PlannedCommand(action: .stopPhrase) },
      "Stops recording or playing the phrase"),
    Address(
      notes,
      Declared.reading(types: "s…", isAnnounced: true) { $0.names.map(Argument.string) },
      "Answers with the names of the phrase's notes, in order"),
    Address(note),
    Address(
      stateOf,
      Declared.reading(types: "sffi", isAnnounced: true) { $0.status },
      "State of the phrase (stopped, recording, playing), position and length in seconds, and "
        + "number of notes"),
  ]
}
