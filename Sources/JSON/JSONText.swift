/// A writer for single-line JSON.
///
/// In an object, add names with values; in a list, only values. Commas are inserted automatically.
package struct JSONText {
  /// The JSON written so far.
  package private(set) var text = ""
  private var needsComma = false

  /// Creates an empty text.
  package init() {}

  /// Opens an object or a list with its bracket.
  package mutating func begin(_ bracket: Character, _ name: String? = nil) {
    put(name, String(bracket))
    needsComma = false
  }

  /// Closes an object or a list with its bracket.
  package mutating func end(_ bracket: Character) {
    text.append(bracket)
    needsComma = true
  }

  /// Writes a string.
  package mutating func add(_ name: String? = nil, _ value: String) {
    put(name, JSON.written(value))
  }

  /// Writes a string that needs no escaping, such as base 64.
  package mutating func add(_ name: String? = nil, plain value: String) {
    put(name, "\"\(value)\"")
  }

  /// Writes an integer.
  package mutating func add(_ name: String? = nil, _ value: Int) { put(name, String(value)) }

  /// Writes a number; does nothing if it is nil or not finite.
  package mutating func add(_ name: String? = nil, _ value: Double?) {
    guard let value, value.isFinite else { return }
    put(name, value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)")
  }

  fileprivate mutating func put(_ name: String?, _ value: String) {
    if needsComma { text += "," }
    if let name { text += JSON.written(name) + ":" }
    text += value
    needsComma = true
  }
}

extension JSONText {
  /// Writes a boolean.
  package mutating func add(_ name: String? = nil, _ value: Bool) { put(name, "\(value)") }

  /// Writes a number with a decimal point, which distinguishes it from an integer; null if it isn't
  /// finite.
  package mutating func add(_ name: String? = nil, fractional value: Float) {
    put(name, value.isFinite ? "\(value)" : "null")
  }

  /// Writes null.
  package mutating func addNull(_ name: String? = nil) { put(name, "null") }
}
