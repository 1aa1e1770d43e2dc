internal import CRealtime
internal import DSP

/// A seamless loop built by additive synthesis: all partials complete a whole number of cycles.
package struct PeriodicTone: ~Copyable {
  private let fft: RealFFT
  private let buffers = Buffers()
  private let spectrum: Planar

  /// Creates silence of `frames` frames, a power of two and at least 128.
  package init(frames: Int) {
    fft = RealFFT(size: frames)
    spectrum = Planar(buffers.floats(fft.bins + 8), buffers.floats(fft.bins + 8))
  }

  /// The length, in frames.
  package var frames: Int { fft.size }

  /// Adds a sine partial with `cycles` cycles in the whole loop and a start phase in cycles.
  package func add(cycles: Int, amplitude: Double, phase: Double) {
    // DC and the Nyquist frequency are excluded; they have no phase.
    guard cycles > 0, cycles < fft.bins - 1 else { return }
    spectrum.real[cycles] += Float(amplitude * rt_sin(2 * Double.pi * phase))
    spectrum.imaginary[cycles] -= Float(amplitude * rt_cos(2 * Double.pi * phase))
  }

  /// Renders the loop.
  ///
  /// A partial of amplitude 1 peaks at 1.
  package func sound() -> [Float] {
    [Float](unsafeUninitializedCapacity: fft.size) { sound, count in
      sound.initialize(repeating: 0)
      fft.inverse(spectrum, to: sound.baseAddress!)
      // A bin represents itself and its mirror.
      for frame in sound.indices { sound[frame] *= 0.5 }
      count = fft.size
    }
  }
}
