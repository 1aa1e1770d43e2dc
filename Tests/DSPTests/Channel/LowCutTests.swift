import DSP
import Foundation
import TestSupport
import Testing

/// The low cut of the channel strip.
@Suite struct LowCutTests {
  private func filtered(
    _ sound: [Float], sampleRate: Float = 48_000, block: Int = 64,
    _ change: (inout LowCut, Int) -> Void
  ) -> [Float] {
    var filter = LowCut(sampleRate: sampleRate)
    var (left, right) = (sound, sound)
    inBlocks(of: block, &left, &right) {
      change(&filter, $0.start)
      filter.process($0.sound, frames: $0.frames)
    }
    #expect(left == right)
    return left
  }

  private func on(_ hertz: Float) -> (inout LowCut, Int) -> Void {
    { filter, start in
      guard start == 0 else { return }
      filter.setFrequency(hertz: hertz)
      filter.settle()
    }
  }

  @Test(arguments: [(40, 44_100), (80, 48_000), (150, 96_000), (1000, 44_100)])
  func `it falls by 18 dB per octave below its frequency`(hertz: Int, rate: Int) {
    for (octaves, expected) in [(-2.0, -36.1), (-1, -18.1), (0, -3.0), (1, -0.07), (3, 0)] {
      let tone = Double(hertz) * pow(2, octaves)
      let sound = Tone.sine(
        tone, amplitude: 0.5, frames: 4 * rate, sampleRate: Double(rate))
      let output = filtered(sound, sampleRate: Float(rate), on(Float(hertz)))
      let level = Measure.level(output[(2 * rate)...]) / Measure.level(sound[(2 * rate)...])
      // 0.1 dB: the bilinear transform at 1 kHz.
      #expect(abs(20 * log10(level) - expected) < 0.1, "\(tone) Hz")
      #expect(Measure.residue(output[(2 * rate)...], hertz: tone, sampleRate: Double(rate)) < -80)
    }
  }

  @Test func `off, the sound passes unchanged`() {
    let noise = Tone.noise(frames: 4800)
    #expect(filtered(noise) { _, _ in } == noise)
    // And again after it was on.
    let output = filtered(noise + noise + noise) { filter, start in
      if start == 0 { filter.setFrequency(hertz: 200) }
      if start == 4800 { filter.setFrequency(hertz: 0) }
    }
    // The fade takes 40 ms at most.
    #expect(output.suffix(4800) == noise[...])
  }

  @Test func `it is turned on, swept and turned off without clicks`() {
    let tone = Tone.sine(300, amplitude: 0.5, frames: 96_000)
    let output = filtered(tone) { filter, start in
      let hertz: [Int: Float] = [9600: 80, 24_000: 400, 48_000: 20, 72_000: 0]
      if let value = hertz[start] { filter.setFrequency(hertz: value) }
    }
    // A tone of 300 Hz alone has 0.0008; the sweep changes its level over 20 ms.
    #expect(Measure.roughness(output) < 0.0009)
  }

  @Test(arguments: [1, 7, 256])
  func `the result doesn't depend on the block size`(block: Int) {
    func sweep(_ block: Int) -> [Float] {
      filtered(Tone.noise(frames: 14_336), block: block) { filter, start in
        if start == 0 { filter.setFrequency(hertz: 100) }
        if start == 7168 { filter.setFrequency(hertz: 300) }
      }
    }
    #expect(sweep(block) == sweep(64))
  }

  @Test func `after the sound it comes to rest`() {
    var filter = LowCut(sampleRate: 48_000)
    filter.setFrequency(hertz: 20)
    filter.settle()
    var left = Tone.noise(frames: 4800) + Tone.constant(0, frames: 48_000)
    var right = left
    inBlocks(of: 64, &left, &right) { filter.process($0.sound, frames: $0.frames) }
    #expect(filter.isResting && !filter.isOff)
  }
}
