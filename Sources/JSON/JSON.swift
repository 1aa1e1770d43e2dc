/// A JSON value that knows the line on which it stands.
///
/// Members keep their order, and two of one name in an object are an error.
package struct JSON: Sendable {
  /// The kinds of values.
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

  /// A fault of a text that is not JSON, or not of the form that was expected.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The reason, for people.
    package let description: String

    /// A fault on a line.
    package init(_ line: Int, _ description: String) {
      self.line = line
      self.description = description
    }
  }

  /// The line on which it begins, from 1.
  package let line: Int
  /// The value.
  package let content: Content

  /// Reads the bytes of a whole file.
  package init(_ bytes: [UInt8]) throws(Fault) {
    var reader = JSONReader(bytes)
    self = try reader.readAll()
  }

  init(line: Int, _ content: Content) {
    self.line = line
    self.content = content
  }

  /// The kind of the value, in words.
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

  /// Writes a text in quotes, with what needs it escaped.
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

  /// Writes the shortest text that reads as the same single precision number, which must be finite.
  package static func written(_ number: Float) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
  }
}
