internal import DSP

/// A transform of one segment, with its memory.
final class SegmentTransform {
  let size: Int
  let bins: Int
  private let fft: RealFFT
  private let buffers = Buffers()
  private let samples: UnsafeMutablePointer<Float>
  private let planar: Planar

  /// Creates a transform of `size` samples, a power of two.
  init(size: Int) {
    self.size = size
    fft = RealFFT(size: size)
    bins = fft.bins
    samples = buffers.floats(size)
    planar = Planar(buffers.floats(fft.bins + 8), buffers.floats(fft.bins + 8))
  }

  /// Returns the spectrum of a segment.
  func spectrum(_ segment: ArraySlice<Float>) -> Spectrum {
    for (index, sample) in segment.enumerated() { samples[index] = sample }
    fft.forward(samples, to: planar)
    var result = Spectrum(bins: bins)
    for bin in 0..<bins {
      result.real[bin] = planar.real[bin]
      result.imaginary[bin] = planar.imaginary[bin]
    }
    return result
  }

  /// Returns the envelope of a spectrum's signal: the magnitude of its analytic signal.
  func envelope(_ spectrum: Spectrum) -> [Float] {
    func part(_ real: [Float], _ imaginary: [Float], _ sign: Float) -> [Float] {
      for bin in 0..<bins {
        planar.real[bin] = real[bin]
        planar.imaginary[bin] = sign * imaginary[bin]
      }
      fft.inverse(planar, to: samples)
      return (0..<size).map { samples[$0] / Float(size) }
    }
    // Multiplied by -i, all bins turn by a quarter.
    let direct = part(spectrum.real, spectrum.imaginary, 1)
    let turned = part(spectrum.imaginary, spectrum.real, -1)
    return zip(direct, turned).map { ($0 * $0 + $1 * $1).squareRoot() }
  }
}
