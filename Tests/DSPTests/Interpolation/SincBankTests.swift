import DSP
import Foundation
import TestSupport
import Testing

@Suite struct SincBankTests {
  private static let bank = SincBank()

  /// The level of a tone after resampling upward, in dB relative to the input.
  private func level(hertz: Double, semitones: Int) -> Double {
    let frames = 4800
    let margin = SincBank.mostTaps
    let ratio = exp2(Double(semitones) / 12)
    let tone = Tone.sine(hertz, frames: Int(Double(frames) * ratio) + 2 * margin)
    var output = [Float](repeating: 0, count: 2 * frames)
    output.withUnsafeMutableBufferPointer { output in
      tone.withUnsafeBufferPointer { tone in
        let samples = tone.baseAddress! + margin
        Self.bank.read(
          table: Self.bank.table(forSpeed: Float(ratio)), left: samples, right: samples,
          from: Int64(0.3 * 4_294_967_296), step: Int64(ratio * 4_294_967_296),
          to: Stereo(output.baseAddress!, output.baseAddress! + frames), frames: frames)
      }
    }
    return 20 * log10(Measure.level(output[..<frames]) / Measure.level(tone) + 1e-12)
  }

  // Below two semitones, no alias falls that low.
  @Test(arguments: 3...24)
  func `aliases below 19 kHz are at most -85 dB`(semitones: Int) {
    let hertz = 29_000 / exp2(Double(semitones) / 12)
    let left = level(hertz: hertz, semitones: semitones)
    #expect(left < -85, "\(left) dB")
  }

  @Test(arguments: 1...24)
  func `the passband is flat up to 17 kHz`(semitones: Int) {
    // 0.1 dB is the window's effect on a transition band that ends there.
    let change = level(hertz: 17_000 / exp2(Double(semitones) / 12), semitones: semitones)
    #expect(abs(change) < 0.1, "\(change) dB")
  }

  @Test func `a rounded semitone uses its own table`() {
    for semitones in 1...24 {
      let ratio = Float(exp2(Double(semitones) / 12))
      #expect(Self.bank.table(forSpeed: ratio) == semitones)
      #expect(Self.bank.table(forSpeed: ratio.nextUp) == semitones)
      #expect(Self.bank.table(forSpeed: ratio.nextDown) == semitones)
    }
  }
}
