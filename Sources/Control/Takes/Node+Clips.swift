internal import Engine
internal import OSC
internal import Takes

/// Between the loop and the library.
extension Node {
  private static let clipSeconds = 10.0
  // Each needs the memory of a whole clip.
  private static let mostClipsUnderWay = 8
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
    let transfer = try clipTransfer()
    var command = PlannedCommand(action: .keep(ClipPassage(transfer)))
    command.whenDone = { [weak self] in
      guard let self else { return }
      clipsUnderWay -= 1
      do throws(Refusal) {
        try write(transfer, titled: title, to: takes, for: client)
      } catch {
        answer(error, to: "/take/save", from: client)
      }
    }
    command.whenRefused = { [weak self] refusal in
      guard let self else { return }
      clipsUnderWay -= 1
      answer(Refusal(refusal, to: "/take/save", of: player), to: "/take/save", from: client)
    }
    try hand(command, path: "/take/save", client)
  }

  private func write(
    _ transfer: ClipTransfer, titled title: String?, to takes: TakeDesk, for client: Client?
  ) throws(Refusal) {
    let story = story ?? storyOfNow
    var take = Take(
      title: title.flatMap { $0.isEmpty ? nil : $0 }, date: story.date, rate: transfer.sampleRate,
      source: story.source)
    (take.place, take.preset, take.species) = (story.place, story.preset, story.species)
    clipsUnderWay += 1
    try takes.list { [take] library throws(LibraryFault) in
      try library.addClip(
        take, transfer.sound, length: transfer.length, framesBehind: transfer.framesBehind)
    } then: { [weak self] outcome in
      self?.clipsUnderWay -= 1
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
        guard take.seconds > Self.clipSeconds else {
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
    let transfer = try clipTransfer()
    do throws(Refusal) {
      try takes.list { library throws(LibraryFault) in
        try library.readClip(
          id, into: transfer.sound, room: transfer.capacity, seconds: Self.clipSeconds,
          rate: transfer.sampleRate)
      } then: { [weak self] outcome in
        guard let self else { return }
        switch outcome {
        case .success(let clip):
          transfer.length = clip.length
          transfer.framesBehind = clip.framesBehind
          load(clip.take, transfer, path: path, plays: plays, attempt: attempt, for: client)
        case .failure(let refusal):
          clipsUnderWay -= 1
          answer(refusal, to: path, from: client)
        }
      }
    } catch {
      clipsUnderWay -= 1
      throw error
    }
  }

  private func load(
    _ take: Take, _ transfer: ClipTransfer, path: String, plays: Bool, attempt: Int,
    for client: Client?
  ) {
    var command = PlannedCommand(action: .load(ClipPassage(transfer)))
    command.whenDone = { [weak self] in
      guard let self else { return }
      clipsUnderWay -= 1
      // To whom it belongs is known now; the memory was needed until here.
      _ = transfer
      story = ClipStory(
        date: take.date, place: take.place, preset: take.preset, source: take.source,
        species: take.species)
      if plays { try? perform("/player/play", []) }
      reply(
        "/reply", [.string(path), .string(take.id), .string(take.title)], to: client)
    }
    command.whenRefused = { [weak self] refusal in
      guard let self else { return }
      clipsUnderWay -= 1
      // The server has another rate since: it is read again.
      if case .otherRate = refusal, attempt < Self.mostAttempts {
        do throws(Refusal) {
          try loadTake(take.id, path: path, plays: plays, attempt: attempt + 1, for: client)
        } catch {
          answer(error, to: path, from: client)
        }
        return
      }
      answer(Refusal(refusal, to: path, of: player), to: path, from: client)
    }
    do throws(Refusal) {
      try hand(command, path: path, client)
    } catch {
      answer(error, to: path, from: client)
    }
  }

  // MARK: - Both

  /// Memory for a clip at the present rate; counted until it is done with.
  private func clipTransfer() throws(Refusal) -> ClipTransfer {
    guard clipsUnderWay < Self.mostClipsUnderWay else {
      throw Refusal(
        .busy, "\(clipsUnderWay) clips are under way already; send it again later")
    }
    clipsUnderWay += 1
    return ClipTransfer(sampleRate: engine.shared.sampleRate)
  }

  private func hand(_ command: PlannedCommand, path: String, _ client: Client?) throws(Refusal) {
    do throws(Refusal) {
      try submit([command], path: path, client: client)
    } catch {
      clipsUnderWay -= 1
      throw error
    }
  }
}
