/// JSON that is being written.
///
/// A name and a value follow each other in an object, values in a list; the commas come by
/// themselves.
struct JSONText {
  private(set) var text = ""
  private var needsComma = false

  mutating func begin(_ bracket: Character, _ name: String? = nil) {
    put(name, String(bracket))
    needsComma = false
  }

  mutating func end(_ bracket: Character) {
    text.append(bracket)
    needsComma = true
  }

  mutating func add(_ name: String? = nil, _ value: String) { put(name, JSON.written(value)) }

  mutating func add(_ name: String? = nil, _ value: Int) { put(name, String(value)) }

  /// One that is no number is left out.
  mutating func add(_ name: String? = nil, _ value: Double?) {
    guard let value, value.isFinite else { return }
    put(name, value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)")
  }

  private mutating func put(_ name: String?, _ value: String) {
    if needsComma { text += "," }
    if let name { text += JSON.written(name) + ":" }
    text += value
    needsComma = true
  }
}
