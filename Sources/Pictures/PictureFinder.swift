package import HTTP
package import Library
internal import Posix

/// A search for a picture.
package struct PictureSearch: Sendable {
  /// The species in the take's metadata.
  package var species: String
  /// The name that services are queried for.
  package var name: String
  /// The key of the picture shown last, or nil.
  package var former: String?
  /// Whether noncommercial licenses are acceptable.
  package var allowsNoncommercial = false
  /// A replacement for iNaturalist's server, or nil.
  package var iNaturalist: HTTPPlace?
  /// A replacement for Wikimedia Commons' server, or nil.
  package var commons: HTTPPlace?

  /// Creates a search for a picture of a species, by a name that services know.
  package init(of species: String, named name: String) {
    self.species = species
    self.name = name
  }
}

/// A picture finder: queries iNaturalist, then Wikimedia Commons, and downloads the picture that
/// follows the one shown last, cyclically.
///
/// Blocks. One thread at a time.
package final class PictureFinder: @unchecked Sendable {
  private static let mostImageBytes = 2 << 20
  private static let mostSmallBytes = 128 << 10
  private static let mostPixels = 50_000_000
  // Services round the requested sizes.
  private static let mostSmallSide = 256
  // A picture can be missing or malformed.
  private static let mostTries = 3
  // Repeated taps on a picture query the list once.
  private static let (mostLists, listSeconds) = (16, 600.0)

  private let line: PictureLine
  private var lists: [String: (list: PictureList, until: Double)] = [:]

  /// Creates a finder with a user agent and a minimum interval between requests to a host, in
  /// seconds.
  package init(userAgent: String, secondsBetween: Double = 1) {
    line = PictureLine(userAgent: userAgent, secondsBetween: secondsBetween)
  }

  /// Finds and downloads the next picture.
  package func find(_ search: PictureSearch) throws(PictureFault) -> FetchedPicture {
    let sources: [any PictureSource] = [
      INaturalist(base: search.iNaturalist ?? INaturalist.real),
      WikimediaCommons(base: search.commons ?? WikimediaCommons.real),
    ]
    var first: PictureFault?
    var tries = 0
    func fetchIfUsable(
      _ offer: PictureOffer, from source: any PictureSource
    ) throws(PictureFault) -> FetchedPicture? {
      do throws(PictureFault) {
        return try fetch(offer, from: source, for: search)
      } catch {
        first = first ?? error
        tries += 1
        if tries == Self.mostTries { throw first ?? error }
        return nil
      }
    }
    var (name, isPast) = (search.name, search.former == nil)
    var before: [(source: any PictureSource, offer: PictureOffer)] = []
    // Lists are queried on demand. Pictures before the last one come after the end of all lists.
    for source in sources {
      var behind: [PictureOffer] = []
      do throws(PictureFault) {
        let list = try list(of: name, from: source)
        // Later sources get the scientific name: common names are ambiguous.
        if !list.taxon.isEmpty { name = list.taxon }
        for offer in list.offers where search.allowsNoncommercial || !offer.licence.isNoncommercial
        {
          if offer.key == search.former {
            isPast = true
          } else if isPast {
            behind.append(offer)
          } else {
            before.append((source, offer))
          }
        }
      } catch {
        first = first ?? error
      }
      for offer in behind {
        if let picture = try fetchIfUsable(offer, from: source) { return picture }
      }
    }
    for (source, offer) in before {
      if let picture = try fetchIfUsable(offer, from: source) { return picture }
    }
    throw first
      ?? PictureFault(
        .missing,
        "no \(search.former == nil ? "" : "other ")picture of \(search.name) may be "
          + "shown")
  }

  /// Returns the pictures of a source, cached or queried now.
  private func list(
    of name: String, from source: any PictureSource
  ) throws(PictureFault) -> PictureList {
    let (key, now) = ("\(type(of: source)) \(source.base) \(name)", HostTime.steady)
    lists = lists.filter { $0.value.until > now }
    if let kept = lists[key] { return kept.list }
    let list = try source.list(of: name, through: line)
    if lists.count >= Self.mostLists { lists = [:] }
    lists[key] = (list, now + Self.listSeconds * 1e6)
    return list
  }

  // MARK: - One picture

  private func fetch(
    _ offer: PictureOffer, from source: any PictureSource, for search: PictureSearch
  ) throws(PictureFault) -> FetchedPicture {
    let bytes = try line.fetch(offer.image, of: source, most: Self.mostImageBytes).body
    guard let header = ImageHeader(bytes) else {
      throw PictureFault(
        .unusable, "the reply of \(offer.image.host) is not a picture")
    }
    guard header.pixels <= Self.mostPixels else {
      throw PictureFault(
        .unusable,
        "\(offer.image.host) sent a picture of \(header.width) by \(header.height) pixels, which is "
          + "too large")
    }
    return FetchedPicture(
      image: FetchedPicture.File(bytes, ending: header.kind.ending),
      small: offer.small.flatMap { small(at: $0, from: source) },
      credit: PictureCredit(
        author: offer.author, licence: offer.licence.code, licenceURL: offer.licence.url,
        source: offer.page, key: offer.key, taxonID: offer.taxonID, taxon: offer.taxon,
        species: search.species))
  }

  /// Downloads the thumbnail.
  ///
  /// Returns nil on failure, since the picture itself is an acceptable replacement.
  private func small(
    at place: HTTPPlace, from source: any PictureSource
  ) -> FetchedPicture.File? {
    guard let bytes = try? line.fetch(place, of: source, most: Self.mostSmallBytes).body,
      let header = ImageHeader(bytes), max(header.width, header.height) <= Self.mostSmallSide
    else { return nil }
    return FetchedPicture.File(bytes, ending: header.kind.ending)
  }
}
