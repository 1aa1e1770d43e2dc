/// A terminal's content, and the output that updates it.
package struct ScreenBuffer {
  /// The sequence that switches to the alternate screen, without a cursor.
  package static let opening = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[0m\u{1B}[2J"
  /// The sequence that hides the cursor.
  package static let hidingCursor = "\u{1B}[?25l"
  /// The sequence that switches back to the main screen.
  package static let closing = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  // Up to this number of unchanged columns, rewriting is shorter than moving the cursor.
  private static let shortestLeap = 5

  private let hasColor: Bool
  private var shown: Canvas?

  /// Creates a buffer for a blank terminal.
  package init(hasColor: Bool) { self.hasColor = hasColor }

  /// Marks the terminal's content as unknown.
  package mutating func forget() { shown = nil }

  /// The output that updates the terminal to a canvas; empty if nothing has changed.
  package mutating func update(to canvas: Canvas) -> String {
    var output = ""
    var before = Canvas(columns: canvas.columns, rows: canvas.rows, glyphs: canvas.glyphs)
    if let shown, shown.columns == canvas.columns, shown.rows == canvas.rows {
      before = shown
    } else {
      output += "\u{1B}[0m\u{1B}[2J"
    }
    for row in 0..<canvas.rows {
      for run in Self.changes(row, before, canvas) { output += text(run, row, canvas) }
    }
    shown = canvas
    return output
  }

  /// The changed columns of a row.
  private static func changes(_ row: Int, _ before: Canvas, _ after: Canvas) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for column in 0..<after.columns where before[row, column] != after[row, column] {
      if let last = runs.last, column - last.upperBound < shortestLeap {
        runs[runs.count - 1] = last.lowerBound..<column + 1
      } else {
        runs.append(column..<column + 1)
      }
    }
    return runs
  }

  private func text(_ run: Range<Int>, _ row: Int, _ canvas: Canvas) -> String {
    var output = ""
    var style: Style?
    var isPlaced = false
    for column in run {
      let cell = canvas[row, column]
      guard let character = cell.character else { continue }
      if !isPlaced { output += "\u{1B}[\(row + 1);\(column + 1)H" }
      if style != cell.style {
        output += cell.style.sequence(hasColor: hasColor)
        style = cell.style
      }
      output.append(character)
      // Terminals disagree on their widths: the cursor is moved for the next one.
      isPlaced = Self.isUsual(character)
    }
    return output + (style == .plain || style == nil ? "" : "\u{1B}[0m")
  }

  private static func isUsual(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else {
      return false
    }
    return scalar.isASCII || (0x2500...0x259F).contains(scalar.value)
  }
}
