import DSP
import Foundation
import TestSupport
import Testing
import Tones

@testable import InstrumentFiles

/// Instruments made from recordings.
@Suite struct LoopInstrumentTests {
  private let rate = 48_000

  private func silence(_ seconds: Double) -> [Float] {
    Tone.constant(0, frames: Int(seconds * Double(rate)))
  }

  /// A note with harmonics.
  private func note(_ hertz: Double, seconds: Double, vibrato: Double = 0) -> [Float] {
    var phase = 0.0
    let count = Int(seconds * Double(rate))
    return (0..<count).map { frame in
      let time = Double(frame) / Double(rate)
      phase += 2 * .pi * hertz * exp2(vibrato * sin(2 * .pi * 5 * time) / 1200) / Double(rate)
      let level = min(1, time / 0.02) * min(1, (seconds - time) / 0.05)
      return Float(0.3 * level * (sin(phase) + 0.5 * sin(2 * phase + 1) + 0.2 * sin(3 * phase)))
    }
  }

  private func make(_ sound: [Float]) throws -> (region: Region, sound: [Float], faults: [String]) {
    let instrument = try LoopInstrument.make([sound, sound], rate: rate)
    let region = try #require(instrument.regions.first)
    let channels = try instrument.samples[0].read()
    #expect(channels.count == 2 && channels[0] == channels[1])
    #expect(instrument.samples[0].frames == channels[0].count && region.end <= channels[0].count)
    return (region, channels[0], instrument.faults)
  }

  /// The key at which a region plays its sound unshifted, in cents above key 0.
  private func root(_ region: Region) -> Double { 100 * Double(region.rootKey) - region.tune }

  @Test(
    "A held note is played in key and goes on without a step",
    arguments: [62.5, 220, 445.7, 1230.0], [0.0, 25])
  func held(hertz: Double, vibrato: Double) throws {
    let made = try make(silence(0.7) + note(hertz, seconds: 2, vibrato: vibrato) + silence(1))
    let wanted = 6900 + 1200 * log2(hertz / 440)
    // Nearly exact for a steady note. With vibrato, partial cycles are included.
    #expect(abs(root(made.region) - wanted) < (vibrato > 0 ? 8 : 1))
    #expect(made.faults.isEmpty)
    // The leading silence is removed.
    let first = try #require(made.sound.firstIndex { abs($0) > 0.02 })
    #expect(first < rate / 50)
    #expect(made.region.loopMode == .continuous)
    try #require(made.region.loop.count > rate / 3)
    #expect(made.region.end == made.region.loop.upperBound)
    // Two passes around the loop point: no sharper bend than in the note itself.
    let loop = Array(made.sound[made.region.loop])
    let rounds = loop + loop
    func bend(_ sound: [Float]) -> Float {
      (2..<sound.count).map { abs(sound[$0] - 2 * sound[$0 - 1] + sound[$0 - 2]) }.max() ?? 0
    }
    #expect(bend(rounds) < 1.1 * bend(note(hertz, seconds: 0.5, vibrato: vibrato)))
    // The crossfade does not lower the level by more than 2 dB.
    let levels = stride(from: 0, to: rounds.count - 2400, by: 1200).map {
      20 * log10(SoundShape.level(rounds, $0..<$0 + 2400))
    }
    #expect((levels.max() ?? 0) - (levels.min() ?? 0) < 2)
  }

  @Test("A short note is played once")
  func short() throws {
    let made = try make(silence(0.1) + note(523.25, seconds: 0.2) + silence(0.5))
    #expect(made.region.loopMode == .oneShot && made.region.loop.isEmpty)
    #expect(abs(root(made.region) - 7200) < 5)
  }

  @Test("The longest of several notes is played")
  func longest() throws {
    let made = try make(
      silence(0.1) + note(300, seconds: 0.2) + silence(0.1) + note(400, seconds: 1)
        + silence(0.1) + note(500, seconds: 0.3))
    #expect(abs(root(made.region) - 6900 - 1200 * log2(400.0 / 440)) < 1)
    // It starts with its own note.
    let first = try #require(made.sound.firstIndex { abs($0) > 0.02 })
    #expect(first < rate / 50)
  }

  @Test("A sound without a pitch is played unshifted at middle C, with a remark")
  func noise() throws {
    let made = try make(silence(0.3) + Tone.noise(amplitude: 0.2, frames: 24_000))
    #expect(made.region.rootKey == 60 && made.region.tune == 0)
    #expect(made.region.loopMode == .oneShot)
    #expect(made.faults.count == 1 && made.faults[0].contains("middle C"))
    #expect(made.sound.count == 24_000)
  }

  @Test("Silence is rejected")
  func nothing() {
    for sound in [silence(1), [], [Float](repeating: 1e-6, count: 4800)] {
      #expect(throws: InstrumentFault(.missing, "the loop is silent")) {
        try LoopInstrument.make([sound, sound], rate: rate)
      }
    }
  }
}
