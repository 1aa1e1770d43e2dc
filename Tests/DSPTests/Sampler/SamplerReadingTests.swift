import DSP
import Foundation
import TestSupport
import Testing

/// The resampling of sounds by voices.
@Suite struct SamplerReadingTests {
  /// An endless tone played by a voice.
  private func played(_ hertz: Double, shift: Double, isStereo: Bool = false) -> VoiceStage {
    let tone = Tone.sine(hertz, frames: 24_000)
    let region = VoiceStage.region(24_000, loopFrom: 12_000) { $0.pan = isStereo ? 0 : -1 }
    let stage = VoiceStage([region], isStereo ? [tone, tone] : [tone])
    stage.begin(shift: shift)
    stage.pass(12_000)
    return stage
  }

  private static let shifts = [
    -3600.0, -2400, -1900, -1250.5, -700, -500, -300, -33.3, 0, 12.5, 100, 200, 250, 300, 500, 650,
    700, 900, 1100, 1187, 1500,
  ]

  @Test(arguments: [1000.0, 5000, 10_000], [false, true])
  func `a tone has the right pitch and artifacts below -95 dB at any shift`(
    hertz: Double, isStereo: Bool
  ) {
    for shift in Self.shifts {
      // The shift as rounded to single precision.
      let shifted = hertz * exp2((Double(Float(6000 + shift)) - 6000) / 1200)
      guard shifted < 19_000 else { continue }
      let stage = played(hertz, shift: shift, isStereo: isStereo)
      // An error of a hundredth of a cent would leave -50 dB over a fifth of a second.
      let residue = Measure.residue(stage.left[2000...], hertz: shifted, sampleRate: 48_000)
      #expect(residue < -100, "\(shift) cents: \(residue) dB")
      if isStereo { #expect(Measure.firstDifference(stage.left, stage.right) == nil) }
      // The level is unchanged.
      let level = 20 * log10(Measure.level(stage.left[2000...]) / (0.5 / 2.0.squareRoot()))
      // Levels for higher speeds drop by 0.1 dB below 18 kHz.
      #expect(abs(level) < 0.1, "\(shift) cents: \(level) dB")
    }
  }

  @Test func `aliases are at most -95 dB`() {
    for (hertz, shift) in [
      (10_000.0, 1800.0), (10_000, 2100), (10_000, 3000), (15_000, 1100),
      (20_000, 700), (20_000, 1200), (5000, 3600),
    ] {
      // All of them would land above 27 kHz; none may alias.
      var region = VoiceStage.region(24_000, loopFrom: 12_000)
      region.rootKey = 30
      let stage = VoiceStage([region], [Tone.sine(hertz, frames: 24_000)])
      stage.begin(key: UInt8(30 + shift / 100))
      stage.pass(12_000)
      let level = 20 * log10(Measure.level(stage.left[2000...]) / (0.5 / 2.0.squareRoot()))
      #expect(level < -95, "\(hertz) Hz by \(shift) cents: \(level) dB")
    }
  }

  @Test(arguments: [1, 2, 7, 15, 33, 101, 1009], [-1234.0, -500, 0, 333])
  func `a loop of any length is seamless`(length: Int, shift: Double) {
    // Whole periods of a tone of some kHz, in a loop that starts some way in.
    let periods = max(1, length / 12)
    let hertz = length < 3 ? 0 : 48_000 * Double(periods) / Double(length)
    let start = 20 * length + 50
    let phase = length < 3 ? Double.pi / 2 : 0
    let tone = (0..<start + length).map {
      Float(0.5 * sin(2 * .pi * hertz * Double($0) / 48_000 + phase))
    }
    let stage = VoiceStage([VoiceStage.region(start + length, loopFrom: start)], [tone])
    stage.begin(shift: shift)
    stage.pass(48_000)
    let sound = stage.left[200...]
    if length < 3 {
      // A loop of one sample, or two equal ones, is a constant apart from rounding.
      #expect(sound.allSatisfy { abs($0 - 0.5) < 1e-5 })
    } else {
      let shifted = hertz * exp2(shift / 1200)
      let residue = Measure.residue(sound, hertz: shifted, sampleRate: 48_000)
      #expect(residue < -95, "\(residue) dB")
    }
  }

  @Test func `the part before a loop plays once`() {
    // Noise, then a looped tone: a read that reached the noise again would let it in.
    let noise = Tone.noise(frames: 1000)
    let tone = Tone.sine(1000, frames: 480)
    let stage = VoiceStage(
      [VoiceStage.region(1480, loopFrom: 1000)], [noise + tone])
    stage.begin(shift: -70)
    stage.pass(30_000)
    let residue = Measure.residue(
      stage.left[2500...], hertz: 1000 * exp2(-70.0 / 1200), sampleRate: 48_000)
    #expect(residue < -95, "\(residue) dB")
  }

  @Test func `a loop until release continues to the end of the sound`() {
    // A sine in the loop and 0.5 after it.
    let sound = Tone.sine(480, frames: 1000) + Tone.constant(0.5, frames: 4000)
    let region = VoiceStage.region(5000) {
      $0.loop = (0, 1000)
      $0.loopMode = .untilRelease
      $0.envelope.release = 1000
      $0.envelope.isWhole = true
    }
    let stage = VoiceStage([region], [sound])
    let note = stage.begin().number
    let before = stage.pass(20_000)
    #expect(Measure.residue(before, hertz: 480, sampleRate: 48_000) < -90)
    stage.release(note)
    // At most 1000 frames of the loop remain.
    let after = stage.pass(6000)
    #expect(after[1200..<3900].allSatisfy { abs($0 - 0.5) < 0.01 })
    #expect(Measure.peak(after[5100...]) == 0 && stage.over == [note])
  }

  @Test func `a sound without a loop ends together with its voice`() {
    let region = VoiceStage.region(4000) { $0.loopMode = .none }
    let stage = VoiceStage([region], [Tone.constant(0.5, frames: 5000)])
    let note = stage.begin(shift: 1200).number
    let sound = stage.pass(2200)
    // An edge rings for the combined length of the filters, 144 samples.
    #expect(sound[75..<1925].allSatisfy { abs($0 - 0.5) < 2e-5 })
    #expect(Measure.peak(sound[2075...]) == 0)
    #expect(stage.over == [note] && stage.soundingCount == 0)
  }

  @Test(arguments: [1, 7, 32, 64, 333, 4096])
  func `the result doesn't depend on the block size`(block: Int) {
    func sound(_ block: Int) -> [Float] {
      let region = VoiceStage.region(9600) {
        $0.envelope.attack = 0.0123
        $0.vibrato.toPitch = 50
        $0.isFiltered = true
        $0.filter.cutoff = 1500
        $0.tremolo.toFilter = 1200
        $0.tremolo.toGain = 3
        $0.envelope.release = 0.1
      }
      let stage = VoiceStage([region], [Tone.noise(frames: 9600)])
      let first = stage.begin(shift: 123).number
      stage.pass(1111, block: block)
      stage.begin(shift: -321)
      stage.bend(1.5)
      stage.pass(2001, block: block)
      stage.release(first)
      stage.pass(6000, block: block)
      return stage.left
    }
    #expect(Measure.firstDifference(sound(block), sound(97)) == nil)
  }
}
