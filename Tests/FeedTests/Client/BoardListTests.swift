import Testing

@testable import Feed

/// The parser of lists of posts, in pieces of any size.
@Suite struct BoardListTests {
  /// Parses a text in pieces, and returns the rows, or nil if it is no list.
  private func rows(
    _ text: String, pieces: Int = 7, mostSoundBytes: Int = .max, wanted: String? = nil
  ) -> [BoardRow]? {
    var list = BoardList(mostSoundBytes: mostSoundBytes, wanted: wanted)
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let isTaken = bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes {
        list.take($0)
      }
      if !isTaken { return nil }
    }
    return list.isWhole ? list.rows : nil
  }

  private func row(_ name: String, audio: String = "null") -> String {
    #"["\#(name)", "[m]\"", "id-\#(name)", "2026-11-22 10:00:00", \#(audio)]"#
  }

  @Test(arguments: [1, 2, 3, 16, 10_000])
  func `rows are the same in pieces of any size`(pieces: Int) throws {
    let list = "[\(row("a")),\n\(row("b", audio: #""UklGR""#))]"
    let texts = [
      list, " \n\(list) ", "{\"chatts\":\(list)}", "{\"rows\": \(list), \"count\": 2}",
      "{\"other\": [[1]], \"chatts\": \(list), \"more\": [\(row("c"))]}",
    ]
    for text in texts {
      let rows = try #require(self.rows(text, pieces: pieces), "\(text)")
      #expect(rows.map(\.name) == ["a", "b"] && rows.map(\.id) == ["id-a", "id-b"])
      #expect(rows.map(\.message) == ["[m]\"", "[m]\""])
      #expect(rows.map(\.audio) == [nil, "UklGR"])
    }
    for text in ["[]", "{\"chatts\": []}"] { #expect(rows(text, pieces: pieces) == []) }
  }

  @Test(arguments: [
    "", "{}", "[", "[]]", "[}", "{]", "[] x", "x", "<html>", "{\"error\": \"none\"}", "[[],[]]",
    "{\"chatts\": [[\"a\"]]", "[[1, 2, 3]]", "\"[]\"",
  ])
  func `other texts are no list`(text: String) { #expect(rows(text) == nil) }

  @Test func `sounds are kept up to a limit, and for the wanted post`() throws {
    let sound = "\"\(String(repeating: "A", count: 100))\""
    let list = "[\(["a", "b", "c"].map { row($0, audio: sound) }.joined(separator: ","))]"
    func names(_ most: Int, _ wanted: String? = nil) -> [String]? {
      rows(list, mostSoundBytes: most, wanted: wanted)?.filter { $0.audio != nil }.map(\.name)
    }
    #expect(names(1000) == ["a", "b", "c"])
    #expect(names(250) == ["a", "b"])
    #expect(names(0) == [])
    #expect(names(0, "id-c") == ["c"])
  }

  @Test func `of a long list, the newest posts are taken`() throws {
    let list = (0..<10_050).map { row("\($0)") }.joined(separator: ",")
    let rows = try #require(self.rows("[\(list)]", pieces: 65_536))
    #expect(rows.count == 10_000 && rows.first?.name == "0" && rows.last?.name == "9999")
  }

  @Test func `long texts are shortened`() throws {
    let long = String(repeating: "x", count: 9000)
    let rows = try #require(self.rows(#"[["\#(long)", "\#(long)", "i", "t", null]]"#))
    #expect(rows[0].name.count == 200 && rows[0].message.count == 4096)
  }
}
