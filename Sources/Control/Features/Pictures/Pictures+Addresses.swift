internal import HTTP
internal import OSC

extension Pictures {
  typealias Declared = Declaring<Pictures>

  static let picture = "/take/picture"
  static let name = Event(
    "/species/name", "s", "Reply to /species: name of a species")
  static let endOfNames = Event(
    "/species/end", "i", "End of the replies to /species: number of names")

  static let addresses: [Address] = [
    Address(
      picture, Declared.task([.needed("id", .text)], Pictures.find),
      "Finds a picture of the take's species online, or the next one; subscribers receive id, "
        + "author, licence, licence_url, source and date, all but the id empty if it was removed"),
    Address(
      "/take/picture/remove", Declared.task([.needed("id", .text)], Pictures.remove),
      "Removes the picture that was found for a take"
    ).losing(),
    Address(
      "/species",
      Declared.question([.optional("beginning", .text)], end: endOfNames, Pictures.complete),
      "Completes a species name: replies /species/name for up to 20 species with a word that starts so, "
        + "those of most takes first, then those of species.txt, then /species/end i:count"),
    Address(name), Address(endOfNames),
    Address(
      "/settings/pictures", Declared.flag(\.isAutomatic), kept: .home,
      "1 searches for a picture when a species is set, which discloses the species to the service"),
    Address(
      "/settings/pictures/noncommercial", Declared.flag(\.allowsNoncommercial), kept: .home,
      "1 accepts pictures with a noncommercial license"),
    place(
      "/settings/pictures/inaturalist", \.iNaturalist,
      "URL of a server in place of iNaturalist; empty for iNaturalist"),
    place(
      "/settings/pictures/commons", \.commons,
      "URL of a server in place of Wikimedia Commons; empty for Wikimedia Commons"),
  ]

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
        // A path is appended to it.
        guard text.isEmpty || HTTPPlace(text) != nil && !text.contains(where: { "?#".contains($0) })
        else {
          throw Refusal(
            .range,
            "\(path): \(quoted(text)) is not a URL such as http://pictures.local:8000, nor empty")
        }
        pictures[keyPath: property] = HTTPPlace(text)
      }, kept: .home, help)
  }
}
