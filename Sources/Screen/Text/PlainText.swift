/// Text that is safe for a terminal, and its width there.
package enum PlainText {
  /// The text as one line, without control characters, escape sequences and bidirectional marks.
  package static func line(_ text: String) -> String {
    let space: Unicode.Scalar = " "
    let plain = text.unicodeScalars.compactMap { isSpace($0) ? space : isControl($0) ? nil : $0 }
    return String(String.UnicodeScalarView(plain))
  }

  /// The text's lines, each safe for a terminal.
  package static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }
  }

  /// Escapes the characters of a JSON text that are unsafe for a terminal.
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
    // Tab and line ends, also Unicode's.
    (9...13).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<32, 0x7F..<0xA0: true
    // Bidirectional formatting.
    case 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C: true
    default: false
    }
  }

  // MARK: - Width

  /// The width of text in columns.
  package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Truncates text to a width, with an ellipsis.
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

  /// The width of a character in columns, with its combining marks.
  package static func width(_ character: Character) -> Int {
    var (width, isJoined, isPicture) = (0, false, false)
    for scalar in character.unicodeScalars {
      width += self.width(scalar)
      isJoined = isJoined || scalar.value == 0x200D || scalar.properties.isEmojiModifier
      isPicture = isPicture || scalar.value == 0xFE0F
    }
    if isPicture { width = max(width, 2) }
    // Emoji joined into one.
    return isJoined ? min(width, 2) : width
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value == 0 ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // The parts of a Hangul syllable after the first have no width.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    if scalar.properties.isEmojiPresentation, !scalar.isRegionalIndicator { return 2 }
    return Self.wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  // The ranges of East Asian Width W and F in Unicode's EastAsianWidth.txt.
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
