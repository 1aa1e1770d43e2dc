import DSP
import Foundation
import TestSupport
import Testing

@Suite struct RealFFTTests {
  /// The bins of a spectrum, in double precision.
  private struct Spectrum {
    var real: [Double]
    var imaginary: [Double]

    var power: Double {
      zip(real, imaginary).reduce(0) { $0 + $1.0 * $1.0 + $1.1 * $1.1 }
    }
  }

  private func forward(_ samples: [Float]) -> Spectrum {
    let fft = RealFFT(size: samples.count)
    var real = [Float](repeating: .nan, count: fft.bins)
    var imaginary = real
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        fft.forward(samples, to: Planar(real.baseAddress!, imaginary.baseAddress!))
      }
    }
    return Spectrum(real: real.map(Double.init), imaginary: imaginary.map(Double.init))
  }

  private func inverse(_ spectrum: Spectrum) -> [Float] {
    let size = 2 * (spectrum.real.count - 1)
    let fft = RealFFT(size: size)
    var real = spectrum.real.map { Float($0) }
    var imaginary = spectrum.imaginary.map { Float($0) }
    var samples = [Float](repeating: .nan, count: size)
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        fft.inverse(Planar(real.baseAddress!, imaginary.baseAddress!), to: &samples)
      }
    }
    return samples
  }

  /// One bin, computed from the definition.
  private func bin(_ index: Int, of samples: [Float]) -> (real: Double, imaginary: Double) {
    let step = -2 * Double.pi / Double(samples.count)
    var sum = (real: 0.0, imaginary: 0.0)
    for (place, sample) in samples.enumerated() {
      let angle = step * Double(index * place % samples.count)
      sum.real += Double(sample) * cos(angle)
      sum.imaginary += Double(sample) * sin(angle)
    }
    return sum
  }

  @Test(arguments: [128, 256, 512, 1024, 2048, 4096, 8192, 16_384])
  func `agrees with the definition of the DFT`(size: Int) {
    let samples = Tone.noise(frames: size)
    let spectrum = forward(samples)
    // Rounding error of log2(size) additions, relative to the RMS spectrum.
    let near = 1e-6 * (spectrum.power / Double(size)).squareRoot()
    // Both ends, the middle, and their neighbors, where vectors start and end.
    let middle = size / 4
    for index in [0, 1, 2, 4, 5, middle - 1, middle, middle + 1, size / 2 - 1, size / 2] {
      let expected = bin(index, of: samples)
      #expect(abs(spectrum.real[index] - expected.real) < near, "bin \(index)")
      #expect(abs(spectrum.imaginary[index] - expected.imaginary) < near, "bin \(index)")
    }
  }

  @Test func `every bin of a small transform agrees`() {
    let samples = Tone.noise(frames: 256, seed: 7)
    let spectrum = forward(samples)
    for index in 0...128 {
      let expected = bin(index, of: samples)
      // Bins have a magnitude of about 5.
      #expect(abs(spectrum.real[index] - expected.real) < 1e-5)
      #expect(abs(spectrum.imaginary[index] - expected.imaginary) < 1e-5)
    }
  }

  @Test(arguments: [128, 256, 512, 1024, 2048, 4096, 8192, 16_384])
  func `the inverse restores the samples times the size`(size: Int) {
    let samples = Tone.noise(frames: size, seed: 3)
    let back = inverse(forward(samples))
    let error = zip(back, samples).map { abs($0 / Float(size) - $1) }.max()!
    // The rounding of two transforms of samples up to 0.5.
    #expect(error < 1e-6)
  }

  @Test(arguments: [256, 4096])
  func `a cosine with whole periods has a single bin`(size: Int) {
    let samples = (0..<size).map { Float(cos(2 * Double.pi * Double(9 * $0) / Double(size))) }
    let spectrum = forward(samples)
    #expect(abs(spectrum.real[9] / Double(size) - 0.5) < 1e-6)
    for index in 0...(size / 2) where index != 9 {
      let magnitude = hypot(spectrum.real[index], spectrum.imaginary[index])
      // -120 dB: the rounding of the cosine itself.
      #expect(magnitude / Double(size) < 1e-6)
    }
  }

  @Test func `an impulse has a flat magnitude and a linear phase`() {
    var samples = [Float](repeating: 0, count: 1024)
    samples[5] = 1
    let spectrum = forward(samples)
    for index in 0...512 {
      let angle = -2 * Double.pi * Double(5 * index) / 1024
      #expect(abs(spectrum.real[index] - cos(angle)) < 1e-6)
      #expect(abs(spectrum.imaginary[index] - sin(angle)) < 1e-6)
    }
  }

  @Test func `a constant fills the first bin, alternating samples the last`() {
    let constant = forward(Tone.constant(1, frames: 512))
    #expect(constant.real[0] == 512)
    #expect(constant.power == 512 * 512)
    let alternating = forward((0..<512).map { $0 % 2 == 0 ? 1 : -1 })
    #expect(alternating.real[256] == 512)
    #expect(alternating.power == 512 * 512)
  }

  @Test(arguments: [1, 2, 4]) func `sliced passes give the same result`(count: Int) {
    let size = 1024
    let fft = ComplexFFT(size: size)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 8 * size)
    defer { memory.deallocate() }
    let noise = Tone.noise(frames: 2 * size)
    for index in 0..<(2 * size) { memory[index] = noise[index] }
    let from = Planar(memory, memory + size)
    let whole = Planar(memory + 2 * size, memory + 3 * size)
    let cut = Planar(memory + 4 * size, memory + 5 * size)
    let scratch = Planar(memory + 6 * size, memory + 7 * size)
    fft.transform(from, to: whole, scratch: scratch)
    for pass in 0..<fft.passCount {
      for slice in 0..<count {
        fft.pass(
          pass, from: pass == 0 ? from : fft.place(pass - 1, to: cut, scratch: scratch),
          to: fft.place(pass, to: cut, scratch: scratch), slice: slice, of: count)
      }
    }
    for index in 0..<(2 * size) {
      #expect(memory[2 * size + index] == memory[4 * size + index])
    }
  }
}
