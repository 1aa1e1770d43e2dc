extension JSON {
  /// The member of a name; nil where there is none, or the value is no object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text; nil where the value is none.
  package var text: String? {
    if case .text(let text) = content { text } else { nil }
  }

  /// The number; nil where the value is none.
  package var number: Double? {
    if case .number(let number) = content { number } else { nil }
  }

  /// The whole number; nil where the value is none.
  package var whole: Int? { number.flatMap { Int(exactly: $0) } }

  /// The values of the list; nil where the value is none.
  package var list: [JSON]? {
    if case .list(let values) = content { values } else { nil }
  }
}
