/// Why a surface can't be made: a control that does not fit the address that it names.
package struct SurfaceFault: Error, Equatable, CustomStringConvertible {
  /// What is wrong, in one line.
  package let description: String

  /// A fault with its line.
  package init(_ description: String) { self.description = description }
}
