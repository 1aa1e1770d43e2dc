import Foundation
import Listening
import TestSupport
import Testing

/// Accuracy, speed and rejection of the tone finder.
@Suite struct ToneFinderTests {
  // The required accuracy: tunings a tenth of a cent apart beat once in half an hour at 10 Hz,
  // which is inaudible. Single-precision computation reaches a ten-thousandth of that.
  private static let tolerance = 0.1
  private static let ownTolerance = 0.001

  /// Waveforms, as lists of harmonics and amplitudes.
  enum Wave: CaseIterable {
    case sine, saw, square, pulse
    /// A bass whose fundamental is 20 dB below its second harmonic.
    case weakFundamental
    /// A string plucked near its end.
    case string

    var harmonics: [(number: Int, amplitude: Double)] {
      switch self {
      case .sine: [(1, 0.5)]
      case .saw: (1...16).map { ($0, 0.3 / Double($0)) }
      case .square: stride(from: 1, through: 25, by: 2).map { ($0, 0.5 / Double($0)) }
      case .pulse: (1...20).map { ($0, 0.03) }
      case .weakFundamental: [(1, 0.03), (2, 0.3), (3, 0.15), (4, 0.1), (5, 0.05)]
      case .string: [(1, 0.2), (2, 0.25), (3, 0.15), (4, 0.1), (5, 0.05), (6, 0.05), (7, 0.02)]
      }
    }
  }

  /// Synthesizes a tone.
  ///
  /// Each harmonic has its own start phase, and decays at `decay` times its number per second.
  private static func tone(
    _ wave: Wave, _ hertz: Double, phase: Double = 0, decay: Double = 0, frames: Int,
    rate: Double = 48_000
  ) -> [Float] {
    var sum = [Double](repeating: 0, count: frames)
    for (number, amplitude) in wave.harmonics where Double(number) * hertz < 0.48 * rate {
      let omega = 2 * Double.pi * hertz * Double(number) / rate
      let start = Double(number) * phase + Double(number * number)
      let loss = decay * Double(number) / rate
      for frame in 0..<frames {
        sum[frame] +=
          amplitude * exp(-loss * Double(frame)) * sin(omega * Double(frame) + start)
      }
    }
    return sum.map { Float($0) }
  }

  private static func add(_ sound: [Float], _ other: [Float]) -> [Float] {
    zip(sound, other).map { $0 + $1 }
  }

  /// The error in cents; infinite if nothing was found.
  private static func error(_ found: Double?, _ hertz: Double) -> Double {
    guard let found else { return .infinity }
    return abs(1200 * log2(found / hertz))
  }

  /// Frequencies from 30 Hz to 4 kHz, none with a period of whole samples.
  private static let frequencies = (0...16).map { 30.03 * pow(4000.0 / 30.03, Double($0) / 16) }

  @Test(arguments: Wave.allCases, [44_100.0, 48_000, 96_000])
  func `a steady tone is accurate to far less than a tenth of a cent`(wave: Wave, rate: Double) {
    let finder = ToneFinder(rate: rate)
    for hertz in Self.frequencies {
      for phase in [0.3, 2, 4.4] {
        let sound = Self.tone(wave, hertz, phase: phase, frames: finder.frames, rate: rate)
        let error = Self.error(finder.frequency(atEndOf: sound), hertz)
        #expect(error < Self.ownTolerance, "\(wave) of \(hertz) Hz from \(phase): \(error)")
      }
    }
  }

  @Test(arguments: Wave.allCases)
  func `noise, hum and DC don't affect the accuracy`(wave: Wave) {
    let finder = ToneFinder(rate: 48_000)
    // The Cramér-Rao bound for a third of a second of a 30 Hz sine in noise at -30 dB is 0.02
    // cents. One in ten thousand would be off by four times as much.
    for hertz in Self.frequencies {
      let tone = Self.tone(wave, hertz, frames: finder.frames)
      let power = tone.reduce(0) { $0 + Double($1 * $1) } / Double(tone.count)
      // White noise from -a to a has the power a²/3.
      let noise = Tone.noise(
        amplitude: Float((3e-3 * power).squareRoot()), frames: finder.frames,
        seed: UInt64(hertz * 100))
      let noisy = Self.add(tone, noise.map { $0 + 0.1 })
      let error = Self.error(finder.frequency(atEndOf: noisy), hertz)
      #expect(error < Self.tolerance, "\(wave) of \(hertz) Hz under noise: \(error)")
    }
    let hum = Tone.sine(50, amplitude: 0.005, frames: finder.frames)
    for hertz in Self.frequencies where hertz > 60 {
      let sound = Self.add(Self.tone(wave, hertz, frames: finder.frames), hum)
      let error = Self.error(finder.frequency(atEndOf: sound), hertz)
      // The harmonics of a pulse are so weak that the hum matches some of them.
      #expect(error < (wave == .pulse ? 1 : Self.tolerance), "\(wave) of \(hertz) Hz: \(error)")
    }
  }

