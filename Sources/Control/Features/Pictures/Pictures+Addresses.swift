internal import HTTP
internal import OSC

extension Pictures {
  typealias Declared = Of<Pictures>

  static let picture = "/take/picture"
  static let name = Event(
    "/species/name", "s", "The name of a species, in an answer to /species")
  static let endOfNames = Event("/species/end", "i", "The end of the answer to /species")

  static let addresses: [Address] = [
    Address(
      picture,
      Declared.task([.needed("id", .text)]) { pictures, request throws(Refusal) in
        try pictures.find(request)
      },
      "Finds a picture of a take's species on the network, or the next one; subscribers are told id, "
        + "author, licence, licence_url, source and date, all but the id empty when it has gone"),
    Address(
      "/take/picture/remove",
      Declared.task([.needed("id", .text)]) { pictures, request throws(Refusal) in
        try pictures.remove(request)
      },
      "Removes the picture that was found for a take"),
    Address(
      "/species",
      Declared.question([.optional("beginning", .text)], end: endOfNames.path) {
        pictures, request throws(Refusal) in
        try pictures.complete(request)
      },
      "Answers with one /species/name for each of up to 20 species of which a word begins so, those "
        + "of most takes first, then those of species.txt, then /species/end i:count"),
    Address(name), Address(endOfNames),
    flag(
      "/settings/pictures", \.isAutomatic,
      "1 looks for a picture when a species is set, which tells others what was recorded"),
    flag(
      "/settings/pictures/noncommercial", \.allowsNoncommercial,
      "1 takes also pictures with which nobody may earn"),
    place(
      "/settings/pictures/inaturalist", \.iNaturalist,
      "URL of the server that is asked instead of iNaturalist; empty for that itself"),
    place(
      "/settings/pictures/commons", \.commons,
      "URL of the server that is asked instead of Wikimedia Commons; empty for that itself"),
  ]

  private static func flag(
    _ path: String, _ property: any ReferenceWritableKeyPath<Pictures, Bool> & Sendable,
    _ help: String
  ) -> Address {
    Address(
      path,
      Declared.setting([.whole(in: 0...1)]) { pictures in
        [.int32(pictures[keyPath: property] ? 1 : 0)]
      } write: { pictures, request in
        pictures[keyPath: property] = request.whole(0) == 1
      }, kept: .home, help)
  }

  private static func place(
    _ path: String, _ property: any ReferenceWritableKeyPath<Pictures, HTTPPlace?> & Sendable,
    _ help: String
  ) -> Address {
    Address(
      path,
      Declared.setting([.name]) { pictures in
        [.string(pictures[keyPath: property]?.text ?? "")]
      } write: { pictures, request throws(Refusal) in
        let text = request.text(0) ?? ""
        // A path is put behind it.
        guard text.isEmpty || HTTPPlace(text) != nil && !text.contains(where: { "?#".contains($0) })
        else {
          throw Refusal(
            .range,
            "\(path) takes a URL such as http://pictures.local:8000, or an empty text; "
              + "got \(quoted(text))")
        }
        pictures[keyPath: property] = HTTPPlace(text)
      }, kept: .home, help)
  }
}
