internal import Control
internal import OSC

/// An input line of `syrinx send -`.
enum SendLine {
  /// The time at which a bundle is due.
  enum Due {
    case now
    /// Seconds after the line was read.
    case after(Double)
    /// Seconds since 1970.
    case at(Double)
  }

  /// An empty line, or a comment.
  case empty
  /// A message.
  case message(path: String, arguments: [Argument])
  /// The start of a bundle.
  case opening(Due)
  /// The end of a bundle.
  case closing

  /// Parses a line.
  init(_ text: String) throws(Failure) {
    let words = try Self.words(of: text)
    guard let first = words.first else {
      self = .empty
      return
    }
    if !first.isQuoted, first.text.hasPrefix("[") || first.text == "]" {
      self = try Self.bracket(words)
      return
    }
    guard first.text.hasPrefix("/") else {
      throw Failure(.usage, "an address starts with /; got \(Control.quoted(first.text))")
    }
    let address = AddressTable.widest[first.text]
    self = .message(
      path: first.text,
      arguments: words.dropFirst().enumerated().map { index, word in
        word.isQuoted
          ? .string(word.text)
          : Self.argument(word.text, isText: address?.isText(at: index) ?? false)
      })
  }

  /// Parses an argument as typed.
  ///
  /// Without an explicit type, infers it from the text.
  static func argument(_ text: String, isText: Bool) -> Argument {
    if text.hasPrefix("s:") { return .string(String(text.dropFirst(2))) }
    if text.hasPrefix("i:"), let value = Int32(text.dropFirst(2)) { return .int32(value) }
    if text.hasPrefix("f:"), let value = Float(text.dropFirst(2)) { return .float(value) }
    if isText { return .string(text) }
    if text == "T" || text == "F" { return .bool(text == "T") }
    if let value = Int32(text) { return .int32(value) }
    // Words like "nan" and "infinity" are texts.
    if let value = Float(text), text.contains(where: \.isNumber) { return .float(value) }
    return .string(text)
  }

  private static func bracket(_ words: [Word]) throws(Failure) -> SendLine {
    // The time may follow the bracket directly or after spaces.
    let text = words.map(\.text).joined(separator: " ")
    if text == "]" { return .closing }
    let time = text.dropFirst().drop { $0 == " " }
    if time.isEmpty { return .opening(.now) }
    if let sign = time.first, sign == "+" || sign == "@",
      let seconds = Double(time.dropFirst()), seconds >= 0, seconds.isFinite, seconds < 4e9
    {
      return .opening(sign == "+" ? .after(seconds) : .at(seconds))
    }
    throw Failure(
      .usage,
      "a bundle starts with [ alone, [+SECONDS from now, or [@SECONDS since 1970; got "
        + Control.quoted(text))
  }

  // MARK: - Words

  private struct Word {
    var text = ""
    var isQuoted = false
  }

  /// Splits a line into words at spaces, except in quotes, where a backslash escapes the next
  /// character, and \n is a new line.
  private static func words(of line: String) throws(Failure) -> [Word] {
    var words: [Word] = []
    var rest = line[...]
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard let first = rest.first else { return words }
      if first == "#", words.isEmpty { return [] }
      if first == "\"" {
        words.append(Word(text: try quotedText(&rest), isQuoted: true))
      } else {
        let text = rest.prefix { !$0.isWhitespace }
        words.append(Word(text: String(text)))
        rest = rest.dropFirst(text.count)
      }
    }
  }

  private static func quotedText(_ rest: inout Substring) throws(Failure) -> String {
    var text = ""
    rest = rest.dropFirst()
    while let letter = rest.popFirst() {
      switch letter {
      case "\"":
        guard rest.first?.isWhitespace ?? true else {
          throw Failure(.usage, "expected a space after the quote of \(quoted(text))")
        }
        return text
      case "\\":
        guard let next = rest.popFirst() else { break }
        text.append(next == "n" ? "\n" : next)
      default: text.append(letter)
      }
    }
    throw Failure(.usage, "missing closing quote after \(Control.quoted(text))")
  }

  /// Quotes a text so that it parses as the same text.
  static func quoted(_ text: String) -> String {
    let letters = text.flatMap { letter -> [Character] in
      switch letter {
      case "\"", "\\": ["\\", letter]
      case "\n": ["\\", "n"]
      default: [letter]
      }
    }
    return "\"" + letters + "\""
  }
}
