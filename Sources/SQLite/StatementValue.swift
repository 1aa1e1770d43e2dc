/// A value bound to a statement parameter.
package enum StatementValue: Sendable {
  case integer(Int)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  case null

  /// A number, or NULL.
  package static func real(_ number: Double?) -> Self {
    number.map { Self.real($0 as Double) } ?? .null
  }

  /// An integer, or NULL.
  package static func integer(_ number: Int?) -> Self {
    number.map { Self.integer($0 as Int) } ?? .null
  }
}
