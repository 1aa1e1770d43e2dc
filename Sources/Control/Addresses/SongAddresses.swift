internal import OSC

extension Address {
  /// Songs that are played from the disk.
  static let ofTheSongs: [Address] = [
    Address(
      "/music",
      .errand(
        [.optional("first", .whole, in: 1...1_000_000)], end: "/music"
      ) { node, request throws(Refusal) in
        try node.listSongs(from: request.whole(0) ?? 1, for: request.client)
      },
      "Looks up the songs in the folder and answers /music s…: \"artist - title\", as many as a "
        + "packet holds; with a number, those from there on, none behind the last"),
    Address(
      "/music/folder",
      .errand([.optional("name", .text)]) { node, request throws(Refusal) in
        try node.setSongFolder(request.text(0), for: request.client)
      },
      "Takes the songs from a folder in the home folder, or one that --music allowed, and answers "
        + "/reply; without a name, answers with the present one"),
    Address(
      "/music/play",
      .errand([.optional("song", .whole)]) { node, request throws(Refusal) in
        try node.playSong(request.whole(0), for: request.client)
      },
      "Plays the song of this number, as /music lists them from 1 on, and those behind it; without "
        + "a number, the one played last, or the first; then answers /reply"),
    Address(
      "/music/next",
      .action([], isButton: true) { node, request throws(Refusal) in
        try node.moveSong(by: 1, path: "/music/next", for: request.client)
      },
      "Plays the song after the present one, then answers /reply; at the last one /error, and it "
        + "goes on"),
    Address(
      "/music/previous",
      .action([], isButton: true) { node, request throws(Refusal) in
        try node.moveSong(by: -1, path: "/music/previous", for: request.client)
      },
      "Plays the song before the present one, then answers /reply; at the first one /error, and it "
        + "goes on"),
    Address(
      "/music/stop",
      .action([], isButton: true) { node, _ throws(Refusal) in try node.songs.stop(node) },
      "Stops the song"),
    Address(
      "/music/state",
      .reading(types: "sissffi", isAnnounced: true) { $0.songs.status.arguments },
      "What the songs do (playing, stopped, or waiting for the disk), the song's number, title and "
        + "artist, position and length in seconds, and how many times it waited"),
  ]
}
