package import HTTP
package import Library
internal import Posix

/// A search for a picture.
package struct PictureSearch: Sendable {
  /// The species, as the take has it.
  package var species: String
  /// The name by which services are asked.
  package var name: String
  /// The key of the picture that was shown last; nil for none.
  package var former: String?
  /// Whether pictures will do with which nobody may earn.
  package var allowsNoncommercial = false
  /// The server that is asked instead of iNaturalist; nil for that itself.
  package var iNaturalist: HTTPPlace?
  /// The server that is asked instead of Wikimedia Commons; nil for that itself.
  package var commons: HTTPPlace?

  /// A search for a picture of a species, by a name that services know.
  package init(of species: String, named name: String) {
    self.species = species
    self.name = name
  }
}

/// A finder of pictures: it asks iNaturalist first, then Wikimedia Commons, and takes the picture that
/// comes after the one that was shown last, round and round.
///
/// One thread at a time, which waits.
package final class PictureFinder: @unchecked Sendable {
  private static let mostImageBytes = 2 << 20
  private static let mostSmallBytes = 128 << 10
  private static let mostPixels = 50_000_000
  // Services round the sizes that they are asked for.
  private static let mostSmallSide = 256
  // A picture can have gone, or be none.
  private static let mostTries = 3
  // A picture that is tapped again and again has the list asked for once.
  private static let (mostLists, listSeconds) = (16, 600.0)

  private struct KeptList {
    let list: PictureList
    let until: Double
  }

  private let line: PictureLine
  private var lists: [String: KeptList] = [:]

  /// A finder that says who it is, and leaves so many seconds between two requests to a host.
  package init(userAgent: String, secondsBetween: Double = 1) {
    line = PictureLine(userAgent: userAgent, secondsBetween: secondsBetween)
  }

  /// Finds the next picture, and fetches it.
  package func find(_ search: PictureSearch) throws(PictureFault) -> FetchedPicture {
    let sources: [any PictureSource] = [
      INaturalist(base: search.iNaturalist ?? INaturalist.real),
      WikimediaCommons(base: search.commons ?? WikimediaCommons.real),
    ]
    var first: PictureFault?
    var tries = 0
    func isEnough(_ fault: PictureFault) -> Bool {
      first = first ?? fault
      tries += 1
      return tries == Self.mostTries
    }
    var (name, isPast) = (search.name, search.former == nil)
    var before: [(source: any PictureSource, offer: PictureOffer)] = []
    // Each list comes only when it is needed. What stands before the last picture has its turn when the
    // round is through.
    for source in sources {
      var behind: [PictureOffer] = []
      do throws(PictureFault) {
        let list = try list(of: name, from: source)
        // A name that people use is that of many things.
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
        do throws(PictureFault) {
          return try fetch(offer, from: source, for: search)
        } catch {
          if isEnough(error) { throw first ?? error }
        }
      }
    }
    for (source, offer) in before {
      do throws(PictureFault) {
        return try fetch(offer, from: source, for: search)
      } catch {
        if isEnough(error) { throw first ?? error }
      }
    }
    throw first
      ?? PictureFault(
        .missing,
        "there is no \(search.former == nil ? "" : "other ")picture of \(search.name) that may be "
          + "shown")
  }

  /// The pictures of a source, as it told lately or tells now.
  private func list(
    of name: String, from source: any PictureSource
  ) throws(PictureFault) -> PictureList {
    let (key, now) = ("\(type(of: source)) \(source.base) \(name)", HostTime.steady)
    lists = lists.filter { $0.value.until > now }
    if let kept = lists[key] { return kept.list }
    let list = try source.list(of: name, through: line)
    if lists.count >= Self.mostLists { lists = [:] }
    lists[key] = KeptList(list: list, until: now + Self.listSeconds * 1e6)
    return list
  }

  // MARK: - One picture

  private func fetch(
    _ offer: PictureOffer, from source: any PictureSource, for search: PictureSearch
  ) throws(PictureFault) -> FetchedPicture {
    let bytes = try line.fetch(offer.image, of: source, most: Self.mostImageBytes).body
    guard let header = ImageHeader(bytes) else {
      throw PictureFault(
        .unusable, "\(offer.image.host) sends something else than a picture")
    }
    guard header.pixels <= Self.mostPixels else {
      throw PictureFault(
        .unusable,
        "\(offer.image.host) sends a picture of \(header.width) by \(header.height) pixels, which is "
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

  /// The small version; nil where it is none, for the picture itself does as well.
  private func small(
    at place: HTTPPlace, from source: any PictureSource
  ) -> FetchedPicture.File? {
    guard let bytes = try? line.fetch(place, of: source, most: Self.mostSmallBytes).body,
      let header = ImageHeader(bytes), max(header.width, header.height) <= Self.mostSmallSide
    else { return nil }
    return FetchedPicture.File(bytes, ending: header.kind.ending)
  }
}
