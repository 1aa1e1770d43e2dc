internal import OSC

/// A Swift value with a form as OSC arguments.
protocol ArgumentConvertible: SendableMetatype {
  /// The type tags of the arguments.
  static var types: String { get }
  /// The value as arguments.
  var arguments: [Argument] { get }
}

extension Argument {
  /// The arguments of a message, from values of any convertible types.
  static func row<each Value: ArgumentConvertible>(_ values: repeat each Value) -> [Argument] {
    var arguments: [Argument] = []
    repeat arguments += (each values).arguments
    return arguments
  }
}

extension ArgumentConvertible where Self: BinaryInteger {
  static var types: String { "i" }
  var arguments: [Argument] { [.int32(Int32(clamping: self))] }
}

extension ArgumentConvertible where Self: BinaryFloatingPoint {
  static var types: String { "f" }
  var arguments: [Argument] { [.float(Float(self))] }
}

extension Int: ArgumentConvertible {}
extension Int32: ArgumentConvertible {}
extension UInt64: ArgumentConvertible {}
extension Float: ArgumentConvertible {}
extension Double: ArgumentConvertible {}

extension Bool: ArgumentConvertible {
  static var types: String { "i" }
  var arguments: [Argument] { [.int32(self ? 1 : 0)] }
}

extension String: ArgumentConvertible {
  static var types: String { "s" }
  var arguments: [Argument] { [.string(self)] }
}

extension Array: ArgumentConvertible where Element: ArgumentConvertible {
  static var types: String { "\(Element.types)…" }
  var arguments: [Argument] { flatMap(\.arguments) }
}
