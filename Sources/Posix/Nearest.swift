extension String {
  // Longer words are not typos.
  private static let longest = 64
  private static let mostSlips = 2

  /// Returns the word that was most likely meant, or nil if none is close.
  ///
  /// Close are words that begin with this text, or differ from it by one or two typos: a letter
  /// missing, added, changed, or swapped with the next.
  package func nearest(of words: some Sequence<String>) -> String? {
    let own = Array(utf8)
    guard own.count <= Self.longest else { return nil }
    // Fewer typos for short words, which would otherwise match unrelated ones.
    let most = Swift.min(Self.mostSlips, count / 2)
    var slips = Slips(own, most: most)
    var best: (distance: Int, word: String)?
    var longer: String?
    for word in words {
      if own.count > 2, word.utf8.count > own.count, word.utf8.starts(with: own) {
        // Completes a name, but not with the addresses below it.
        if word.utf8.dropFirst(own.count).contains(UInt8(ascii: "/")) { continue }
        longer = longer.map { Swift.min($0, word) } ?? word
      }
      guard abs(word.utf8.count - own.count) <= most, let distance = slips.count(to: word) else {
        continue
      }
      // Ties are broken alphabetically, so that the result is deterministic.
      if distance < best?.distance ?? .max || distance == best?.distance && word < best!.word {
        best = (distance, word)
      }
    }
    return longer ?? best?.word
  }
}

/// The edit distance between two words, in bytes (optimal string alignment).
private struct Slips {
  private let word: [UInt8]
  private let most: Int
  // Three rows of the distance matrix, filled in a band around the diagonal only.
  private var before: [Int]
  private var above: [Int]
  private var row: [Int]

  init(_ word: [UInt8], most: Int) {
    self.word = word
    self.most = most
    before = Array(repeating: 0, count: word.count + most + 2)
    (above, row) = (before, before)
  }

  /// Returns the distance to a word of similar length, or nil if it exceeds the maximum.
  mutating func count(to text: String) -> Int? {
    var text = text
    return text.withUTF8 { other in
      for column in 0...other.count { row[column] = column }
      for number in 1..<word.count + 1 {
        (before, above, row) = (above, row, before)
        guard fill(number, other) <= most else { return nil }
      }
      return row[other.count] <= most ? row[other.count] : nil
    }
  }

  /// Fills a row and returns its minimum.
  private mutating func fill(_ number: Int, _ other: UnsafeBufferPointer<UInt8>) -> Int {
    let first = Swift.max(1, number - most)
    let last = Swift.min(other.count, number + most)
    // Cells outside the band exceed the maximum.
    row[first - 1] = first == 1 ? number : most + 1
    var least = row[first - 1]
    guard first <= last else { return least }
    for column in first...last {
      let isSame = word[number - 1] == other[column - 1]
      var slips = Swift.min(above[column - 1] + (isSame ? 0 : 1), row[column - 1] + 1)
      if column < number + most { slips = Swift.min(slips, above[column] + 1) }
      if number > 1, column > 1, word[number - 1] == other[column - 2],
        word[number - 2] == other[column - 1]
      {
        slips = Swift.min(slips, before[column - 2] + 1)
      }
      row[column] = slips
      least = Swift.min(least, slips)
    }
    return least
  }
}
