import Screen
import Testing

@Suite struct KeysTests {
  @Test func `characters and sequences become keys, however they are split`() {
    var reader = KeyReader()
    #expect(reader.take(Array("q\t".utf8)) == [.letter("q"), .tab])
    #expect(reader.take([0x1B]) == [] && reader.isWaiting)
    #expect(reader.take([0x5B]) == [])
    #expect(reader.take([0x43]) == [.right] && !reader.isWaiting)
    #expect(reader.take(Array("\u{1B}[Z\u{1B}OA\u{1B}[1;5D".utf8)) == [.backTab, .up, .left])
    // A key without a use, and a character beyond ASCII.
    #expect(reader.take(Array("\u{1B}[15~ü?".utf8)) == [.letter("?")])
    #expect(reader.take([3, 12]) == [.control("c"), .control("l")])
  }

  @Test func `a lone Escape is a key after a timeout`() {
    var reader = KeyReader()
    #expect(reader.take([0x1B]).isEmpty)
    #expect(reader.finish() == [.escape])
    #expect(!reader.isWaiting && reader.finish().isEmpty)
    // The start of an arrow sequence on a slow line does not quit.
    #expect(reader.take([0x1B, 0x5B]).isEmpty && reader.finish().isEmpty)
    #expect(reader.take([0x1B, 0x71]) == [.escape, .letter("q")])
  }
}
