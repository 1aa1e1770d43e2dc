import Music
import Testing

@Suite struct RootTests {
  @Test func `the default root is A`() throws {
    #expect(try Root.initial == Root("A"))
    #expect(Root.initial.pitchClass == 9)
  }

  @Test func `numbers count from C, and the octave of MIDI notes is ignored`() throws {
    for number in 0...127 { #expect(try Root(number: number).pitchClass == number % 12) }
    #expect(try Root(number: 60).name == nil)
    #expect(try Root("C").name == NoteName(.c))
  }

  @Test func `invalid roots are refused with a one-line message`() {
    let asked = "expected a root from A to G, with # or b, or 0 (C) to 11 (B); got "
    for (text, got) in [("H", "H"), ("", "nothing"), ("A\n#", "A?#")] {
      let fault = #expect(throws: MusicFault.self) { try Root(text) }
      #expect(fault?.kind == .range)
      #expect(fault?.description == asked + got)
    }
    for number in [-1, 128, .min, .max] {
      let fault = #expect(throws: MusicFault.self) { try Root(number: number) }
      #expect(
        fault?.description
          == "expected a root from 0 (C) to 11 (B), or a MIDI note up to 127; got \(number)")
    }
  }
}
