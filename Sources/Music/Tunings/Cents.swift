/// Conversion between frequency ratios and cents, 1200 per octave.
///
/// Computed without the math library, so that a tuning has the same digits on every machine, and
/// octaves and the reference are exact.
package enum Cents {
  private static let logarithmOfTwo = 0.693147180559945309417

  /// Converts cents to a ratio; 1200 cents are 2.
  package static func ratio(_ cents: Double) -> Double {
    let octaves = cents / 1200
    // Keeps the exponent in range.
    guard octaves > -1000, octaves < 1000 else {
      return octaves.isNaN ? .nan : octaves < 0 ? 0 : .infinity
    }
    let whole = octaves.rounded()
    let rest = (octaves - whole) * logarithmOfTwo
    // The exponential series for arguments of at most 0.35; its 17th term is below 1e-22.
    var sum = 1.0
    for term in stride(from: 16.0, to: 0, by: -1) { sum = 1 + sum * rest / term }
    return Double(sign: .plus, exponent: Int(whole), significand: sum)
  }

  /// Converts a ratio to cents; NaN for 0 and below.
  package static func of(_ ratio: Double) -> Double {
    guard ratio > 0, ratio.isFinite else { return .nan }
    var exponent = Double(ratio.exponent)
    var significand = ratio.significand
    if significand > 1.4142135623730951 {
      significand /= 2
      exponent += 1
    }
    // ln x = 2 artanh ((x - 1) / (x + 1)) with an argument of at most 0.172; the 13th term is below
    // 1e-20.
    let part = (significand - 1) / (significand + 1)
    var sum = 0.0
    for term in stride(from: 25.0, to: 0, by: -2) { sum = sum * part * part + 1 / term }
    return 1200 * (exponent + 2 * part * sum / logarithmOfTwo)
  }
}
