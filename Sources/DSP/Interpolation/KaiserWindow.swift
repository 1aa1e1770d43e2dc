/// One half of a Kaiser window, as a table.
///
/// The Bessel series is too slow to evaluate for every tap of many tables at each start.
struct KaiserWindow: ~Copyable {
  // Linear interpolation between this many entries is accurate to -140 dB.
  private static let places = 8192

  private let buffers = Buffers()
  private let values: UnsafeMutablePointer<Double>

  /// Creates a window of shape parameter `beta`.
  ///
  /// A higher value lowers the sidelobes and widens the main lobe.
  init(beta: Double) {
    values = buffers.filled(with: 0, count: Self.places + 2)
    let top = Self.bessel(beta)
    for place in 0...Self.places {
      let edge = Double(place) / Double(Self.places)
      values[place] = Self.bessel(beta * (1 - edge * edge).squareRoot()) / top
    }
  }

  /// Returns the window at a distance from the center, where 1 is the edge.
  func value(at distance: Double) -> Double {
    guard distance < 1 else { return 0 }
    let place = distance * Double(Self.places)
    let index = Int(place)
    return values[index] + (values[index + 1] - values[index]) * (place - Double(index))
  }

  /// The modified Bessel function of order 0, by its power series.
  private static func bessel(_ x: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    var index = 1.0
    while term > sum * 1e-17 {
      term *= (x / 2 / index) * (x / 2 / index)
      sum += term
      index += 1
    }
    return sum
  }
}
