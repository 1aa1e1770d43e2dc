internal import Library
internal import OSC

extension Takes {
  typealias Declared = Declaring<Takes>

  static let usualOnPage = 50

  private static let page: [Address.Form] = [
    .optional("offset", .whole, in: 0...Double(Int32.max)),
    .optional("count", .whole, in: 1...500),
  ]
  private static let id = Address.Form.needed("id", .text)
  private static let file = Address.Form.needed("file", .text)

  static let (play, playing) = ("/take/play", "/take/playing")
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
  static let changed = Event(
    "/takes/changed", "i",
    "Number of takes, sent to subscribers when another program or an import changes the library; query /takes to "
      + "refresh")
  static let sound = Event(
    "/take/sound", "sssiiff",
    "Audio properties of a take: id, source, preset, rate, channels, peak in dB, loudness in LUFS")

  static let addresses: [Address] = [
    Address(
      "/takes", Declared.question(page, end: endOfTakes, Takes.list),
      "Lists takes, newest first: replies /take for each, then /takes/end i:count; 50 if no count is "
        + "given"),
    Address(
      "/takes/find",
      Declared.question([.needed("search", .text)] + page, end: endOfTakes, Takes.find),
      "Finds takes with words that start with all these, and replies like /takes; also "
        + "species:WORD from:DATE to:DATE near:NORTH,EAST within:KM"),
    Address(
      "/takes/trash", Declared.question(page, end: endOfTrash, Takes.listTrash),
      "Lists the trash, last deleted first: replies /take/trashed for each take, then "
        + "/takes/trash/end i:count"),
    Address(total, Declared.reading(\.total), "Number of takes"),
    Address(endOfTakes), Address(changed), Address(take), Address(sound), Address(trashed),
    Address(endOfTrash),
    Address(
      "/take/save",
      Declared.task([.optional("title", .text)]) { takes, request throws(Refusal) in
        try takes.save(request)
      },
      "Saves loop 1 as a take; replies /reply with its id and title"),
    Address(
      "/take/load",
      Declared.task([id]) { takes, request throws(Refusal) in try takes.load(request) },
      "Loads a take into loop 1, truncated to --loop-seconds"),
    Address(
      play, Declared.task([id], Takes.play),
      "Plays a take once: from loop 1 if it fits in --loop-seconds, else from its file, as a song"),
    Address(
      "/take/stop",
      Declared.action(isButton: true) { takes, _ throws(Refusal) in
        try takes.playback.stop { if case .take = $0 { true } else { false } }
      },
      "Stops the take that plays, in loop 1 or as a song; no other sound"),
    Address(
      playing, Declared.reading(\.playback.take),
      "ID of the take that plays or is paused; empty for none"),
    Address(
      "/take/show", Declared.task([id, .optional("play", .whole, in: 0...1)], Takes.show),
      "Details of a take: replies /take, /take/notes, /take/message, /take/image, /take/picture if "
        + "fetched, and /take/sound; plays it with /settings/autoplay, unless play is 0"),
    Address(
      "/take/delete", Declared.task([id], Takes.delete),
      "Moves a take to the trash, which is purged after 30 days"
    ).losing(),
    Address("/take/restore", Declared.task([id], Takes.restore), "Restores a take from the trash"),
    text(
      "/take/title", "title", "Title of a take; an empty one is replaced by the time of day"
    ) { TakeChanges(title: $0) },
    text("/take/species", "species", "Species in a take") { TakeChanges(species: $0) },
    text(notes, "notes", "Notes on a take") { TakeChanges(notes: $0) },
    text(message, "message", "Message of a take") { TakeChanges(message: $0) },
    Address(
      image, Declared.task([id, file], Takes.setImage),
      "Sets the image of a take from a file in the data directory"),
    Address(
      "/take/export", Declared.task([id, file], Takes.export),
      "Exports a take to a new file in the data directory, in the format of its extension; replies /reply "
        + "with its id and path"),
    Address(
      "/take/import", Declared.task([file], Takes.importFile),
      "Copies an audio file in the data directory into the library; replies /reply with its id and "
        + "title"),
    Address(
      "/take/transcribe",
      Declared.task([.optional("id", .text)], end: Transcriber.end.path) {
        $0.transcriber.transcribe
      },
      "Transcribes loop 1, or a take: replies /take/note for each note, then "
        + "/take/transcribe/end i:count"),
    Address(Transcriber.note), Address(Transcriber.end),
    Address(
      location,
      Declared.setting(Place.forms) { takes in
        Place.row(takes.place)
      } write: { takes, request in
        takes.place = Place(request) ?? takes.place
      },
      unit: "degrees", kept: .home,
      "Location of the node, north and east; saved with each recording"),
    Address(
      "/settings/autoplay", Declared.flag(\.playsWhatIsShown, named: "on"), kept: .home,
      "1 makes /take/show play the take"),
  ]

  private static func text(
    _ path: String, _ name: String, _ help: String,
    _ changes: @escaping @Sendable (String) -> TakeChanges
  ) -> Address {
    Address(
      path,
      Declared.task([id, .needed(name, .text)]) {
        takes, request throws(Refusal) in
        try takes.edit(changes(request.text(1) ?? ""), request)
      }, help)
  }
}

extension Place {
  /// The arguments of an address that sets a location.
  static let forms: [Address.Form] = [
    .needed("north", .number, in: -90...90), .needed("east", .number, in: -180...180),
  ]

  /// Creates the location in the arguments of a request.
  init?(_ request: Request) {
    guard let north = request.number(0), let east = request.number(1) else { return nil }
    self.init(latitude: north, longitude: east)
  }

  /// The arguments of a location, NaN where unknown.
  static func row(_ place: Place?) -> [Argument] {
    Argument.row(place?.latitude ?? .nan, place?.longitude ?? .nan)
  }
}
