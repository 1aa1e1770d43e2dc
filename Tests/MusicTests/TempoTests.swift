import Music
import Testing

@Suite struct TempoTests {
  @Test func `converts beats to seconds and back`() throws {
    let tempo = try Tempo(90)
    #expect(tempo.seconds(3) == 2)
    #expect(tempo.beats(2) == 3)
    #expect(try Tempo(120).seconds(1) == 0.5)
    #expect(Tempo.initial.beatsPerMinute == 120)
  }

  @Test func `accepts 20 to 300 BPM`() throws {
    for beats in [20.0, 300] { #expect(try Tempo(beats).beatsPerMinute == beats) }
    for beats in [19.9, 300.1, .nan, -.infinity] {
      let fault = #expect(throws: MusicFault.self) { try Tempo(beats) }
      #expect(fault?.description == "expected a tempo from 20 to 300 bpm; got \(beats)")
    }
  }
}
