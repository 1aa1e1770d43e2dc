internal import DSP

/// The present values of all parameters, for units that are created for a new sample rate, and for pedals.
struct ParameterValues: ~Copyable {
  private let buffers = Buffers()
  private let values: UnsafeMutablePointer<Float>

  /// Creates a table of the initial values.
  init() {
    values = buffers.floats(Parameter.numbers)
    for parameter in Parameter.allCases { self[parameter] = parameter.initial }
  }

  subscript(parameter: Parameter) -> Float {
    @_noLocks get { values[parameter.number] }
    @_noLocks nonmutating set { values[parameter.number] = newValue }
  }
}
