internal import OSC

extension Songs {
  typealias Declared = Declaring<Songs>

  static let folder = "/music/folder"
  static let play = "/music/play"
  static let state = "/music/state"
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
      "/music/stop",
      Declared.action(isButton: true) { songs, _ throws(Refusal) in try songs.playback.stop() },
      "Stops playback of songs"),
    Address(
      state, Declared.reading("sissffi") { $0.playback.status.arguments },
      "State of playback (playing, stopped, waiting for the disk), number, title and "
        + "artist of the song, position and length in seconds, and number of underruns of the disk"),
  ]
}
