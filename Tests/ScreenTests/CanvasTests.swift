import TestSupport
import Testing

@testable import Screen

@Suite struct CanvasTests {
  private static let glyphs = Glyphs(isUnicode: true)

  @Test func `text is truncated with an ellipsis, also before a wide character`() {
    var canvas = Canvas(columns: 10, rows: 3, glyphs: Self.glyphs)
    canvas.put("exactly 10", row: 0, column: 0)
    canvas.put("more than 10", row: 1, column: 0)
    // Eight columns of four wide characters, and a ninth.
    canvas.put("鳥の声長いだ", row: 2, column: 0)
    #expect(canvas.lines == ["exactly 10", "more than…", "鳥の声長…"])
    canvas.put("12345", row: 0, column: 2, width: 3)
    #expect(canvas.lines[0] == "ex12…ly 10")
  }

  @Test func `text outside the canvas is clipped`() {
    var canvas = Canvas(columns: 4, rows: 1, glyphs: Self.glyphs)
    canvas.put("x", row: 1, column: 0)
    canvas.put("x", row: 0, column: 4)
    canvas.put("x", row: -1, column: 0)
    canvas.put("x", row: 0, column: 1, width: 0)
    canvas.fill("x", row: 0, column: 3, width: 5)
    #expect(canvas.lines == ["   x"])
  }

  @Test func `half of a wide character is erased`() {
    var canvas = Canvas(columns: 6, rows: 1, glyphs: Self.glyphs)
    canvas.put("鳥鳥鳥", row: 0, column: 0)
    canvas.put("a", row: 0, column: 1)
    canvas.put("b", row: 0, column: 2)
    #expect(canvas.lines == [" ab 鳥"])
  }

  @Test func `text can't move the cursor`() {
    var canvas = Canvas(columns: 20, rows: 1, glyphs: Self.glyphs)
    canvas.put("a\u{1B}[2J\n\u{9B}1m\u{202E}b\u{200D}\u{301}", row: 0, column: 0)
    #expect(canvas.lines == ["a[2J 1mb\u{200D}\u{301}"])
    let many = "e" + String(repeating: "\u{301}", count: 5000)
    canvas.put(many, row: 0, column: 0)
    #expect(canvas[0, 0].character?.unicodeScalars.count == 8)
  }

  @Test func `without Unicode the canvas is ASCII`() {
    var canvas = Canvas(columns: 12, rows: 1, glyphs: Glyphs(isUnicode: false))
    canvas.put("Mücke 鳥 and more", row: 0, column: 0)
    #expect(canvas.lines == ["M?cke ? and~"])
    #expect(Glyphs(locale: "de_DE.UTF-8").isUnicode && Glyphs(locale: "C.utf8").isUnicode)
    #expect(!Glyphs(locale: "C").isUnicode && !Glyphs(locale: nil).isUnicode)
  }

  // MARK: - Output

  @Test func `a terminal that receives the changes shows the canvas`() {
    let words = ["load", "鳥の声", "e\u{301}", "👩‍🌾", "███░", " ", "-12.3", "🦉"]
    let styles = [Style.plain, .bold, .alarm, .dim, Style(color: .green)]
    var dice = SystemRandomNumberGenerator()
    var buffer = ScreenBuffer(hasColor: true)
    var terminal = TerminalPicture(columns: 40, rows: 8)
    for round in 0..<300 {
      var canvas = Canvas(columns: 40, rows: 8, glyphs: Self.glyphs)
      for _ in 0..<12 {
        canvas.put(
          words.randomElement(using: &dice)!, row: .random(in: 0..<8, using: &dice),
          column: .random(in: 0..<40, using: &dice), style: styles.randomElement(using: &dice)!)
      }
      terminal.take(buffer.update(to: canvas))
      #expect(terminal.lines == canvas.lines, "round \(round)")
      #expect(!terminal.hasOverflown)
      #expect(buffer.update(to: canvas).isEmpty, "what is shown is not sent again")
    }
  }

  @Test func `a small change is a few bytes`() {
    var buffer = ScreenBuffer(hasColor: true)
    var canvas = Canvas(columns: 80, rows: 24, glyphs: Self.glyphs)
    canvas.put("load   3.1 %", row: 5, column: 10)
    _ = buffer.update(to: canvas)
    canvas.put("load   3.2 %", row: 5, column: 10)
    #expect(buffer.update(to: canvas) == "\u{1B}[6;20H\u{1B}[0m2")
    buffer.forget()
    #expect(buffer.update(to: canvas).contains("\u{1B}[2J"))
  }

  @Test func `NO_COLOR removes only the colors`() {
    var canvas = Canvas(columns: 8, rows: 1, glyphs: Self.glyphs)
    canvas.put("gone", row: 0, column: 0, style: .alarm)
    var (with, without) = (ScreenBuffer(hasColor: true), ScreenBuffer(hasColor: false))
    #expect(with.update(to: canvas).contains("\u{1B}[0;1;7;31m"))
    #expect(without.update(to: canvas).contains("\u{1B}[0;1;7m"))
  }
}
