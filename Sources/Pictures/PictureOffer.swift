internal import HTTP

/// A picture of a species offered by a service.
struct PictureOffer: Equatable, Sendable {
  /// The permanent key, unique across services.
  let key: String
  /// The URL of the picture, in a size for the page.
  let image: HTTPPlace
  /// The URL of the service's thumbnail, or nil.
  var small: HTTPPlace?
  /// The author, or empty if not stated.
  let author: String
  let licence: PictureLicence
  /// The page about the picture.
  let page: String
  /// The service's ID of the taxon, or empty.
  var taxonID = ""
  /// The service's name of the taxon.
  var taxon = ""
}

/// The pictures of a species offered by a service.
struct PictureList: Equatable, Sendable {
  /// The scientific name according to the service, or empty.
  var taxon = ""
  /// The suitable pictures, in the service's order.
  var offers: [PictureOffer] = []
}

/// A service with pictures of species.
protocol PictureSource: Sendable {
  /// The public server.
  static var real: HTTPPlace { get }
  /// The hosts of its pictures.
  static var imageHosts: [String] { get }
  /// The base URL.
  var base: HTTPPlace { get }

  /// Queries the suitable pictures of a species.
  func list(of species: String, through line: PictureLine) throws(PictureFault) -> PictureList
}

extension PictureSource {
  /// Whether a URL may be fetched: on the service itself, or over HTTPS on the servers of its pictures.
  func allows(_ place: HTTPPlace) -> Bool {
    if place.isOnServer(of: base) { return true }
    // A replacement server must serve its pictures itself.
    return base.isOnServer(of: Self.real) && place.scheme == "https" && place.port == 443
      && Self.imageHosts.contains(place.host)
  }
}
