internal import HTTP
internal import JSON

/// iNaturalist: photographs of observations, with their licenses.
struct INaturalist: PictureSource {
  /// The public server.
  static let real = HTTPPlace("https://api.inaturalist.org")!
  static let imageHosts = [
    "static.inaturalist.org", "inaturalist-open-data.s3.amazonaws.com",
  ]
  private static let mostTaxa = 10

  let base: HTTPPlace

  func list(of species: String, through line: PictureLine) throws(PictureFault) -> PictureList {
    let query = "q=\(HTTPPlace.escaped(species))&rank=species&per_page=\(Self.mostTaxa)"
    let found = try line.json("/v1/taxa?\(query)", of: self)
    guard let id = Self.taxon(of: species, in: found) else { return PictureList() }
    return list(in: try line.json("/v1/taxa/\(id)", of: self))
  }

  /// Returns the ID of the matching taxon: an exact match of its name, else the first result.
  static func taxon(of species: String, in found: JSON) -> Int? {
    let taxa = found["results"]?.list ?? []
    let wanted = species.lowercased()
    let meant = taxa.first { taxon in
      ["name", "preferred_common_name", "matched_term"].contains {
        taxon[$0]?.text?.lowercased() == wanted
      }
    }
    return (meant ?? taxa.first)?["id"]?.whole
  }

  /// Returns the pictures of a taxon, its default photo first.
  func list(in details: JSON) -> PictureList {
    guard let taxon = details["results"]?.list?.first else { return PictureList() }
    var list = PictureList(taxon: HTMLText.line(taxon["name"]?.text ?? "", 200))
    let others = taxon["taxon_photos"]?.list?.compactMap { $0["photo"] } ?? []
    var keys: Set<String> = []
    for photo in [taxon["default_photo"]].compactMap(\.self) + others {
      guard var offer = offer(photo), keys.insert(offer.key).inserted else { continue }
      offer.taxonID = taxon["id"]?.whole.map { "\($0)" } ?? ""
      offer.taxon = list.taxon
      list.offers.append(offer)
    }
    return list
  }

  /// Parses a photo.
  ///
  /// Returns nil if it may not be shown: without a license, all rights are reserved.
  private func offer(_ photo: JSON) -> PictureOffer? {
    guard let id = photo["id"]?.whole, let code = photo["license_code"]?.text,
      let licence = PictureLicence(code)
    else { return nil }
    let square = photo["square_url"]?.text ?? photo["url"]?.text
    // All sizes are in the same folder.
    let medium =
      photo["medium_url"]?.text ?? square?.replacing("/square.", with: "/medium.")
    guard let image = medium.flatMap({ HTTPPlace($0) }), allows(image) else { return nil }
    let author = Self.author(
      photo["attribution_name"]?.text ?? "", photo["attribution"]?.text ?? "")
    guard !author.isEmpty || !licence.needsAuthor else { return nil }
    return PictureOffer(
      key: "inaturalist:\(id)", image: image,
      small: square.flatMap { HTTPPlace($0) }.flatMap { allows($0) ? $0 : nil }, author: author,
      licence: licence, page: "https://www.inaturalist.org/photos/\(id)")
  }

  /// Extracts the author from an attribution such as `(c) Ann Lee, some rights reserved (CC BY)`.
  static func author(_ name: String, _ attribution: String) -> String {
    let name = HTMLText.line(name, 200)
    if !name.isEmpty { return name }
    var line = HTMLText.plain(attribution, most: 400)
    for start in ["(c) ", "© ", "no rights reserved, uploaded by ", "uploaded by "] {
      if line.lowercased().hasPrefix(start) { line.removeFirst(start.count) }
    }
    let ends = [", some rights reserved", ", no rights reserved", ", all rights reserved"]
    if let end = ends.compactMap({ line.firstRange(of: $0)?.lowerBound }).min() {
      line = String(line[..<end])
    }
    return line.lowercased().hasPrefix("no rights reserved") ? "" : HTMLText.line(line, 200)
  }
}
