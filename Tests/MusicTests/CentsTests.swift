import Foundation
import Music
import Testing

@Suite struct CentsTests {
  @Test func `ratios match the C library`() {
    var worst = 0.0
    for step in -40_000...40_000 {
      let cents = Double(step) * 1.37
      worst = max(worst, abs(Cents.ratio(cents) / exp2(cents / 1200) - 1))
    }
    // A few units in the last place.
    #expect(worst < 1e-15)
  }

  @Test func `cents match the C library`() {
    var worst = 0.0
    for step in 1...40_000 {
      for ratio in [Double(step) / 173, 1 + Double(step) * 1e-9] {
        let octaves: Double = log2(ratio)
        let error: Double = abs(Cents.of(ratio) - 1200 * octaves)
        worst = max(worst, error / max(1, abs(octaves)))
      }
    }
    // A few units in the last place of 1200.
    #expect(worst < 1e-12)
  }

  @Test func `octaves are exact`() {
    for octave in -900...900 {
      let ratio = Double(sign: .plus, exponent: octave, significand: 1)
      #expect(Cents.ratio(Double(octave) * 1200) == ratio)
      #expect(Cents.of(ratio) == Double(octave) * 1200)
    }
  }

  @Test func `extreme and invalid values are handled`() {
    #expect(Cents.ratio(.infinity) == .infinity)
    #expect(Cents.ratio(-.infinity) == 0)
    #expect(Cents.ratio(.nan).isNaN)
    #expect(Cents.ratio(1e9) == .infinity)
    for ratio in [0, -1, Double.infinity, .nan] { #expect(Cents.of(ratio).isNaN) }
  }
}
