internal import Engine
internal import Library
internal import OSC
internal import SoundFiles

/// Transfer of clips between loops and the library.
extension Takes {
  // MARK: - Saving a loop

  /// Saves the clip of a loop as a take.
  func save(_ request: Request, loop: Int = 0) throws(Refusal) {
    try save(loop: loop, titled: request.text(0), for: request.path) { [weak self] outcome in
      self?.complete(request, with: outcome)
      if case .success(let take) = outcome { self?.context[Speech.self].tellTake(take.seconds) }
    }
  }

  /// Saves the clip of a loop as a take with a title, and calls back with the take.
  ///
  /// The library is the node's unless another one is given.
  func save(
    loop: Int, titled title: String?, in other: TakeWorkers? = nil, for path: String,
    then ending: @escaping (Result<Take, Refusal>) -> Void
  ) throws(Refusal) {
    let workers = if let other { other } else { try library() }
    try clips.copy(loop: loop, for: path) { [weak self] outcome in
      guard let self else { return }
      completing(ending) { () throws(Refusal) in
        try write(try outcome.get(), of: loop, titled: title, to: workers, then: ending)
      }
    }
  }

  private func write(
    _ transit: Clips.Transit, of loop: Int, titled title: String?, to workers: TakeWorkers,
    then ending: @escaping (Result<Take, Refusal>) -> Void
  ) throws(Refusal) {
    let transfer = transit.transfer
    let origin = clips.origin(of: transit, loop: loop)
    var take = Take(
      title: title.flatMap { $0.isEmpty ? nil : $0 }, date: origin.date,
      rate: transfer.sampleRate, source: origin.source)
    (take.place, take.preset, take.species) = (origin.place, origin.preset, origin.species)
    let beat = WaveBeat(
      round: transfer.round,
      tempo: transfer.beat > 0
        ? Float(60 * Double(transfer.sampleRate) / transfer.beat) : context[.beat(.tempo)],
      beatsPerBar: Int(context[.beat(.beatsPerBar)]))
    try workers.list { [take] library throws(LibraryFault) in
      try library.addClip(
        take, transfer.sound, length: transfer.length, framesBehind: transfer.framesBehind,
        beat: beat)
    } then: { outcome in
      // Held until here.
      _ = transit
      ending(outcome)
    }
  }

  // MARK: - Loading a loop

  /// Loads a take into a loop, truncated to the length of a loop.
  func load(_ request: Request, loop: Int = 0) throws(Refusal) {
    try load(request.text(0) ?? "", loop: loop, plays: false, for: request)
  }

  /// Plays a take once: from loop 1 if it fits, else from its file as a song.
  func play(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      let take = try library.take(id)
      return (take, library.path(take))
    } then: { [weak self] outcome in
      request.complete(outcome) { take, path throws(Refusal) in
        guard let self else { return }
        guard take.seconds > self.context.loopSeconds else {
          try self.load(take.id, loop: 0, plays: true, for: request)
          return
        }
        try self.context[Songs.self].playback.start(
          Song(path: path, title: take.title, artist: take.species, item: .take(take.id)), in: nil,
          saying: [take.id, take.title], for: request)
      }
    }
  }

  /// A clip in memory of its own size.
  struct ClipInMemory: Sendable {
    let transfer: ClipTransfer
    let origin: ClipOrigin
  }

  /// Reads a take of a library into memory of its size, truncated to the length of a loop.
  func read(
    _ id: String, from workers: TakeWorkers,
    then ending: @escaping (Result<ClipInMemory, Refusal>) -> Void
  ) throws(Refusal) {
    let (rate, longest) = (context.sampleRate, context.loopSeconds)
    try workers.list { library throws(LibraryFault) in
      let seconds = min(try library.take(id).seconds, longest)
      let transfer = ClipTransfer(sampleRate: rate, seconds: seconds)
      let clip = try library.readClip(
        id, into: transfer.sound, room: transfer.capacity, seconds: seconds, rate: rate)
      transfer.setProperties(of: clip.part)
      return ClipInMemory(transfer: transfer, origin: ClipOrigin(clip.take))
    } then: {
      ending($0)
    }
  }

  private func load(_ id: String, loop: Int, plays: Bool, for request: Request) throws(Refusal) {
    try load(id, loop: loop, for: request.path, playsOnce: plays) { [weak self] outcome in
      if case .failure = outcome, plays { self?.playback.endOpening() }
      request.complete(outcome) { take in
        if plays { self?.playback.play() }
        request.done(take.id, take.title)
      }
    }
  }

  /// Loads a take into a loop, and calls back with the take.
  ///
  /// `path` is the address in refusals. `playsOnce` opens the take to be heard once. The library is the node's
  /// unless another one is given.
  func load(
    _ id: String, from other: TakeWorkers? = nil, loop: Int, for path: String,
    playsOnce: Bool = false, attempt: Int = 1,
    then ending: @escaping (Result<Take, Refusal>) -> Void
  ) throws(Refusal) {
    let workers = if let other { other } else { try library() }
    let transit = try clips.transit()
    let transfer = transit.transfer
    transfer.playsOnce = playsOnce
    try workers.list { library throws(LibraryFault) in
      try library.readClip(
        id, into: transfer.sound, room: transfer.capacity, seconds: transfer.seconds,
        rate: transfer.sampleRate)
    } then: { [weak self] outcome in
      guard let self else { return }
      completing(ending) { () throws(Refusal) in
        let clip = try outcome.get()
        transfer.setProperties(of: clip.part)
        var origin = ClipOrigin(clip.take)
        if other != nil { origin.item = nil }
        if playsOnce { playback.beginOpening() }
        try clips.load(transit, origin, loop: loop, for: path) {
          [weak self] () throws(Refusal) in
          guard attempt < Clips.mostAttempts else { return false }
          try self?.load(
            id, from: other, loop: loop, for: path, playsOnce: playsOnce, attempt: attempt + 1,
            then: ending)
          return true
        } then: {
          ending($0.map { clip.take })
        }
      }
    }
  }
}
