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
    search.from = try date(given, "from", isEnd: false)
    search.to = try date(given, "to", isEnd: true)
    search.place = try place(given)
    if let text = given["within"] {
      guard given.has("near") else {
        throw Failure(.usage, "--within needs a place: --near LAT,LON")
      }
      guard let kilometres = Double(text), kilometres >= 0, kilometres.isFinite else {
        throw Failure(.usage, "--within takes kilometres, 0 or more; got \(quoted(text))")
      }
      search.kilometres = kilometres
    }
    return search
  }

  private static func place(_ given: CommandPage.Given) throws(Failure) -> Place? {
    guard let text = given["near"] else { return nil }
    guard let place = Place(written: text) else {
      throw Failure(
        .usage,
        "--near takes LAT,LON in degrees, -90 to 90 and -180 to 180; got \(quoted(text))")
    }
    return place
  }

  private static func date(
    _ given: CommandPage.Given, _ option: String, isEnd: Bool
  ) throws(Failure) -> ZonedDate? {
    guard let text = given[option] else { return nil }
    guard let date = ZonedDate(written: text, isEnd: isEnd) else {
      throw Failure(
        .usage,
        "--\(option) takes a day or a moment, such as 2026-11-21 or 2026-11-21T17:30; "
          + "got \(quoted(text))")
    }
    return date
  }
}
