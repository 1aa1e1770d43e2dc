import Screen
import Testing

@Suite struct KeysTests {
  @Test func `letters and sequences become keys, however they are cut`() {
    var reader = KeyReader()
    #expect(reader.take(Array("q\t".utf8)) == [.letter("q"), .tab])
    #expect(reader.take([0x1B]) == [] && reader.isWaiting)
    #expect(reader.take([0x5B]) == [])
    #expect(reader.take([0x43]) == [.right] && !reader.isWaiting)
    #expect(reader.take(Array("\u{1B}[Z\u{1B}OA\u{1B}[1;5D".utf8)) == [.backTab, .up, .left])
    // A key that nobody has asked for, and a letter beyond ASCII.
    #expect(reader.take(Array("\u{1B}[15~ü?".utf8)) == [.letter("?")])
    #expect(reader.take([3, 12]) == [.control("c"), .control("l")])
  }

  @Test func `an escape alone is a key when nothing follows`() {
    var reader = KeyReader()
    #expect(reader.take([0x1B]).isEmpty)
    #expect(reader.finish() == [.escape])
    #expect(!reader.isWaiting && reader.finish().isEmpty)
    // The beginning of an arrow on a slow line is not the key that ends the watch.
    #expect(reader.take([0x1B, 0x5B]).isEmpty && reader.finish().isEmpty)
    #expect(reader.take([0x1B, 0x71]) == [.escape, .letter("q")])
  }
}
