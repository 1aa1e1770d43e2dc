internal import Engine
internal import Library
internal import Listening
internal import Music
internal import OSC

/// The transcription of a sound: the notes that are heard in the loop, or in a take.
final class Transcriber {
  static let note = Event(
    "/take/note", "sfff",
    "A note that was found: its name, when it begins and how long it is in seconds, and how many "
      + "cents it is off")
  static let end = Event(
    "/take/transcribe/end", "i", "The end of the answer to /take/transcribe")

  // A recording can be hours long: what comes later is not looked at.
  private static let mostSeconds = 600.0
  private static let mostWaiting = 16
  private static let mostNotes = 1000

  let worker = Worker("listening")
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// Tells the notes of the loop, or of a take.
  func transcribe(_ request: Request) throws(Refusal) {
    guard worker.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(worker.count) sounds are listened to already; send it again later")
    }
    guard let id = request.text(0) else {
      try context[Takes.self].clips.copy(for: request.path) { [weak self] outcome in
        request.attempt { () throws(Refusal) in
          let transfer = try outcome.get().transfer
          self?.listen(request) { (transfer.channels, transfer.sampleRate) }
        }
      }
      return
    }
    try context[Takes.self].library().list { library throws(LibraryFault) in
      library.path(try library.take(id))
    } then: { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        let path = try outcome.get()
        self?.listen(request) { () throws(Refusal) in
          do throws(LibraryFault) {
            return try TakeSound.read(path, atMost: Self.mostSeconds)
          } catch {
            throw Refusal(error)
          }
        }
      }
    }
  }

  private func listen(
    _ request: Request,
    to sound: @escaping @Sendable () throws(Refusal) -> (channels: [[Float]], rate: Int)
  ) {
    worker.run { () throws(Refusal) in
      let (channels, rate) = try sound()
      var mono = channels.first ?? []
      if channels.count > 1 {
        for frame in mono.indices { mono[frame] = (mono[frame] + channels[1][frame]) / 2 }
      }
      return NoteFinder.notes(in: mono, rate: Double(rate))
    } then: { (outcome: Result<[PlayedNote], Refusal>) in
      request.attempt { () throws(Refusal) in
        // What comes behind them must be heard, too.
        let notes = try outcome.get().prefix(Self.mostNotes)
        for note in notes { request.answer(Self.note, note.row) }
        request.answer(Self.end, [.int32(Int32(notes.count))])
      }
    }
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
