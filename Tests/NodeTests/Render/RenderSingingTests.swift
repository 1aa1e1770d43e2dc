import Foundation
import TestSupport
import Testing

/// `syrinx render` with the channel strip, tune and harmonies.
@Suite(.serialized, .hangLimit) struct RenderSingingTests {
  private static let rate = 48_000.0
  // A above middle C, 40 cents sharp.
  private static let sharp = 440 * pow(2, 40.0 / 1200)

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Renders a sound with settings, without errors or output, and reads the result.
  private func render(_ sound: [Float], _ settings: [String]) throws -> [Float] {
    try SoundFixture.write(folder.path("in.wav"), [sound, sound], rate: Int(Self.rate))
    let result = try NodeProcess.run(
      ["render", folder.path("in.wav"), folder.path("out.wav"), "--tail", "0"]
        + settings.flatMap { ["--set", $0] })
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    return try SoundFixture.read(folder.path("out.wav")).left
  }

  /// Five partials, after 0.1 s of silence.
  private static func note(_ hertz: Double, seconds: Double = 2) -> [Float] {
    var sound = [Float](repeating: 0, count: 4800 + Int(seconds * rate))
    for partial in 1...5 {
      for frame in 4800..<sound.count {
        let angle = 2 * .pi * hertz * Double(partial) * Double(frame - 4800) / rate
        sound[frame] += Float(0.2 / Double(partial) * sin(angle))
      }
    }
    return sound
  }

  private static func cents(_ sound: some Collection<Float>, from hertz: Double) -> Double {
    let found = Measure.frequency(sound, near: hertz, sampleRate: rate) ?? .infinity
    return 1200 * log2(found / hertz)
  }

  private static func decibels(_ sound: some Collection<Float>) -> Double {
    20 * log10(Measure.level(sound))
  }

  @Test(arguments: ["live", "voice", "studio"])
  func `a recording is tuned to the key on time, before it is shifted and after it is stretched`(
    engine: String
  ) throws {
    let note = Self.note(Self.sharp)
    let key = ["/grid/root=D", "/grid/scale=major", "/tune/on=1"]
    let plain = try render(note, key + ["/pitch/on=0"])
    #expect(plain.count == note.count)
    // 3 cents is the goal for steady notes.
    #expect(abs(Self.cents(plain[24_000..<72_000], from: 440)) < 3)
    // The latency is removed: a rise over one period is 2 ms.
    let start = try #require(plain.firstIndex { abs($0) > 0.02 })
    #expect(abs(start - 4800) < 150, "\(start)")
    let shifted = try render(
      note, key + ["/pitch/engine=\(engine)", "/pitch/semitones=7", "/stretch/rate=0.5"])
    #expect(shifted.count == 2 * note.count)
    #expect(abs(Self.cents(shifted[48_000..<144_000], from: 440 * pow(2, 7.0 / 12))) < 3)
  }

  @Test func `it is tuned from a given time on, and unchanged before`() throws {
    let note = Self.note(Self.sharp, seconds: 3)
    let sound = try render(
      note, ["/grid/scale=chromatic", "/pitch/on=0", "/tune/on=0", "/tune/on=1@1.5"])
    #expect(sound.count == note.count)
    #expect(abs(Self.cents(sound[24_000..<68_000], from: Self.sharp)) < 1)
    #expect(abs(Self.cents(sound[96_000..<140_000], from: 440)) < 3)
    // No click where it starts: a step of the note itself is at most its slope.
    #expect(
      Measure.roughness(sound[60_000..<96_000]) < 2 * Measure.roughness(note[60_000..<70_000]))
  }

  @Test func `harmonies in key are added to a recording, tuned with it or not`() throws {
    let note = Self.note(Self.sharp)
    // In D major, the third above A is C sharp, four semitones.
    let settings = ["/grid/root=D", "/grid/scale=major", "/pitch/on=0", "/harmony/1/on=1"]
    let third = pow(2, 4.0 / 12)
    for (tune, hertz) in [("/tune/on=0", Self.sharp), ("/tune/on=1", 440)] {
      let sound = try render(note, settings + [tune])
      let part = sound[24_000..<72_000]
      #expect(abs(Self.cents(part, from: hertz)) < 3, "\(tune)")
      #expect(abs(Self.cents(part, from: hertz * third)) < 5, "\(tune)")
    }
  }

  @Test func `low cut, gate and level apply to a recording`() throws {
    let hum = Tone.sine(50, amplitude: 0.25, frames: 96_000)
    // A third order at three times the frequency: -28 dB.
    let cut = try render(hum, ["/lowcut=150", "/pitch/on=0"])
    #expect(Self.decibels(cut[48_000...]) - Self.decibels(hum[48_000...]) < -25)
    let hiss = Tone.noise(amplitude: 0.001, frames: 96_000)
    let gated = try render(
      hiss, ["/gate/on=1", "/gate/threshold=-40", "/gate/range=-90", "/pitch/on=0"])
    #expect(Measure.peak(gated[48_000...]) == 0)
    let soft = Tone.sine(440, amplitude: 0.02, frames: 96_000)
    let level = try render(soft, ["/level/on=1", "/level/amount=0.5", "/pitch/on=0"])
    // As documented: soft sounds gain 9 dB.
    #expect(abs(Self.decibels(level[48_000...]) - Self.decibels(soft[48_000...]) - 9) < 1)
  }
}
