import DSP
import Foundation
import TestSupport
import Testing

@Suite struct LimiterTests {
  private let ceiling = Float(pow(10, -0.1 / 20))

  private func limited(
    _ left: [Float], _ right: [Float]? = nil, block: Int = 64
  ) -> (left: [Float], right: [Float]) {
    var limiter = Limiter(sampleRate: 48_000)
    var left = left
    var right = right ?? left
    inBlocks(of: block, &left, &right) {
      limiter.process($0.sound.left, $0.sound.right, frames: $0.frames, peak: $0.peak)
    }
    return (left, right)
  }

  @Test func `is bit-transparent below -0_1 dBFS`() {
    let noise = Tone.noise(amplitude: 0.988, frames: 48_000)
    #expect(limited(noise).left == noise)
  }

  @Test(arguments: [Float(1), 2, 10, 1000, 1e30])
  func `never exceeds -0_1 dBFS`(amplitude: Float) {
    #expect(Measure.peak(limited(Tone.noise(amplitude: amplitude, frames: 48_000)).left) <= ceiling)
    #expect(
      Measure.peak(limited(Tone.sine(997, amplitude: amplitude, frames: 48_000)).left) <= ceiling)
  }

  @Test func `is transparent again after an overload`() {
    let loud = Tone.constant(4, frames: 480)
    let quiet = Tone.noise(amplitude: 0.1, frames: 48_000 * 4)
    let output = limited(loud + quiet).left
    // 25 ms of hold and 15 time constants of release fit into three seconds.
    #expect(Array(output[(480 + 48_000 * 3)...]) == Array(quiet[(48_000 * 3)...]))
  }

  @Test(arguments: [55.0, 220, 997])
  func `keeps a steady tone clean at 6 dB of overload`(hertz: Double) {
    let output = limited(Tone.sine(hertz, amplitude: 2, frames: 96_000)).left
    // The hold spans half a period down to 20 Hz. What remains is the release between holds, and
    // the peaks that it rounds.
    let residue = Measure.residue(output[48_000...], hertz: hertz, sampleRate: 48_000)
    #expect(residue < -60, "\(residue) dB")
  }

  @Test func `adds no corners beyond those at the ceiling`() {
    let tone = Tone.sine(440, amplitude: 0.5, frames: 9600)
    // From half to double: the tone is continuous, and the gain changes at the overload.
    let input = tone.enumerated().map { $0.offset < 4800 ? $0.element : $0.element * 4 }
    let output = limited(input).left
    // At the ceiling a peak can turn by at most the input's slope.
    let slope = 2 * Float.pi * 440 / 48_000 * 2
    #expect(Measure.roughness(output) < slope)
  }

  @Test func `reduces both channels equally`() {
    let left = Tone.constant(0.1, frames: 256)
    let right = Tone.constant(2, frames: 256)
    let output = limited(left, right)
    #expect(abs(output.left[200] / output.right[200] - 0.05) < 1e-6)
  }

  @Test(arguments: [1, 16, 333])
  func `the result doesn't depend on the block size`(block: Int) {
    let noise = Tone.noise(amplitude: 3, frames: 9600)
    #expect(limited(noise, block: block).left == limited(noise, block: 9600).left)
  }
}
