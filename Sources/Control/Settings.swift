internal import OSC

/// The settings of a node as text: a line for each address, with its value.
extension Node {
  /// Sets one address from text like `/live/gain=-6`, by the same door as any message.
  ///
  /// It takes effect at once, or at a time in microseconds of the engine's clock.
  package func set(_ assignment: String, at due: Double? = nil) throws(Refusal) {
    guard let equals = assignment.firstIndex(of: "="), assignment.hasPrefix("/") else {
      throw Refusal(.type, "\(quoted(assignment)) is not of the form /address=value")
    }
    let path = String(assignment[..<equals])
    let text = String(assignment[assignment.index(after: equals)...])
    guard let address = table[path] else {
      throw Refusal(.unknown, "there is no address \(quoted(path)); `syrinx addresses` lists them")
    }
    switch address.kind {
    case .choice, .selection, .errand(_, _, .some, _):
      try perform(path, [.string(text)], at: due)
    case .number, .whole, .toggle, .command(_, isButton: true, _):
      guard let number = Double(text) else {
        throw Refusal(.type, "\(path) takes \(address.usage); got \(quoted(text))")
      }
      try perform(path, [.double(number)], at: due)
    case .setting(let forms, _, _), .arrangement(let forms, _, _):
      try perform(path, Self.arguments(text, forms), at: due)
    default:
      throw Refusal(.type, "\(path) has no value that could be set")
    }
  }
}
