/// The spectrum of a segment.
struct Spectrum {
  var real: [Float]
  var imaginary: [Float]

  init(bins: Int) {
    real = [Float](repeating: 0, count: bins)
    imaginary = real
  }

  /// The power of a bin.
  func power(_ bin: Int) -> Float { real[bin] * real[bin] + imaginary[bin] * imaginary[bin] }

  /// Returns the quotient of a bin by another spectrum's, times a weight.
  func quotient(_ bin: Int, by other: Spectrum, times weight: Float) -> (Float, Float) {
    let scale = weight / max(other.power(bin), .leastNormalMagnitude)
    return (
      (real[bin] * other.real[bin] + imaginary[bin] * other.imaginary[bin]) * scale,
      (imaginary[bin] * other.real[bin] - real[bin] * other.imaginary[bin]) * scale
    )
  }

  /// The mean of spectra.
  static func mean(_ spectra: [Spectrum]) -> Spectrum {
    var sum = Spectrum(bins: spectra[0].real.count)
    let share = 1 / Float(spectra.count)
    for spectrum in spectra {
      for bin in sum.real.indices {
        sum.real[bin] += spectrum.real[bin] * share
        sum.imaginary[bin] += spectrum.imaginary[bin] * share
      }
    }
    return sum
  }

  /// The difference of two spectra.
  static func - (one: Spectrum, other: Spectrum) -> Spectrum {
    var result = one
    for bin in result.real.indices {
      result.real[bin] -= other.real[bin]
      result.imaginary[bin] -= other.imaginary[bin]
    }
    return result
  }
}
