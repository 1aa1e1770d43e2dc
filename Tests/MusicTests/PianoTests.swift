import Music
import Testing

@Suite struct PianoTests {
  @Test func `octave 4 starts at middle C`() throws {
    #expect(Piano().notes == [60, 62, 64, 65, 67, 69, 71])
    #expect(try Piano(octave: 4) == Piano())
  }

  @Test func `each octave has seven keys within the MIDI range`() throws {
    for octave in Piano.possibleOctaves {
      let piano = try Piano(octave: octave)
      #expect(piano.notes == Piano().notes.map { $0 + 12 * (octave - 4) })
      #expect(piano.notes.allSatisfy { 0...127 ~= $0 })
      for key in 1...7 {
        #expect(Piano.name(key: key)?.pitchClass == piano.notes[key - 1] % 12)
      }
    }
    #expect((1...7).compactMap(Piano.name).map(\.description).joined() == "CDEFGAB")
  }

  @Test func `keys out of range have no name, and octaves out of range are refused`() {
    for key in [0, 8, .min, .max] {
      #expect(Piano.name(key: key) == nil)
    }
    for octave in [-2, 9, .min, .max] {
      let fault = #expect(throws: MusicFault.self) { try Piano(octave: octave) }
      #expect(fault?.description == "expected an octave from -1 to 8; got \(octave)")
    }
  }
}
