internal import Library
internal import OSC

extension Takes {
  typealias Declared = Of<Takes>

  static let mostOnPage = 500.0
  static let usualOnPage = 50

  static let play = "/take/play"
  static let (location, total) = ("/location", "/takes/total")
  static let (notes, message, image) = ("/take/notes", "/take/message", "/take/image")
  static let endOfTakes = Event(
    "/takes/end", "i", "The end of the answer to /takes and /takes/find")
  static let trashed = Event(
    "/take/trashed", "ssssfff", "A take in the trash, in an answer to /takes/trash, as /take has it"
  )
  static let endOfTrash = Event("/takes/trash/end", "i", "The end of the answer to /takes/trash")
  static let take = Event(
    "/take", "ssssfff",
    "A take, in an answer, and sent to subscribers when it is new or changed: id, title, species, "
      + "date, seconds, latitude and longitude (nan where unknown)")
  static let sound = Event(
    "/take/sound", "sssiiff",
    "The sound of a take: id, source, preset, rate, channels, peak in dB and loudness in LUFS")

  static let addresses: [Address] = [
    Address(
      "/takes",
      Declared.question(
        [
          .optional("offset", .whole, in: 0...Double(Int32.max)),
          .optional("count", .whole, in: 1...mostOnPage),
        ], end: endOfTakes.path
      ) { takes, request throws(Refusal) in
        try takes.list(request)
      },
      "Answers with one /take each, newest first, then /takes/end i:count; 50 where no count is "
        + "given"),
    Address(
      "/takes/find",
      Declared.question(
        [
          .needed("search", .text), .optional("offset", .whole, in: 0...Double(Int32.max)),
          .optional("count", .whole, in: 1...mostOnPage),
        ], end: endOfTakes.path
      ) { takes, request throws(Refusal) in
        try takes.find(request)
      },
      "Finds takes with all these words, or words that begin so, and answers as /takes does; also "
        + "species:WORD from:DATE to:DATE near:NORTH,EAST within:KM"),
    Address(
      "/takes/trash",
      Declared.question(
        [
          .optional("offset", .whole, in: 0...Double(Int32.max)),
          .optional("count", .whole, in: 1...mostOnPage),
        ], end: endOfTrash.path
      ) { takes, request throws(Refusal) in
        try takes.listTrash(request)
      },
      "Answers with one /take/trashed for each take in the trash, the last deleted one first, then "
        + "/takes/trash/end i:count"),
    Address(
      total,
      Declared.reading(types: "i", isAnnounced: true) { [.int32(Int32($0.total))] },
      "Number of takes"),
    Address(endOfTakes), Address(take), Address(sound), Address(trashed), Address(endOfTrash),
    Address(
      "/take/save",
      Declared.task([.optional("title", .text)]) { takes, request throws(Refusal) in
        try takes.save(request)
      },
      "Saves the loop as a take, then answers /reply with its id and title"),
    one("/take/load", "Loads the first ten seconds of a take into the loop") {
      takes, request throws(Refusal) in
      try takes.load(request)
    },
    one(
      play,
      "Plays a take: up to ten seconds from the loop, a longer one from its file, as a song"
    ) { takes, request throws(Refusal) in
      try takes.play(request.text(0) ?? "", for: request)
    },
    one(
      "/take/show",
      "Answers with /take, /take/notes, /take/message, /take/image, /take/picture where one was "
        + "fetched, and /take/sound of a take; plays it with /settings/autoplay"
    ) { takes, request throws(Refusal) in
      try takes.show(request)
    },
    one("/take/delete", "Moves a take to the trash, where it stays for 30 days") {
      takes, request throws(Refusal) in
      try takes.delete(request)
    },
    one(
      "/take/restore",
      "Restores a take from the trash"
    ) { takes, request throws(Refusal) in
      try takes.restore(request)
    },
    text(
      "/take/title", "title",
      "Sets the title of a take; an empty one becomes the time of day"
    ) {
      TakeChanges(title: $0)
    },
    text(
      "/take/species", "species",
      "Sets the species that is heard in a take"
    ) {
      TakeChanges(species: $0)
    },
    text(
      notes, "notes",
      "Sets the notes of a take"
    ) { TakeChanges(notes: $0) },
    text(
      message, "message",
      "Sets the message of a take"
    ) {
      TakeChanges(message: $0)
    },
    file(
      image,
      "Sets the image of a take, from a file of the home folder"
    ) {
      takes, request throws(Refusal) in
      try takes.setImage(request)
    },
    file(
      "/take/export",
      "Writes a take to a new file of the home folder, in the format of its ending; answers /reply "
        + "with its id and path"
    ) { takes, request throws(Refusal) in
      try takes.export(request)
    },
    Address(
      "/take/import",
      Declared.task([.needed("file", .text)]) { takes, request throws(Refusal) in
        try takes.importFile(request)
      },
      "Copies a sound file of the home folder into the library; answers /reply with its id and "
        + "title"),
    Address(
      "/take/transcribe",
      Declared.task([.optional("id", .text)], end: Transcriber.end.path) {
        takes, request throws(Refusal) in
        try takes.transcriber.transcribe(request)
      },
      "Finds the notes of the loop, or of a take, and answers with one /take/note each, then "
        + "/take/transcribe/end i:count"),
    Address(Transcriber.note), Address(Transcriber.end),
    Address(
      location,
      Declared.setting([
        .needed("north", .number, in: -90...90), .needed("east", .number, in: -180...180),
      ]) { takes in
        [
          .float(takes.place.map { Float($0.latitude) } ?? .nan),
          .float(takes.place.map { Float($0.longitude) } ?? .nan),
        ]
      } write: { takes, request in
        guard let north = request.number(0), let east = request.number(1) else { return }
        takes.place = Place(latitude: north, longitude: east)
      },
      unit: "degrees", kept: .home,
      "Location of the node, north and east; kept with what is recorded from now on"),
    Address(
      "/settings/autoplay",
      Declared.setting([.needed("on", .whole, in: 0...1)]) { takes in
        [.int32(takes.playsWhatIsShown ? 1 : 0)]
      } write: { takes, request in
        takes.playsWhatIsShown = request.whole(0) == 1
      }, kept: .home,
      "1 lets /take/show play the take that it shows"),
  ]

  private static func one(
    _ path: String, _ help: String,
    _ start: @escaping @Sendable (Takes, Request) throws(Refusal) -> Void
  ) -> Address {
    Address(path, Declared.task([.needed("id", .text)], start), help)
  }

  private static func text(
    _ path: String, _ name: String, _ help: String,
    _ changes: @escaping @Sendable (String) -> TakeChanges
  ) -> Address {
    Address(
      path,
      Declared.task([.needed("id", .text), .needed(name, .text)]) {
        takes, request throws(Refusal) in
        try takes.edit(changes(request.text(1) ?? ""), request)
      }, help)
  }

  private static func file(
    _ path: String, _ help: String,
    _ start: @escaping @Sendable (Takes, Request) throws(Refusal) -> Void
  ) -> Address {
    Address(path, Declared.task([.needed("id", .text), .needed("file", .text)], start), help)
  }
}
