import DSP
import Foundation
import TestSupport
import Testing

@testable import InstrumentFiles

/// The conversion of instruments for the audio thread, verified by their sound.
@Suite struct InstrumentImageTests {
  private static let rate = 48_000.0

  /// Plays a note of an SFZ file with a sound of one or two channels.
  private func play(
    _ sfz: String, _ sound: [Float], key: UInt8 = 60, velocity: Float = 1, frames: Int = 9600,
    _ change: (inout SamplerVoices) -> Void = { _ in }
  ) throws -> (left: [Float], right: [Float], voices: Int) {
    let folder = try TemporaryFolder()
    try SoundFixture.write(folder.path("a.wav"), [sound])
    try Data(sfz.utf8).write(to: URL(fileURLWithPath: folder.path("a.sfz")))
    let instrument = try SFZ.read(folder.path("a.sfz"))
    let image = InstrumentImage.make(instrument)
    image.make(try instrument.samples.map { try $0.read() })
    var voices = SamplerVoices(sampleRate: Self.rate)
    change(&voices)
    var held = [UInt16](repeating: 0, count: 128)
    let note = VoiceNote(
      number: 1, finger: 0, instrument: 0, key: key, cents: Float(key) * 100, velocity: velocity,
      isLegato: false)
    var (left, right) = ([Float](repeating: 0, count: frames), [Float](repeating: 0, count: frames))
    let begun = held.withUnsafeMutableBufferPointer {
      voices.begin(note, of: image.pointer, held: $0.baseAddress!)
    }
    left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        _ = voices.render(to: Stereo(left.baseAddress!, right.baseAddress!), frames: frames)
      }
    }
    // Keeps alive what the audio thread reads until here.
    withExtendedLifetime(image) {}
    return (left, right, begun)
  }

  @Test func `a region matches its keys and velocities and plays at its pitch`() throws {
    let sfz = "<region> sample=a.wav lokey=50 hikey=70 hivel=100 pitch_keycenter=62 tune=30"
    let tone = Tone.sine(1000, frames: 12_000)
    let played = try play(sfz, tone, velocity: 100.0 / 127)
    #expect(played.voices == 1)
    let hertz = 1000 * exp2(-170.0 / 1200)
    #expect(Measure.residue(played.left[200...], hertz: hertz, sampleRate: Self.rate) < -90)
    #expect(try play(sfz, tone, key: 71, velocity: 0.5).voices == 0)
    #expect(try play(sfz, tone).voices == 0)
  }

  @Test func `a soft note is attenuated by the velocity curve of the file`() throws {
    let tone = Tone.sine(1000, frames: 12_000)
    let sfz = "<region> sample=a.wav"
    let loud = Measure.level(try play(sfz, tone).left[200...])
    let soft = Measure.level(try play(sfz, tone, velocity: 32.0 / 127).left[200...])
    // The square of the velocity.
    #expect(abs(20 * log10(soft / loud) - 40 * log10(32.0 / 127)) < 0.05)
  }

  @Test func `loops, offsets, envelopes and filters are converted`() throws {
    let sfz = """
      <region> sample=a.wav loop_mode=loop_continuous loop_start=96 loop_end=4799 pan=-100
      ampeg_attack=0.1 fil_type=lpf_2p cutoff=1000
      """
    let played = try play(sfz, Tone.sine(1000, frames: 4800), frames: 19_200)
    #expect(Measure.peak(played.right) < 1e-6)
    // -3 dB at the cutoff.
    let level = Measure.level(played.left[9600...]) / (0.5 / 2.0.squareRoot())
    #expect(abs(20 * log10(level) + 3.01) < 0.05)
    // After 50 ms the attack is half done.
    #expect(
      abs(Measure.peak(played.left[2300..<2400]) / Measure.peak(played.left[9600...]) - 0.5) < 0.02)
    #expect(Measure.residue(played.left[9600...], hertz: 1000, sampleRate: Self.rate) < -85)
  }

  @Test func `pitch bend has the range given in the file`() throws {
    let tone = Tone.sine(1000, frames: 24_000)
    for (range, cents) in [(200, 200.0), (1200, 1200), (0, 0)] {
      let played = try play("<region> sample=a.wav bend_up=\(range)", tone) {
        $0.controllers.setBend(semitones: 2)
      }
      let hertz = 1000 * exp2(cents / 1200)
      let residue = Measure.residue(played.left[200...], hertz: hertz, sampleRate: Self.rate)
      #expect(residue < -85, "\(range): \(residue) dB")
    }
  }

  @Test func `a region without its sound is omitted`() throws {
    let folder = try TemporaryFolder()
    try SoundFixture.write(folder.path("a.wav"), [[0, 0, 0]])
    try Data("<region> sample=a.wav".utf8).write(
      to: URL(fileURLWithPath: folder.path("a.sfz")))
    let instrument = try SFZ.read(folder.path("a.sfz"))
    let image = InstrumentImage.make(instrument)
    image.make([[[]]])
    var voices = SamplerVoices(sampleRate: Self.rate)
    var held = [UInt16](repeating: 0, count: 128)
    let note = VoiceNote(
      number: 1, finger: 0, instrument: 0, key: 60, cents: 6000, velocity: 1, isLegato: false)
    #expect(voices.begin(note, of: image.pointer, held: &held) == 0)
    withExtendedLifetime(image) {}
  }

  @Test func `a loop that starts after the end of the sound is ignored`() throws {
    let folder = try TemporaryFolder()
    try SoundFixture.write(folder.path("a.wav"), [Tone.sine(1000, frames: 4800)])
    let sfz = "<region> sample=a.wav loop_mode=loop_continuous loop_start=3000 loop_end=4000"
    try Data(sfz.utf8).write(to: URL(fileURLWithPath: folder.path("a.sfz")))
    let instrument = try SFZ.read(folder.path("a.sfz"))
    // The sound is shorter than when its file was read.
    let image = InstrumentImage.make(instrument)
    image.make([[Tone.sine(1000, frames: 2000)]])
    withExtendedLifetime(image) {}
  }
}
