/// A value in the place of a question mark.
package enum StatementValue: Sendable {
  case integer(Int)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  case null

  /// A number, or no value.
  package static func real(_ number: Double?) -> Self {
    number.map { Self.real($0 as Double) } ?? .null
  }

  /// A whole number, or no value.
  package static func integer(_ number: Int?) -> Self {
    number.map { Self.integer($0 as Int) } ?? .null
  }
}
