import Foundation
import Music
import Testing

@Suite struct TuningTests {
  @Test func `twelve-tone equal temperament matches MIDI`() {
    #expect(Tuning.equal.frequency(of: 69) == 440)
    #expect(Tuning.equal.frequency(of: 57) == 220)
    for note in -50...200 {
      let expected = 440 * pow(2, Double(note - 69) / 12)
      // A few units in the last place.
      #expect(abs(Tuning.equal.frequency(of: note) / expected - 1) < 1e-14)
    }
  }

  @Test func `a just tuning has pure fifths and thirds above the base in each octave`() throws {
    let just = "x\n12\n16/15\n9/8\n6/5\n5/4\n4/3\n45/32\n3/2\n8/5\n5/3\n9/5\n15/8\n2/1\n"
    let tuning = try Tuning(cents: ScalaFile(Array(just.utf8)).cents)
    #expect(tuning.frequency(of: 69) == 440)
    for base in stride(from: 0, through: 120, by: 12) {
      let root = tuning.frequency(of: base)
      for (steps, ratio) in [(4, 1.25), (7, 1.5), (9, 5.0 / 3), (12, 2)] {
        // A few units in the last place.
        #expect(abs(tuning.frequency(of: base + steps) / root / ratio - 1) < 1e-14)
      }
    }
  }

  @Test func `another reference shifts everything, another base moves the wolf`() throws {
    let cents = (1...12).map { Double($0) * 100 + ($0 == 7 ? 2 : 0) }
    let tuning = try Tuning(cents: cents, base: 62, reference: 69, referenceHz: 415)
    #expect(tuning.frequency(of: 69) == 415)
    #expect(abs(tuning.frequency(of: 62) / (415 * Cents.ratio(-702)) - 1) < 1e-14)
    let moved = try tuning.moved(to: 60)
    #expect(abs(moved.frequency(of: 60) / (415 * Cents.ratio(-900)) - 1) < 1e-14)
    #expect(abs(moved.frequency(of: 67) / moved.frequency(of: 60) / Cents.ratio(702) - 1) < 1e-14)
  }

  @Test func `tunings with other note counts or without octaves repeat at their period`() throws {
    let bohlenPierce = try Tuning(cents: (1...13).map { Double($0) * Cents.of(3) / 13 })
    #expect(bohlenPierce.count == 13)
    #expect(abs(bohlenPierce.frequency(of: 73) / bohlenPierce.frequency(of: 60) - 3) < 1e-13)
    let nineteen = try Tuning(cents: (1...19).map { Double($0) * 1200 / 19 })
    #expect(abs(nineteen.frequency(of: 88) / 880 - 1) < 1e-14)
  }

  @Test(arguments: [
    ([], 60, 440.0, "expected 1 to 1024 notes; got 0"),
    (
      [700, 0], 60, 440, "expected a period above 0 as the last note; got 0.0 cents"
    ),
    (
      [-1200], 60, 440,
      "expected a period above 0 as the last note; got -1200.0 cents"
    ),
    ([1200], 128, 440, "expected a MIDI note from 0 to 127; got 128"),
    ([1200], 60, 0, "expected a reference from 1 to 20000 Hz; got 0.0"),
    ([1200], 60, .nan, "expected a reference from 1 to 20000 Hz; got nan"),
    ([99_999], 60, 440, "note 0 has no valid frequency in this tuning: 0.0 Hz"),
    ([.infinity], 60, 440, "expected finite cents; got inf"),
    ([.nan, 1200], 60, 440, "expected finite cents; got nan"),
  ])
  func `tunings without valid frequencies are refused`(
    cents: [Double], base: Int, hz: Double, message: String
  ) {
    let fault = #expect(throws: MusicFault.self) {
      try Tuning(cents: cents, base: base, referenceHz: hz)
    }
    #expect(fault?.description == message)
  }
}
