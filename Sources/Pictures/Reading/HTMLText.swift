/// Converts HTML to plain text in one line.
enum HTMLText {
  private static let names: [Substring: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "copy": "©",
    "ndash": "–", "mdash": "—", "hellip": "…",
  ]
  // Elements without visible text.
  private static let silent = ["script", "style"]

  /// Returns the text of HTML in one line of at most `most` bytes, without tags and with entities
  /// decoded.
  static func plain(_ html: String, most: Int = 200) -> String {
    var text = ""
    var rest = html.prefix(20_000)
    while let letter = rest.first {
      switch letter {
      case "<":
        skipTag(&rest)
        // Adjacent lines and table cells are separate words.
        text += " "
      case "&": text += reference(&rest)
      default:
        text.append(letter)
        rest.removeFirst()
      }
    }
    return line(text, most)
  }

  /// Returns a text in one line of at most `most` bytes.
  static func line(_ text: String, _ most: Int) -> String {
    // Bidirectional control characters could make the line appear to say something else.
    let visible = String.UnicodeScalarView(
      text.unicodeScalars.map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: " "
        default: scalar
        }
      })
    var line = String(visible).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    while line.utf8.count > most { line.removeLast() }
    return line
  }

  private static func skipTag(_ rest: inout Substring) {
    let name = rest.dropFirst().prefix { $0.isLetter }.lowercased()
    guard let end = rest.firstIndex(of: ">") else {
      rest = ""
      return
    }
    rest = rest[rest.index(after: end)...]
    guard silent.contains(name) else { return }
    while let next = rest.firstIndex(of: "<") {
      rest = rest[next...]
      if rest.prefix(name.count + 2).lowercased() == "</\(name)" { return }
      rest.removeFirst()
    }
    rest = ""
  }

  private static func reference(_ rest: inout Substring) -> String {
    let body = rest.dropFirst().prefix(10)
    guard let end = body.firstIndex(of: ";"), let letter = letter(body[..<end]) else {
      rest.removeFirst()
      return "&"
    }
    rest = rest[rest.index(after: end)...]
    return letter
  }

  private static func letter(_ name: Substring) -> String? {
    guard name.hasPrefix("#") else { return names[name] }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    guard
      let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
      let scalar = UnicodeScalar(number)
    else { return nil }
    return String(scalar)
  }
}
