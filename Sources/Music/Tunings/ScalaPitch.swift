/// A pitch line of a Scala file: cents if it has a decimal point, otherwise a ratio.
struct ScalaPitch {
  /// A parse error.
  struct Fault: Error {
    let message: String

    init(_ message: String) { self.message = message }
  }

  // Beyond any audible range, and safe for all arithmetic.
  private static let mostCents = 100_000.0

  private var rest: ArraySlice<UInt8>

  init(_ line: ArraySlice<UInt8>) { rest = line }

  /// Parses a pitch; anything after the value is ignored.
  mutating func cents() throws(Fault) -> Double {
    skipBlanks()
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    let digits = takeDigits()
    if take(".") { return try cents(whole: digits, isNegative) }
    let shape = "expected cents with a decimal point, such as 701.955, or a ratio, such as 3/2"
    guard !digits.isEmpty else { throw Fault(shape) }
    let numerator = try number(digits)
    let ahead = rest
    skipBlanks()
    var denominator: UInt64 = 1
    if take("/") {
      skipBlanks()
      let digits = takeDigits()
      guard !digits.isEmpty else { throw Fault("expected a whole number after /") }
      denominator = try number(digits)
    } else {
      rest = ahead
    }
    try end(after: "expected a ratio of two whole numbers")
    guard !isNegative, numerator > 0, denominator > 0 else {
      throw Fault("expected a ratio of positive numbers")
    }
    return try bounded(Cents.of(Double(numerator) / Double(denominator)))
  }

  private mutating func cents(whole: ArraySlice<UInt8>, _ isNegative: Bool) throws(Fault) -> Double
  {
    let fraction = takeDigits()
    guard !whole.isEmpty || !fraction.isEmpty else {
      throw Fault("expected a digit next to the decimal point")
    }
    try end(after: "expected one decimal point")
    let text =
      "0\(String(decoding: whole, as: UTF8.self)).\(String(decoding: fraction, as: UTF8.self))0"
    guard let value = Double(text) else { throw Fault("expected a number with a decimal point") }
    return try bounded(isNegative && value > 0 ? -value : value)
  }

  private func bounded(_ cents: Double) throws(Fault) -> Double {
    guard abs(cents) <= Self.mostCents else {
      throw Fault("expected at most \(Int(Self.mostCents)) cents")
    }
    return cents
  }

  private func number(_ digits: ArraySlice<UInt8>) throws(Fault) -> UInt64 {
    guard let number = UInt64(String(decoding: digits, as: UTF8.self)) else {
      throw Fault("expected numbers up to \(UInt64.max) in a ratio")
    }
    return number
  }

  /// Throws if the value continues in a way that must not be ignored.
  private func end(after rule: String) throws(Fault) {
    if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: "/") { throw Fault(rule) }
  }

  private mutating func skipBlanks() { rest = rest.drop(while: ScalaFile.isBlank) }

  private mutating func takeDigits() -> ArraySlice<UInt8> {
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    rest = rest[digits.endIndex...]
    return digits
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }
}
