internal import OSC

/// Playback of songs from music folders.
final class Songs: Feature {
  // Well below the maximum size of a datagram.
  private static let bytesAtOnce = 30_000

  /// The list of songs.
  let shelf: SongShelf
  /// Playback of a song or take.
  let playback: SongPlayback
  /// Called when the list was refreshed.
  var whenListed: () -> Void = {}

  init(_ context: Context) {
    let setup = context.setup
    shelf = SongShelf(SongFolders(home: setup.home, allowed: setup.musicFolders))
    playback = SongPlayback(context, shelf)
    shelf.whenFolderChanges = { context.keeper.keep(Self.folder) }
    shelf.whenListed = { [unowned self] list in
      playback.continuePlaying(in: list)
      whenListed()
    }
  }

  var workers: [Worker] { [shelf.worker] }

  /// Polls the disk and the engine.
  func poll(_ now: Double) -> Int? { playback.poll(now) }

  /// Stops playback, including a song that is being opened.
  func beginSession() { try? playback.stop() }

  // MARK: - Requests

  /// Replies with the songs from a number on, as many as fit in a packet.
  ///
  /// A request for the first song refreshes the list.
  func replyList(_ request: Request) throws(Refusal) {
    let first = request.whole(0) ?? 1
    try shelf.withList(anew: first == 1) { outcome in
      request.complete(outcome) { list in
        var texts: [Argument] = []
        var bytes = 0
        for song in list.songs.dropFirst(first - 1) {
          // A type tag, a terminator, and up to three bytes of padding.
          bytes += song.text.utf8.count + 5
          if bytes > Self.bytesAtOnce { break }
          texts.append(.string(song.text))
        }
        request.answer(texts)
      }
    }
  }

  /// Changes the folder.
  func setFolder(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.setFolder(name) { request.complete($0, name) }
  }

  /// Plays the song with a number, from 1; without a number, the one played last, or the first.
  ///
  /// 0 is a released button.
  func play(_ request: Request) throws(Refusal) {
    let number = request.whole(0)
    if number == 0 { return }
    try withList(request) { [unowned self] list throws(Refusal) in
      let index = number.map { $0 - 1 } ?? playback.last.flatMap(list.place(of:)) ?? 0
      guard list.songs.indices.contains(index) else {
        throw Refusal(
          .range,
          "\(request.path): \(list.outOfRange(index + 1))")
      }
      try playback.start(list.songs[index], in: list, for: request)
    }
  }

  /// Opens the song with a number ahead, and passes it to `ending` when it can begin at once.
  func open(
    _ number: Int, then ending: @escaping (Result<SongPlayback.Opened, Refusal>) -> Void
  ) throws(Refusal) {
    try shelf.withList(anew: false) { [unowned self] outcome in
      completing(ending) { () throws(Refusal) in
        let list = try outcome.get()
        guard let song = list.song(number) else {
          throw Refusal(.range, list.outOfRange(number))
        }
        try playback.open(song, in: list, then: ending)
      }
    }
  }

  /// Whether a song that was opened ahead is the one with a number, and can begin at once.
  func isCurrent(_ opened: SongPlayback.Opened, at number: Int) -> Bool {
    shelf.list?.song(number)?.path == opened.song.path && playback.isCurrent(opened)
  }

  /// Plays the song a number of steps away in the list.
  func move(by step: Int, _ request: Request) throws(Refusal) {
    try withList(request) { [unowned self] list throws(Refusal) in
      // If no listed song was played, the position is before the first.
      let index = (playback.present.flatMap(list.place(of:)) ?? -1) + step
      guard index >= 0 else { throw Refusal(.state, "\(request.path): already at the first song") }
      guard index < list.songs.count else {
        throw Refusal(.state, "\(request.path): already at the last song")
      }
      try playback.start(list.songs[index], in: list, for: request)
    }
  }

  private func withList(
    _ request: Request, _ body: @escaping (SongList) throws(Refusal) -> Void
  ) throws(Refusal) {
    try shelf.withList(anew: false) { [unowned self] outcome in
      request.complete(outcome) { list throws(Refusal) in
        guard !list.songs.isEmpty else {
          throw Refusal(.missing, "no songs in the folder \(shelf.folder)")
        }
        try body(list)
      }
    }
  }
}

extension Songs {
  typealias Declared = Declaring<Songs>

  static let folder = "/music/folder"
  static let play = "/music/play"
  static let state = "/music/state"
  static let stop = "/music/stop"
  private static let list = "/music"

  /// Playback of songs from disk.
  static let addresses: [Address] = [
    Address(
      list,
      Declared.task([.optional("first", .whole, in: 1...1_000_000)], end: list, Songs.replyList),
      "Refreshes the list of songs and replies /music s…: \"artist - title\", as many as fit in a "
        + "packet; with a number, those from there on"),
    Address(
      folder, Declared.slowSetting("name", \.shelf.folder, start: Songs.setFolder), kept: .home,
      "Music folder: one in the data directory, or one allowed by --music; replies "
        + "/reply; without a name, replies with the current one"),
    Address(
      play, Declared.task([.optional("song", .whole)], Songs.play),
      "Plays the song with this number in /music, from 1, and those after it; without "
        + "a number, the one played last, or the first; replies /reply"),
    Address(
      "/music/next",
      Declared.action(isButton: true) { songs, request throws(Refusal) in
        try songs.move(by: 1, request)
      },
      "Plays the next song, then replies /reply; at the last song replies /error, and it "
        + "continues"),
    Address(
      "/music/previous",
      Declared.action(isButton: true) { songs, request throws(Refusal) in
        try songs.move(by: -1, request)
      },
      "Plays the previous song, then replies /reply; at the first song replies /error, and it "
        + "continues"),
    Address(
      stop,
      Declared.action(isButton: true) { songs, _ throws(Refusal) in try songs.playback.stop() },
      "Stops playback of songs"),
    Address(
      state, Declared.reading("sissffi") { $0.playback.status.arguments },
      "State of playback (playing, stopped, waiting for the disk), number, title and "
        + "artist of the song, position and length in seconds, and number of underruns of the disk"),
  ]
}
