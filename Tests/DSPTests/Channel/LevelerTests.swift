import DSP
import Foundation
import TestSupport
import Testing

/// The compressor of the channel strip.
@Suite struct LevelerTests {
  private func leveled(
    _ sound: [Float], amount: Float = 0.5, block: Int = 64, sampleRate: Float = 48_000,
    _ change: (inout Leveler, Int) -> Void = { _, _ in }
  ) -> [Float] {
    var leveler = Leveler(sampleRate: sampleRate)
    leveler.setAmount(amount)
    leveler.setOn(true)
    leveler.settle()
    var (left, right) = (sound, sound)
    inBlocks(of: block, &left, &right) {
      change(&leveler, $0.start)
      leveler.process($0.sound, frames: $0.frames)
    }
    #expect(left == right)
    return left
  }

  private func tone(_ hertz: Double, decibels: Double, frames: Int = 96_000) -> [Float] {
    Tone.sine(hertz, amplitude: Float(pow(10, decibels / 20)), frames: frames)
  }

  @Test(arguments: [Float(0.25), 0.5, 1])
  func `a tone settles at the level of the curve, and -12 dBFS stays`(amount: Float) {
    for level in [-50.0, -36, -24, -18, -12, -6, 0] {
      let output = leveled(tone(440, decibels: level), amount: amount)
      let expected = Double(Leveler.gain(at: Float(level), amount: amount))
      let gain = 20 * log10(Measure.level(output[72_000...])) + 3.0103 - level
      #expect(abs(gain - expected) < 0.02, "\(level) dB: \(gain), not \(expected)")
      if level == -12 { #expect(abs(gain) < 0.02) }
    }
  }

  @Test func `the more, the less louder sounds differ from softer ones`() {
    for amount in stride(from: Float(0), through: 1, by: 0.1) {
      let gains = stride(from: Float(-60), through: 0, by: 1).map {
        Leveler.gain(at: $0, amount: amount)
      }
      // It never expands, and never reverses: an output that rises with the input.
      for (softer, louder) in zip(gains, gains.dropFirst()) {
        #expect(louder <= softer && louder > softer - 1)
      }
    }
    #expect(Leveler.gain(at: -40, amount: 0) == 0)
    // 5:1 far above the threshold.
    #expect(abs(Leveler.gain(at: 0, amount: 1) - Leveler.gain(at: -10, amount: 1) + 8) < 0.01)
  }

  @Test(arguments: [40.0, 100, 220, 1000])
  func `it doesn't distort a steady tone`(hertz: Double) {
    let output = leveled(tone(hertz, decibels: -6), amount: 1)
    // Once the release is over: e^-12 of 9 dB after 1.5 s.
    #expect(Measure.residue(output[76_800...], hertz: hertz, sampleRate: 48_000) < -100)
  }

  @Test func `a louder tone is turned down within 10 ms, and a softer one up within 0.6 s`() {
    let sound = tone(440, decibels: -24) + tone(440, decibels: -4) + tone(440, decibels: -24)
    let output = leveled(sound)
    func gain(_ frame: Int, _ level: Double) -> Double {
      let part = output[frame..<(frame + 480)]
      return 20 * log10(Measure.level(part)) + 3.0103 - level
    }
    let loud = Double(Leveler.gain(at: -4, amount: 0.5))
    let soft = Double(Leveler.gain(at: -24, amount: 0.5))
    #expect(abs(gain(96_480, -4) - loud) < 0.2)
    #expect(abs(gain(192_000 + 28_800, -24) - soft) < 0.5)
  }

  @Test func `off, or at amount 0, the sound passes unchanged`() {
    let noise = Tone.noise(frames: 48_000)
    #expect(leveled(noise, amount: 0) == noise)
    let output = leveled(noise + noise) { leveler, start in
      if start == 9600 { leveler.setOn(false) }
    }
    #expect(Array(output[48_000...]) == noise)
    #expect(Array(output[..<9600]) != Array(noise[..<9600]))
  }

  @Test func `it is turned on and off, and its amount changes, without clicks`() {
    let sound = tone(200, decibels: -30, frames: 96_000)
    let output = leveled(sound, amount: 1) { leveler, start in
      if start == 24_000 { leveler.setOn(false) }
      if start == 48_000 { leveler.setOn(true) }
      if start == 72_000 { leveler.setAmount(0.1) }
    }
    // The loudest tone has 16 dB more than 0.03 · (2π · 200 / 48000)² = 2.2e-5.
    #expect(Measure.roughness(output[9600...]) < 2e-4)
  }

  @Test(arguments: [1, 17, 480])
  func `the result doesn't depend on the block size`(block: Int) {
    let sound = Tone.noise(amplitude: 0.05, frames: 5000) + Tone.noise(frames: 5000)
    #expect(leveled(sound, block: block) == leveled(sound))
  }

  @Test(arguments: [true, false])
  func `in a pause the gain recovers, for a soft note after it`(isProcessed: Bool) {
    var leveler = Leveler(sampleRate: 48_000)
    leveler.setAmount(1)
    leveler.setOn(true)
    leveler.settle()
    let loud = tone(440, decibels: -1, frames: 48_000)
    var left = loud + Tone.constant(0, frames: 48_000) + tone(440, decibels: -40, frames: 9600)
    var right = left
    inBlocks(of: 64, &left, &right) {
      let isPause = (48_000..<96_000).contains($0.start)
      if isPause && !isProcessed {
        leveler.rest(frames: $0.frames)
      } else {
        leveler.process($0.sound, frames: $0.frames)
      }
    }
    // A second is eight time constants.
    let gain = 20 * log10(Measure.level(left[96_480..<100_000])) + 3.0103 + 40
    #expect(abs(gain - Double(Leveler.gain(at: -40, amount: 1))) < 0.1, "\(gain)")
  }

  @Test func `a loud onset after a pause is turned down within 2 ms`() {
    let voice = tone(300, decibels: -6, frames: 24_000)
    let output = leveled(Tone.constant(0, frames: 96_000) + voice, amount: 1)
    #expect(Measure.peak(output[96_096...]) <= 1.1 * Measure.peak(output.suffix(4800)))
  }
}
