extension JSON {
  /// The member with a name, or nil if there is none or the value isn't an object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The string, or nil if the value isn't one.
  package var text: String? {
    if case .text(let text) = content { text } else { nil }
  }

  /// The number, or nil if the value isn't one.
  package var number: Double? {
    if case .number(let number) = content { number } else { nil }
  }

  /// The integer, or nil if the value isn't one.
  package var whole: Int? { number.flatMap { Int(exactly: $0) } }

  /// The list's values, or nil if the value isn't a list.
  package var list: [JSON]? {
    if case .list(let values) = content { values } else { nil }
  }
}
