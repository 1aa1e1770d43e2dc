/// The present values of all parameters, for units that are created for a new sample rate, and for pedals.
struct ParameterValues: ~Copyable {
  private let values: UnsafeMutablePointer<Float>

  /// Creates a table of the initial values.
  init() {
    values = .allocate(capacity: Parameter.numbers)
    values.initialize(repeating: 0, count: Parameter.numbers)
    for parameter in Parameter.allCases { self[parameter] = parameter.initial }
  }

  deinit { values.deallocate() }

  subscript(parameter: Parameter) -> Float {
    @_noLocks get { values[parameter.number] }
    @_noLocks nonmutating set { values[parameter.number] = newValue }
  }
}
