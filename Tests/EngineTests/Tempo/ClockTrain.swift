import Foundation

/// The ticks of a MIDI clock with jitter, each rounded to a frame, and the beats that they stand for.
struct ClockTrain {
  /// The distribution of the jitter.
  enum Jitter {
    /// Between minus and plus half of so many milliseconds.
    case uniform(Double)
    /// Normal, with so many milliseconds of standard deviation.
    case normal(Double)
  }

  /// The true and the received times of the ticks in frames, and the tempo at each.
  private(set) var exact: [Double] = []
  private(set) var received: [Int] = []
  private(set) var tempo: [Double] = []
  private var random: UInt64

  /// Ticks for `seconds` at a tempo that depends on the time.
  init(
    seconds: Double, jitter: Jitter, seed: UInt64 = 1, sampleRate: Double = 48_000,
    tempo: (Double) -> Double
  ) {
    random = seed &* 2_685_821_657_736_338_717 | 1
    var time = 0.01
    while time < seconds {
      exact.append(time * sampleRate)
      self.tempo.append(tempo(time))
      received.append(Int(((time + deviation(jitter) / 1000) * sampleRate).rounded()))
      // In the middle of the tick, so that a ramp is exact to the second order.
      let half = 30 / tempo(time) / 24
      time += 60 / tempo(time + half) / 24
    }
    // A port sorts them.
    received.sort()
  }

  private mutating func deviation(_ jitter: Jitter) -> Double {
    switch jitter {
    case .uniform(let width): (unit() - 0.5) * width
    case .normal(let deviation):
      deviation * (-2 * log(max(unit(), 1e-12))).squareRoot() * cos(2 * .pi * unit())
    }
  }

  private mutating func unit() -> Double {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return Double(random >> 11) / 9_007_199_254_740_992
  }
}
