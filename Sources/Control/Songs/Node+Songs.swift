internal import OSC

/// Songs: the list of them, and what is asked of it.
extension Node {
  // Far from the most that a datagram holds.
  private static let bytesAtOnce = 30_000

  /// Answers with the songs from a number on, the first being 1, as many as one packet holds; before
  /// the first of them are told, they are looked up anew.
  func listSongs(from first: Int, for client: Client?) throws(Refusal) {
    try songs.whenListed(anew: first == 1) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .failure(let refusal): answer(refusal, to: "/music", from: client)
      case .success(let list):
        var texts: [Argument] = []
        var bytes = 0
        for song in list.songs.dropFirst(first - 1) {
          // A tag, an end, and up to three bytes to a multiple of four.
          bytes += song.text.utf8.count + 5
          if bytes > Self.bytesAtOnce { break }
          texts.append(.string(song.text))
        }
        reply("/music", texts, to: client)
      }
    }
  }

  /// Goes over to another folder; without a name answers with the present one.
  func setSongFolder(_ name: String?, for client: Client?) throws(Refusal) {
    guard let name else {
      reply("/music/folder", [.string(songs.folder)], to: client)
      return
    }
    try songs.setFolder(name) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .failure(let refusal): answer(refusal, to: "/music/folder", from: client)
      case .success:
        reply("/reply", [.string("/music/folder"), .string(name)], to: client)
      }
    }
  }

  /// Plays the song of a number, or without one the last played again; 0 is a button let go.
  func playSong(_ number: Int?, for client: Client?) throws(Refusal) {
    if number == 0 { return }
    try withSongs("/music/play", client) { node, list throws(Refusal) in
      try node.songs.play(number, in: list, for: client, node: node)
    }
  }

  /// Plays the song after the present one, or before it.
  func moveSong(by step: Int, path: String, for client: Client?) throws(Refusal) {
    try withSongs(path, client) { node, list throws(Refusal) in
      try node.songs.move(by: step, in: list, path: path, for: client, node: node)
    }
  }

  private func withSongs(
    _ path: String, _ client: Client?,
    _ body: @escaping (Node, SongList) throws(Refusal) -> Void
  ) throws(Refusal) {
    try songs.whenListed(anew: false) { [weak self] outcome in
      guard let self else { return }
      do throws(Refusal) {
        try body(self, try outcome.get())
      } catch {
        answer(error, to: path, from: client)
      }
    }
  }
}
