/// A rectangle of a screen, in rows and columns.
struct Area: Equatable, Sendable {
  /// The first row and column, from 0 at the top left.
  var row: Int, column: Int
  var rows: Int
  var columns: Int
}

/// A canvas of characters and styles for a terminal.
package struct Canvas: Equatable, Sendable {
  /// A cell of the canvas.
  struct Cell: Equatable, Sendable {
    /// The character; nil in the right half of a wide one.
    var character: Character?
    var style = Style.plain

    static let blank = Cell(character: " ")
  }

  // The most scalars of a character: a title may have thousands of combining marks.
  private static let mostScalars = 8

  /// The number of columns.
  package let columns: Int
  /// The number of rows.
  package let rows: Int
  let glyphs: Glyphs
  private(set) var cells: [Cell]

  /// Creates an empty canvas.
  package init(columns: Int, rows: Int, glyphs: Glyphs) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.glyphs = glyphs
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// Writes text, truncated to a width with an ellipsis, and without control characters.
  mutating func put(
    _ text: String, row: Int, column: Int, width: Int = .max, style: Style = .plain
  ) {
    guard row >= 0, row < rows, column >= 0, column < columns else { return }
    let room = min(width, columns - column)
    // One character more than fits shows whether the text is truncated.
    let letters = Array(
      PlainText.line(text).lazy.map(shown).filter { PlainText.width($0) > 0 }.prefix(
        max(0, room) + 1))
    var (place, isCut) = (column, false)
    for (index, letter) in letters.enumerated() {
      let end = place + PlainText.width(letter) - column
      // The last column is the ellipsis's if there is more.
      let isLast = end == room && letters.count == index + 1
      guard end < room || isLast else {
        isCut = true
        break
      }
      set(letter, row, place, style)
      place += PlainText.width(letter)
    }
    if isCut, room > 0 { set(glyphs.more, row, place, style) }
  }

  /// Fills columns with a character.
  mutating func fill(
    _ character: Character, row: Int, column: Int, width: Int, style: Style = .plain
  ) {
    guard row >= 0, row < rows, column >= 0 else { return }
    for place in column..<max(column, min(columns, column + width)) {
      set(character, row, place, style)
    }
  }

  private func shown(_ character: Character) -> Character {
    if !glyphs.isUnicode, !character.isASCII { return "?" }
    guard character.unicodeScalars.count > Self.mostScalars else { return character }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: character.unicodeScalars.prefix(Self.mostScalars))
    return String(scalars).first ?? character
  }

  private mutating func set(_ character: Character, _ row: Int, _ column: Int, _ style: Style) {
    let isWide = PlainText.width(character) > 1
    let place = row * columns + column
    let last = place + (isWide ? 1 : 0)
    // Half of a wide character can't stay.
    if cells[place].character == nil, column > 0 { cells[place - 1] = .blank }
    if column + last - place + 1 < columns, cells[last + 1].character == nil {
      cells[last + 1] = .blank
    }
    cells[place] = Cell(character: character, style: style)
    if isWide { cells[last] = Cell(character: nil, style: style) }
  }

  /// The lines of text, without trailing blanks.
  package var lines: [String] {
    (0..<rows).map { row in
      var line = ""
      for column in 0..<columns {
        if let character = self[row, column].character { line.append(character) }
      }
      let end = line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex
      return String(line[..<end])
    }
  }
}
