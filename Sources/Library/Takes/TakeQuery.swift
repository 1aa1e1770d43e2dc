internal import Posix

/// The text form of a search: words, and the keywords `species:` `from:` `to:` `near:` `within:`
/// with their values.
extension TakeSearch {
  /// Parses a search such as `owl species:"grey owl" from:2026-11-01 near:52.5,13.4 within:5`.
  ///
  /// A date without a time is the whole day in the local time zone. Distances are in kilometers.
  package init(query: String) throws(LibraryFault) {
    self.init()
    let dates = "expected a date like 2026-11-21 or 2026-11-21T17:30"
    let places = "expected a location in degrees north and east, like 52.52,13.40"
    var hasDistance = false
    for word in Self.parts(query) {
      guard let colon = word.firstIndex(of: ":") else {
        add(word, to: \.text)
        continue
      }
      let value = String(word[word.index(after: colon)...])
      switch word[..<colon].lowercased() {
      case "species":
        add(
          try Self.parsed(value.isEmpty ? nil : value, "species: takes a name", value),
          to: \.species)
      case "from": from = try Self.parsed(ZonedDate(written: value, isEnd: false), dates, value)
      case "to": to = try Self.parsed(ZonedDate(written: value, isEnd: true), dates, value)
      case "near": place = try Self.parsed(Place(written: value), places, value)
      case "within":
        let number = Double(value).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        kilometers = try Self.parsed(number, "within: takes a distance in kilometers", value)
        hasDistance = true
      default: add(word, to: \.text)
      }
    }
    if hasDistance, place == nil {
      throw LibraryFault(.range, "within: requires near:NORTH,EAST")
    }
  }

  private mutating func add(_ word: String, to field: WritableKeyPath<TakeSearch, String>) {
    self[keyPath: field] += (self[keyPath: field].isEmpty ? "" : " ") + word
  }

  /// Splits the query at spaces outside quotes.
  private static func parts(_ query: String) -> [String] {
    var parts: [String] = [""]
    var isQuoted = false
    for letter in query {
      switch letter {
      case "\"": isQuoted.toggle()
      case _ where letter.isWhitespace && !isQuoted: parts.append("")
      default: parts[parts.count - 1].append(letter)
      }
    }
    let words = parts.filter { !$0.allSatisfy(\.isWhitespace) }
    // Quotes around nothing match nothing.
    return words.isEmpty && query.contains("\"") ? ["\""] : words
  }

  private static func parsed<Value>(
    _ value: Value?, _ expected: String, _ text: String
  ) throws(LibraryFault) -> Value {
    if let value { return value }
    throw LibraryFault(.range, "\(expected); got \(text.isEmpty ? "nothing" : text)")
  }
}
