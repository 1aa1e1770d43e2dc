internal import HTTP

/// A picture that a service has of a species.
struct PictureOffer: Equatable, Sendable {
  /// The name for ever, among all services' pictures.
  let key: String
  /// The place of the picture, of a size for a page.
  let image: HTTPPlace
  /// The place of the service's own small version; nil where it has none.
  var small: HTTPPlace?
  /// The author; empty where nobody is named.
  let author: String
  /// The licence.
  let licence: PictureLicence
  /// The page that tells of the picture.
  let page: String
  /// The service's number for the taxon; empty where it has none.
  var taxonID = ""
  /// The service's name for the taxon.
  var taxon = ""
}

/// The pictures that a service has of a species.
struct PictureList: Equatable, Sendable {
  /// The service's scientific name for the species; empty where it says none.
  var taxon = ""
  /// The pictures that may be shown, in the service's own order.
  var offers: [PictureOffer] = []
}

/// A service that has pictures of species.
protocol PictureSource: Sendable {
  /// The place that is asked.
  var base: HTTPPlace { get }

  /// Whether something may be fetched from a place: the service's own, and where it keeps its pictures.
  func allows(_ place: HTTPPlace) -> Bool

  /// Looks up the pictures of a species that may be shown.
  func list(of species: String, through line: PictureLine) throws(PictureFault) -> PictureList
}

extension PictureSource {
  /// Whether a place is on the server that is asked, or encrypted on one of these.
  func allows(_ place: HTTPPlace, besides hosts: [String], of real: HTTPPlace) -> Bool {
    if place.isOnServer(of: base) { return true }
    // Somebody's own service brings its own pictures, and sends nobody elsewhere.
    return base.isOnServer(of: real) && place.scheme == "https" && place.port == 443
      && hosts.contains(place.host)
  }
}
