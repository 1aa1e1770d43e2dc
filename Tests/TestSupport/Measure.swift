internal import Foundation

/// Measures of sound, for tests.
package enum Measure {
  /// The greatest second difference: a click is a corner or a step, and shows here first.
  package static func roughness(_ samples: some Collection<Float>) -> Float {
    let samples = Array(samples)
    guard samples.count > 2 else { return 0 }
    return (2..<samples.count).map {
      abs(samples[$0] - 2 * samples[$0 - 1] + samples[$0 - 2])
    }.max()!
  }

  /// The greatest magnitude.
  package static func peak(_ samples: some Collection<Float>) -> Float {
    samples.map(abs).max() ?? 0
  }

  /// The first place at which two runs of samples differ.
  package static func firstDifference(
    _ a: some Collection<Float>, _ b: some Collection<Float>
  ) -> Int? {
    zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset
  }

  /// The power that is left when the best-fitting sine of a frequency is taken away, against the
  /// sine's own, in dB.
  package static func residue(
    _ samples: some Collection<Float>, hertz: Double, sampleRate: Double
  ) -> Double {
    let step = 2 * Double.pi * hertz / sampleRate
    // The least squares of both phases: their own products don't vanish over a part of a period.
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
}
