/// The error of a control that doesn't fit its address.
package struct SurfaceFault: Error, Equatable, CustomStringConvertible {
  /// The message, one line.
  package let description: String

  /// Creates a fault.
  package init(_ description: String) { self.description = description }
}
