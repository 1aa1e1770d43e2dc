/// A value that can be written as JSON.
package protocol JSONWritable {
  /// The JSON text, or nil for a value that JSON can't express, such as NaN; its member is omitted.
  var asJSON: String? { get }
}

extension String: JSONWritable {
  package var asJSON: String? { JSON.written(self) }
}

extension Bool: JSONWritable {
  package var asJSON: String? { "\(self)" }
}

extension Int: JSONWritable {
  package var asJSON: String? { "\(self)" }
}

extension Double: JSONWritable {
  package var asJSON: String? {
    guard isFinite else { return nil }
    return self == rounded() && abs(self) < 1e15 ? "\(Int(self))" : "\(self)"
  }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
  package var asJSON: String? { flatMap(\.asJSON) }
}

extension Array: JSONWritable where Element: JSONWritable {
  package var asJSON: String? { "[\(compactMap(\.asJSON).joined(separator: ","))]" }
}

extension JSONText: JSONWritable {
  package var asJSON: String? { text }
}
