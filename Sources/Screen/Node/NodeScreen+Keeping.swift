/// The panels of grid, beat, capture and takes.
extension NodeScreen {
  /// Draws the grid: scale, instrument, and sounding cells.
  mutating func drawGrid(_ area: Area, isLarge: Bool) {
    guard area.rows > 1 else { return }
    title("Grid", area)
    let scale = "\(word("/grid/root")) \(word("/grid/scale"))"
    put(scale, area, row: 1, column: 1, width: 15)
    put(word("/grid/instrument"), area, row: 1, column: 17, width: max(4, area.columns - 29))
    put(filled("voices {/status/voices 3}"), area, row: 1, column: area.columns - 11)
    guard picture.gridRows > 0, picture.gridColumns > 0 else { return }
    let room = area.columns - 1
    let width = max(1, min(isLarge ? 8 : 5, room / picture.gridColumns))
    let height = isLarge ? max(1, min(3, (area.rows - 2) / picture.gridRows)) : 1
    let shown = min(picture.gridRows, (area.rows - 2) / height)
    for row in 1...max(1, shown) where row <= shown {
      for column in 1...picture.gridColumns where column * width <= room {
        drawCell(
          [row, column], area, row: 2 + (row - 1) * height, column: 1 + (column - 1) * width,
          width: width)
      }
    }
    if shown < picture.gridRows {
      put(
        " +\(picture.gridRows - shown) rows ", area, row: 0, column: area.columns - 11, style: .dim)
    }
  }

  private mutating func drawCell(_ place: [Int], _ area: Area, row: Int, column: Int, width: Int) {
    guard let name = picture.cells[place] else { return }
    let glyphs = canvas.glyphs
    guard picture.lit[place] != nil else {
      let text = name.isEmpty || width < 3 ? "\(glyphs.dot)" : name
      put(text, area, row: row, column: column, width: max(1, width - 1), style: .dim)
      return
    }
    // Visible without reverse video and color, too.
    let mark = width < 3 ? "\(glyphs.lit)" : Figure.left(name, width - 1)
    let style = Style(isBold: true, isReversed: true, color: .cyan)
    put(mark, area, row: row, column: column, width: max(1, width - 1), style: style)
    if width >= 3 {
      put("\(glyphs.lit)", area, row: row, column: column + width - 1, width: 1, style: style)
    }
  }

  /// Draws the beat, the capture and the newest takes.
  mutating func drawKeeping(_ area: Area) {
    guard area.rows > 1 else { return }
    title("Beat, capture, takes", area)
    putSwitch("beat", "/metronome/on", area, row: 1)
    put(
      filled("{/metronome/bpm 5.1} bpm {/metronome/beats 2} beats"), area, row: 1, column: 13)
    put("capture", area, row: 2, column: 1)
    let capture = word("/capture/state")
    put(capture, area, row: 2, column: 9, style: capture == "on" ? .alarm : .dim)
    put(
      "\(Figure.duration(picture.number("/capture/state", 1))) of \(word("/capture/source"))", area,
      row: 2, column: 12)
    put("takes", area, row: 3, column: 1)
    put(filled("{/takes/total 6}"), area, row: 3, column: 9)
    for (index, take) in picture.takes.prefix(max(0, area.rows - 4)).enumerated() {
      put(Figure.fixed(take.seconds, places: 1, width: 8), area, row: index + 4, column: 1)
      put(take.title, area, row: index + 4, column: 11)
    }
  }

  /// Draws the newest takes, one per line.
  mutating func drawTakes(_ area: Area) {
    title(filled("Takes {/takes/total 6}"), area)
    let titleWidth = max(10, area.columns - 55)
    for (index, take) in picture.takes.prefix(max(0, area.rows - 1)).enumerated() {
      put(String(take.id.prefix(8)), area, row: index + 1, column: 1, width: 8)
      let date = String(take.date.prefix(16).replacing("T", with: " "))
      put(date, area, row: index + 1, column: 11, width: 16)
      put(Figure.fixed(take.seconds, places: 1, width: 8), area, row: index + 1, column: 28)
      put(take.title, area, row: index + 1, column: 38, width: titleWidth)
      put(
        take.species, area, row: index + 1, column: 39 + titleWidth, style: .dim)
    }
  }

  /// Draws the announced errors, newest first.
  mutating func drawMessages(_ area: Area) {
    guard area.rows > 1 else { return }
    let words = ["errors", "refused", "late", "nan"].map { "\($0) {/status/\($0) 4}" }
    title(filled("Messages  \(words.joined(separator: "  "))"), area)
    for (index, message) in picture.messages.reversed().prefix(area.rows - 1).enumerated() {
      put(message, area, row: index + 1, column: 1)
    }
  }
}
