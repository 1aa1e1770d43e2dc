internal import Engine
internal import OSC
internal import Takes

/// The way of clips between the loop and the library.
extension Takes {
  // MARK: - Out of the loop

  /// Keeps the clip in the loop as a take.
  func save(_ request: Request) throws(Refusal) {
    let workers = try library()
    try clips.copy(for: request.path) { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        try self?.write(try outcome.get(), to: workers, for: request)
      }
    }
  }

  private func write(
    _ transit: Clips.Transit, to workers: TakeWorkers, for request: Request
  ) throws(Refusal) {
    let transfer = transit.transfer
    let story = clips[transfer.clip] ?? clips.storyOfNow
    var take = Take(
      title: request.text(0).flatMap { $0.isEmpty ? nil : $0 }, date: story.date,
      rate: transfer.sampleRate, source: story.source)
    (take.place, take.preset, take.species) = (story.place, story.preset, story.species)
    try workers.list { [take] library throws(LibraryFault) in
      try library.addClip(
        take, transfer.sound, length: transfer.length, framesBehind: transfer.framesBehind)
    } then: { [weak self] outcome in
      // Until now.
      _ = transit
      self?.tell(outcome, request)
    }
  }

  // MARK: - Into the loop

  /// Loads the first ten seconds of a take into the loop.
  func load(_ request: Request) throws(Refusal) {
    try load(request.text(0) ?? "", plays: false, attempt: 1, for: request)
  }

  /// Plays a take: one that the loop holds whole from there, a longer one from its file.
  func play(_ id: String, for request: Request) throws(Refusal) {
    try library().list { library throws(LibraryFault) in
      let take = try library.take(id)
      return (take, library.path(take))
    } then: { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        let (take, path) = try outcome.get()
        guard let self else { return }
        guard take.seconds > ClipLength.seconds else {
          try self.load(take.id, plays: true, attempt: 1, for: request)
          return
        }
        try self.context[Songs.self].play(
          Song(path: path, title: take.title, artist: take.species, isTake: true),
          saying: [take.id, take.title], for: request)
      }
    }
  }

  private func load(
    _ id: String, plays: Bool, attempt: Int, for request: Request
  ) throws(Refusal) {
    let workers = try library()
    let transit = try clips.transit()
    let transfer = transit.transfer
    try workers.list { library throws(LibraryFault) in
      try library.readClip(
        id, into: transfer.sound, room: transfer.capacity, seconds: ClipLength.seconds,
        rate: transfer.sampleRate)
    } then: { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        let clip = try outcome.get()
        transfer.length = clip.part.length
        transfer.framesBehind = clip.part.framesBehind
        let take = clip.take
        try self?.clips.load(
          transit,
          ClipStory(
            date: take.date, place: take.place, preset: take.preset, source: take.source,
            species: take.species),
          plays: plays, saying: [take.id, take.title], for: request
        ) { [weak self] () throws(Refusal) in
          guard attempt < Clips.mostAttempts else { return false }
          try self?.load(take.id, plays: plays, attempt: attempt + 1, for: request)
          return true
        }
      }
    }
  }
}
