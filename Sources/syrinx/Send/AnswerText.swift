internal import Control
internal import JSON
internal import OSC
internal import Screen

/// The text of a reply: a line that could be sent again, or JSON.
enum AnswerText {
  /// Formats the address and its arguments as a line, with quotes around texts with spaces.
  static func line(_ path: String, _ arguments: [Argument]) -> String {
    ([visible(path, newline: " ")] + arguments.map(word)).joined(separator: " ")
  }

  /// Formats the address and its arguments as a JSON object on one line, with the name of the node if there
  /// can be several.
  static func json(_ path: String, _ arguments: [Argument], of node: String? = nil) -> String {
    let values = arguments.map(value).joined(separator: ",")
    let name = node.map { "\"node\":\(JSON.written($0))," } ?? ""
    return PlainText.json("{\(name)\"address\":\(JSON.written(path)),\"arguments\":[\(values)]}")
  }

  /// Formats an argument as JSON.
  static func value(_ argument: Argument) -> String {
    switch argument {
    case .string(let text), .symbol(let text): JSON.written(text)
    case .bool(let flag): "\(flag)"
    case .timeTag: plainWord(argument)
    default: argument.number.flatMap { $0.isFinite ? plain($0) : nil } ?? "null"
    }
  }

  private static func word(_ argument: Argument) -> String {
    guard let text = argument.text else { return plainWord(argument) }
    let word = visible(text, newline: "\n")
    let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || $0 == "\"" || $0 == "\\" }
    return isPlain ? word : SendLine.quoted(word)
  }

  /// Formats an argument without quotes.
  static func plainWord(_ argument: Argument) -> String {
    switch argument {
    case .string(let text), .symbol(let text): visible(text, newline: " ")
    case .bool(let value): value ? "T" : "F"
    case .timeTag(let time): "\(time.unixMicroseconds / 1e6)"
    case .nil: "N"
    default: argument.number.map(plain) ?? "(\(argument.tag))"
    }
  }

  /// Removes control sequences, which must not move the cursor or color the terminal.
  private static func visible(_ text: String, newline: Character) -> String {
    String(
      text.compactMap { letter -> Character? in
        if letter.isNewline { return newline }
        return letter.unicodeScalars.first?.properties.generalCategory == .control ? nil : letter
      })
  }
}
