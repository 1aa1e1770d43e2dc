import DSP
import Foundation
import TestSupport
import Testing

/// Envelopes, filters and panning of voices.
@Suite struct SamplerShapeTests {
  /// A constant of 1 with an envelope, that is the envelope itself.
  private func shape(
    _ change: (inout SamplerRegion) -> Void
  ) -> (stage: VoiceStage, note: () -> UInt32) {
    let stage = VoiceStage([VoiceStage.region(1000, change)], [Tone.constant(1, frames: 1000)])
    return (stage, { stage.begin().number })
  }

  private func decibels(_ value: Float) -> Double { 20 * log10(Double(value)) }

  @Test func `the envelope has delay, linear attack, hold and decay`() {
    let (stage, begin) = shape {
      $0.envelope.delay = 0.01
      $0.envelope.attack = 0.1
      $0.envelope.hold = 0.05
      $0.envelope.decay = 1
      $0.envelope.isWhole = true
      $0.envelope.sustain = 0.1
    }
    _ = begin()
    let sound = stage.pass(48_000)
    #expect(Measure.peak(sound[..<480]) == 0)
    for place in [0.1, 0.25, 0.5, 0.9] {
      // Within the two frames to which times are rounded.
      #expect(abs(sound[480 + Int(4800 * place)] - Float(place)) < 5e-4)
    }
    #expect(sound[5290..<7670].allSatisfy { abs($0 - 1) < 1e-5 })
    // 100 dB per second, linear in dB, until 20 dB are reached.
    for seconds in [0.05, 0.1, 0.15] {
      let level = decibels(sound[7680 + Int(48_000 * seconds)])
      #expect(abs(level + 100 * seconds) < 0.05, "\(level) dB after \(seconds) s")
    }
    #expect(sound[17_600...].allSatisfy { abs($0 - 0.1) < 1e-5 })
  }

  @Test func `decay and release take their time over any distance`() {
    let (stage, begin) = shape {
      $0.envelope.decay = 0.2
      $0.envelope.sustain = 0.25
      $0.envelope.release = 0.3
    }
    let note = begin()
    let sound = stage.pass(24_000)
    // Half of the distance in dB after half of the time.
    #expect(abs(decibels(sound[4800]) - 0.5 * decibels(0.25)) < 0.05)
    #expect(sound[9650...].allSatisfy { abs($0 - 0.25) < 1e-5 })
    stage.release(note)
    let rest = stage.pass(24_000)
    // From there to -100 dB in 0.3 s; the release takes effect after the current step of 32 frames.
    let middle = decibels(rest[7200])
    #expect(abs(middle - (decibels(0.25) - 100) / 2) < 0.3, "\(middle) dB")
    #expect(Measure.peak(rest[14_500...]) == 0 && stage.over == [note])
  }

  @Test func `a full-range release keeps its slope from the current level`() {
    let (stage, begin) = shape {
      $0.envelope.sustain = 0.1
      $0.envelope.isWhole = true
      $0.envelope.release = 1
    }
    let note = begin()
    stage.pass(4800)
    stage.release(note)
    let rest = stage.pass(48_000)
    let first = decibels(rest[9600]), second = decibels(rest[19_200])
    #expect(abs((first - second) - 20) < 0.05)
    // 20 dB are gone already, so it ends after 0.8 s.
    #expect(Measure.peak(rest[38_600...]) == 0)
  }

  @Test func `higher keys shorten hold and decay`() {
    func holds(_ key: UInt8) -> Int {
      let region = VoiceStage.region(1000) {
        $0.envelope.hold = 0.1
        $0.envelope.holdPerKey = 100
        $0.envelope.decay = 0.01
        $0.envelope.isWhole = true
        $0.envelope.sustain = 0
        $0.keyTracking = 0
      }
      let stage = VoiceStage([region], [Tone.constant(1, frames: 1000)])
      stage.begin(key: key)
      return stage.pass(24_000)[32...].firstIndex { $0 < 0.999 }!
    }
    #expect(abs(holds(60) - 4800) < 34)
    #expect(abs(holds(72) - 2400) < 34)
    #expect(abs(holds(48) - 9600) < 34)
  }

