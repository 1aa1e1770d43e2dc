internal import JSON
package import Posix
internal import SQLite

/// A page of a list of takes.
package struct TakePage: Sendable {
  /// The takes on this page.
  package let takes: [Take]
  /// The number of takes on all pages.
  package let total: Int

  /// Creates a page of a list with a number of takes.
  package init(takes: [Take], total: Int) {
    self.takes = takes
    self.total = total
  }
}

/// A search for takes.
///
/// Empty and nil fields match all takes.
package struct TakeSearch: Sendable {
  /// Words or word prefixes that must all occur in the title, species, notes or message.
  package var text = ""
  /// Words or word prefixes that must all occur in the species.
  package var species = ""
  /// The earliest time.
  package var from: ZonedDate?
  /// The latest time.
  package var to: ZonedDate?
  /// The center of a search by location.
  package var place: Place?
  /// The maximum distance from `place`, in kilometers.
  package var kilometers = 1.0

  /// Creates a search that matches all takes.
  package init() {}
}

extension TakeLibrary {
  // MARK: - One take

  /// Returns the take with an ID, or with a unique prefix of one.
  package func take(_ id: String) throws(LibraryFault) -> Take {
    try take(id, SQL.shownByBeginning, "take")
  }

  /// Returns the take in the trash with an ID, or with a unique prefix of one.
  package func trashed(_ id: String) throws(LibraryFault) -> Take {
    try take(id, SQL.trashedByBeginning, "take in the trash")
  }

  private func take(
    _ id: String, _ sql: String, _ kind: String
  ) throws(LibraryFault) -> Take {
    let beginning = id.lowercased()
    guard !beginning.isEmpty, Take.isBeginning(ofID: beginning) else {
      throw LibraryFault(.missing, "unknown \(kind) \(id)")
    }
    let found = try database.rows(sql, [.text(beginning)], Take.init(row:))
    guard let take = found.first else {
      throw LibraryFault(.missing, "unknown \(kind) \(id)")
    }
    guard found.count == 1 else {
      throw LibraryFault(.range, "more than one \(kind) starts with \(id); use a longer prefix")
    }
    return take
  }

  func row(_ id: String) throws(LibraryFault) -> Take {
    guard let take = try database.rows(SQL.take, [.text(id)], Take.init(row:)).first else {
      throw LibraryFault(.missing, "unknown take \(id)")
    }
    return take
  }

  // MARK: - Many takes

  /// Lists takes by date, newest first.
  package func list(offset: Int = 0, count: Int) throws(LibraryFault) -> TakePage {
    try page(SQL.shown, SQL.shownCount, offset, count)
  }

  /// Lists takes in the trash, most recently deleted first.
  package func trash(offset: Int = 0, count: Int) throws(LibraryFault) -> TakePage {
    try page(SQL.trash, SQL.trashCount, offset, count)
  }

  private func page(
    _ sql: String, _ countSQL: String, _ offset: Int, _ count: Int
  ) throws(LibraryFault) -> TakePage {
    let takes = try database.rows(
      sql, [.integer(max(0, count)), .integer(max(0, offset))], Take.init(row:))
    return TakePage(takes: takes, total: try database.number(countSQL))
  }

  /// Finds the takes that match all criteria, newest first.
  package func find(
    _ search: TakeSearch, offset: Int = 0, count: Int
  ) throws(LibraryFault) -> TakePage {
    guard let (filter, values) = search.filter else { return TakePage(takes: [], total: 0) }
    let valuesOfPage = values + [.integer(max(0, count)), .integer(max(0, offset))]
    if filter.hasPlace {
      // The page query computes all distances anyway. A separate count would repeat that.
      let rows = try database.rows(filter.pageAndCount, valuesOfPage) {
        (take: Take(row: $0), total: $0.integer(SQL.columnCount))
      }
      let total =
        if let first = rows.first { first.total } else { try database.number(filter.count, values) }
      return TakePage(takes: rows.map { $0.take }, total: total)
    }
    let takes = try database.rows(filter.page, valuesOfPage, Take.init(row:))
    // An incomplete first page has all matches.
    if offset <= 0, takes.count < count { return TakePage(takes: takes, total: takes.count) }
    return TakePage(takes: takes, total: try database.number(filter.count, values))
  }

  /// Returns the locations of matching takes as GeoJSON (RFC 7946).
  package func geoJSON(_ search: TakeSearch = TakeSearch()) throws(LibraryFault) -> String {
    var features: [JSONText?] = []
    if let (filter, values) = search.filter {
      features = try database.rows(filter.all, values) { Take(row: $0).feature }
    }
    return (["type": "FeatureCollection", "features": features] as JSONText).text
  }
}

extension TakeSearch {
  /// The SQL filter of the search and its values, or nil if nothing can match.
  fileprivate var filter: (SQL.Filter, [StatementValue])? {
    var filter = SQL.Filter()
    var values = [StatementValue](repeating: .null, count: 9)
    var words: [String] = []
    for (field, text) in [("", text), ("species : ", species)] where !text.isEmpty {
      let own = Self.words(text)
      guard !own.isEmpty else {
        if text.allSatisfy(\.isWhitespace) { continue }
        return nil
      }
      words.append("\(field)(\(own.joined(separator: " AND ")))")
    }
    if !words.isEmpty {
      filter.hasWords = true
      values[0] = .text(words.joined(separator: " AND "))
    }
    if from != nil || to != nil {
      filter.hasTime = true
      values[1] = .integer(from?.microseconds ?? Int.min)
      values[2] = .integer(to?.microseconds ?? Int.max)
      values[8] = .integer(to.map { $0.microseconds + TakeLibrary.widest } ?? Int.max)
    }
    if let place {
      let latitudes = place.latitudes(within: max(0, kilometers))
      filter.hasPlace = true
      values[3...7] = [
        .real(latitudes.lowerBound), .real(latitudes.upperBound), .real(place.latitude),
        .real(place.longitude), .real(max(0, kilometers)),
      ]
    }
    return (filter, values)
  }

  /// Splits a text into quoted word prefixes for the full-text search.
  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).compactMap { word in
      // The index has no words without letters or digits.
      guard word.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
      let plain = word.filter { $0 != "\0" && $0 != "\"" }
      return "\"\(plain)\"*"
    }
  }
}

extension Take {
  /// Creates a take from a row.
  init(row: Statement<LibraryFault>) {
    self.init(
      id: row.text(1), title: row.text(2),
      date: ZonedDate(microseconds: row.integer(6), zoneMinutes: row.integer(7)),
      rate: row.integer(11), source: Source(rawValue: row.text(16)) ?? .imported)
    (species, notes, message) = (row.text(3), row.text(4), row.text(5))
    if let latitude = row.real(8), let longitude = row.real(9) {
      place = Place(latitude: latitude, longitude: longitude)
    }
    (frames, channels) = (row.integer(10), row.integer(12))
    (peak, loudness) = (row.real(13), row.real(14))
    (preset, image) = (row.text(15), row.text(17))
  }

  /// The take as a GeoJSON feature, or nil without a location.
  fileprivate var feature: JSONText? {
    guard let place else { return nil }
    // GeoJSON puts the longitude first.
    let point: JSONText = ["type": "Point", "coordinates": [place.longitude, place.latitude]]
    let properties: JSONText = [
      "id": id, "title": title, "species": species, "date": date.text, "seconds": seconds,
    ]
    return ["type": "Feature", "geometry": point, "properties": properties]
  }
}
