/// A JSON value with its line number.
///
/// Members keep their order. Duplicate names in an object are an error.
package struct JSON: Sendable {
  /// The type and content of a value.
  package enum Content: Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([Member])
  }

  /// A name and value of an object.
  package struct Member: Sendable {
    /// The member's name.
    package let name: String
    /// The line of the name.
    package let line: Int
    /// The member's value.
    package let value: JSON
  }

  /// An error in a text that isn't JSON or doesn't have the expected form.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// The line number, from 1.
    package let line: Int
    /// The error message.
    package let description: String
    /// Whether the text exceeds a limit.
    package let isTooLarge: Bool

    /// Creates an error for a line.
    package init(_ line: Int, _ description: String, isTooLarge: Bool = false) {
      self.line = line
      self.description = description
      self.isTooLarge = isTooLarge
    }
  }

  /// The line on which the value starts, from 1.
  package let line: Int
  /// The type and content.
  package let content: Content

  /// Parses the bytes of a whole file.
  package init(_ bytes: [UInt8], within limits: Limits = Limits()) throws(Fault) {
    var reader = JSONReader(bytes, within: limits)
    self = try reader.readAll()
  }

  init(line: Int, _ content: Content) {
    self.line = line
    self.content = content
  }

  /// The type of the value, in words.
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

  /// Returns a string with quotes and escapes.
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

  /// Returns the shortest text that parses to the same single-precision number, which must be
  /// finite.
  package static func written(_ number: Float) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
  }
}
