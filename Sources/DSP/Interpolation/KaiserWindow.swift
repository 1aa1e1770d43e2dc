/// One half of Kaiser's window, as a table: its series is too slow to be summed for every tap of
/// many readers at each start.
struct KaiserWindow: ~Copyable {
  // Linear interpolation between so many places is good for -140 dB.
  private static let places = 8192

  private let values: UnsafeMutablePointer<Double>

  /// The window of parameter `beta`: higher ends lower and falls more slowly.
  init(beta: Double) {
    values = .allocate(capacity: Self.places + 2)
    let top = Self.bessel(beta)
    for place in 0...Self.places {
      let edge = Double(place) / Double(Self.places)
      values[place] = Self.bessel(beta * (1 - edge * edge).squareRoot()) / top
    }
    values[Self.places + 1] = 0
  }

  deinit { values.deallocate() }

  /// The value at a distance from the middle, which is 1 at the window's end.
  func value(at distance: Double) -> Double {
    guard distance < 1 else { return 0 }
    let place = distance * Double(Self.places)
    let index = Int(place)
    return values[index] + (values[index + 1] - values[index]) * (place - Double(index))
  }

  /// The modified Bessel function of order 0, by its series.
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
