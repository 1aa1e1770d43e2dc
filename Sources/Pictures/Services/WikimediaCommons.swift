internal import HTTP
internal import JSON

/// Wikimedia Commons: finds files by species name, with the license that their pages state.
struct WikimediaCommons: PictureSource {
  /// The public server.
  static let real = HTTPPlace("https://commons.wikimedia.org")!
  static let imageHosts = ["upload.wikimedia.org"]
  private static let mostHits = 20
  private static let (width, smallWidth) = (640, 96)
  private static let fields = "Artist|Credit|License|LicenseShortName|LicenseUrl"

  let base: HTTPPlace

  func list(of species: String, through line: PictureLine) throws(PictureFault) -> PictureList {
    let hits = try line.json(
      Self.search(species, width: Self.width, also: "|size|mime|extmetadata"), of: self)
    let offers = offers(in: hits)
    guard !offers.isEmpty else { return PictureList() }
    // Each search returns thumbnails of one size. Pictures are usable without them.
    let others = try? line.json(Self.search(species, width: Self.smallWidth, also: ""), of: self)
    return PictureList(offers: others.map { adding($0, to: offers) } ?? offers)
  }

  /// Returns the query for files with a species in their title, with thumbnails of a width.
  private static func search(_ species: String, width: Int, also: String) -> String {
    let words = "intitle:\"\(species.filter { $0 != "\"" })\" filetype:bitmap"
    let parts = [
      ("action", "query"), ("format", "json"), ("formatversion", "2"), ("generator", "search"),
      ("gsrsearch", words), ("gsrnamespace", "6"), ("gsrlimit", "\(mostHits)"),
      ("prop", "imageinfo"), ("iiprop", "url" + also), ("iiurlwidth", "\(width)"),
      ("iiurlheight", "\(width)"), ("iiextmetadatafilter", fields),
    ]
    return "/w/api.php?"
      + parts.map { "\($0)=\(HTTPPlace.escaped($1))" }.joined(separator: "&")
  }

  /// Returns the pictures found, in search order.
  func offers(in hits: JSON) -> [PictureOffer] {
    let pages = hits["query"]?["pages"]?.list ?? []
    return pages.sorted { ($0["index"]?.whole ?? 0) < ($1["index"]?.whole ?? 0) }
      .compactMap { offer($0) }
  }

  /// Adds the thumbnails of another search to pictures.
  func adding(_ hits: JSON, to offers: [PictureOffer]) -> [PictureOffer] {
    var small: [String: HTTPPlace] = [:]
    for page in hits["query"]?["pages"]?.list ?? [] {
      guard let key = Self.key(page), let text = page["imageinfo"]?.list?.first?["thumburl"]?.text,
        let place = HTTPPlace(text), allows(place)
      else { continue }
      small[key] = place
    }
    return offers.map { offer in
      var offer = offer
      offer.small = small[offer.key]
      return offer
    }
  }

  private static func key(_ page: JSON) -> String? {
    page["pageid"]?.whole.map { "commons:\($0)" }
  }

  private func offer(_ page: JSON) -> PictureOffer? {
    guard let key = Self.key(page), let info = page["imageinfo"]?.list?.first,
      let place = (info["thumburl"]?.text ?? info["url"]?.text).flatMap({ HTTPPlace($0) }),
      allows(place), let about = info["descriptionurl"]?.text, HTTPPlace(about) != nil
    else { return nil }
    // Other file types are mostly maps and drawings.
    guard info["mime"]?.text == "image/jpeg" else { return nil }
    func field(_ name: String) -> String {
      HTMLText.plain(info["extmetadata"]?[name]?["value"]?.text ?? "")
    }
    let licence =
      PictureLicence(field("License"), url: field("LicenseUrl"))
      ?? PictureLicence(field("LicenseShortName"), url: field("LicenseUrl"))
    let author = field("Artist").isEmpty ? field("Credit") : field("Artist")
    guard let licence, !author.isEmpty || !licence.needsAuthor else { return nil }
    return PictureOffer(
      key: key, image: place, author: author, licence: licence, page: about)
  }
}
