internal import Foundation

/// Numbers by chance, the same for each seed.
package struct Chance {
  private var state: UInt64

  /// The numbers of a seed.
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

  /// A number of a range, all as likely.
  package mutating func number(_ range: ClosedRange<Double>) -> Double {
    let share = Double(next() >> 11) / Double(1 << 53)
    return range.lowerBound + share * (range.upperBound - range.lowerBound)
  }

  /// One of a few.
  package mutating func one<Value>(of values: [Value]) -> Value {
    values[Int(number(0...0.999_999) * Double(values.count))]
  }

  /// A number around 0 whose deviation is 1, as bells have it.
  package mutating func noise() -> Double {
    var sum = 0.0
    for _ in 0..<4 { sum += number(-1...1) }
    return sum * 0.866
  }
}
