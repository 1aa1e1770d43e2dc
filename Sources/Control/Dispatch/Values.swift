internal import Engine

/// The values of all parameters as the control side knows them.
struct Values {
  private var values: [Float]
  // The number of the newest command under way for each, whose value stands here already.
  private var newest: [UInt64?]

  init(_ table: AddressTable) {
    values = Array(repeating: 0, count: Parameter.numbers)
    newest = Array(repeating: nil, count: Parameter.numbers)
    for parameter in Parameter.allCases {
      values[parameter.number] = table.address(of: parameter)?.initial ?? 0
    }
  }

  subscript(parameter: Parameter) -> Float { values[parameter.number] }

  /// Takes a value that was accepted to take effect at once: whoever asks next is told it.
  mutating func accept(_ parameter: Parameter, _ value: Float, command: UInt64) {
    values[parameter.number] = value
    newest[parameter.number] = command
  }

  /// Takes the news that a press has set a value, unless a command is on its way that does so after
  /// it.
  mutating func take(_ parameter: Parameter, _ value: Float) {
    if newest[parameter.number] == nil { values[parameter.number] = value }
  }

  /// Takes the news that a value is in effect.
  mutating func apply(_ parameter: Parameter, _ value: Float, command: UInt64) {
    let index = parameter.number
    if let newest = newest[index], command < newest { return }
    values[index] = value
    newest[index] = nil
  }
}
