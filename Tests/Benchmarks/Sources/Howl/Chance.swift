internal import Foundation

/// A seeded random number generator.
package struct Chance {
  private var state: UInt64

  /// Creates a generator with a seed.
  package init(_ seed: Int) {
    state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1
    for _ in 0..<4 { _ = next() }
  }

  private mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// Returns a uniform random number.
  package mutating func number(_ range: ClosedRange<Double>) -> Double {
    let share = Double(next() >> 11) / Double(1 << 53)
    return range.lowerBound + share * (range.upperBound - range.lowerBound)
  }

  /// Returns a random element.
  package mutating func one<Value>(of values: [Value]) -> Value {
    values[Int(number(0...0.999_999) * Double(values.count))]
  }

  /// Returns a Gaussian random number with mean 0 and standard deviation 1.
  package mutating func noise() -> Double {
    var sum = 0.0
    for _ in 0..<4 { sum += number(-1...1) }
    return sum * 0.866
  }
}
