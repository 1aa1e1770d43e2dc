internal import DSP
internal import Engine
internal import Listening
internal import Music
internal import OSC
internal import Takes

/// What is in the loop, listened to: an instrument made of it, and its notes.
extension Node {
  /// Copies the loop, and makes an instrument of it.
  func copyLoop(for request: InstrumentLoader.Request) {
    do throws(Refusal) {
      try copyLoop(path: InstrumentLoader.path) { [weak self] outcome in
        guard let self else { return }
        do throws(Refusal) {
          let transit = try outcome.get()
          instruments.load(request, node: self) {
            [transfer = transit.transfer] () throws(Refusal) in
            do throws(InstrumentFault) {
              let instrument = try LoopInstrument.make(
                transfer.channels, rate: transfer.sampleRate)
              let sounds = try InstrumentSounds.read(
                instrument, needing: InstrumentImage.bytes(of: instrument),
                goesOn: request.ticket.goesOn)
              return sounds.map {
                InstrumentShelf.ready($0, named: InstrumentName.ofTheLoop, notes: [])
              }
            } catch {
              // Silence is nothing that could be played.
              throw error.kind == .missing ? Refusal(.state, error.description) : Refusal(error)
            }
          }
        } catch {
          instruments.fail(request, error, self)
        }
      }
    } catch {
      instruments.fail(request, error, self)
    }
  }

  /// Copies the clip in the loop out of the audio thread, and calls back with it.
  private func copyLoop(
    path: String, then body: @escaping (Result<Clips.Transit, Refusal>) -> Void
  ) throws(Refusal) {
    let transit = try clips.transit(sampleRate: engine.shared.sampleRate)
    var command = PlannedCommand(action: .copyOut(ClipPointer(transit.transfer)))
    command.whenDone = { body(.success(transit)) }
    command.whenRefused = { [weak self] refusal in
      guard let self else { return }
      body(.failure(Refusal(refusal, to: path, of: player)))
    }
    try submit([command], path: path, client: nil)
  }

  // MARK: - Notes

  private static let transcribing = "/take/transcribe"
  // A recording can be hours long: what comes later is not looked at.
  private static let mostSeconds = 600.0

  /// Tells the notes of the loop, or of a take.
  func transcribe(_ id: String?, for client: Client?) throws(Refusal) {
    guard listening.count < Self.mostListening else {
      throw Refusal(.busy, "\(listening.count) sounds are listened to already; send it again later")
    }
    guard let id else {
      try copyLoop(path: Self.transcribing) { [weak self] outcome in
        guard let self else { return }
        switch outcome {
        case .failure(let refusal): answer(refusal, to: Self.transcribing, from: client)
        case .success(let transit):
          let transfer = transit.transfer
          listen(for: client) { (transfer.channels, transfer.sampleRate) }
        }
      }
      return
    }
    try library().list { library throws(LibraryFault) in
      library.path(try library.take(id))
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .failure(let refusal): answer(refusal, to: Self.transcribing, from: client)
      case .success(let path):
        listen(for: client) { () throws(Refusal) in
          do throws(LibraryFault) {
            return try TakeSound.read(path, atMost: Self.mostSeconds)
          } catch {
            throw Refusal(error)
          }
        }
      }
    }
  }

  private static var mostListening: Int { 16 }

  private func listen(
    for client: Client?,
    to sound: @escaping @Sendable () throws(Refusal) -> (channels: [[Float]], rate: Int)
  ) {
    listening.run { () throws(Refusal) in
      let (channels, rate) = try sound()
      var mono = channels.first ?? []
      if channels.count > 1 {
        for frame in mono.indices { mono[frame] = (mono[frame] + channels[1][frame]) / 2 }
      }
      return NoteFinder.notes(in: mono, rate: Double(rate))
    } then: { [weak self] (outcome: Result<[PlayedNote], Refusal>) in
      guard let self else { return }
      switch outcome {
      case .failure(let refusal): answer(refusal, to: Self.transcribing, from: client)
      case .success(let notes):
        // What comes behind them must be heard, too.
        for note in notes.prefix(Self.mostNotes) { reply("/take/note", note.row, to: client) }
        reply(
          "/take/transcribe/end", [.int32(Int32(min(notes.count, Self.mostNotes)))], to: client)
      }
    }
  }

  private static var mostNotes: Int { 1000 }
}

extension ClipTransfer {
  /// What is carried, without what lies behind its end.
  fileprivate var channels: [[Float]] {
    [sound.left, sound.right].map { Array(UnsafeMutableBufferPointer(start: $0, count: length)) }
  }
}

extension PlayedNote {
  /// Its name, its beginning and length in seconds, and by how many cents it is off.
  fileprivate var row: [Argument] {
    let key = Int((cents / 100).rounded())
    let name = "\(Music.NoteName(key, inFlats: false))\(Int((Double(key) / 12).rounded(.down)) - 1)"
    return [
      .string(name), .float(Float(start)), .float(Float(length)),
      .float(Float(cents - 100 * Double(key))),
    ]
  }
}