  @Test(arguments: [41.2, 82.41, 110, 196, 329.63, 880])
  func `tracks a plucked tone while it decays`(hertz: Double) {
    let finder = ToneFinder(rate: 48_000)
    let sound = Self.tone(.string, hertz, decay: 1.2, frames: 96_000)
    for end in stride(from: 12_000, through: sound.count, by: 6000) {
      let heard =
        Tone.constant(0, frames: max(0, finder.frames - end))
        + sound[max(0, end - finder.frames)..<end]
      let error = Self.error(finder.frequency(atEndOf: heard), hertz)
      #expect(error < Self.tolerance, "after \(end) frames: \(error)")
    }
  }

  @Test(arguments: [30.9, 55, 101.3, 220, 440, 1000, 3000], [Wave.sine, .saw, .string])
  func `the first result after an onset is correct`(hertz: Double, wave: Wave) {
    let finder = ToneFinder(rate: 48_000)
    let tone = Self.tone(wave, hertz, frames: 12_000)
    var first: Int?
    for frames in stride(from: 96, through: tone.count, by: 96) {
      let sound = Tone.constant(0, frames: finder.frames - frames) + tone[..<frames]
      guard let found = finder.frequency(atEndOf: sound) else {
        #expect(first == nil, "it is lost again after \(frames) frames")
        continue
      }
      first = first ?? frames
      #expect(Self.error(found, hertz) < Self.tolerance, "after \(frames) frames")
    }
    // Slightly more than five periods, or a frame length at high pitches; 52 ms at 100 Hz.
    let expected = max(5.3 * 48_000 / hertz, 0.032 * 48_000)
    #expect(Double(first ?? .max) < expected)
  }

  @Test func `switches to the next note without anything in between`() {
    let finder = ToneFinder(rate: 48_000)
    for frames in stride(from: 480, through: 7200, by: 480) {
      let sound =
        Self.tone(.saw, 220, frames: finder.frames - frames)
        + Self.tone(.saw, 246.94, frames: frames)
      guard let found = finder.frequency(atEndOf: sound) else {
        #expect(frames < 3360)
        continue
      }
      #expect(min(Self.error(found, 220), Self.error(found, 246.94)) < 1, "after \(frames) frames")
      #expect(frames < 960 || Self.error(found, 246.94) < 1)
    }
  }

  @Test func `tracks the current pitch of a voice with vibrato`() {
    let finder = ToneFinder(rate: 48_000)
    for start in 0..<12 {
      var phase = 0.0
      // Half a semitone to either side, six times per second.
      let cents = (0..<finder.frames).map {
        50 * sin(2 * .pi * (6 * Double($0) / 48_000 + Double(start) / 12))
      }
      let sound = cents.map { cents in
        phase += 2 * .pi * 220 * exp2(cents / 1200) / 48_000
        return Float(0.3 * sin(phase) + 0.2 * sin(2 * phase))
      }
      // The result is some milliseconds old, in which a voice moves by 20 cents.
      #expect(Self.error(finder.frequency(atEndOf: sound), 220) < 55)
    }
  }

  @Test func `silence and noise have no tone`() {
    let finder = ToneFinder(rate: 48_000)
    #expect(finder.frequency(atEndOf: Tone.constant(0, frames: finder.frames)) == nil)
    #expect(finder.frequency(atEndOf: Tone.constant(0.5, frames: finder.frames)) == nil)
    #expect(
      finder.frequency(atEndOf: Tone.sine(440, amplitude: 0.0005, frames: finder.frames)) == nil)
    for seed in 1...20 as ClosedRange<UInt64> {
      let white = Tone.noise(frames: finder.frames, seed: seed)
      #expect(finder.frequency(atEndOf: white) == nil)
      // With less and less treble, like wind and traffic.
      for share: Float in [0.05, 0.001] {
        var level: Float = 0
        let dark = white.map { sample in
          level += share * (sample - level)
          return level / share.squareRoot()
        }
        #expect(finder.frequency(atEndOf: dark) == nil)
      }
    }
  }

  @Test func `non-finite input has no tone`() {
    let finder = ToneFinder(rate: 48_000)
    for bad: Float in [.nan, .infinity, 1e38] {
      var sound = Tone.sine(440, frames: finder.frames)
      sound[sound.count - 100] = bad
      _ = finder.frequency(atEndOf: sound)
    }
    #expect(finder.frequency(atEndOf: []) == nil)
    // Nothing of them remains in its state.
    let sound = Tone.sine(440, frames: finder.frames)
    #expect(Self.error(finder.frequency(atEndOf: sound), 440) < Self.ownTolerance)
  }
}
