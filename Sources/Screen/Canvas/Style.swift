/// How a letter looks on a terminal.
package struct Style: Equatable, Sendable {
  /// The colours that every terminal has, by their numbers.
  package enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }

  /// Whether it is bold.
  package var isBold = false
  /// Whether it stands back.
  package var isDim = false
  /// Whether it is dark on light, where the others are light on dark.
  package var isReversed = false
  /// Its colour; the terminal's own where nil.
  package var colour: Colour?

  /// As the terminal writes by itself.
  package static let plain = Style()
  /// What stands out.
  package static let bold = Style(isBold: true)
  /// What stands back.
  package static let dim = Style(isDim: true)
  /// What is wrong.
  package static let alarm = Style(isBold: true, isReversed: true, colour: .red)

  /// The sequence that begins it, whatever came before.
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

  /// Those of a terminal that knows Unicode, or doesn't.
  package init(isUnicode: Bool) { self.isUnicode = isUnicode }

  /// Those that the words of LC_ALL, LC_CTYPE or LANG, whichever is set first, ask for.
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
  /// From nothing to all.
  var steps: [Character] { Array(isUnicode ? "▁▂▃▄▅▆▇█" : "_.-~=+*#") }
}
