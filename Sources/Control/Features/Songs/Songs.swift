internal import OSC

/// The songs of a folder: the list of them, and which of them is played.
final class Songs: Feature {
  // Far from the most that a datagram holds.
  private static let bytesAtOnce = 30_000

  /// The songs that there are.
  let shelf: SongShelf
  /// The playback of one of them, or of a take.
  let playback: SongPlayback

  init(_ context: Context) {
    let setup = context.setup
    shelf = SongShelf(SongFolders(home: setup.home, allowed: setup.musicFolders))
    playback = SongPlayback(context, shelf)
    shelf.whenFolderChanges = { context.keep(Self.folder) }
    shelf.whenListed = { [unowned playback] list in playback.goOn(in: list) }
  }

  /// Follows the disk and the engine.
  func poll(_ now: Double) -> Int? { playback.poll(now) }

  /// Stops what is played, also one that is opened still.
  func beginSession() { try? playback.stop() }

  // MARK: - What is asked

  /// Answers with the songs from a number on, the first being 1, as many as one packet holds; before
  /// the first of them are told, they are looked up anew.
  func tellList(_ request: Request) throws(Refusal) {
    let first = request.whole(0) ?? 1
    try shelf.withList(anew: first == 1) { outcome in
      request.attempt { () throws(Refusal) in
        var texts: [Argument] = []
        var bytes = 0
        for song in try outcome.get().songs.dropFirst(first - 1) {
          // A tag, an end, and up to three bytes to a multiple of four.
          bytes += song.text.utf8.count + 5
          if bytes > Self.bytesAtOnce { break }
          texts.append(.string(song.text))
        }
        request.answer(texts)
      }
    }
  }

  /// Goes over to another folder.
  func setFolder(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.setFolder(name) { request.tell($0, name) }
  }

  /// Plays the song of a number, the first being 1; without, the one played last, or the first; 0
  /// is a button let go.
  func play(_ request: Request) throws(Refusal) {
    let number = request.whole(0)
    if number == 0 { return }
    try withList(request) { [unowned self] list throws(Refusal) in
      let index = number.map { $0 - 1 } ?? playback.last.flatMap(list.place(of:)) ?? 0
      guard list.songs.indices.contains(index) else {
        throw Refusal(
          .range,
          "\(request.path) takes the number of a song from 1 to \(list.songs.count); "
            + "got \(index + 1)")
      }
      try playback.start(list.songs[index], in: list, for: request)
    }
  }

  /// Plays the song that comes so many after the present one in the list.
  func move(by step: Int, _ request: Request) throws(Refusal) {
    try withList(request) { [unowned self] list throws(Refusal) in
      // Where none was played, or it is not in the list any more, before the first.
      let index = (playback.present.flatMap(list.place(of:)) ?? -1) + step
      guard index >= 0 else { throw Refusal(.state, "this is the first song") }
      guard index < list.songs.count else { throw Refusal(.state, "this is the last song") }
      try playback.start(list.songs[index], in: list, for: request)
    }
  }

  private func withList(
    _ request: Request, _ body: @escaping (SongList) throws(Refusal) -> Void
  ) throws(Refusal) {
    try shelf.withList(anew: false) { [unowned self] outcome in
      request.attempt { () throws(Refusal) in
        let list = try outcome.get()
        guard !list.songs.isEmpty else {
          throw Refusal(.missing, "there is no song in the folder \(shelf.folder)")
        }
        try body(list)
      }
    }
  }

  /// Plays a take, and nothing after it; `words` are what the answer says of it.
  func play(_ take: Song, saying words: [String], for request: Request) throws(Refusal) {
    try playback.start(take, in: nil, saying: words, for: request)
  }
}
