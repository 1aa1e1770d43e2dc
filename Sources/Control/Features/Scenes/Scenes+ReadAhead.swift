internal import DSP
internal import Engine
internal import InstrumentFiles
internal import Library

/// Preloading of loop sets, instruments and songs, so that a switch takes effect in one buffer.
extension Scenes {
  // 115 MB of clips at 48 kHz.
  private static let mostSetSeconds = 300.0
  private static let mostInstrumentBytes = 128.0 * 1_048_576
  // Each has a thread and a ring.
  private static let mostSongs = 3
  // How long a switch waits for an instrument or song that is not ready, in microseconds.
  private static let patience = 1e6
  private static let waitMilliseconds = 5
  private static let readMilliseconds = 50

  static func sets(_ context: Context) -> ReadAhead<ReadyLoopSet> {
    ReadAhead(
      ReadAhead.Source(
        most: mostSetSeconds, size: \.seconds, isCurrent: { $1.rate == context.sampleRate },
        read: { name, ending throws(Refusal) in
          try context[Loops.self].sets.prepare(name, then: ending)
        }))
  }

  /// `isHurried` returns whether a switch is waiting.
  static func instruments(
    _ context: Context, isHurried: @escaping () -> Bool
  ) -> ReadAhead<InstrumentShelf.Ready> {
    // Weak, so that an instrument that is no longer wanted is freed.
    weak var latest: InstrumentReading?
    return ReadAhead(
      ReadAhead.Source(
        most: mostInstrumentBytes, size: { Double($0.reading.instrument.mostBytes) },
        isCurrent: { $1.isOver || !$1.ticket.isWithdrawn },
        // Each keeps two threads busy until it is read to its end.
        isReady: {
          !context[Instruments.self].isUnderWay && (latest?.isIdle ?? true || isHurried())
        },
        read: { name, ending throws(Refusal) in
          try context[Instruments.self].read(name) { outcome in
            latest = try? outcome.get().reading
            ending(outcome)
          }
        },
        drop: { if !context[Instruments.self].loader.uses($0) { $0.ticket.withdraw() } }))
  }

  static func songs(_ context: Context) -> ReadAhead<SongPlayback.Opened> {
    ReadAhead(
      ReadAhead.Source(
        most: .infinity, size: { _ in 0 },
        isCurrent: { context[Songs.self].isCurrent($1, at: Int($0) ?? 0) },
        read: { number, ending throws(Refusal) in
          try context[Songs.self].open(Int(number) ?? 0, then: ending)
        }))
  }

  /// Installs handlers that reload values when they change.
  func watchChanges() {
    let sets = context[Loops.self].sets
    sets.whenChanged = { [weak self] in self?.sets.forget($0) }
    sets.whenExchanged = { [weak self] in
      if let self { _ = poll(context.now()) }
    }
    context[Instruments.self].names.whenChanged = { [weak self] in self?.instruments.forgetAll() }
    context[Songs.self].whenListed = { [weak self] in self?.songs.forgetAll() }
  }

  /// Preloads the resources of upcoming scenes: the waiting ones, then the next, the previous, and the rest of the
  /// set list.
  func readAhead() {
    let entries = entries
    let place = place(in: entries)
    let near =
      [queued?.name ?? "", dated.first?.name ?? ""]
      + [place + 1, place - 1].filter(entries.indices.contains).map { entries[$0].scene }
    let names = near + entries.dropFirst(max(0, place + 2)).map(\.scene) + entries.map(\.scene)
    func wanted(_ names: [String], _ part: (ReadyScene) -> String?) -> [String] {
      var found: [String] = []
      for name in names {
        guard let text = (shelf.scenes[name]?.ready).flatMap(part), !text.isEmpty,
          !found.contains(text)
        else { continue }
        found.append(text)
      }
      return found
    }
    sets.want(
      wanted(names) { [loaded = context[Loops.self].sets.loaded] in
        $0.loopSet == loaded ? nil : $0.loopSet
      })
    instruments.want(wanted(names, \.instrument))
    songs.want(Array(wanted(near, \.songName).prefix(Self.mostSongs)))
  }

  /// Continues to read; returns the delay until the next poll in milliseconds, or nil.
  func pollReading() -> Int? {
    if let ready = context[Instruments.self].loader.ready, ready.isOver {
      instruments.add(ready, as: ready.key)
    }
    instruments.readNext()
    return instruments.isReading ? Self.readMilliseconds : nil
  }

  // MARK: - Switching

  /// The delay until the next check in milliseconds, or nil if the switch is ready.
  func delay(of queued: Queued, _ now: Double) -> Int? {
    // `whenRead` or `whenExchanged` polls again.
    if !isSetReady(queued) { return .max }
    if now > queued.since + Self.patience { return nil }
    return isInstrumentReady(queued.ready) && isSongReady(queued.ready)
      ? nil : Self.waitMilliseconds
  }

  private func isInstrumentReady(_ ready: ReadyScene) -> Bool {
    guard let name = ready.instrument, !isPlaying(name) else { return true }
    if case .unread = instruments.state(of: name) { return false }
    return true
  }

  private func isPlaying(_ instrument: String) -> Bool {
    context[Instruments.self].loader.settled == instrument
  }

  private func isSongReady(_ ready: ReadyScene) -> Bool {
    guard let song = ready.song else { return true }
    if context[Songs.self].playback.isHandingOver { return false }
    guard case .play(let number) = song else { return true }
    if case .unread = songs.state(of: "\(number)") { return false }
    return true
  }

  /// The command that fades out the song which another part of a switch replaces, so that the next one begins on the
  /// frame of the switch.
  func closingOfSong(_ parts: [SwitchPart], at due: Double, _ frame: Int64?) -> PlannedCommand? {
    let isReplaced = parts.contains { part in
      part.commands.contains { if case .playSong(.some) = $0.action { true } else { false } }
    }
    guard isReplaced else { return nil }
    let frames = Int64(SongFade.seconds * Double(context.sampleRate))
    return PlannedCommand(
      action: .closeSong, due: due - SongFade.seconds * 1e6, frame: frame.map { $0 - frames })
  }

  /// The parts of a switch that use preloaded values, and the messages to perform for values that aren't loaded.
  func partsRead(
    for ready: ReadyScene
  ) -> (parts: [SwitchPart], late: [ReadyScene.Message]) {
    var parts: [SwitchPart] = []
    var late: [ReadyScene.Message] = []
    if let name = ready.instrument, !isPlaying(name) {
      if case .ready(let instrument) = instruments.state(of: name) {
        var part = context[Instruments.self].loader.change(to: instrument)
        part.commands.insert(PlannedCommand(action: .note(.allOff)), at: 0)
        parts.append(part)
      } else {
        late.append(ReadyScene.Message(path: Instruments.present, arguments: name.arguments))
      }
    }
    if let part = context[Fingerboard.self].change(by: ready.layout) { parts.append(part) }
    let playback = context[Songs.self].playback
    switch ready.song {
    case .play(let number):
      if !playback.isHandingOver, let song = songs.take("\(number)") {
        parts.append(playback.change(to: song))
      } else {
        late.append(ReadyScene.Message(path: Songs.play, arguments: number.arguments))
      }
    case .stop:
      // No song is playing.
      guard playback.isPlaying else { break }
      if playback.isHandingOver {
        late.append(ReadyScene.Message(path: Songs.stop, arguments: []))
      } else {
        parts.append(playback.change(to: nil))
      }
    case nil: break
    }
    return (parts, late)
  }
}
