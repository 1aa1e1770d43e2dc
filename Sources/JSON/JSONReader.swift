/// A JSON parser (RFC 8259) that reports errors with line numbers.
///
/// The nesting depth is limited, so that no file can overflow the stack. So is the number of values, which
/// take many times the memory of their text.
struct JSONReader {
  static let deepest = 16

  private let bytes: [UInt8]
  private let mostValues: Int
  private var position = 0
  private var line = 1
  private var depth = 0
  private var valueCount = 0

  init(_ bytes: [UInt8], within limits: JSON.Limits) {
    self.bytes = bytes
    mostValues = limits.values
    // Skips the byte order mark that some editors write.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  mutating func readAll() throws(JSON.Fault) -> JSON {
    skipBlanks()
    guard position < bytes.count else { throw fault("the file is empty") }
    let value = try readValue()
    skipBlanks()
    guard position == bytes.count else { throw fault("expected the end of the file; got \(found)") }
    return value
  }

  private mutating func readValue() throws(JSON.Fault) -> JSON {
    let line = line
    valueCount += 1
    guard valueCount <= mostValues else {
      throw JSON.Fault(line, "more than \(mostValues) values", isTooLarge: true)
    }
    switch byte {
    case UInt8(ascii: "{"): return JSON(line: line, .object(try readObject()))
    case UInt8(ascii: "["): return JSON(line: line, .list(try readList()))
    case UInt8(ascii: "\""): return JSON(line: line, .text(try readText()))
    case let next? where next == UInt8(ascii: "-") || Self.isDigit(next):
      return JSON(line: line, .number(try readNumber()))
    default:
      for (word, content) in Self.words where bytes[position...].starts(with: word.utf8) {
        position += word.utf8.count
        return JSON(line: line, content)
      }
      throw fault("expected a value; got \(found)")
    }
  }

  private static let words: [(String, JSON.Content)] = [
    ("true", .flag(true)), ("false", .flag(false)), ("null", .null),
  ]

  // MARK: - Objects and lists

  private mutating func readObject() throws(JSON.Fault) -> [JSON.Member] {
    var members: [JSON.Member] = []
    var lines: [String: Int] = [:]
    try readItems(of: "object", until: UInt8(ascii: "}")) { reader throws(JSON.Fault) in
      let line = reader.line
      guard reader.byte == UInt8(ascii: "\"") else {
        throw reader.fault("expected a quoted name; got \(reader.found)")
      }
      let name = try reader.readText()
      if let first = lines.updateValue(line, forKey: name) {
        throw JSON.Fault(line, "duplicate name \(Self.shortened(name)), already on line \(first)")
      }
      reader.skipBlanks()
      guard reader.byte == UInt8(ascii: ":") else {
        throw reader.fault("expected a colon after \(Self.shortened(name)); got \(reader.found)")
      }
      reader.position += 1
      reader.skipBlanks()
      members.append(JSON.Member(name: name, line: line, value: try reader.readValue()))
    }
    return members
  }

  private mutating func readList() throws(JSON.Fault) -> [JSON] {
    var values: [JSON] = []
    try readItems(of: "list", until: UInt8(ascii: "]")) { reader throws(JSON.Fault) in
      values.append(try reader.readValue())
    }
    return values
  }

  /// Parses the comma-separated items between brackets.
  private mutating func readItems(
    of kind: String, until end: UInt8, _ readItem: (inout JSONReader) throws(JSON.Fault) -> Void
  ) throws(JSON.Fault) {
    let start = line
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw fault("nested more than \(Self.deepest) levels deep")
    }
    position += 1
    skipBlanks()
    if byte == end {
      position += 1
      return
    }
    while true {
      try readItem(&self)
      skipBlanks()
      if byte == end { break }
      guard byte == UInt8(ascii: ",") else {
        throw position == bytes.count
          ? fault("unexpected end of the file in the \(kind) that starts on line \(start)")
          : fault("expected a comma before \(found)")
      }
      position += 1
      skipBlanks()
      if byte == end { throw fault("trailing comma") }
    }
    position += 1
  }

  // MARK: - Texts

  private mutating func readText() throws(JSON.Fault) -> String {
    position += 1
    var start = position
    // The text before the last escape. A long text without one, such as a sound, is copied once.
    var text: [UInt8] = []
    while let next = byte, next != UInt8(ascii: "\"") {
      guard next >= 32 else {
        throw fault(
          next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
            ? "missing closing quote" : "control character \(next) in a string")
      }
      if next == UInt8(ascii: "\\") {
        text += bytes[start..<position]
        text += try readEscape().utf8
        start = position
      } else {
        position += 1
      }
    }
    guard position < bytes.count else { throw fault("missing closing quote") }
    let rest = bytes[start..<position]
    position += 1
    let result =
      text.isEmpty
      ? String(validating: rest, as: UTF8.self) : String(validating: text + rest, as: UTF8.self)
    guard let result else { throw fault("a string is not UTF-8") }
    return result
  }

  private mutating func readEscape() throws(JSON.Fault) -> String {
    position += 1
    let letter = byte
    position += 1
    switch letter {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      var units = [try readUnit()]
      // The high half of a surrogate pair; the low half must follow.
      if UTF16.isLeadSurrogate(units[0]), bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        units.append(try readUnit())
      }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw fault("unpaired surrogate after \\u")
      }
      return text
    default:
      throw fault("invalid escape after \\ in a string")
    }
  }

  private mutating func readUnit() throws(JSON.Fault) -> UInt16 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4,
      digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw fault("expected four hexadecimal digits after \\u") }
    position += 4
    return unit
  }

  // MARK: - Numbers

  private mutating func readNumber() throws(JSON.Fault) -> Double {
    let start = position
    if byte == UInt8(ascii: "-") { position += 1 }
    let first = byte
    let whole = skipDigits()
    var isNumber = whole > 0 && (first != UInt8(ascii: "0") || whole == 1)
    if byte == UInt8(ascii: ".") {
      position += 1
      isNumber = skipDigits() > 0 && isNumber
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      isNumber = skipDigits() > 0 && isNumber
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard isNumber, let number = Double(text), number.isFinite else {
      throw fault("\(Self.shortened(text)) is not a JSON number")
    }
    return number
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let next = byte, Self.isDigit(next) { position += 1 }
    return position - start
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  // MARK: - Bytes

  /// The next byte, or nil at the end.
  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let next = byte {
      switch next {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      default: return
      }
      position += 1
    }
  }

  /// The next byte, in words.
  private var found: String {
    guard let byte else { return "the end of the file" }
    return byte > 32 && byte < 127
      ? "'\(Character(UnicodeScalar(byte)))'" : "the byte 0x\(String(byte, radix: 16))"
  }

  private func fault(_ description: String) -> JSON.Fault { JSON.Fault(line, description) }

  private static func shortened(_ text: String) -> String {
    text.utf8.count > 60 ? String(text.prefix(50)) + "…" : text
  }
}
