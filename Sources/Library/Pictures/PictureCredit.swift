internal import JSON
package import Posix

/// The credit of a picture that was fetched: whose it is, and on what terms it is shown.
package struct PictureCredit: Equatable, Sendable {
  /// The author; empty where nobody is named.
  package var author: String
  /// The licence's code, such as `cc-by-sa`.
  package var licence: String
  /// The place of the licence's text.
  package var licenceURL: String
  /// The page that the picture is from.
  package var source: String
  /// The picture's key among those that services have of the species, by which the next one is found.
  package var key: String
  /// The date at which it was fetched.
  package var date: ZonedDate
  /// The number that the service has for the taxon; empty where it has none.
  package var taxonID: String
  /// The service's name for the taxon.
  package var taxon: String
  /// The species of the take for which it was looked for.
  package var species: String

  /// The credit of a picture.
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
  /// Writes the credit as members of an object.
  func add(to json: inout JSONText) {
    json.add("author", author)
    json.add("licence", licence)
    json.add("licenceURL", licenceURL)
    json.add("source", source)
    json.add("date", date.text)
    json.add("taxonID", taxonID)
    json.add("taxon", taxon)
    json.add("species", species)
  }
}

/// A picture that was fetched, with its credit.
package struct FetchedPicture: Sendable {
  /// A picture's file.
  package struct File: Sendable {
    /// Its bytes.
    package let bytes: [UInt8]
    /// The ending that says what it is.
    package let ending: String

    /// A picture's file.
    package init(_ bytes: [UInt8], ending: String) {
      self.bytes = bytes
      self.ending = ending
    }
  }

  /// The picture.
  package let image: File
  /// Its small copy; nil where there is none.
  package let small: File?
  /// Its credit.
  package let credit: PictureCredit

  /// A picture with its credit.
  package init(image: File, small: File?, credit: PictureCredit) {
    self.image = image
    self.small = small
    self.credit = credit
  }
}

/// The origin of a take's image.
package enum ImageOrigin: Equatable, Sendable {
  /// There is no image.
  case none
  /// Somebody gave it to the take.
  case own
  /// It was fetched.
  case fetched(PictureCredit)

  /// The credit of an image that was fetched; nil for others.
  package var credit: PictureCredit? { if case .fetched(let credit) = self { credit } else { nil } }
}

// MARK: - The file

/// The file of a credit, which lies beside the picture.
struct CreditFile {
  /// The credit.
  let credit: PictureCredit
  /// The size of the picture, by which an image of somebody's own is not taken for it.
  let bytes: Int
  /// The ending of the small copy; empty where there is none.
  let small: String

  init(_ credit: PictureCredit, bytes: Int, small: String) {
    self.credit = credit
    self.bytes = bytes
    self.small = small
  }

  /// The credit that a file tells of; nil where it tells of none.
  init?(_ file: [UInt8]) {
    guard let json = try? JSON(file), let bytes = json["bytes"]?.whole,
      let licence = json["licence"]?.text, !licence.isEmpty
    else { return nil }
    func text(_ name: String) -> String { json[name]?.text ?? "" }
    credit = PictureCredit(
      author: text("author"), licence: licence, licenceURL: text("licenceURL"),
      source: text("source"), key: text("key"),
      date: ZonedDate(text("date")) ?? ZonedDate(microseconds: 0), taxonID: text("taxonID"),
      taxon: text("taxon"), species: text("species"))
    self.bytes = bytes
    small = text("small")
  }

  /// The credit, as JSON in one line.
  var text: String {
    var json = JSONText()
    json.begin("{")
    credit.add(to: &json)
    json.add("key", credit.key)
    json.add("bytes", bytes)
    json.add("small", small)
    json.end("}")
    return json.text + "\n"
  }
}
