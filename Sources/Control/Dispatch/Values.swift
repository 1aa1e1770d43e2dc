internal import Engine

/// The values of all parameters as seen by the control thread.
struct Values {
  private var values: [Float]
  // For each parameter, the number of the latest pending command, whose value is already stored.
  private var newest: [UInt64?]

  init(_ table: AddressTable) {
    values = Array(repeating: 0, count: Parameter.numbers)
    newest = Array(repeating: nil, count: Parameter.numbers)
    for parameter in Parameter.allCases {
      values[parameter.number] = table.address(of: parameter)?.initial ?? parameter.initial
    }
  }

  subscript(parameter: Parameter) -> Float { values[parameter.number] }

  /// Stores the value of an accepted immediate command, so that queries return it at once.
  mutating func accept(_ parameter: Parameter, _ value: Float, command: UInt64) {
    values[parameter.number] = value
    newest[parameter.number] = command
  }

  /// Stores a value set by a press, unless a later command is pending.
  mutating func applyPress(_ parameter: Parameter, _ value: Float) {
    if newest[parameter.number] == nil { values[parameter.number] = value }
  }

  /// Stores a value that took effect.
  mutating func apply(_ parameter: Parameter, _ value: Float, command: UInt64) {
    let index = parameter.number
    if let newest = newest[index], command < newest { return }
    values[index] = value
    newest[index] = nil
  }
}
