internal import CRealtime
internal import DSP

/// A sound that goes on for ever: all of its lines fit a whole number of times into its length, so
/// that its end leads into its beginning.
package struct PeriodicTone: ~Copyable {
  private let fft: RealFFT
  private var real: [Float]
  private var imaginary: [Float]

  /// Silence, as long as a power of two of frames, 128 at least.
  package init(frames: Int) {
    fft = RealFFT(size: frames)
    real = [Float](repeating: 0, count: fft.bins + 8)
    imaginary = real
  }

  /// The length, in frames.
  package var frames: Int { fft.size }

  /// Adds a sine that swings so many times in all, from a phase in turns on.
  package mutating func add(cycles: Int, amplitude: Double, phase: Double) {
    // Both ends are left out: there is no phase.
    guard cycles > 0, cycles < fft.bins - 1 else { return }
    real[cycles] += Float(amplitude * rt_sin(2 * Double.pi * phase))
    imaginary[cycles] -= Float(amplitude * rt_cos(2 * Double.pi * phase))
  }

  /// The sound, with an amplitude of 1 for lines of 1.
  package mutating func sound() -> [Float] {
    let size = fft.size
    return real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        let spectrum = Planar(real.baseAddress!, imaginary.baseAddress!)
        return [Float](unsafeUninitializedCapacity: size) { sound, count in
          sound.initialize(repeating: 0)
          fft.inverse(spectrum, to: sound.baseAddress!)
          // A line stands for itself and its mirror.
          for frame in 0..<size { sound[frame] *= 0.5 }
          count = size
        }
      }
    }
  }
}
