internal import Engine
internal import Music
internal import OSC

/// The phrase recorder: records and plays a single phrase of notes.
final class Phrases: Feature {
  // The poll interval during playback and recording, in milliseconds.
  private static let playingMilliseconds = 5
  private static let recordingMilliseconds = 20
  // The interval of position updates, in microseconds.
  private static let positionPeriod = 100_000.0
  // The limits of a phrase, in notes and in seconds.
  private static let (mostTouches, longest) = (4096, 10.0)
  // Each allocates its memory when planned, and can be scheduled up to an hour ahead.
  private static let mostWaiting = 8

  private let context: Context
  /// The layout on which it was recorded.
  private(set) var layout: Layout?
  // The memory in the audio thread.
  private var memory: PhraseMemory?
  // Memories on their way there; nil once the command was refused.
  private var waiting: [() -> PhraseMemory?] = []
  private var naming: PhraseNames?
  // The name of each recorded event; nil for note ends.
  private var named: [String?] = []
  private var state = PhraseState.stopped
  private var isSent = true
  private var nextPosition = 0.0
  private var sent = (now: 0, before: 0)

  init(_ context: Context) { self.context = context }

  /// A command that starts recording in the current key.
  private func record() throws(Refusal) -> PlannedCommand {
    waiting.removeAll { $0() == nil || $0() === self.memory }
    guard waiting.count < Self.mostWaiting else {
      throw Refusal(
        .busy,
        "\(Self.mostWaiting) recordings of phrases are already scheduled; try again later")
    }
    let gridState = context[Fingerboard.self].gridState
    let memory = PhraseMemory(mostTouches: Self.mostTouches, seconds: Self.longest)
    waiting.append { [weak memory] in memory }
    return PlannedCommand(
      action: .recordPhrase(memory.pointer),
      whenDone: { [weak self] in
        // The previous phrase is no longer read.
        self?.start(memory, gridState)
      })
  }

  private func start(_ memory: PhraseMemory, _ gridState: GridState) {
    self.memory = memory
    naming = try? PhraseNames(gridState.grid)
    layout = gridState.layout
    named = []
    sent = (0, 0)
    isSent = false
  }

  /// The state, position and length in seconds, and number of notes.
  var status: [Argument] {
    Argument.row(
      "\(memory?.state ?? .stopped)", memory?.position ?? 0, memory?.length ?? 0,
      memory?.touches ?? 0)
  }

  /// The names of the notes, in order.
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

  /// Sends changes to subscribers.
  func poll(_ now: Double) -> Int? {
    guard let memory else { return nil }
    let state = memory.state
    announceNotes(memory)
    if state != self.state || !isSent || state != .stopped && now >= nextPosition {
      nextPosition = now + Self.positionPeriod
      context.changed(Self.stateOf)
      if state != self.state || !isSent { context.changed(Self.notes) }
      self.state = state
      isSent = true
    }
    switch state {
    case .stopped: return nil
    case .recording: return Self.recordingMilliseconds
    case .playing: return Self.playingMilliseconds
    }
  }

  /// Announces the notes played since the last poll.
  private func announceNotes(_ memory: PhraseMemory) {
    let played = memory.eventsPlayed
    if played.before != sent.before { sent = (0, played.before) }
    guard played.now > sent.now else { return }
    nameEvents()
    for index in sent.now..<min(played.now, named.count) {
      guard let name = named[index] else { continue }
      context.announce(Self.note, [.string(name)])
    }
    sent.now = played.now
  }
}

// MARK: - Addresses

extension Phrases {
  typealias Declared = Declaring<Phrases>

  private static let (notes, stateOf) = ("/phrase/notes", "/phrase/state")
  private static let note = Event(
    "/phrase/note", "s", "Name of a note of the phrase, sent to subscribers as it is played")

  static let addresses: [Address] = [
    Address(
      "/phrase/record",
      Declared.command(isButton: true) { phrases, _ throws(Refusal) in try phrases.record() },
      "Records the played notes as the phrase, up to ten seconds, replacing the one before"),
    Address(
      "/phrase/play",
      Declared.command(isButton: true) { _, request in
        PlannedCommand(
          action: .playPhrase,
          whenRefused: { _ in
            request.refuse(
              Refusal(.state, "no phrase is recorded; /phrase/record starts a recording"))
          })
      },
      "Ends the recording, and plays the phrase from its start"),
    Address(
      "/phrase/stop",
      Declared.command(isButton: true) { _, _ in PlannedCommand(action: .stopPhrase) },
      "Stops recording or playing the phrase"),
    Address(
      "/phrase/follow", .whole(.notes(.phraseFollow), 0...1), kept: .session,
      "1 plays the phrase at the ratio of the tempo to that of its recording"),
    Address(notes, Declared.reading(\.names), "Names of the notes of the phrase, in order"),
    Address(note),
    Address(
      stateOf, Declared.reading("sffi") { $0.status },
      "State of the phrase (stopped, recording, playing), position and length in seconds, and "
        + "number of notes"),
  ]
}
