import DSP
import Foundation
import TestSupport
import Testing

@testable import InstrumentFiles

/// The progressive load of an instrument that is already playable.
@Suite final class InstrumentReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// An instrument with a separate sound for each of its keys, from 40 upward.
  private func instrument(keys: Int, frames: Int = 4800) throws -> Instrument {
    var text = ""
    for key in 40..<40 + keys {
      try SoundFixture.write(
        folder.path("\(key).wav"), left: Tone.sine(440, frames: frames), rate: 48_000)
      text += "<region> sample=\(key).wav key=\(key) loop_mode=loop_continuous\n"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("a.sfz")))
    return try SFZ.read(folder.path("a.sfz"))
  }

  private func voices(_ key: UInt8, _ instrument: SamplerInstrument) -> Int {
    var voices = SamplerVoices(sampleRate: 48_000)
    let note = VoiceNote(
      number: 1, finger: 0, instrument: 0, key: key, cents: Float(key) * 100, velocity: 0.8,
      isLegato: false)
    return [UInt16](repeating: 0, count: 128).withUnsafeBufferPointer {
      voices.begin(note, of: instrument.pointer, held: $0.baseAddress!)
    }
  }

  @Test func `a fast load is complete before the instrument plays`() throws {
    let reading = try InstrumentReading(
      instrument(keys: 3), InstrumentTicket(patience: .infinity))
    #expect(try reading.begin())
    #expect(reading.isOver && reading.notes == [])
    for key in [UInt8(40), 41, 42] {
      #expect(voices(key, reading.instrument) == 1)
      #expect(!reading.instrument.isMissed(Int(key) - 40))
    }
    #expect(voices(43, reading.instrument) == 0)
  }

  @Test func `all keys are playable as soon as one of them is`() throws {
    let ticket = InstrumentTicket(patience: 0)
    let reading = try InstrumentReading(instrument(keys: 40, frames: 96_000), ticket)
    #expect(try reading.begin())
    // Keys whose sound is missing use that of another key.
    for key in UInt8(40)..<80 { #expect(voices(key, reading.instrument) == 1, "\(key)") }
    try waitUntil("all is read") { reading.isOver }
    #expect(ticket.progress == 1)
    for key in UInt8(40)..<80 { #expect(voices(key, reading.instrument) == 1, "\(key)") }
  }

  @Test func `samples in memory are released as they are read`() throws {
    let sound = (0..<48_000).map { sin(Float($0) * 0.05) }
    let instrument = try LoopInstrument.make([sound], rate: 48_000)
    let reading = try InstrumentReading(instrument, InstrumentTicket(patience: .infinity))
    #expect(reading.keptSamples == 1)
    #expect(try reading.begin())
    #expect(reading.isOver && reading.keptSamples == 0)
    #expect(voices(60, reading.instrument) == 1)
  }

  @Test func `a canceled load stops`() throws {
    let ticket = InstrumentTicket()
    let reading = try InstrumentReading(instrument(keys: 3), ticket)
    ticket.withdraw()
    #expect(try !reading.begin())
    #expect(!reading.isOver && ticket.progress < 1)
  }

  @Test func `unreadable samples are omitted, with one line each`() throws {
    let instrument = try instrument(keys: 3)
    try FileManager.default.removeItem(atPath: folder.path("41.wav"))
    let reading = try InstrumentReading(instrument, InstrumentTicket(patience: .infinity))
    #expect(try reading.begin())
    #expect(reading.notes.count == 1 && reading.notes[0].contains("41.wav"))
    #expect([40, 41, 42].map { voices($0, reading.instrument) } == [1, 0, 1])
    for key in [40, 42] { try FileManager.default.removeItem(atPath: folder.path("\(key).wav")) }
    let nothing = try InstrumentReading(instrument, InstrumentTicket())
    let fault = #expect(throws: InstrumentFault.self) { try nothing.begin() }
    #expect(fault?.description.contains("nothing playable: ") == true)
  }
}
