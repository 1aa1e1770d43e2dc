/// The style of a character on a terminal.
package struct Style: Equatable, Sendable {
  /// The colors of every terminal, by their SGR numbers.
  package enum Color: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case magenta = 35
    case cyan = 36
  }

  package var isBold = false
  package var isDim = false
  /// Whether foreground and background are swapped.
  package var isReversed = false
  /// Whether the text blinks, for queued states.
  package var isBlinking = false
  /// The color; nil is the terminal's own.
  package var color: Color?

  /// The terminal's own style.
  package static let plain = Style()
  /// For emphasis.
  package static let bold = Style(isBold: true)
  /// For disabled and secondary text.
  package static let dim = Style(isDim: true)
  /// For queued commands.
  package static let queued = Style(isBlinking: true, color: .yellow)
  /// For faults.
  package static let alarm = Style(isBold: true, isReversed: true, color: .red)

  /// The escape sequence that sets the style, independent of the one before.
  func sequence(hasColor: Bool) -> String {
    var numbers = ["0"]
    if isBold { numbers.append("1") }
    if isDim { numbers.append("2") }
    if isBlinking { numbers.append("5") }
    if isReversed { numbers.append("7") }
    if hasColor, let color { numbers.append("\(color.rawValue)") }
    return "\u{1B}[\(numbers.joined(separator: ";"))m"
  }
}

/// The characters of bars and lines: Unicode's blocks, or ASCII if the terminal has no Unicode.
package struct Glyphs: Equatable, Sendable {
  /// Whether the terminal shows characters beyond ASCII.
  package let isUnicode: Bool

  /// The glyphs of a terminal with or without Unicode.
  package init(isUnicode: Bool) { self.isUnicode = isUnicode }

  /// The glyphs for a locale: the first that is set of LC_ALL, LC_CTYPE and LANG.
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
