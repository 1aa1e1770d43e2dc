extension String {
  /// The one of some words that was most likely meant; nil where none is near.
  func nearest(of words: Set<String>) -> String? {
    // Two slips, but not so many that another word comes out.
    let most = Swift.min(2, count / 2)
    var best: (distance: Int, word: String)?
    for word in words.sorted() {
      if word.hasPrefix(self), count > 2 { return word }
      guard abs(word.count - count) <= most else { continue }
      let distance = distance(to: word)
      if distance <= most, distance < best?.distance ?? .max { best = (distance, word) }
    }
    return best?.word
  }

  /// How many letters must be put in, left out or changed to make another word (Levenshtein).
  private func distance(to other: String) -> Int {
    let (rows, columns) = (Array(self), Array(other))
    var row = Array(0...columns.count)
    for (index, letter) in rows.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in columns.indices {
        let changed = diagonal + (columns[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(changed, row[column] + 1, diagonal + 1)
      }
    }
    return row[columns.count]
  }
}
