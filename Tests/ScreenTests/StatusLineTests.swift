import Screen
import Testing

@Suite struct StatusLineTests {
  private static var figures: NodeFigures {
    var figures = NodeFigures()
    figures.levels = [-12.3, -30, -6, -7, 0]
    figures.isServerRunning = true
    figures.load = 3.4
    figures.player = "playing"
    figures.position = 3.21
    figures.length = 10
    figures.clients = 2
    return figures
  }

  private static func text(
    _ figures: NodeFigures, columns: Int = 120, isUnicode: Bool = true
  ) -> String {
    var line = StatusLine(glyphs: Glyphs(isUnicode: isUnicode))
    return line.text(figures, at: 1, columns: columns)
  }

  @Test func `it has levels, load, xruns, player and clients`() {
    #expect(
      Self.text(Self.figures)
        == "in ██████░░ -12.3       out ███████░  -6.0      load   3 %  xruns 0  "
        + "playing  3.2/10.0 s  clients 2")
    #expect(Self.text(Self.figures, isUnicode: false).hasPrefix("in ######.. -12.3"))
  }

  @Test func `it marks faults and captures`() {
    var figures = Self.figures
    figures.levels = [0, -3, -1, -1, 2.5]
    figures.isServerRunning = false
    figures.captured = 61
    let text = Self.text(figures)
    #expect(text.hasPrefix("SERVER GONE  in ████████   0.0 CLIP  out ████████  -1.0 LIM"))
    #expect(text.contains("capture  0:01:01"))
  }

  @Test(arguments: 0...140) func `it never exceeds its width`(columns: Int) {
    #expect(Self.text(Self.figures, columns: columns).count <= columns)
  }

  @Test func `it is unchanged while nothing changes`() {
    var figures = Self.figures
    figures.levels = [-120, -120, -120, -120, 0]
    var line = StatusLine(glyphs: Glyphs(isUnicode: true))
    let first = line.text(figures, at: 1, columns: 80)
    for step in 1...50 {
      #expect(line.text(figures, at: 1 + Double(step) / 10, columns: 80) == first)
    }
  }
}
