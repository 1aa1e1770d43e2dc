/// An argument of an OSC message.
package enum Argument: Equatable, Sendable {
  case int32(Int32)
  case int64(Int64)
  case float(Float)
  case double(Double)
  case string(String)
  case symbol(String)
  case blob([UInt8])
  case bool(Bool)
  case timeTag(TimeTag)
  case character(UInt32)
  case color(UInt32)
  case midi(UInt32)
  case `nil`
  case infinitum

  /// The argument's type tag.
  package var tag: Character {
    switch self {
    case .int32: "i"
    case .int64: "h"
    case .float: "f"
    case .double: "d"
    case .string: "s"
    case .symbol: "S"
    case .blob: "b"
    case .bool(let value): value ? "T" : "F"
    case .timeTag: "t"
    case .character: "c"
    case .color: "r"
    case .midi: "m"
    case .nil: "N"
    case .infinitum: "I"
    }
  }

  /// The argument as a number, if its type is one of `i f d h T F`.
  package var number: Double? {
    switch self {
    case .int32(let value): Double(value)
    case .int64(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }

  /// The argument as text, if it is a string or symbol.
  package var text: String? {
    switch self {
    case .string(let value), .symbol(let value): value
    default: nil
    }
  }
}

/// An OSC time tag: seconds since 1900, 32.32 fixed-point.
package struct TimeTag: Equatable, Hashable, Sendable {
  /// The 64 bits of the tag, as in a packet.
  package var bits: UInt64

  /// The tag that means "immediately".
  package static let immediately = TimeTag(bits: 1)

  private static let unixEpoch: Int64 = 2_208_988_800

  /// Creates a tag from its bits.
  package init(bits: UInt64) {
    self.bits = bits
  }

  /// Creates a tag from microseconds since 1970.
  package init(unixMicroseconds: Double) {
    let seconds = (unixMicroseconds / 1e6).rounded(.down)
    let fraction = unixMicroseconds / 1e6 - seconds
    let whole = UInt64(truncatingIfNeeded: Int64(seconds) + Self.unixEpoch)
    bits = whole << 32 | UInt64(min(fraction * 4_294_967_296, 4_294_967_295))
  }

  /// The time in microseconds since 1970.
  ///
  /// The seconds belong to the era around 2036 that is nearer.
  package var unixMicroseconds: Double {
    var seconds = Int64(bits >> 32)
    if seconds < 0x8000_0000 { seconds += 0x1_0000_0000 }
    return Double(seconds - Self.unixEpoch) * 1e6
      + Double(bits & 0xFFFF_FFFF) / 4_294_967_296 * 1e6
  }
}
