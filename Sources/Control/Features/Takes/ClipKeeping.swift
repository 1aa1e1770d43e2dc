internal import Engine
internal import Library
internal import OSC
internal import SoundFiles

/// The way of clips between the loop and the library.
extension Takes {
  // MARK: - Out of the loop

  /// Keeps the clip in the loop as a take.
  func save(_ request: Request, loop: Int = 0) throws(Refusal) {
    let workers = try library()
    try clips.copy(loop: loop, for: request.path) { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        try self?.write(try outcome.get(), of: loop, to: workers, for: request)
      }
    }
  }

  /// Keeps the clip in a loop as a take of a title, and calls back with it.
  func save(
    loop: Int, titled title: String, for path: String,
    then ending: @escaping (Result<Take, Refusal>) -> Void
  ) throws(Refusal) {
    let workers = try library()
    try clips.copy(loop: loop, for: path) { [weak self] outcome in
      guard let self else { return }
      do throws(Refusal) {
        try write(try outcome.get(), of: loop, titled: title, to: workers, then: ending)
      } catch {
        ending(.failure(error))
      }
    }
  }

  private func write(
    _ transit: Clips.Transit, of loop: Int, to workers: TakeWorkers, for request: Request
  ) throws(Refusal) {
    try write(transit, of: loop, titled: request.text(0), to: workers) { [weak self] outcome in
      self?.tell(outcome, request)
    }
  }

  private func write(
    _ transit: Clips.Transit, of loop: Int, titled title: String?, to workers: TakeWorkers,
    then ending: @escaping (Result<Take, Refusal>) -> Void
  ) throws(Refusal) {
    let transfer = transit.transfer
    let story = clips[loop, transfer.clip] ?? clips.storyOfNow(ofLoop: loop)
    var take = Take(
      title: title.flatMap { $0.isEmpty ? nil : $0 }, date: story.date,
      rate: transfer.sampleRate, source: story.source)
    (take.place, take.preset, take.species) = (story.place, story.preset, story.species)
    let beat = WaveBeat(
      round: transfer.round, tempo: context[.beat(.tempo)],
      beatsPerBar: Int(context[.beat(.beatsPerBar)]))
    try workers.list { [take] library throws(LibraryFault) in
      try library.addClip(
        take, transfer.sound, length: transfer.length, framesBehind: transfer.framesBehind,
        beat: beat)
    } then: { outcome in
      // Until now.
      _ = transit
      ending(outcome)
    }
  }

  // MARK: - Into the loop

  /// Loads a take, as far as it fits, into a loop.
  func load(_ request: Request, loop: Int = 0) throws(Refusal) {
    try load(request.text(0) ?? "", loop: loop, plays: false, for: request)
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
        guard take.seconds > self.clips.longest else {
          try self.load(take.id, loop: 0, plays: true, for: request)
          return
        }
        try self.context[Songs.self].play(
          Song(path: path, title: take.title, artist: take.species, isTake: true),
          saying: [take.id, take.title], for: request)
      }
    }
  }

  private func load(_ id: String, loop: Int, plays: Bool, for request: Request) throws(Refusal) {
    try load(id, loop: loop, for: request.path) { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        let take = try outcome.get()
        if plays { self?.context[Player.self].play() }
        request.done(take.id, take.title)
      }
    }
  }

  /// Loads a take into a loop, and calls back with it; `path` is the address that a refusal speaks of.
  func load(
    _ id: String, loop: Int, for path: String, attempt: Int = 1,
    then ending: @escaping (Result<Take, Refusal>) -> Void
  ) throws(Refusal) {
    let workers = try library()
    let transit = try clips.transit()
    let transfer = transit.transfer
    try workers.list { library throws(LibraryFault) in
      try library.readClip(
        id, into: transfer.sound, room: transfer.capacity, seconds: transfer.seconds,
        rate: transfer.sampleRate)
    } then: { [weak self] outcome in
      guard let self else { return }
      do throws(Refusal) {
        let clip = try outcome.get()
        transfer.take(clip.part)
        try clips.load(transit, ClipStory(clip.take), loop: loop, for: path) {
          [weak self] () throws(Refusal) in
          guard attempt < Clips.mostAttempts else { return false }
          try self?.load(id, loop: loop, for: path, attempt: attempt + 1, then: ending)
          return true
        } then: {
          ending($0.map { clip.take })
        }
      } catch {
        ending(.failure(error))
      }
    }
  }
}
