/// The panels of the loops.
extension NodeScreen {
  /// Draws all loops, one per line, and their keys.
  mutating func drawLoops(_ area: Area) {
    let seconds = Figure.fixed(picture.number("/loops/size", 1), width: 3)
    title("Loops \(Figure.fixed(Double(picture.loopCount), width: 2)) of \(seconds) s", area)
    let keys = "space pedal  1-9 choose  u undo  y redo  m mute  c c clear  k keep  ? more"
    put(keys, area, row: area.rows - 1, column: 1, style: .dim)
    // Besides the bar: mark, number, word, time, layers, queued state or gain.
    let width = max(4, area.columns - 62)
    for (index, loop) in picture.loops.prefix(max(0, area.rows - 2)).enumerated() {
      let row = index + 1
      let isChosen = loop.number == picture.chosenLoop
      if isChosen { put(">", area, row: row, column: 0, style: .bold) }
      let number = Figure.fixed(Double(loop.number), width: 2)
      put(number, area, row: row, column: 1, style: isChosen ? .bold : .plain)
      put(loop.word, area, row: row, column: 4, style: loop.style)
      draw(share: loop.share, area, row: row, column: 13, width: width)
      put(times(of: loop), area, row: row, column: width + 14)
      put(Self.layers(of: loop), area, row: row, column: width + 31, width: 8)
      put(loop.next, area, row: row, column: width + 40, width: 17, style: .queued)
      // A queued state takes the place of the gain.
      if loop.next.isEmpty {
        let gain = Figure.fixed(loop.gain, places: 1, width: 6, hasSign: true)
        put("\(gain) dB", area, row: row, column: width + 40)
      }
    }
  }

  /// Writes the loops in one line, with number and letter.
  mutating func putLoops(_ area: Area, row: Int, column: Int) {
    var column = column
    for loop in picture.loops where column + 3 <= area.columns {
      let isChosen = loop.number == picture.chosenLoop
      let text = "\(loop.number)\(loop.letter)"
      put(text, area, row: row, column: column, style: isChosen ? .bold : .plain)
      put(
        String(loop.letter), area, row: row, column: column + text.count - 1, style: loop.style)
      column += text.count + 1
    }
  }

  /// Draws the loops that fit on a small terminal.
  mutating func drawLittleLoops(_ area: Area) {
    let width = max(3, area.columns - 31)
    for (index, loop) in picture.loops.prefix(max(0, area.rows)).enumerated() {
      let mark = loop.number == picture.chosenLoop ? ">" : " "
      put("\(mark)\(loop.number)", area, row: index, column: 0, style: .bold)
      put(loop.word, area, row: index, column: 4, style: loop.style)
      draw(share: loop.share, area, row: index, column: 13, width: width)
      let isWaiting = !loop.next.isEmpty
      put(
        isWaiting ? loop.next : times(of: loop), area, row: index, column: width + 14,
        style: isWaiting ? .queued : .plain)
    }
  }

  private func times(of loop: LoopLine) -> String {
    let figures = [loop.position, loop.length].map { Figure.fixed($0, places: 1, width: 5) }
    return "\(figures[0]) / \(figures[1]) s"
  }

  private static func layers(of loop: LoopLine) -> String {
    loop.layers == 0 ? "" : "\(Figure.fixed(Double(loop.layers), width: 2)) over"
  }
}
