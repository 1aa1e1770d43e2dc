import DSP
import Foundation
import TestSupport
import Testing
import Tones

@testable import InstrumentFiles

/// The built-in instruments, which need no files.
@Suite struct BuiltInInstrumentTests {
  private func sound(_ instrument: Instrument, _ region: Region) throws -> [Float] {
    try instrument.samples[region.sample].read()[0]
  }

  @Test("Every key of every instrument has a sound", arguments: BuiltInInstrument.allCases)
  func keys(_ builtIn: BuiltInInstrument) throws {
    let instrument = builtIn.make()
    #expect(instrument.faults.isEmpty && instrument.unknown.isEmpty)
    for key in builtIn == .drums ? 35...51 : 0...127 {
      #expect(instrument.regions.filter { $0.fits(key: key, velocity: 100) }.count == 1, "\(key)")
    }
    for region in instrument.regions {
      let sample = instrument.samples[region.sample]
      let sound = try sound(instrument, region)
      #expect(sound.count == sample.frames && region.end == sample.frames)
      #expect(sound.allSatisfy { $0.isFinite })
    }
  }

  @Test("No built-in instrument takes more than 12 MB", arguments: BuiltInInstrument.allCases)
  func memory(_ builtIn: BuiltInInstrument) throws {
    let instrument = builtIn.make()
    let image = InstrumentImage.make(instrument)
    image.make(try instrument.samples.map { try $0.read() })
    #expect(image.bytes < 12_000_000)
  }

  @Test("The synthesis is deterministic", arguments: BuiltInInstrument.allCases)
  func sameness(_ builtIn: BuiltInInstrument) {
    let (one, other) = (builtIn.make(), builtIn.make())
    #expect(one.regions == other.regions)
    #expect(one.samples.map(\.storage) == other.samples.map(\.storage))
  }

  /// Measures the frequency of a sine close to an expected frequency, from its phase advance
  /// between
  /// two parts of the sound.
  private func frequency(_ sound: [Float], near hertz: Double, rate: Double) -> Double {
    // Whole windows, between which the phase error stays below half a turn for 10 cents.
    let window = min(sound.count / 2, Int(24_000))
    func phase(_ start: Int) -> Double {
      var (re, im) = (0.0, 0.0)
      for index in 0..<window {
        let hann = 0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(window))
        let angle = 2 * .pi * hertz * Double(start + index) / rate
        re += hann * Double(sound[start + index]) * cos(angle)
        im -= hann * Double(sound[start + index]) * sin(angle)
      }
      return atan2(im, re)
    }
    let apart = window / 4
    var turn = (phase(apart) - phase(0)) / (2 * .pi)
    turn -= turn.rounded()
    return hertz + turn * rate / Double(apart)
  }

  @Test(
    "Every sample is in tune to half a cent",
    arguments: BuiltInInstrument.allCases.filter { $0 != .drums })
  func tuning(_ builtIn: BuiltInInstrument) throws {
    let instrument = builtIn.make()
    for region in instrument.regions {
      var sound = try sound(instrument, region)
      if !region.loop.isEmpty { sound += sound + sound }
      let wanted = 440 * exp2(Double(region.rootKey - 69) / 12)
      // Played at its own key, including the tuning of its region.
      let rate = 48_000 * exp2(region.cents(key: region.rootKey) / 1200)
      let found = frequency(sound, near: wanted, rate: rate)
      let cents = 1200 * log2(found / wanted)
      #expect(abs(cents) < 0.5, "key \(region.rootKey): \(cents) cents")
    }
  }

  @Test("Sustained sounds loop without a click", arguments: [BuiltInInstrument.violin, .organ])
  func loops(_ builtIn: BuiltInInstrument) throws {
    let instrument = builtIn.make()
    for region in instrument.regions {
      let sound = try sound(instrument, region)
      #expect(region.loopMode == .continuous && region.loop == 0..<sound.count)
      // The second difference is no larger at the loop point than anywhere else.
      func bend(_ frame: Int) -> Float {
        let count = sound.count
        return abs(
          sound[frame % count] - 2 * sound[(frame + 1) % count] + sound[(frame + 2) % count])
      }
      let most = (0..<sound.count - 2).map(bend).max() ?? 0
      #expect(max(bend(sound.count - 2), bend(sound.count - 1)) <= most)
    }
  }

  @Test("Decaying sounds start at once and end in silence")
  func decay() throws {
    for builtIn in [BuiltInInstrument.piano, .acousticGuitar, .electricGuitar, .bell] {
      let instrument = builtIn.make()
      for region in instrument.regions {
        let sound = try sound(instrument, region)
        #expect(region.loop.isEmpty)
        #expect(abs(sound[0]) < 1e-6 && abs(sound[sound.count - 1]) < 1e-3)
        let peak = SoundShape.peak(sound)
        let first = sound.firstIndex { abs($0) > peak / 4 } ?? .max
        // 5 ms, or half a period of the lowest key.
        #expect(first < 1000)
      }
    }
  }

  @Test("All instruments have similar loudness")
  func levels() throws {
    for builtIn in BuiltInInstrument.allCases where builtIn != .drums {
      let instrument = builtIn.make()
      for region in instrument.regions {
        let sound = try sound(instrument, region)
        let level = SoundShape.level(sound, 0..<min(sound.count, 19_200))
        // The target is -18.4 dB. The shortest notes end before they reach it, and a loop is
        // measured as a whole.
        #expect((0.08...0.15).contains(level), "\(builtIn.name) \(region.rootKey): \(level)")
        #expect(SoundShape.peak(sound) <= 0.9001 && region.gain == 4)
      }
    }
  }
}
