import DSP

/// The Fourier transform of a block.
struct TransformUnit: ~Copyable {
  private let transform: RealFFT
  private let samples: UnsafeMutablePointer<Float>
  private let spectrum: UnsafeMutablePointer<Float>

  init(size: Int) {
    transform = RealFFT(size: size)
    samples = .allocate(capacity: size)
    samples.initialize(repeating: 0.5, count: size)
    spectrum = .allocate(capacity: 2 * transform.bins + 400)
  }

  deinit {
    samples.deallocate()
    spectrum.deallocate()
  }

  func process() {
    // A power of two apart, both parts would share the same cache lines.
    transform.forward(samples, to: Planar(spectrum, spectrum + transform.bins + 400))
  }
}
