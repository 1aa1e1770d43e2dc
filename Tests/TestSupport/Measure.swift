internal import Foundation

/// Measurements of sound for tests.
package enum Measure {
  /// The samples as an array: across modules, generic code makes several calls per element.
  private static func row(_ samples: some Collection<Float>) -> [Float] {
    samples.withContiguousStorageIfAvailable { Array($0) } ?? Array(samples)
  }

  /// Returns the greatest second difference: a click is a corner or a step, and shows here first.
  package static func roughness(_ samples: some Collection<Float>) -> Float {
    let samples = row(samples)
    guard samples.count > 2 else { return 0 }
    return (2..<samples.count).map {
      abs(samples[$0] - 2 * samples[$0 - 1] + samples[$0 - 2])
    }.max()!
  }

  /// Returns the peak magnitude.
  package static func peak(_ samples: some Collection<Float>) -> Float {
    row(samples).reduce(0) { max($0, abs($1)) }
  }

  /// Finds the first index at which two sounds differ.
  package static func firstDifference(
    _ a: some Collection<Float>, _ b: some Collection<Float>
  ) -> Int? {
    let (a, b) = (row(a), row(b))
    return (0..<min(a.count, b.count)).first { a[$0] != b[$0] }
  }

  /// Returns the power that remains after subtracting the best-fitting sine of a frequency,
  /// relative to the sine, in dB.
  package static func residue(
    _ samples: some Collection<Float>, hertz: Double, sampleRate: Double
  ) -> Double {
    let samples = row(samples)
    let step = 2 * Double.pi * hertz / sampleRate
    // A least-squares fit of both phases: their products don't vanish over a partial period.
    var (ss, cc, sc, xs, xc, power) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let (x, s, c) = (Double(sample), sin(step * Double(index)), cos(step * Double(index)))
      ss += s * s
      cc += c * c
      sc += s * c
      xs += x * s
      xc += x * c
      power += x * x
    }
    let determinant = ss * cc - sc * sc
    let sine = (xs * cc - xc * sc) / determinant
    let cosine = (xc * ss - xs * sc) / determinant
    var left = 0.0
    for (index, sample) in samples.enumerated() {
      let fitted = sine * sin(step * Double(index)) + cosine * cos(step * Double(index))
      left += (Double(sample) - fitted) * (Double(sample) - fitted)
    }
    return 10 * log10(left / (power - left))
  }

  /// Measures the frequency of the partial near `hertz` from its phase increments.
  ///
  /// Nil if there is none. `samples` must have at least twelve periods of it.
  package static func frequency(
    _ samples: some Collection<Float>, near hertz: Double, sampleRate: Double
  ) -> Double? {
    let samples = row(samples)
    // Windows of at least eight periods, half overlapping, exclude neighboring partials. They are
    // equally long at each sample rate, because a string's pitch drifts.
    let length = Int(max(sampleRate / 40, 8 * sampleRate / hertz))
    let hop = length / 4
    guard samples.count >= length + hop else { return nil }
    let turn = 2 * Double.pi * hertz / sampleRate
    var (phases, weights): ([Double], [Double]) = ([], [])
    for start in stride(from: 0, through: samples.count - length, by: hop) {
      var (real, imaginary) = (0.0, 0.0)
      for index in 0..<length {
        let window = 0.5 - 0.5 * cos(2 * Double.pi * (Double(index) + 0.5) / Double(length))
        let value = Double(samples[start + index]) * window
        real += value * cos(turn * Double(start + index))
        imaginary -= value * sin(turn * Double(start + index))
      }
      phases.append(atan2(imaginary, real))
      weights.append((real * real + imaginary * imaginary).squareRoot())
    }
    // The phase increments, weighted by the level at both ends.
    var (sum, weight) = (0.0, 0.0)
    for index in 1..<phases.count {
      let step = (phases[index] - phases[index - 1]).remainder(dividingBy: 2 * Double.pi)
      let share = weights[index] * weights[index - 1]
      sum += step * share
      weight += share
    }
    guard weight > 1e-12 else { return nil }
    return hertz + sum / weight / Double(hop) * sampleRate / (2 * Double.pi)
  }

  /// Measures the deviation of a sound from its repetition after `period` frames, relative to its
  /// power, in dB: the noise and modulation of a periodic sound.
  package static func aperiodicity(_ samples: some Collection<Float>, period: Int) -> Double {
    let samples = row(samples)
    var (power, difference) = (0.0, 0.0)
    for index in period..<samples.count {
      power += Double(samples[index]) * Double(samples[index])
      let change = Double(samples[index]) - Double(samples[index - period])
      // Both have noise.
      difference += change * change / 2
    }
    return 10 * log10(difference / power + 1e-30)
  }

  /// Returns the frames at which sounds begin: above a level, after `quiet` frames that are not.
  package static func starts(of sound: [Float], above level: Float, quiet: Int) -> [Int] {
    var found: [Int] = []
    var last = -quiet
    for frame in sound.indices where abs(sound[frame]) > level {
      if frame - last > quiet { found.append(frame) }
      last = frame
    }
    return found
  }

  /// Returns the RMS level.
  package static func level(_ samples: some Collection<Float>) -> Double {
    let samples = row(samples)
    return (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count))
      .squareRoot()
  }

  /// Measures the delay in frames between the envelopes of `earlier` and `later`.
  ///
  /// Found at the maximum of the envelopes' correlation, to a fraction of a frame.
  package static func delay(
    of later: [Float], against earlier: [Float], atMost longest: Int, smoothing: Int
  ) -> Double {
    func envelope(_ samples: [Float]) -> [Double] {
      var squares = samples.map { Double($0) * Double($0) }
      // Three moving averages in sequence are smooth enough for a clear maximum.
      for _ in 0..<3 {
        var sum = 0.0
        var means = squares
        for index in squares.indices {
          sum += squares[index]
          if index >= smoothing { sum -= squares[index - smoothing] }
          means[index] = sum / Double(smoothing)
        }
        squares = means
      }
      return squares
    }
    let (a, b) = (envelope(earlier), envelope(later))
    let margin = 6 * smoothing + longest
    let window = margin..<(a.count - margin)
    let mean = window.reduce(0.0) { $0 + a[$1] } / Double(window.count)
    func correlation(_ lag: Int) -> Double {
      var (product, energy, sum) = (0.0, 0.0, 0.0)
      for index in stride(from: window.lowerBound, to: window.upperBound, by: 7) {
        sum += b[index + lag]
      }
      let other = sum / Double((window.count + 6) / 7)
      for index in stride(from: window.lowerBound, to: window.upperBound, by: 7) {
        product += (a[index] - mean) * (b[index + lag] - other)
        energy += (b[index + lag] - other) * (b[index + lag] - other)
      }
      return product / energy.squareRoot()
    }
    let best = stride(from: -longest, through: longest, by: 8).max {
      correlation($0) < correlation($1)
    }!
    // A parabola through points far enough apart that rounding doesn't matter.
    let (before, here, behind) = (
      correlation(best - 16), correlation(best), correlation(best + 16)
    )
    return Double(best) + 8 * (before - behind) / (before - 2 * here + behind)
  }
}
