/// The style of a letter on a terminal: weight and colour.
package struct Style: Equatable, Sendable {
  /// The colours that every terminal has, by their numbers.
  package enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case magenta = 35
    case cyan = 36
  }

  /// Whether the letter is bold.
  package var isBold = false
  /// Whether the letter is dim.
  package var isDim = false
  /// Whether the letter is reversed: dark on light, where the others are light on dark.
  package var isReversed = false
  /// The colour of the letter; the terminal's own where nil.
  package var colour: Colour?

  /// The plain style, as the terminal writes by itself.
  package static let plain = Style()
  /// The bold style, for what stands out.
  package static let bold = Style(isBold: true)
  /// The dim style, for what stands back.
  package static let dim = Style(isDim: true)
  /// The alarm style, for what is wrong.
  package static let alarm = Style(isBold: true, isReversed: true, colour: .red)

  /// Makes the sequence that begins the style, whatever came before.
  func sequence(hasColour: Bool) -> String {
    var numbers = ["0"]
    if isBold { numbers.append("1") }
    if isDim { numbers.append("2") }
    if isReversed { numbers.append("7") }
    if hasColour, let colour { numbers.append("\(colour.rawValue)") }
    return "\u{1B}[\(numbers.joined(separator: ";"))m"
  }
}

/// What pictures are made of: of Unicode's blocks and lines, or of plain letters where the terminal
/// has no others.
package struct Glyphs: Equatable, Sendable {
  /// Whether letters beyond ASCII can be shown.
  package let isUnicode: Bool

  /// The glyphs of a terminal that knows Unicode, or doesn't.
  package init(isUnicode: Bool) { self.isUnicode = isUnicode }

  /// The glyphs that the locale of LC_ALL, LC_CTYPE or LANG, whichever is set first, asks for.
  package init(locale: String?) {
    let word = (locale ?? "").lowercased()
    self.init(isUnicode: word.contains("utf-8") || word.contains("utf8"))
  }

  var full: Character { isUnicode ? "█" : "#" }
  var empty: Character { isUnicode ? "░" : "." }
  var peak: Character { isUnicode ? "│" : "|" }
  var rule: Character { isUnicode ? "─" : "-" }
  var lit: Character { isUnicode ? "●" : "*" }
  var dot: Character { isUnicode ? "·" : "." }
  var more: Character { isUnicode ? "…" : "~" }
  /// The steps of a bar, from nothing to all.
  var steps: [Character] { Array(isUnicode ? "▁▂▃▄▅▆▇█" : "_.-~=+*#") }
}
