internal import OSC
internal import Takes

extension Address {
  private static let mostOnPage = 500.0
  private static let usualOnPage = 50

  /// The library of takes.
  static let ofTheTakes: [Address] = [
    Address(
      "/takes",
      .errand(
        [
          .optional("offset", .whole, in: 0...Double(Int32.max)),
          .optional("count", .whole, in: 1...mostOnPage),
        ], end: "/takes/end"
      ) { node, request throws(Refusal) in
        try node.listTakes(
          offset: request.whole(0) ?? 0, count: request.whole(1) ?? usualOnPage,
          for: request.client)
      },
      "Answers with one /take each, newest first, then /takes/end i:count; 50 where no count is "
        + "given"),
    Address(
      "/takes/find",
      .errand(
        [
          .needed("search", .text), .optional("offset", .whole, in: 0...Double(Int32.max)),
          .optional("count", .whole, in: 1...mostOnPage),
        ], end: "/takes/end"
      ) { node, request throws(Refusal) in
        try node.findTakes(
          request.text(0) ?? "", offset: request.whole(1) ?? 0,
          count: request.whole(2) ?? usualOnPage, for: request.client)
      },
      "Answers likewise with the takes that have all these words, or their beginnings; and "
        + "species:WORD from:DATE to:DATE near:NORTH,EAST within:KM"),
    Address(
      "/takes/total",
      .reading(types: "i", isAnnounced: true) { [.int32(Int32($0.takes?.total ?? 0))] },
      "How many takes there are"),
    Address("/takes/end", .sent(types: "i"), "The end of the answer to /takes and /takes/find"),
    Address(
      "/take", .sent(types: "ssssfff"),
      "id, title, species, date, seconds, latitude and longitude (nan where unknown) of a take: an "
        + "answer, and sent to subscribers when one is new or changed"),
    Address(
      "/take/sound", .sent(types: "sssiiff"),
      "id, source, preset, rate, channels, peak in dB and loudness in LUFS of a take"),
    Address(
      "/take/save",
      .errand([.optional("title", .text)]) { node, request throws(Refusal) in
        try node.saveTake(titled: request.text(0), for: request.client)
      },
      "Keeps the loop as a take, then answers /reply with its id and title"),
    take("/take/load", "Loads the first ten seconds of a take into the loop") {
      node, id, client throws(Refusal) in
      try node.loadTake(id, for: client)
    },
    take(
      "/take/play",
      "Plays a take: up to ten seconds from the loop, a longer one from its file, as a song"
    ) { node, id, client throws(Refusal) in
      try node.playTake(id, for: client)
    },
    take(
      "/take/show",
      "Answers with /take, /take/notes, /take/message, /take/image and /take/sound of a take; plays "
        + "it with /settings/autoplay"
    ) { node, id, client throws(Refusal) in
      try node.showTake(id, for: client)
    },
    take("/take/delete", "Moves a take to the trash, where it stays for 30 days") {
      node, id, client throws(Refusal) in
      try node.deleteTake(id, for: client)
    },
    take("/take/restore", "Takes a take out of the trash") { node, id, client throws(Refusal) in
      try node.restoreTake(id, for: client)
    },
    text("/take/title", "title", "Calls a take so; after the time of day where it is empty") {
      TakeChanges(title: $0)
    },
    text("/take/species", "species", "Notes what is heard in a take") {
      TakeChanges(species: $0)
    },
    text("/take/notes", "notes", "Keeps notes with a take") { TakeChanges(notes: $0) },
    text("/take/message", "message", "Leaves a message with a take") {
      TakeChanges(message: $0)
    },
    file("/take/image", "Gives a take the image in a file of the home folder") {
      node, id, file, client throws(Refusal) in
      try node.setImage(id, file: file, for: client)
    },
    file(
      "/take/export",
      "Writes a take to a new file of the home folder, in the format of its ending; answers /reply "
        + "with its id and path"
    ) { node, id, file, client throws(Refusal) in
      try node.exportTake(id, file: file, for: client)
    },
    Address(
      "/take/import",
      .errand([.needed("file", .text)]) { node, request throws(Refusal) in
        try node.importTake(file: request.text(0) ?? "", for: request.client)
      },
      "Copies a sound file of the home folder into the library; answers /reply with its id and "
        + "title"),
    Address(
      "/take/transcribe",
      .errand([.optional("id", .text)], end: "/take/transcribe/end") {
        node, request throws(Refusal) in
        try node.transcribe(request.text(0), for: request.client)
      },
      "Finds the notes of the loop, or of a take, and answers with one /take/note each, then "
        + "/take/transcribe/end i:count"),
    Address(
      "/take/note", .sent(types: "sfff"),
      "The name of a note that was found, when it begins and how long it is in seconds, and by how "
        + "many cents it is off"),
    Address(
      "/take/transcribe/end", .sent(types: "i"), "The end of the answer to /take/transcribe"),
    Address(
      "/location",
      .setting([
        .needed("north", .number, in: -90...90), .needed("east", .number, in: -180...180),
      ]) { node in
        [
          .float(node.place.map { Float($0.latitude) } ?? .nan),
          .float(node.place.map { Float($0.longitude) } ?? .nan),
        ]
      } write: { node, request throws(Refusal) in
        guard let north = request.number(0), let east = request.number(1) else { return }
        node.place = Place(latitude: north, longitude: east)
      },
      unit: "degrees", "Where the node is, north and east; kept with what is recorded from now on"),
    Address(
      "/settings/autoplay",
      .setting([.needed("on", .whole, in: 0...1)]) { node in
        [.int32(node.playsWhatIsShown ? 1 : 0)]
      } write: { node, request in
        node.playsWhatIsShown = request.whole(0) == 1
      },
      "1 lets /take/show play what it shows"),
    Address(
      "/settings/startup",
      .setting([.needed("on", .whole, in: 0...1)]) { node in
        [.int32(node.greetsAtStart ? 1 : 0)]
      } write: { node, request in
        node.greetsAtStart = request.whole(0) == 1
      },
      "0 leaves out the three soft notes that the node plays when it is ready and its output is "
        + "connected"),
  ]

  private static func take(
    _ path: String, _ help: String,
    _ start: @escaping @Sendable (Node, String, Client?) throws(Refusal) -> Void
  ) -> Address {
    Address(
      path,
      .errand([.needed("id", .text)]) { node, request throws(Refusal) in
        try start(node, request.text(0) ?? "", request.client)
      }, help)
  }

  private static func text(
    _ path: String, _ name: String, _ help: String,
    _ changes: @escaping @Sendable (String) -> TakeChanges
  ) -> Address {
    Address(
      path,
      .errand([.needed("id", .text), .needed(name, .text)]) { node, request throws(Refusal) in
        try node.editTake(
          request.text(0) ?? "", changes(request.text(1) ?? ""), path: path,
          for: request.client)
      }, help)
  }

  private static func file(
    _ path: String, _ help: String,
    _ start: @escaping @Sendable (Node, String, String, Client?) throws(Refusal) -> Void
  ) -> Address {
    Address(
      path,
      .errand([.needed("id", .text), .needed("file", .text)]) { node, request throws(Refusal) in
        try start(node, request.text(0) ?? "", request.text(1) ?? "", request.client)
      }, help)
  }
}
