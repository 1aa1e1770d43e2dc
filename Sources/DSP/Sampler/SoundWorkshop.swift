internal import CRealtime

/// FFT convolution filters that derive a sound's levels and half-way samples, with reusable
/// buffers.
///
/// Not thread-safe: one thread per instance.
package final class SoundWorkshop {
  private static let size = 2048
  // Passband up to 0.46 of the sample rate.
  private static let halfTaps = 48
  private static let halfBeta = 10.0
  // A transition band of 0.04 of the sample rate, down to -95 dB.
  private static let lowTaps = 80
  private static let lowBeta = 9.5
  /// The one-sided length of the longest filter, in samples.
  static var reach: Int { lowTaps }

  private let transform = RealFFT(size: size)
  private let buffers = Buffers()
  private let block: UnsafeMutablePointer<Float>
  private let spectrum: Planar
  // The kernel for half-way samples, followed by those of levels 1 and up.
  private var kernels: [Planar?] = []

  /// Creates a workshop without cached kernels.
  package init() {
    block = buffers.floats(Self.size)
    spectrum = Self.bins(in: buffers)
  }

  private static func bins(in buffers: Buffers) -> Planar {
    // Padding, because bins are read four at a time.
    let count = size / 2 + 16
    return Planar(buffers.floats(count), buffers.floats(count))
  }

  /// Writes the half-way samples.
  func halve(_ source: SampleRun, to output: SampleRun) {
    filter(source, kernel(0) { Self.halfWeights }, to: output)
    output.keep(source.content, and: Self.halfTaps)
  }

  /// Writes the samples of a level, at least 1.
  func lower(_ source: SampleRun, level: Int, to output: SampleRun) {
    filter(source, kernel(level) { Self.lowWeights(level: level) }, to: output)
    output.keep(source.content, and: Self.lowTaps)
  }

  private func filter(_ source: SampleRun, _ kernel: Planar, to output: SampleRun) {
    let step = Self.size - 2 * Self.reach
    var frame = output.first
    while frame < output.last {
      source.copy(from: frame - Self.reach, count: Self.size, to: block)
      transform.forward(block, to: spectrum)
      var bin = 0
      while bin < transform.bins {
        (Complex4(spectrum, at: bin) * Complex4(kernel, at: bin)).store(spectrum, at: bin)
        bin += 4
      }
      transform.inverse(spectrum, to: block)
      rt_copy(
        output.origin + frame, block + Self.reach, min(step, output.last - frame))
      frame += step
    }
  }

  /// Returns the spectrum of a kernel, given as weights by delay in samples.
  private func kernel(_ place: Int, _ weights: () -> [(later: Int, weight: Double)]) -> Planar {
    while kernels.count <= place { kernels.append(nil) }
    if let made = kernels[place] { return made }
    for index in 0..<Self.size { block[index] = 0 }
    for (later, weight) in weights() {
      block[later & (Self.size - 1)] += Float(weight / Double(Self.size))
    }
    let made = Self.bins(in: buffers)
    transform.forward(block, to: made)
    kernels[place] = made
    return made
  }

  private static let halfWeights: [(later: Int, weight: Double)] = {
    let window = KaiserWindow(beta: halfBeta)
    return normal(
      (0..<halfTaps).flatMap { tap -> [(Int, Double)] in
        let distance = Double(tap) + 0.5
        let weight =
          rt_sin(.pi * distance) / (.pi * distance)
          * window.value(at: distance / Double(halfTaps))
        return [(tap, weight), (-tap - 1, weight)]
      })
  }()

  private static let lowWindow: [Double] = {
    let window = KaiserWindow(beta: lowBeta)
    return (0..<lowTaps).map { window.value(at: Double($0) / Double(lowTaps)) }
  }()

  private static func lowWeights(level: Int) -> [(later: Int, weight: Double)] {
    // The center of the transition band.
    let cutoff = 2 * (SamplerSound.edge(ofLevel: level) - 0.0195)
    return normal(
      (1 - lowTaps..<lowTaps).map { tap in
        let angle = .pi * Double(tap)
        let weight = tap == 0 ? cutoff : rt_sin(cutoff * angle) / angle
        return (tap, weight * lowWindow[abs(tap)])
      })
  }

  /// Normalizes weights to unity gain at 0 Hz.
  private static func normal(
    _ weights: [(Int, Double)]
  ) -> [(later: Int, weight: Double)] {
    let sum = weights.reduce(0) { $0 + $1.1 }
    return weights.map { ($0.0, $0.1 / sum) }
  }
}
