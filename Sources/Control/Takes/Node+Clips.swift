internal import Engine
internal import OSC
internal import Takes

/// Between the loop and the library.
extension Node {
  private static let mostAttempts = 3

  /// What there is to tell of something recorded from now on.
  var storyOfNow: ClipStory {
    let word = argument(for: "/player/source")?.text ?? ""
    return ClipStory(
      date: .now, place: place, preset: presets.loaded,
      source: Take.Source(rawValue: word) ?? .live)
  }

  private func argument(for path: String) -> Argument? { table[path].flatMap(argument(for:)) }

  // MARK: - Out of the loop

  /// Keeps the clip in the loop as a take.
  func saveTake(titled title: String?, for client: Client?) throws(Refusal) {
    let takes = try library()
    let transit = try clips.transit(sampleRate: engine.shared.sampleRate)
    var command = PlannedCommand(action: .copyOut(ClipPointer(transit.transfer)))
    command.whenDone = { [weak self] in
      guard let self else { return }
      do throws(Refusal) {
        try write(transit, titled: title, to: takes, for: client)
      } catch {
        answer(error, to: "/take/save", from: client)
      }
    }
    command.whenRefused = { [weak self] refusal in
      guard let self else { return }
      answer(Refusal(refusal, to: "/take/save", of: player), to: "/take/save", from: client)
    }
    try submit([command], path: "/take/save", client: client)
  }

  private func write(
    _ transit: Clips.Transit, titled title: String?, to takes: TakeDesk, for client: Client?
  ) throws(Refusal) {
    let transfer = transit.transfer
    let story = clips[transfer.clip] ?? storyOfNow
    var take = Take(
      title: title.flatMap { $0.isEmpty ? nil : $0 }, date: story.date, rate: transfer.sampleRate,
      source: story.source)
    (take.place, take.preset, take.species) = (story.place, story.preset, story.species)
    try takes.list { [take] library throws(LibraryFault) in
      try library.addClip(
        take, transfer.sound, length: transfer.length, framesBehind: transfer.framesBehind)
    } then: { [weak self] outcome in
      // Until now.
      _ = transit
      self?.tell(outcome, of: "/take/save", to: client)
    }
  }

  // MARK: - Into the loop

  /// Loads the first ten seconds of a take into the loop.
  func loadTake(_ id: String, for client: Client?) throws(Refusal) {
    try loadTake(id, path: "/take/load", plays: false, attempt: 1, for: client)
  }

  /// Plays a take: one that the loop holds whole from there, a longer one from its file.
  func playTake(_ id: String, for client: Client?) throws(Refusal) {
    let takes = try library()
    try takes.list { library throws(LibraryFault) in
      let take = try library.take(id)
      return (take, library.path(take))
    } then: { [weak self] outcome in
      guard let self else { return }
      do throws(Refusal) {
        let (take, path) = try outcome.get()
        guard take.seconds > ClipLength.seconds else {
          try loadTake(take.id, path: "/take/play", plays: true, attempt: 1, for: client)
          return
        }
        try songs.play(
          Song(path: path, title: take.title, artist: take.species, isTake: true),
          saying: [take.id, take.title], path: "/take/play", for: client, node: self)
      } catch {
        answer(error, to: "/take/play", from: client)
      }
    }
  }

  private func loadTake(
    _ id: String, path: String, plays: Bool, attempt: Int, for client: Client?
  ) throws(Refusal) {
    let takes = try library()
    let transit = try clips.transit(sampleRate: engine.shared.sampleRate)
    let transfer = transit.transfer
    try takes.list { library throws(LibraryFault) in
      try library.readClip(
        id, into: transfer.sound, room: transfer.capacity, seconds: ClipLength.seconds,
        rate: transfer.sampleRate)
    } then: { [weak self] outcome in
      guard let self else { return }
      do throws(Refusal) {
        let clip = try outcome.get()
        transfer.length = clip.length
        transfer.framesBehind = clip.framesBehind
        try load(clip.take, transit, path: path, plays: plays, attempt: attempt, for: client)
      } catch {
        answer(error, to: path, from: client)
      }
    }
  }

  private func load(
    _ take: Take, _ transit: Clips.Transit, path: String, plays: Bool, attempt: Int,
    for client: Client?
  ) throws(Refusal) {
    var command = PlannedCommand(action: .load(ClipPointer(transit.transfer)))
    command.whenDone = { [weak self] in
      guard let self else { return }
      clips[transit.transfer.clip] = ClipStory(
        date: take.date, place: take.place, preset: take.preset, source: take.source,
        species: take.species)
      if plays { try? perform("/player/play", []) }
      reply("/reply", [.string(path), .string(take.id), .string(take.title)], to: client)
    }
    command.whenRefused = { [weak self] refusal in
      guard let self else { return }
      var fault = Refusal(refusal, to: path, of: player)
      // The server has another rate since: it is read again.
      if case .otherRate = refusal, attempt < Self.mostAttempts {
        do throws(Refusal) {
          try loadTake(take.id, path: path, plays: plays, attempt: attempt + 1, for: client)
          return
        } catch {
          fault = error
        }
      }
      answer(fault, to: path, from: client)
    }
    try submit([command], path: path, client: client)
  }
}
