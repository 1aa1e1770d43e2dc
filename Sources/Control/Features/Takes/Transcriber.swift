internal import Engine
internal import Library
internal import Listening
internal import Music
internal import OSC

/// Transcribes a loop or a take to notes.
final class Transcriber {
  static let note = Event(
    "/take/note", "sfff",
    "Reply to /take/transcribe: name of a note, its start and length in seconds, and its "
      + "deviation in cents")
  static let end = Event(
    "/take/transcribe/end", "i", "End of the replies to /take/transcribe: number of notes")

  // Recordings can be hours long. Later parts are ignored.
  private static let mostSeconds = 600.0
  private static let mostWaiting = 16
  private static let mostNotes = 1000

  let worker = Worker("listening")
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// Replies with the notes of loop 1, or of a take.
  func transcribe(_ request: Request) throws(Refusal) {
    guard worker.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(worker.count) transcriptions are already queued; try again later")
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
        // The end of the list must fit in the reply budget, too.
        let notes = try outcome.get().prefix(Self.mostNotes)
        for note in notes { request.answer(Self.note, note.row) }
        request.answer(Self.end, [.int32(Int32(notes.count))])
      }
    }
  }
}

extension PlayedNote {
  /// The name, the start and length in seconds, and the deviation in cents.
  fileprivate var row: [Argument] {
    let key = Int((cents / 100).rounded())
    let name = "\(Music.NoteName(key, inFlats: false))\(Int((Double(key) / 12).rounded(.down)) - 1)"
    return [
      .string(name), .float(Float(start)), .float(Float(length)),
      .float(Float(cents - 100 * Double(key))),
    ]
  }
}
