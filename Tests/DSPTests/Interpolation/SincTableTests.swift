import DSP
import Foundation
import TestSupport
import Testing

@Suite struct SincTableTests {
  private let rate = 48_000.0

  /// Reads a tone at a speed, from a fractional position.
  private func read(_ table: borrowing SincTable, hertz: Double, ratio: Double) -> [Float] {
    let frames = 9600
    let margin = 256
    let tone = Tone.sine(hertz, frames: Int(Double(frames) * ratio) + 2 * margin)
    var output = [Float](repeating: 0, count: frames)
    tone.withUnsafeBufferPointer { tone in
      table.read(
        tone.baseAddress! + margin, from: Int64(0.3 * 4_294_967_296),
        step: Int64(ratio * 4_294_967_296), to: &output, frames: frames)
    }
    return output
  }

  @Test(
    arguments: [1000.0, 5000, 10_000],
    [0.5, 0.749_153_538, 0.890_898_718, 1.189_207_115, 1.498_307_077])
  func `a resampled tone has artifacts below -95 dB`(hertz: Double, ratio: Double) {
    let table = SincTable(taps: 32, cutoff: 1)
    let output = read(table, hertz: hertz, ratio: ratio)
    let residue = Measure.residue(output, hertz: hertz * ratio, sampleRate: rate)
    #expect(residue < -95, "\(residue) dB")
  }

  @Test func `aliases are at most -90 dB`() {
    // An octave up, a tone of 15 kHz would alias to 18 kHz.
    let table = SincTable(taps: 64, cutoff: 0.97 / 2)
    let output = read(table, hertz: 15_000, ratio: 2)
    let level = output.reduce(0) { $0 + Double($1 * $1) } / Double(output.count)
    let tone = 0.5 * 0.5 / 2
    #expect(10 * log10(level / tone) < -90)
  }

  @Test func `a constant keeps its value`() {
    let table = SincTable(taps: 32, cutoff: 0.9)
    let samples = Tone.constant(0.5, frames: 4096)
    var output = [Float](repeating: 0, count: 1000)
    samples.withUnsafeBufferPointer {
      table.read(
        $0.baseAddress! + 64, from: 0, step: Int64(1.37 * 4_294_967_296), to: &output, frames: 1000)
    }
    // The rounding of 32 products.
    #expect(output.allSatisfy { abs($0 - 0.5) < 1e-6 })
  }

  @Test func `whole positions return the samples`() {
    let table = SincTable(taps: 32, cutoff: 1)
    let noise = Tone.noise(frames: 4096)
    var output = [Float](repeating: 0, count: 1000)
    noise.withUnsafeBufferPointer {
      table.read($0.baseAddress! + 64, from: 0, step: 1 << 32, to: &output, frames: 1000)
    }
    // The other taps are zeros of the sinc, apart from the rounding of its sine.
    #expect(zip(output, noise[64...]).allSatisfy { abs($0 - $1) < 1e-6 })
  }
}
