/// Text that can do a terminal no harm, and how much room it takes there.
package enum PlainText {
  /// Makes one line of a text, without what would move the cursor, colour the terminal, or turn the
  /// order of letters round.
  package static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isSpace(scalar) {
        line.append(" ")
      } else if !isControl(scalar) {
        line.append(scalar)
      }
    }
    return String(line)
  }

  /// Parts a text into lines, each without what would do a terminal harm.
  package static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }
  }

  /// Writes JSON with what could harm a terminal written by its number, which is the same JSON.
  package static func json(_ text: String) -> String {
    var json = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.value >= 32, isControl(scalar) || isSpace(scalar) {
        let digits = String(scalar.value, radix: 16)
        let zeros = String(repeating: "0", count: 4 - digits.count)
        json.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
      } else {
        json.append(scalar)
      }
    }
    return String(json)
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    // Tab, the ends of lines, and those of Unicode.
    (9...13).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<32, 0x7F..<0xA0: true
    // What sets the direction of letters for those after it.
    case 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C: true
    default: false
    }
  }

  // MARK: - Width

  /// Measures a text in columns of a terminal.
  package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Cuts a text to so many columns at the most, with "…" where something is left out.
  package static func cut(_ text: String, to most: Int) -> String {
    guard width(text) > most else { return text }
    var (result, left) = ("", most - 1)
    for character in text {
      left -= width(character)
      if left < 0 { break }
      result.append(character)
    }
    return most > 0 ? result + "…" : ""
  }

  /// Measures a letter in columns of a terminal, with the marks on it.
  package static func width(_ character: Character) -> Int {
    var (width, isJoined, isPicture) = (0, false, false)
    for scalar in character.unicodeScalars {
      width += self.width(scalar)
      isJoined = isJoined || scalar.value == 0x200D || scalar.properties.isEmojiModifier
      isPicture = isPicture || scalar.value == 0xFE0F
    }
    if isPicture { width = max(width, 2) }
    // Several pictures that are shown as one.
    return isJoined ? min(width, 2) : width
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value == 0 ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // What follows the first letter of a Hangul syllable stands in its place.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    if scalar.properties.isEmojiPresentation, !scalar.isRegionalIndicator { return 2 }
    return Self.wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  // East Asian Width W and F in Unicode's EastAsianWidth.txt, without what is between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
    0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]
}

extension Unicode.Scalar {
  fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }
}
