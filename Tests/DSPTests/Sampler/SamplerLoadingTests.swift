import DSP
import Foundation
import TestSupport
import Testing

/// Instruments that are played while loading, and sounds stored in 16 bits.
@Suite struct SamplerLoadingTests {
  private static let kind = SamplerSoundKind(channels: 1, isCompact: true)

  /// An instrument with all sounds loaded, in 16 bits.
  private static func compact(
    _ regions: [SamplerRegion], _ sounds: [Float]...
  ) -> SamplerInstrument {
    let made = SamplerInstrument(
      regions: regions, modulators: [], sounds: sounds.map { _ in kind })
    let workshop = SoundWorkshop()
    for (index, sound) in sounds.enumerated() {
      made.make(index, of: [sound], in: workshop)
      made.publish(index)
    }
    return made
  }

  // MARK: - 16 bits

  @Test(arguments: [1000.0, 5000, 15_000])
  func `a tone in 16 bits is accurate to quantization`(hertz: Double) {
    for shift in [-2400.0, -700, -33.3, 0, 250, 700, 1187] {
      let shifted = hertz * exp2((Double(Float(6000 + shift)) - 6000) / 1200)
      guard shifted < 19_000 else { continue }
      let region = VoiceStage.region(24_000, loopFrom: 12_000)
      // At a tenth of full scale: the 16 bits are relative to the sound's own peak.
      let stage = VoiceStage(
        Self.compact([region], Tone.sine(hertz, amplitude: 0.1, frames: 24_000)))
      stage.begin(shift: shift)
      stage.pass(12_000)
      // Rounding to 1.25 of 65,536 steps leaves -96 dB of a tone.
      let residue = Measure.residue(stage.left[2000...], hertz: shifted, sampleRate: 48_000)
      #expect(residue < -93, "\(shift) cents: \(residue) dB")
      let level = 20 * log10(Measure.level(stage.left[2000...]) / (0.1 / 2.0.squareRoot()))
      #expect(abs(level) < 0.1, "\(shift) cents: \(level) dB")
    }
  }

  @Test func `aliases in 16 bits are below quantization`() {
    for (hertz, shift) in [(10_000.0, 1800.0), (15_000, 1100), (20_000, 700), (5000, 3600)] {
      var region = VoiceStage.region(24_000, loopFrom: 12_000)
      region.rootKey = 30
      let stage = VoiceStage(Self.compact([region], Tone.sine(hertz, frames: 24_000)))
      stage.begin(key: UInt8(30 + shift / 100))
      stage.pass(12_000)
      let level = 20 * log10(Measure.level(stage.left[2000...]) / (0.5 / 2.0.squareRoot()))
      #expect(level < -88, "\(hertz) Hz by \(shift) cents: \(level) dB")
    }
  }

  @Test func `a level is stored only as far as it prevents aliasing`() {
    // A bright start, and a dull rest that loops.
    let bright = zip(Tone.noise(frames: 9600), 0..<9600).map { $0 * Float(9600 - $1) / 9600 }
    let sound = zip(bright + Tone.constant(0, frames: 86_400), Tone.sine(480, frames: 96_000))
      .map { $0 * 0.5 + $1 * 0.5 }
    // Up to two octaves above its own pitch.
    let region = VoiceStage.region(96_000, loopFrom: 48_000) { $0.keys = (0, 84) }
    let (small, whole) = (
      Self.compact([region], sound),
      SamplerInstrument(regions: [region], modulators: [], sounds: [[sound]])
    )
    // Two bytes per frame of the dull rest, and four per frame of the bright tenth for each of
    // seven levels; with six levels in floats, eight per frame of everything.
    #expect(small.bytes > 2 * 96_000 && small.bytes < 6 * 96_000 && small.bytes < small.mostBytes)
    #expect(whole.bytes > 5 * 8 * 96_000 && whole.bytes == whole.mostBytes)
    for shift in [0.0, 700, 2400] {
      let stages = [VoiceStage(small), VoiceStage(whole)]
      for stage in stages {
        stage.begin(shift: shift)
        stage.pass(48_000)
      }
      let worst = zip(stages[0].left, stages[1].left).map { abs($0 - $1) }.max()!
      // Switching levels makes a difference of one 16-bit step, and so does each rounding.
      #expect(worst < 2e-4, "\(shift) cents: \(worst)")
    }
  }

  // MARK: - Floats

