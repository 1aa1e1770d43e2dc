/// The full screen of `syrinx watch`, drawn from a node's picture.
package struct NodeScreen {
  /// The pages of the screen.
  package enum View: Int, CaseIterable, Sendable {
    case overview, loops, grid, takes, pedals, help

    /// The page to the right or left, without the help.
    package func next(by step: Int) -> View {
      let count = Self.help.rawValue
      let place = self == .help ? 0 : rawValue + step
      return View(rawValue: (place % count + count) % count) ?? .overview
    }
  }

  // The smallest terminal with panels.
  private static let leastColumns = 60
  private static let leastRows = 15
  // From this width on, panels are paired.
  private static let pairedColumns = 80
  private static let mixerRows = 8
  private static let panelRows = 7
  private static let lowerRows = 6
  // From this height on, messages have a panel.
  private static let roomyRows = 34

  let picture: NodePicture
  private(set) var canvas: Canvas

  private init(_ picture: NodePicture, _ canvas: Canvas) {
    self.picture = picture
    self.canvas = canvas
  }

  /// Draws a page.
  ///
  /// `place` is the node's endpoint. `silence` is the time without a reply in seconds; nil if the
  /// node replies. `question` is the confirmation that a key has requested.
  package static func canvas(
    of picture: NodePicture, at place: String, page: View = .overview,
    silentFor silence: Double? = nil, asking question: String? = nil, columns: Int, rows: Int,
    glyphs: Glyphs
  ) -> Canvas {
    var screen = NodeScreen(picture, Canvas(columns: columns, rows: rows, glyphs: glyphs))
    let isSmall = columns < leastColumns || rows < leastRows
    if isSmall {
      screen.drawLittle(place)
    } else {
      screen.drawHeader(place)
      let area = Area(row: 2, column: 0, rows: rows - 3, columns: columns)
      switch page {
      case .overview: screen.drawOverview(area)
      case .loops: screen.drawLoops(area)
      case .grid: screen.drawGrid(area, isLarge: true)
      case .takes: screen.drawLists(area)
      case .pedals: screen.drawPedals(area)
      case .help: screen.drawHelp(area)
      }
    }
    screen.drawFooter(place, page, silence, question, isSmall: isSmall)
    return screen.canvas
  }

  // MARK: - Where things are

  private mutating func drawOverview(_ area: Area) {
    var rest = area
    func top(_ rows: Int, of rest: inout Area) -> Area {
      var part = rest
      part.rows = min(rows, rest.rows)
      rest.row += part.rows
      rest.rows -= part.rows
      return part
    }
    drawMixer(top(Self.mixerRows, of: &rest))
    guard area.columns >= Self.pairedColumns else {
      drawPlayer(top(Self.panelRows, of: &rest))
      drawChain(top(Self.panelRows, of: &rest))
      drawKeeping(top(Self.lowerRows, of: &rest))
      drawGrid(rest, isLarge: false)
      return
    }
    let (left, right) = Self.halves(top(Self.panelRows, of: &rest))
    drawChain(left)
    drawPlayer(right)
    let isRoomy = area.rows + 3 >= Self.roomyRows
    let lower = Self.halves(top(isRoomy ? rest.rows - Self.lowerRows : rest.rows, of: &rest))
    drawGrid(lower.0, isLarge: false)
    drawKeeping(lower.1)
    if isRoomy { drawMessages(rest) }
  }

  /// Divides an area into halves, with a column between them.
  private static func halves(_ area: Area) -> (Area, Area) {
    var (left, right) = (area, area)
    left.columns = area.columns / 2 - 1
    right.column += area.columns / 2
    right.columns -= area.columns / 2
    return (left, right)
  }

  private mutating func drawLists(_ area: Area) {
    var (takes, messages) = (area, area)
    messages.rows = min(max(3, area.rows / 3), area.rows)
    takes.rows -= messages.rows
    messages.row += takes.rows
    drawTakes(takes)
    drawMessages(messages)
  }

  // MARK: - Drawing

  /// Writes text at a row and column of an area, clipped to it.
  mutating func put(
    _ text: String, _ area: Area, row: Int, column: Int, width: Int = .max, style: Style = .plain
  ) {
    guard row < area.rows, column < area.columns else { return }
    canvas.put(
      text, row: area.row + row, column: area.column + column,
      width: min(width, area.columns - column), style: style)
  }

  /// Draws an area's title line.
  mutating func title(_ text: String, _ area: Area) {
    guard area.rows > 0 else { return }
    canvas.fill(
      canvas.glyphs.rule, row: area.row, column: area.column, width: area.columns, style: .dim)
    put(" \(text) ", area, row: 0, column: 1, style: .bold)
  }

  /// Writes an effect's name, and on or off.
  mutating func putSwitch(_ name: String, _ path: String, _ area: Area, row: Int) {
    put(name, area, row: row, column: 1)
    let word = picture.number(path).map { $0 != 0 ? "on" : "off" } ?? Figure.unknown
    put(word, area, row: row, column: 9, style: word == "on" ? Style(color: .green) : .dim)
  }

  mutating func draw(_ meter: Meter, _ area: Area, row: Int, column: Int, width: Int) {
    let bar = MeterBar.letters(meter, width: width, glyphs: canvas.glyphs)
    draw(bar, area, row: row, column: column) { MeterBar.color($0, of: width) }
  }

  mutating func draw(share: Double?, _ area: Area, row: Int, column: Int, width: Int) {
    let bar = MeterBar.letters(share: share, width: width, glyphs: canvas.glyphs)
    draw(bar, area, row: row, column: column) { _ in .cyan }
  }

  private mutating func draw(
    _ bar: [Character], _ area: Area, row: Int, column: Int, _ color: (Int) -> Style.Color
  ) {
    guard row < area.rows else { return }
    for (place, letter) in bar.enumerated() {
      canvas.fill(
        letter, row: area.row + row, column: area.column + column + place, width: 1,
        style: letter == canvas.glyphs.empty ? .dim : Style(color: color(place)))
    }
  }

  /// Fills a template with the node's values, such as `{/echo/time 5.3} s`: in braces, an address, and the
  /// width and decimals of its number, after a plus if it has a sign.
  ///
  /// A colon and the index of an argument may follow the address. Without a width it is a word.
  func filled(_ template: String) -> String {
    let parts = template.split(separator: "{", omittingEmptySubsequences: false)
    return parts[0]
      + parts.dropFirst().map { part in
        let end = part.firstIndex(of: "}") ?? part.endIndex
        return value(part[..<end].split(separator: " ")) + part[end...].dropFirst()
      }.joined()
  }

  private func value(_ field: [Substring]) -> String {
    let place = field[0].split(separator: ":")
    let (path, index) = (String(place[0]), place.count > 1 ? Int(place[1]) ?? 0 : 0)
    guard field.count > 1 else { return word(path, index) }
    let format = field[1].split { "+.".contains($0) }.map { Int($0) ?? 0 }
    return Figure.fixed(
      picture.number(path, index), places: format.count > 1 ? format[1] : 0, width: format[0],
      hasSign: field[1].hasPrefix("+"))
  }

  /// A word of an address, or the sign for an unknown one.
  func word(_ path: String, _ index: Int = 0) -> String {
    picture.word(path, index) ?? Figure.unknown
  }

  // MARK: - Edges

  private mutating func drawHeader(_ place: String) {
    let area = Area(row: 0, column: 0, rows: 2, columns: canvas.columns)
    let right = filled("{/status/rate 6} Hz {/status/block 5} frames  server ")
    let server = word("/status/server")
    let column = area.columns - right.count - 8
    let name = picture.name ?? Figure.unknown
    let nameRoom = min(32, column - 2)
    put(name, area, row: 0, column: 1, width: nameRoom, style: .bold)
    let nameEnd = 2 + min(nameRoom, PlainText.width(name))
    let about = "\(picture.version ?? Figure.unknown)  \(place)"
    put(about, area, row: 0, column: nameEnd, width: column - nameEnd - 1)
    put(right, area, row: 0, column: column)
    put(
      server, area, row: 0, column: column + right.count, width: 7,
      style: server == "gone" ? .alarm : .plain)
    put(filled("load {/status/load 5.1} %"), area, row: 1, column: 1)
    let xruns = filled("xruns {/status/xruns 6}")
    let uptime = Figure.duration(picture.number("/status/uptime"))
    let times = filled("up \(uptime)  clients {/status/clients 2}")
    let timesColumn = area.columns - times.count - 1
    put(times, area, row: 1, column: timesColumn)
    let hasLost = picture.number("/status/xruns") ?? 0 > 0
    let xrunsColumn = timesColumn - xruns.count - 2
    put(
      xruns, area, row: 1, column: xrunsColumn, style: hasLost ? Style(color: .yellow) : .plain)
    drawLoads(area, column: 14, width: xrunsColumn - 16)
  }

  private mutating func drawLoads(_ area: Area, column: Int, width: Int) {
    guard width > 0 else { return }
    let loads = picture.loads.suffix(width)
    // Three scales, so that it rarely rescales.
    let top = loads.max() ?? 0
    let height = top > 50 ? 100.0 : top > 25 ? 50 : 25
    let steps = canvas.glyphs.steps
    for (place, load) in loads.enumerated() {
      let step = min(steps.count - 1, max(0, Int(load / height * Double(steps.count))))
      canvas.fill(
        steps[step], row: area.row + 1, column: column + width - loads.count + place, width: 1,
        style: Style(color: load > 75 ? .red : .green))
    }
  }

  private mutating func drawFooter(
    _ place: String, _ page: View, _ silence: Double?, _ question: String?, isSmall: Bool
  ) {
    let row = canvas.rows - 1
    if let silence {
      canvas.put(
        " no reply from \(place) for \(Int(min(max(silence, 0), 1e9))) s", row: row, column: 0,
        style: .alarm)
      return
    }
    if let question {
      canvas.put(" \(question)", row: row, column: 0, style: Style(isBold: true, color: .yellow))
      return
    }
    guard !isSmall else {
      canvas.put(" q quits; 60x15 shows more", row: row, column: 0, style: .dim)
      return
    }
    // The help isn't counted.
    let count = View.help.rawValue
    let pages =
      page == .help
      ? " q end  tab \(count) pages  ? back"
      : " q end  tab page \(page.rawValue + 1)/\(count)  ? help"
    canvas.put(pages, row: row, column: 0, style: .dim)
    if let message = picture.messages.last {
      canvas.put(
        message, row: row, column: pages.count + 3, width: canvas.columns - pages.count - 4,
        style: Style(color: .red))
    }
  }

  private mutating func drawLittle(_ place: String) {
    let area = Area(row: 0, column: 0, rows: canvas.rows - 1, columns: canvas.columns)
    put(" \(picture.name ?? Figure.unknown)  \(place)", area, row: 0, column: 0, style: .bold)
    let status = " load {/status/load 5.1} %  xruns {/status/xruns 6}  server {/status/server}"
    put(filled(status), area, row: 1, column: 0)
    for (row, (name, channel)) in [("in", 0), ("out", 8)].enumerated() {
      let (left, right) = (picture.meters[channel], picture.meters[channel + 1])
      put(" \(name)", area, row: row + 2, column: 0)
      let width = max(4, area.columns - 25)
      let louder = right.level ?? -.infinity > left.level ?? -.infinity ? right : left
      draw(louder, area, row: row + 2, column: 5, width: width)
      put(
        "\(Figure.level(left.peak)) \(Figure.level(right.peak))", area, row: row + 2,
        column: width + 6)
      if name == "in", left.isClipped || right.isClipped {
        put("CLIP", area, row: row + 2, column: width + 20, style: .alarm)
      }
    }
    put(" \(word("/player/state")) \(playerTime)", area, row: 4, column: 0)
    if picture.isOn("/mute") { put("muted", area, row: 4, column: 32, style: .alarm) }
    drawLittleLoops(Area(row: 5, column: 0, rows: area.rows - 5, columns: area.columns))
  }

  /// The player's position and the length of its clip, in seconds.
  var playerTime: String {
    filled("{/player/state:2 5.2} / {/player/state:3 5.2} s")
  }

  private mutating func drawHelp(_ area: Area) {
    title("Keys", area)
    let lines = [
      "q  Esc  Ctrl-C    quit", "Tab  right         next page",
      "Shift-Tab  left   previous page",
      "1 to 9            choose a loop; 0 is 10",
      "space             its pedal: record, play, overdub, play",
      "r  o  p  x        record; overdub; play; stop",
      "u  y  m           undo; redo; mute",
      "c c  k 1 to 9     clear; keep the last bars",
      "e  b  l  i        replace; substitute; multiply; insert",
      "n  z  v           play once; pause; cancel what is queued",
      ",  .              10 s back; ahead",
      "w  X              save as a take; stop all loops",
      "?                 toggle this help",
      "Ctrl-Z            suspend; fg resumes", "Ctrl-L            redraw", "",
      "Meters hold their peak for a moment, and the number is the peak.",
      "CLIP: the input was at full scale. Disabled buttons are dashed.",
    ]
    for (row, line) in lines.enumerated() { put(line, area, row: row + 1, column: 1) }
  }
}
