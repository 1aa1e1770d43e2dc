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
  private static let mostNotes = 1000

  let worker = Worker("listening", most: 16, of: "transcriptions are already queued")
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// Replies with the notes of loop 1, or of a take.
  func transcribe(_ request: Request) throws(Refusal) {
    try worker.checkRoom()
    guard let id = request.text(0) else {
      try context[Takes.self].clips.copy(for: request.path) { [weak self] outcome in
        request.complete(outcome) { transit in
          self?.listen(request) { [transfer = transit.transfer] in
            (transfer.channels, transfer.sampleRate)
          }
        }
      }
      return
    }
    try context[Takes.self].library().list { library throws(LibraryFault) in
      library.path(try library.take(id))
    } then: { [weak self] outcome in
      request.complete(outcome) { path in
        self?.listen(request) { () throws(LibraryFault) in
          try TakeSound.read(path, atMost: Self.mostSeconds)
        }
      }
    }
  }

  private func listen(
    _ request: Request,
    to sound: @escaping @Sendable () throws(LibraryFault) -> (channels: [[Float]], rate: Int)
  ) {
    worker.run { () throws(LibraryFault) in
      let (channels, rate) = try sound()
      var mono = channels.first ?? []
      if channels.count > 1 {
        for frame in mono.indices { mono[frame] = (mono[frame] + channels[1][frame]) / 2 }
      }
      return NoteFinder.notes(in: mono, rate: Double(rate))
    } then: { (outcome: Result<[PlayedNote], Refusal>) in
      request.complete(outcome) { notes in
        // The end of the list must fit in the reply budget, too.
        request.answer(notes.prefix(Self.mostNotes), Self.note, end: Self.end, row: \.row)
      }
    }
  }
}

extension PlayedNote {
  /// The name, the start and length in seconds, and the deviation in cents.
  fileprivate var row: [Argument] {
    let key = Int((cents / 100).rounded())
    let name = "\(Music.NoteName(key, inFlats: false))\(Int((Double(key) / 12).rounded(.down)) - 1)"
    return Argument.row(name, start, length, cents - 100 * Double(key))
  }
}
