import Music
import Testing

@Suite struct NoteNameTests {
  @Test(arguments: [
    ("C", 0, "C"), ("c#", 1, "C#"), ("Db", 1, "Db"), ("bb", 10, "Bb"), ("b", 11, "B"),
    ("F♯", 6, "F#"), ("g♭", 6, "Gb"), ("E#", 5, "E#"), ("Cb", 11, "Cb"), ("B#", 0, "B#"),
    ("A♯\u{FE0F}", 10, "A#"),
  ])
  func `parses a letter and an accidental, ASCII or Unicode`(
    text: String, pitchClass: Int, written: String
  ) {
    let name = NoteName(text)
    #expect(name?.pitchClass == pitchClass)
    #expect(name?.description == written)
  }

  @Test(arguments: ["", "H", "#", "A##", "A b", "Ä", "a4", "AA", "♯A", "A#bbbbbbbbb", "A\u{0301}"])
  func `refuses anything else`(text: String) {
    #expect(NoteName(text) == nil)
  }

  @Test func `double accidentals are written twice and both count`() {
    #expect("\(NoteName(.f, 2))" == "F##")
    #expect(NoteName(.f, 2).pitchClass == 7)
    #expect("\(NoteName(.c, -2))" == "Cbb")
    #expect(NoteName(.c, -2).pitchClass == 10)
  }
}
