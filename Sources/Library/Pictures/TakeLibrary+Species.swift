internal import Posix
internal import SQLite

/// Species names, from takes and from an optional list in the data directory.
extension TakeLibrary {
  private static var mostListBytes: Int { 8 << 20 }
  private static var longestName: Int { 200 }

  /// Finds species names with a word that begins with a text.
  ///
  /// Names used by takes come first, most frequent first, then those of the list. Diacritics are
  /// ignored.
  ///
  /// An empty text matches all names. Only the newest few thousand matching takes are counted.
  package func speciesNames(
    beginning text: String = "", most: Int = 20
  ) throws(LibraryFault) -> [String] {
    guard let phrase = Self.phrase(text) else { return [] }
    try readSpeciesList()
    let limit = StatementValue.integer(most)
    let used =
      phrase.isEmpty
      ? try database.rows(SQL.usedSpecies, [limit]) { $0.text(0) }
      : try database.rows(
        SQL.usedSpeciesWithWords, [.text("species : \(phrase) *"), limit]
      ) { $0.text(0) }
    // Both names of a line can match, and a name can repeat one of those above.
    let more = StatementValue.integer(3 * most)
    let listed =
      phrase.isEmpty
      ? try database.rows(SQL.listedSpecies, [more]) { ($0.integer(0), $0.text(1)) }
      : try database.rows(SQL.listedSpeciesWithWords, [.text("\(phrase) *"), more]) {
        ($0.integer(0), $0.text(1))
      }
    var (names, seen, lines) = ([String](), Set<String>(), Set<Int>())
    for name in used where seen.insert(name.lowercased()).inserted { names.append(name) }
    for (number, name) in listed
    where lines.insert(number / 2).inserted && seen.insert(name.lowercased()).inserted {
      names.append(name)
    }
    return Array(names.prefix(most))
  }

  /// Returns the scientific name of a common name in the list, or nil.
  package func scientificName(of name: String) throws(LibraryFault) -> String? {
    guard let phrase = Self.phrase(name), !phrase.isEmpty else { return nil }
    try readSpeciesList()
    let rows = try database.rows(SQL.listedSpeciesWithWords, [.text(phrase), .integer(1000)]) {
      ($0.integer(0), $0.text(1))
    }
    let wanted = name.lowercased()
    guard let number = rows.first(where: { $0.0 % 2 == 0 && $0.1.lowercased() == wanted })?.0 else {
      return nil
    }
    return try database.rows(SQL.listedName, [.integer(number + 1)]) { $0.text(0) }.first
  }

  /// Quotes a text as a full-text search phrase.
  ///
  /// Returns nil if it has no indexable characters.
  private static func phrase(_ text: String) -> String? {
    if text.allSatisfy(\.isWhitespace) { return "" }
    guard text.utf8.count <= longestName, text.contains(where: { $0.isLetter || $0.isNumber })
    else { return nil }
    return "\"" + text.filter { $0 != "\0" && $0 != "\"" } + "\""
  }

  // MARK: - The list

  /// Reloads the user's list if its file has changed.
  ///
  /// Each line contains a name, or a common and a scientific name separated by a semicolon.
  private func readSpeciesList() throws(LibraryFault) {
    let changed = files.changed(files.species)
    guard changed != speciesListChanged else { return }
    let bytes = (try? Files.contents(of: files.species, atMost: Self.mostListBytes)) ?? []
    try database.execute(SQL.makeSpeciesList)
    // A plain deferred transaction: the table is temporary and private to this connection, so other
    // processes need not be locked out.
    try database.execute("BEGIN")
    do throws(LibraryFault) {
      var number = 0
      let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      for line in lines {
        let names = line.split(separator: ";").prefix(2).map(Self.trimmed)
          .filter { !$0.isEmpty && $0.utf8.count <= Self.longestName }
        for (place, name) in names.enumerated() {
          try database.run(SQL.listSpecies, [.integer(number + place), .text(name)])
        }
        number += 2
      }
      try database.execute("COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      throw error
    }
    speciesListChanged = changed
  }

  private static func trimmed(_ text: Substring) -> String {
    // A byte-order mark doesn't count as whitespace.
    let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\u{FEFF}" }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }
}
