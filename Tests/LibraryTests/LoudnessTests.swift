import DSP
import Foundation
import Library
import SoundFiles
import TestSupport
import Testing

@Suite struct LoudnessTests {
  /// Generates successive sines, each with a level in dBFS and a duration in seconds.
  private func measure(
    _ parts: [(level: Double, seconds: Double)], hertz: Double = 1000, rate: Int = 48_000,
    isLeftOnly: Bool = false, block: Int = 4096
  ) -> Loudness {
    var loudness = Loudness(rate: rate)
    let buffer = StereoBuffer(frames: block)
    var phase = 0.0
    for (level, seconds) in parts {
      let amplitude = Float(pow(10, level / 20))
      var left = Int((seconds * Double(rate)).rounded())
      while left > 0 {
        let frames = min(block, left)
        for frame in 0..<frames {
          let sample = amplitude * Float(sin(phase))
          buffer.stereo.left[frame] = sample
          buffer.stereo.right[frame] = isLeftOnly ? 0 : sample
          phase += 2 * .pi * hertz / Double(rate)
        }
        loudness.add(buffer.stereo, frames: frames)
        left -= frames
      }
    }
    return loudness
  }

  private func reads(
    _ loudness: Loudness, _ expected: Double, _ tolerance: Double = 0.1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let value = loudness.integrated ?? -.infinity
    #expect(
      abs(value - expected) <= tolerance, "\(value) and not \(expected)",
      sourceLocation: sourceLocation)
  }

  // The tolerances of 0.1 LU are those of EBU Tech 3341.

  @Test(arguments: [8000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000])
  func `a full-scale sine in one channel measures -3.01 LUFS at every rate`(rate: Int) {
    reads(measure([(0, 2)], hertz: 997, rate: rate, isLeftOnly: true), -3.01)
    // Two channels have twice the power.
    reads(measure([(0, 2)], hertz: 997, rate: rate), 0)
  }

  @Test func `EBU Tech 3341, cases 1 and 2`() {
    reads(measure([(-23, 20)]), -23)
    reads(measure([(-33, 20)]), -33)
  }

  @Test func `EBU Tech 3341, cases 3 to 5, quiet parts are gated`() {
    // At a lower sample rate than in the standard, to save time.
    let rate = 16_000
    reads(measure([(-36, 10), (-23, 60), (-36, 10)], rate: rate), -23)
    reads(measure([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], rate: rate), -23)
    reads(measure([(-26, 20), (-20, 20.1), (-26, 20)], rate: rate), -23)
  }

  @Test func `the weighting equals the standard's filters at 48 kHz`() {
    for hertz in [30.0, 60, 200, 1000, 3000, 8000, 16_000] {
      let z = 2 * .pi * hertz / 48_000
      func gain(_ b: [Double], _ a: [Double]) -> Double {
        func power(_ c: [Double]) -> Double {
          let real = c[0] + c[1] * cos(z) + c[2] * cos(2 * z)
          let imaginary = c[1] * sin(z) + c[2] * sin(2 * z)
          return real * real + imaginary * imaginary
        }
        return 10 * log10(power(b) / power(a))
      }
      // Tables 1 and 2 of BS.1770.
      let weight =
        gain(
          [1.53512485958697, -2.69169618940638, 1.19839281085285],
          [1, -1.69065929318241, 0.73248077421585])
        + gain([1, -2, 1], [1, -1.99004745483398, 0.99007225036621])
      // The remaining error comes from the onset of the tone and a partial period.
      reads(measure([(-20, 4)], hertz: hertz), -20 - 0.691 + weight, 0.02)
    }
  }

  @Test func `the result does not depend on the block size`() {
    let whole = measure([(-20, 1), (-30, 1)], rate: 11_025, block: 100_000).integrated
    for block in [1, 64, 1103, 4096] {
      #expect(measure([(-20, 1), (-30, 1)], rate: 11_025, block: block).integrated == whole)
    }
  }

  @Test func `a sound that is too short or too quiet has no loudness`() {
    #expect(measure([(-20, 0.399)]).integrated == nil)
    #expect(measure([(-20, 0.4)]).integrated != nil)
    #expect(measure([(-80, 2)]).integrated == nil)
    #expect(Loudness(rate: 48_000).integrated == nil && Loudness(rate: 48_000).peak == nil)
  }

  @Test func `the sample peak covers both channels`() {
    // A sine at a quarter of the sample rate, with samples at its peaks.
    let peak = measure([(-6, 0.1)], hertz: 12_000, isLeftOnly: true).peak
    #expect(abs((peak ?? 0) + 6) < 0.001)
  }

  @Test(arguments: [Float.infinity, -.infinity, .nan])
  func `a NaN or infinite sample leaves a finite peak`(sample: Float) {
    var loudness = Loudness(rate: 48_000)
    let buffer = StereoBuffer(frames: 4)
    for frame in 0..<4 { buffer.stereo.left[frame] = frame == 2 ? sample : 0.5 }
    loudness.add(buffer.stereo, frames: 4)
    #expect(loudness.peak?.isFinite == true)
  }
}
