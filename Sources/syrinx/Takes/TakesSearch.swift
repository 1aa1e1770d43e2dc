internal import Control
internal import Library
internal import Posix

/// The search given by the options.
enum TakesSearch {
  /// The options that make a search.
  static let options = ["text", "species", "from", "to", "near", "within"]

  /// Makes the search from options, with additional words to match.
  static func make(
    _ given: CommandPage.Given, words: [String] = []
  ) throws(Failure) -> TakeSearch {
    var search = TakeSearch()
    search.text = (words + given.all("text")).joined(separator: " ")
    search.species = given.all("species").joined(separator: " ")
    let dates = "a date or a time, such as 2026-11-21 or 2026-11-21T17:30"
    search.from = try given.value("from", dates) { ZonedDate(written: $0, isEnd: false) }
    search.to = try given.value("to", dates) { ZonedDate(written: $0, isEnd: true) }
    search.place = try given.value(
      "near", "LAT,LON in degrees, -90 to 90 and -180 to 180", Place.init(written:))
    guard !given.has("within") || given.has("near") else {
      throw Failure(.usage, "--within needs a location: --near LAT,LON")
    }
    let kilometers = try given.number(
      "within", 0...Double.greatestFiniteMagnitude, "kilometers, 0 or more")
    if let kilometers { search.kilometers = kilometers }
    return search
  }
}
