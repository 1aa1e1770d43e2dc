internal import Posix
internal import SQLite

/// Names of species, from takes and from a list that the user put into the home folder.
extension TakeLibrary {
  private static var mostListBytes: Int { 8 << 20 }
  private static var longestName: Int { 200 }

  /// Names of species that have a text at the beginning of one of their words, those of most takes first,
  /// and then those of the list; letters with marks are as good as plain ones.
  ///
  /// Without a text it is any name. Of takes, only the newest thousands that fit are counted.
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
    // Both names of a line can fit, and a name can be one of those above.
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

  /// The scientific name that the list has beside another name; nil where it has none.
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

  /// A text as a phrase of the index of words; nil where there is nothing in it that the index has.
  private static func phrase(_ text: String) -> String? {
    if text.allSatisfy(\.isWhitespace) { return "" }
    guard text.utf8.count <= longestName, text.contains(where: { $0.isLetter || $0.isNumber })
    else { return nil }
    return "\"" + text.filter { $0 != "\0" && $0 != "\"" } + "\""
  }

  // MARK: - The list

  /// Reads the user's list, where it is another than before.
  ///
  /// Each line holds a name, or a common and a scientific one with a semicolon between.
  private func readSpeciesList() throws(LibraryFault) {
    let changed = files.changed(files.species)
    guard changed != speciesListChanged else { return }
    let bytes = (try? Files.contents(of: files.species, atMost: Self.mostListBytes)) ?? []
    try database.execute(SQL.makeSpeciesList)
    // Not a transaction of the library's: this is nobody else's, and others may write meanwhile.
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
    // A byte-order mark counts as no blank.
    let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\u{FEFF}" }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }
}