  @Test(arguments: [0.0, 100])
  func `a float recording keeps its quiet treble`(shift: Double) {
    // 0.1 s at full level, and then a tone 120 dB below it, in the upper half of the spectrum.
    let sound =
      Tone.sine(1000, amplitude: 1, frames: 4800)
      + Tone.sine(15_000, amplitude: 1e-6, frames: 43_200)
    let region = VoiceStage.region(48_000) { $0.loopMode = .none }
    let stage = VoiceStage(
      SamplerInstrument(regions: [region], modulators: [], sounds: [[sound]]))
    stage.begin(shift: shift)
    stage.pass(36_000)
    let tail = stage.left[24_000...]
    let hertz = 15_000 * exp2(shift / 1200)
    #expect(Measure.residue(tail, hertz: hertz, sampleRate: 48_000) < -90)
    #expect(abs(20 * log10(Measure.level(tail) / (1e-6 / 2.0.squareRoot()))) < 0.1)
  }

  // MARK: - While loading

  /// Three regions with tones of 375 Hz at their root keys 36, 60 and 72, none of them loaded.
  private static func waiting(
    isPercussion: Bool = false, _ change: (inout SamplerRegion, Int) -> Void = { _, _ in }
  ) -> (instrument: SamplerInstrument, make: (Int) -> Void) {
    let regions = [36, 60, 72].enumerated().map { index, root in
      VoiceStage.region(12_800) {
        $0.sound = Int32(index)
        $0.keys = (UInt8(root - 6), UInt8(root + 5))
        $0.rootKey = Float(root)
        change(&$0, index)
      }
    }
    let instrument = SamplerInstrument(
      regions: regions, modulators: [], sounds: regions.map { _ in kind },
      isPercussion: isPercussion)
    return (
      instrument,
      { index in
        // Each has a distinct level.
        let tone = Tone.sine(375, amplitude: 0.1 * Float(index + 1), frames: 12_800)
        instrument.make(index, of: [tone], in: SoundWorkshop())
        instrument.publish(index)
      }
    )
  }

  /// The frequency and peak of a note, or 0 if it is silent.
  private static func heard(_ key: UInt8, of instrument: SamplerInstrument) -> (Double, Float) {
    let stage = VoiceStage(instrument)
    stage.begin(key: key)
    let sound = stage.pass(9600)
    let peak = Measure.peak(sound[4800...])
    guard peak > 0 else { return (0, 0) }
    let turns = zip(sound[4800...], sound[4801...]).count { $0 < 0 && $1 >= 0 }
    return (Double(turns) * 10, peak)
  }

  @Test func `a note without its sound uses the nearest key's at the right pitch`() {
    let (instrument, make) = Self.waiting()
    #expect(Self.heard(60, of: instrument) == (0, 0))
    #expect(instrument.isMissed(1) && !instrument.isMissed(0) && !instrument.isMissed(2))
    make(0)
    var (hertz, peak) = Self.heard(60, of: instrument)
    // Counts zero crossings in 0.1 s: one more or less is 10 Hz.
    #expect(abs(hertz - 1500) < 11 && abs(peak - 0.1) < 0.01)
    #expect(!instrument.isMissed(0) && !instrument.isMissed(2))
    // A nearer substitute, then the region's own sound.
    make(2)
    (hertz, peak) = Self.heard(64, of: instrument)
    #expect(abs(peak - 0.3) < 0.01)
    make(1)
    (hertz, peak) = Self.heard(60, of: instrument)
    #expect(abs(hertz - 375) < 11 && abs(peak - 0.2) < 0.01)
    #expect(abs(Self.heard(36, of: instrument).1 - 0.1) < 0.01)
  }

  @Test func `a sound that can't be loaded has no substitute`() {
    let (instrument, make) = Self.waiting()
    make(0)
    instrument.giveUp(1)
    make(2)
    #expect(Self.heard(60, of: instrument) == (0, 0))
    #expect(Self.heard(72, of: instrument).1 > 0.2)
  }

  @Test func `drums don't substitute for each other`() {
    let (instrument, make) = Self.waiting(isPercussion: true)
    make(0)
    #expect(Self.heard(60, of: instrument) == (0, 0))
    #expect(Self.heard(36, of: instrument).1 > 0.05)
  }

  @Test func `two layers share one substitute, and releases don't substitute for notes`() {
    let layered = Self.waiting { region, index in
      region.keys = (0, 127)
      region.trigger = index == 2 ? .release : .attack
    }
    layered.make(2)
    #expect(VoiceStage(layered.instrument).begin().voices == 0)
    layered.make(0)
    #expect(VoiceStage(layered.instrument).begin().voices == 1)
    layered.make(1)
    #expect(VoiceStage(layered.instrument).begin().voices == 2)
  }

  @Test func `a substitute voice continues when the sound arrives`() {
    let (instrument, make) = Self.waiting()
    make(0)
    let stage = VoiceStage(instrument)
    let note = stage.begin(key: 60).number
    stage.pass(4800)
    make(1)
    stage.pass(4800)
    // A tone of 1500 Hz with amplitude 0.1 bends by 3.9e-3 per frame.
    #expect(Measure.roughness(stage.left[1000...]) < 4.1e-3)
    stage.release(note)
    stage.pass(9600)
    #expect(stage.over == [note])
  }
}
