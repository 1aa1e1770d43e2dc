/// The buffer of what a terminal shows, and of what must be sent to it so that it shows something
/// else.
package struct ScreenBuffer {
  /// The sequence that leaves the terminal's own page for an empty one, without a cursor.
  package static let opening = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[0m\u{1B}[2J"
  /// The sequence that hides the cursor again, which somebody else has shown.
  package static let hidingCursor = "\u{1B}[?25l"
  /// The sequence that goes back to the page that was there before.
  package static let closing = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  // So many places that are as they were are written again rather than leapt over.
  private static let shortestLeap = 5

  private let hasColour: Bool
  private var shown: Canvas?

  /// The buffer of a terminal that shows nothing yet.
  package init(hasColour: Bool) { self.hasColour = hasColour }

  /// Notes that nobody knows what the terminal shows.
  package mutating func forget() { shown = nil }

  /// Updates the screen: returns what must be sent to show a canvas, nothing where it is shown
  /// already.
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

  /// Finds the columns of a row that have changed.
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
        output += cell.style.sequence(hasColour: hasColour)
        style = cell.style
      }
      output.append(character)
      // Terminals don't agree how wide these are: the next one's place is named.
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
