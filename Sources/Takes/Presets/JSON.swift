/// A JSON value that knows the line on which it stands.
///
/// Members keep their order, and two of one name in an object are an error.
package struct JSON: Sendable {
  /// What it is.
  package enum Content: Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([Member])
  }

  /// One pair of an object.
  package struct Member: Sendable {
    /// Its name.
    package let name: String
    /// The line of its name.
    package let line: Int
    /// Its value.
    package let value: JSON
  }

  /// Why a text is not JSON, or not what was looked for.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// What is wrong there.
    package let description: String

    /// A fault on a line.
    package init(_ line: Int, _ description: String) {
      self.line = line
      self.description = description
    }
  }

  /// The line on which it begins, from 1.
  package let line: Int
  /// What it is.
  package let content: Content

  /// Reads a whole file.
  package init(_ bytes: [UInt8]) throws(Fault) {
    var reader = JSONReader(bytes)
    self = try reader.readAll()
  }

  init(line: Int, _ content: Content) {
    self.line = line
    self.content = content
  }

  /// What it is, in words.
  package var kind: String {
    switch content {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  // MARK: - Writing

  /// A text in quotes.
  package static func written(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 32:
        result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The shortest text that reads as the same single precision number, which must be finite.
  package static func written(_ number: Float) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
  }
}
