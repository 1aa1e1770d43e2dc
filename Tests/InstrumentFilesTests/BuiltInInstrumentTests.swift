import DSP
import Foundation
import Listening
import Testing

@testable import InstrumentFiles

/// The instruments that need no file.
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

  @Test("It is the same every time", arguments: BuiltInInstrument.allCases)
  func sameness(_ builtIn: BuiltInInstrument) {
    let (one, other) = (builtIn.make(), builtIn.make())
    #expect(one.regions == other.regions)
    #expect(one.samples.map(\.storage) == other.samples.map(\.storage))
  }

  /// The frequency of a sine that is near a frequency in a sound: by how its phase moves between
  /// two parts of it.
  private func frequency(_ sound: [Float], near hertz: Double, rate: Double) -> Double {
    // Whole windows, between which the phase moves by less than a half turn for each 10 cents.
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
      // As it sounds for its own key: what its region adds is in it.
      let rate = 48_000 * exp2(region.cents(key: region.rootKey) / 1200)
      let found = frequency(sound, near: wanted, rate: rate)
      let cents = 1200 * log2(found / wanted)
      #expect(abs(cents) < 0.5, "key \(region.rootKey): \(cents) cents")
    }
  }

  @Test("What goes on comes round without a step", arguments: [BuiltInInstrument.violin, .organ])
  func loops(_ builtIn: BuiltInInstrument) throws {
    let instrument = builtIn.make()
    for region in instrument.regions {
      let sound = try sound(instrument, region)
      #expect(region.loopMode == .continuous && region.loop == 0..<sound.count)
      // Bent no more at the seam than anywhere: the greatest second difference of all.
      func bend(_ frame: Int) -> Float {
        let count = sound.count
        return abs(
          sound[frame % count] - 2 * sound[(frame + 1) % count] + sound[(frame + 2) % count])
      }
      let most = (0..<sound.count - 2).map(bend).max() ?? 0
      #expect(max(bend(sound.count - 2), bend(sound.count - 1)) <= most)
    }
  }

  @Test("What dies away begins at once and ends in silence")
  func decay() throws {
    for builtIn in [BuiltInInstrument.piano, .acousticGuitar, .electricGuitar, .bell] {
      let instrument = builtIn.make()
      for region in instrument.regions {
        let sound = try sound(instrument, region)
        #expect(region.loop.isEmpty)
        #expect(abs(sound[0]) < 1e-6 && abs(sound[sound.count - 1]) < 1e-3)
        let peak = SoundShape.peak(sound)
        let first = sound.firstIndex { abs($0) > peak / 4 } ?? .max
        // Five milliseconds, or a half swing of the lowest.
        #expect(first < 1000)
      }
    }
  }

  @Test("All are about as loud")
  func levels() throws {
    for builtIn in BuiltInInstrument.allCases where builtIn != .drums {
      let instrument = builtIn.make()
      for region in instrument.regions {
        let sound = try sound(instrument, region)
        let level = SoundShape.level(sound, 0..<min(sound.count, 19_200))
        // -18.4 dB is aimed at; the shortest notes are over before that is reached, and a loop is
        // measured as a whole.
        #expect((0.08...0.15).contains(level), "\(builtIn.name) \(region.rootKey): \(level)")
        #expect(SoundShape.peak(sound) <= 0.9001 && region.gain == 4)
      }
    }
  }
}
