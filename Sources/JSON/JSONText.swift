/// A writer of JSON in one line.
///
/// A name and a value follow each other in an object, values in a list; the commas come by
/// themselves.
package struct JSONText {
  /// The JSON written so far.
  package private(set) var text = ""
  private var needsComma = false

  /// An empty text.
  package init() {}

  /// Opens an object or a list by its bracket.
  package mutating func begin(_ bracket: Character, _ name: String? = nil) {
    put(name, String(bracket))
    needsComma = false
  }

  /// Closes an object or a list by its bracket.
  package mutating func end(_ bracket: Character) {
    text.append(bracket)
    needsComma = true
  }

  /// Writes a text in quotes.
  package mutating func add(_ name: String? = nil, _ value: String) {
    put(name, JSON.written(value))
  }

  /// Writes a text in quotes in which nothing needs to be escaped, such as base 64.
  package mutating func add(_ name: String? = nil, plain value: String) {
    put(name, "\"\(value)\"")
  }

  /// Writes a whole number.
  package mutating func add(_ name: String? = nil, _ value: Int) { put(name, String(value)) }

  /// Writes a number; leaves out one that is not finite.
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
  /// Writes true or false.
  package mutating func add(_ name: String? = nil, _ value: Bool) { put(name, "\(value)") }

  /// Writes a number with its point, by which readers know it from a whole one; null where it is not
  /// finite.
  package mutating func add(_ name: String? = nil, fractional value: Float) {
    put(name, value.isFinite ? "\(value)" : "null")
  }

  /// Writes null.
  package mutating func addNull(_ name: String? = nil) { put(name, "null") }
}
