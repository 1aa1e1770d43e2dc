internal import JSON
package import Posix

/// The attribution of a downloaded picture: author, license and origin.
package struct PictureCredit: Equatable, Sendable {
  /// The author, or empty if not stated.
  package var author: String
  /// The license code, such as `cc-by-sa`.
  package var licence: String
  /// The URL of the license text.
  package var licenceURL: String
  /// The URL of the picture's page.
  package var source: String
  /// The picture's key among the pictures that the services list for the species.
  ///
  /// The search for the next picture starts from it.
  package var key: String
  /// The date of the download.
  package var date: ZonedDate
  /// The service's ID of the taxon, or empty.
  package var taxonID: String
  /// The service's name of the taxon.
  package var taxon: String
  /// The take's species that was searched for.
  package var species: String

  /// Creates an attribution.
  package init(
    author: String, licence: String, licenceURL: String, source: String, key: String,
    date: ZonedDate = .now, taxonID: String = "", taxon: String = "", species: String
  ) {
    self.author = author
    self.licence = licence
    self.licenceURL = licenceURL
    self.source = source
    self.key = key
    self.date = date
    self.taxonID = taxonID
    self.taxon = taxon
    self.species = species
  }
}

extension PictureCredit {
  /// The attribution as members of a JSON object.
  var members: [(String, any JSONWritable)] {
    [
      ("author", author), ("licence", licence), ("licenceURL", licenceURL), ("source", source),
      ("date", date.text), ("taxonID", taxonID), ("taxon", taxon), ("species", species),
    ]
  }
}

/// A downloaded picture with its attribution.
package struct FetchedPicture: Sendable {
  /// A picture file.
  package struct File: Sendable {
    /// The content.
    package let bytes: [UInt8]
    /// The file extension, which determines the format.
    package let ending: String

    /// Creates a picture file.
    package init(_ bytes: [UInt8], ending: String) {
      self.bytes = bytes
      self.ending = ending
    }
  }

  /// The picture.
  package let image: File
  /// The thumbnail, or nil.
  package let small: File?
  /// The attribution.
  package let credit: PictureCredit

  /// Creates a picture with its attribution.
  package init(image: File, small: File?, credit: PictureCredit) {
    self.image = image
    self.small = small
    self.credit = credit
  }
}

/// The origin of a take's image.
package enum ImageOrigin: Equatable, Sendable {
  /// The take has no image.
  case none
  /// The user set the image.
  case own
  /// The image was downloaded.
  case fetched(PictureCredit)

  /// The attribution of a downloaded image, or nil for others.
  package var credit: PictureCredit? { if case .fetched(let credit) = self { credit } else { nil } }
}

// MARK: - The file

/// The attribution file, stored next to the picture.
struct CreditFile {
  let credit: PictureCredit
  /// The size of the picture in bytes.
  ///
  /// A different size means that the user replaced the picture.
  let bytes: Int
  /// The file extension of the thumbnail, or empty if there is none.
  let small: String
}

extension CreditFile {
  /// Parses an attribution file, or returns nil if it is invalid.
  init?(_ file: [UInt8]) {
    guard let json = try? JSON(file), let bytes = json["bytes"]?.whole,
      let licence = json["licence"]?.text, !licence.isEmpty
    else { return nil }
    func text(_ name: String) -> String { json[name]?.text ?? "" }
    let credit = PictureCredit(
      author: text("author"), licence: licence, licenceURL: text("licenceURL"),
      source: text("source"), key: text("key"),
      date: ZonedDate(text("date")) ?? ZonedDate(microseconds: 0), taxonID: text("taxonID"),
      taxon: text("taxon"), species: text("species"))
    self.init(credit: credit, bytes: bytes, small: text("small"))
  }

  /// The attribution as one line of JSON.
  var text: String {
    let own: [(String, any JSONWritable)] = [
      ("key", credit.key), ("bytes", bytes), ("small", small),
    ]
    return JSONText(credit.members + own).text + "\n"
  }
}
