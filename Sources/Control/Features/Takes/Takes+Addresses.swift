internal import Library
internal import OSC

extension Takes {
  typealias Declared = Declaring<Takes>

  static let mostOnPage = 500.0
  static let usualOnPage = 50

  static let play = "/take/play"
  static let (location, total) = ("/location", "/takes/total")
  static let (notes, message, image) = ("/take/notes", "/take/message", "/take/image")
  static let endOfTakes = Event(
    "/takes/end", "i", "End of the replies to /takes and /takes/find: number of takes")
  static let trashed = Event(
    "/take/trashed", "ssssfff",
    "Reply to /takes/trash: a take in the trash, with the arguments of /take"
  )
  static let endOfTrash = Event(
    "/takes/trash/end", "i", "End of the replies to /takes/trash: number of takes")
  static let take = Event(
    "/take", "ssssfff",
    "A take, as a reply, and to subscribers when it is new or changed: id, title, species, "
      + "date, seconds, latitude and longitude (nan where unknown)")
  static let sound = Event(
    "/take/sound", "sssiiff",
    "Audio properties of a take: id, source, preset, rate, channels, peak in dB, loudness in LUFS")

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
      "Lists takes, newest first: replies /take for each, then /takes/end i:count; 50 if no count is "
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
      "Finds takes with words that start with all these, and replies like /takes; also "
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
      "Lists the trash, last deleted first: replies /take/trashed for each take, then "
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
      "Saves loop 1 as a take; replies /reply with its id and title"),
    one("/take/load", "Loads a take into loop 1, truncated to --loop-seconds") {
      takes, request throws(Refusal) in
      try takes.load(request)
    },
    one(
      play,
      "Plays a take: from loop 1 if it fits in --loop-seconds, else from its file, as a song"
    ) { takes, request throws(Refusal) in
      try takes.play(request.text(0) ?? "", for: request)
    },
    one(
      "/take/show",
      "Details of a take: replies /take, /take/notes, /take/message, /take/image, /take/picture if "
        + "fetched, and /take/sound; plays it with /settings/autoplay"
    ) { takes, request throws(Refusal) in
      try takes.show(request)
    },
    one("/take/delete", "Moves a take to the trash, which is purged after 30 days") {
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
      "Title of a take; an empty one is replaced by the time of day"
    ) {
      TakeChanges(title: $0)
    },
    text(
      "/take/species", "species",
      "Species in a take"
    ) {
      TakeChanges(species: $0)
    },
    text(
      notes, "notes",
      "Notes on a take"
    ) { TakeChanges(notes: $0) },
    text(
      message, "message",
      "Message of a take"
    ) {
      TakeChanges(message: $0)
    },
    file(
      image,
      "Sets the image of a take from a file in the home folder"
    ) {
      takes, request throws(Refusal) in
      try takes.setImage(request)
    },
    file(
      "/take/export",
      "Exports a take to a new file in the home folder, in the format of its extension; replies /reply "
        + "with its id and path"
    ) { takes, request throws(Refusal) in
      try takes.export(request)
    },
    Address(
      "/take/import",
      Declared.task([.needed("file", .text)]) { takes, request throws(Refusal) in
        try takes.importFile(request)
      },
      "Copies an audio file in the home folder into the library; replies /reply with its id and "
        + "title"),
    Address(
      "/take/transcribe",
      Declared.task([.optional("id", .text)], end: Transcriber.end.path) {
        takes, request throws(Refusal) in
        try takes.transcriber.transcribe(request)
      },
      "Transcribes loop 1, or a take: replies /take/note for each note, then "
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
      "Location of the node, north and east; saved with each recording"),
    Address(
      "/settings/autoplay",
      Declared.setting([.needed("on", .whole, in: 0...1)]) { takes in
        [.int32(takes.playsWhatIsShown ? 1 : 0)]
      } write: { takes, request in
        takes.playsWhatIsShown = request.whole(0) == 1
      }, kept: .home,
      "1 makes /take/show play the take"),
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
