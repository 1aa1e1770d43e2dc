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

  /// Writes a value, or nothing if it has no JSON.
  package mutating func add(_ name: String? = nil, _ value: some JSONWritable) {
    if let text = value.asJSON { put(name, text) }
  }

  /// Writes a string that needs no escaping, such as base 64.
  package mutating func add(_ name: String? = nil, plain value: String) {
    put(name, "\"\(value)\"")
  }

  /// Writes null.
  package mutating func addNull(_ name: String? = nil) { put(name, "null") }

  private mutating func put(_ name: String?, _ value: String) {
    if needsComma { text += "," }
    if let name { text += JSON.written(name) + ":" }
    text += value
    needsComma = true
  }
}

extension JSONText: ExpressibleByDictionaryLiteral {
  /// Creates an object of members, without those that have no value.
  package init(_ members: [(String, any JSONWritable)]) {
    begin("{")
    for (name, value) in members { add(name, value) }
    end("}")
  }

  package init(dictionaryLiteral members: (String, any JSONWritable)...) { self.init(members) }
}
