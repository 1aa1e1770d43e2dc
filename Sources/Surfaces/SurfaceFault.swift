/// The error of a surface: a control that does not fit the address that it names.
package struct SurfaceFault: Error, Equatable, CustomStringConvertible {
  /// The message, in one line.
  package let description: String

  /// Creates a fault with its message.
  package init(_ description: String) { self.description = description }
}
