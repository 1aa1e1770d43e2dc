internal import OSC

extension Songs {
  typealias Declared = Of<Songs>

  static let folder = "/music/folder"
  static let play = "/music/play"
  static let state = "/music/state"
  private static let list = "/music"

  /// Songs that are played from the disk.
  static let addresses: [Address] = [
    Address(
      list,
      Declared.task(
        [.optional("first", .whole, in: 1...1_000_000)], end: list
      ) { songs, request throws(Refusal) in
        try songs.tellList(request)
      },
      "Looks up the songs in the folder and answers /music s…: \"artist - title\", as many as a "
        + "packet holds; with a number, those from there on, none behind the last"),
    Address(
      folder,
      Declared.slowSetting([.needed("name", .text)]) { songs in
        [.string(songs.shelf.folder)]
      } start: { songs, request throws(Refusal) in
        try songs.setFolder(request)
      }, kept: .home,
      "Sets the folder of the songs: one in the home folder, or one that --music allowed; answers "
        + "/reply; without a name, answers with the present one"),
    Address(
      play,
      Declared.task([.optional("song", .whole)]) { songs, request throws(Refusal) in
        try songs.play(request)
      },
      "Plays the song of this number, as /music lists them from 1 on, and those behind it; without "
        + "a number, the one played last, or the first; then answers /reply"),
    Address(
      "/music/next",
      Declared.action(isButton: true) { songs, request throws(Refusal) in
        try songs.move(by: 1, request)
      },
      "Plays the song after the present one, then answers /reply; at the last one /error, and it "
        + "goes on"),
    Address(
      "/music/previous",
      Declared.action(isButton: true) { songs, request throws(Refusal) in
        try songs.move(by: -1, request)
      },
      "Plays the song before the present one, then answers /reply; at the first one /error, and it "
        + "goes on"),
    Address(
      "/music/stop",
      Declared.action(isButton: true) { songs, _ throws(Refusal) in try songs.playback.stop() },
      "Stops the song"),
    Address(
      state,
      Declared.reading(types: "sissffi", isAnnounced: true) { $0.playback.status.arguments },
      "State of the songs (playing, stopped, waiting for the disk), the song's number, title and "
        + "artist, position and length in seconds, and how many times it waited for the disk"),
  ]
}