  @Test(arguments: [
    (SamplerRegion.Filter.Kind.lowpass2, [-0.01, -3.01, -24.1]),
    (.highpass2, [-24.1, -3.01, -0.01]), (.lowpass1, [-0.26, -3.01, -12.3]),
    (.highpass1, [-12.3, -3.01, -0.26]),
  ])
  func `filters have the expected response`(kind: SamplerRegion.Filter.Kind, levels: [Double]) {
    for (hertz, level) in zip([250.0, 1000, 4000], levels) {
      // The bilinear transform takes slightly more at the top.
      #expect(abs(response(kind, at: hertz) - level) < 0.6, "\(hertz) Hz")
    }
    #expect(abs(response(kind, at: 1000) + 3.01) < 0.05)
  }

  @Test func `resonance boosts the cutoff by its value in decibels`() {
    for kind in [SamplerRegion.Filter.Kind.lowpass2, .highpass2, .bandpass] {
      let plain = response(kind, at: 1000)
      let lifted = response(kind, at: 1000, resonance: 15)
      #expect(abs(lifted - plain - 15) < 0.05, "\(kind)")
    }
    #expect(response(.bandreject, at: 1000) < -60)
  }

  private func response(
    _ kind: SamplerRegion.Filter.Kind, at hertz: Double, resonance: Float = 0
  ) -> Double {
    let region = VoiceStage.region(48_000) {
      $0.isFiltered = true
      $0.filter.kind = kind
      $0.filter.cutoff = 1000
      $0.filter.resonance = resonance
    }
    let stage = VoiceStage([region], [Tone.sine(hertz, amplitude: 0.1, frames: 48_000)])
    stage.begin()
    stage.pass(24_000)
    return 20 * log10(Measure.level(stage.left[12_000...]) / (0.1 / 2.0.squareRoot()))
  }

  @Test func `filter modulation doesn't click`() {
    let region = VoiceStage.region(48_000) {
      $0.isFiltered = true
      $0.filter.cutoff = 800
      $0.filter.resonance = 10
      $0.tremolo.toFilter = 2400
      $0.tremolo.frequency = 8
    }
    let stage = VoiceStage([region], [Tone.sine(200, amplitude: 0.1, frames: 48_000)])
    stage.begin()
    stage.pass(48_000)
    // A tone of 200 Hz boosted by at most 10 dB bends by 2.2e-4 per frame.
    #expect(Measure.roughness(stage.left[4800...]) < 3e-4)
  }

  @Test(arguments: [-1.0, -0.5, 0, 0.3, 1])
  func `mono sounds are panned at constant power`(pan: Double) {
    let region = VoiceStage.region(1000) { $0.pan = Float(pan) }
    let stage = VoiceStage([region], [Tone.constant(0.5, frames: 1000)])
    stage.begin()
    stage.pass(1000)
    let angle = (pan + 1) * .pi / 4
    #expect(abs(Double(stage.left[900]) - 0.5 * cos(angle)) < 1e-5)
    #expect(abs(Double(stage.right[900]) - 0.5 * sin(angle)) < 1e-5)
  }

  @Test func `stereo sounds keep their level`() {
    let region = VoiceStage.region(1000) { $0.pan = 0 }
    let stage = VoiceStage(
      [region], [Tone.constant(0.5, frames: 1000), Tone.constant(-0.25, frames: 1000)])
    stage.begin()
    stage.pass(1000)
    #expect(abs(stage.left[900] - 0.5) < 1e-5 && abs(stage.right[900] + 0.25) < 1e-5)
  }

  @Test func `controllers modulate sounding notes without a step`() {
    // Quieter by the volume controller, with the SoundFont curve, and higher by the pitch wheel.
    let volume = SamplerModulator(
      source: .init(.control(7), curve: .concave, isReversed: true), target: .attenuation,
      amount: 96)
    let region = VoiceStage.region(48_000) { $0.modulators = (0, 0, 1) }
    let stage = VoiceStage(
      [region], modulators: [volume], [Tone.sine(100, amplitude: 0.4, frames: 48_000)])
    stage.begin()
    stage.pass(9600)
    let before = Measure.roughness(stage.left[100...])
    stage.control(7, 64)
    stage.bend(2)
    stage.pass(19_200)
    let level = Measure.level(stage.left[19_200...]) / (0.4 / 2.0.squareRoot())
    #expect(abs(20 * log10(level) - 40 * log10(64.0 / 127)) < 0.01)
    // The gain starts to fall with a corner; a step would be a thousand times larger.
    #expect(Measure.roughness(stage.left[100...]) < 4 * before)
    let residue = Measure.residue(
      stage.left[19_200...], hertz: 100 * exp2(2.0 / 12), sampleRate: 48_000)
    #expect(residue < -95, "\(residue) dB")
  }
}
