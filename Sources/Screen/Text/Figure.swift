/// Numbers with fixed widths.
package enum Figure {
  /// The sign for an unknown value.
  package static let unknown = "-"

  /// The level below which meters are silent, in dB.
  private static let silence = -119.5
  private static let mostPlaces = 6

  /// A number with fixed decimals, right-aligned to a width; the sign for unknown if nil or NaN.
  package static func fixed(
    _ value: Double?, places: Int = 0, width: Int, hasSign: Bool = false
  ) -> String {
    guard let value, value.isFinite else { return right(unknown, width) }
    guard let text = decimal(value, places: places, hasSign: hasSign), text.count <= width else {
      return String(repeating: "#", count: width)
    }
    return right(text, width)
  }

  /// A number with fixed decimals; nil if it is not finite, or too large for them.
  package static func decimal(_ value: Double, places: Int, hasSign: Bool = false) -> String? {
    let places = min(places, mostPlaces)
    let factor = (0..<places).reduce(1.0) { product, _ in product * 10 }
    let scaled = (value.magnitude * factor).rounded()
    guard scaled < 1e15 else { return nil }
    let (whole, fraction) = Int(scaled).quotientAndRemainder(dividingBy: Int(factor))
    let sign = scaled == 0 ? (hasSign ? "+" : "") : value < 0 ? "-" : hasSign ? "+" : ""
    var text = sign + "\(whole)"
    if places > 0 {
      let digits = "\(fraction)"
      text += "." + String(repeating: "0", count: places - digits.count) + digits
    }
    return text
  }

  /// A level in dB, in six columns.
  package static func level(_ decibels: Float?) -> String {
    guard let decibels, !decibels.isNaN else { return right(unknown, 6) }
    return Double(decibels) < silence ? "  -inf" : fixed(Double(decibels), places: 1, width: 6)
  }

  /// Seconds as hours, minutes and seconds, in nine columns.
  package static func duration(_ seconds: Double?) -> String {
    guard let seconds, seconds >= 0, seconds < 1e9 else { return right(unknown, 9) }
    let whole = Int(seconds)
    return right("\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))", 9)
  }

  /// Right-aligns text to a width.
  package static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - PlainText.width(text))) + text
  }

  /// Left-aligns text to a width.
  package static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - PlainText.width(text)))
  }

  /// A number with two digits.
  package static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
}
