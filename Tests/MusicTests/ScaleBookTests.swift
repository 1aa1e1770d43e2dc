import Music
import Testing

@Suite struct ScaleBookTests {
  private func fault(_ work: () throws(MusicFault) -> Void) -> MusicFault? {
    do throws(MusicFault) {
      try work()
      return nil
    } catch {
      return error
    }
  }

  @Test func `every name and alias finds its scale, regardless of case and separators`() throws {
    let book = ScaleBook()
    for shipped in Scale.shipped {
      for name in [shipped.scale.name] + shipped.aliases {
        let other = name.uppercased().map { $0 == "-" ? " " : "\($0)" }.joined()
        #expect(try book.scale(named: name) == shipped.scale)
        #expect(try book.scale(named: other) == shipped.scale)
      }
    }
    #expect(try book.scale(named: "HarmonicMinor").name == "harmonic-minor")
    #expect(try book.scale(named: "Hirajōshi").name == "hirajoshi")
  }

  @Test func `unknown names are refused`() {
    let book = ScaleBook()
    for (name, got) in [("nothere", "nothere"), ("", "nothing"), ("a\nb", "a?b")] {
      let fault = fault { () throws(MusicFault) in _ = try book.scale(named: name) }
      #expect(fault?.kind == .missing)
      #expect(fault?.description == "unknown scale \(got); /scales lists all")
    }
  }

  @Test func `an unknown name is refused with the one that was probably meant`() throws {
    var book = ScaleBook { name, names in names.last { $0.prefix(3) == name.prefix(3) } }
    try book.add(Scale(name: "mine", steps: [0, 1, 2]))
    for (name, hint) in [("minx", "did you mean mine?"), ("x", "/scales lists all")] {
      let fault = fault { () throws(MusicFault) in _ = try book.scale(named: name) }
      #expect(fault?.description == "unknown scale \(name); \(hint)")
    }
  }

  @Test func `user scales come last, can be replaced and deleted`() throws {
    var book = ScaleBook()
    let shipped = book.names
    #expect(shipped.count == Scale.shipped.count)
    try book.add(Scale(name: "mine", steps: [0, 1, 2]))
    try book.add(Scale(name: "other_2", steps: [5]))
    #expect(book.names == shipped + ["mine", "other_2"])
    try book.add(Scale(name: "Mine", steps: [4]))
    #expect(book.names == shipped + ["Mine", "other_2"])
    #expect(try book.scale(named: "mine").steps == [0, 4])
    try book.delete("MINE")
    #expect(book.names == shipped + ["other_2"])
    #expect(fault { () throws(MusicFault) in try book.delete("mine") }?.kind == .missing)
  }

  @Test func `built-in scales can't be replaced or deleted`() {
    var book = ScaleBook()
    for name in ["major", "Aeolian", "harmonicminor"] {
      let added = fault { () throws(MusicFault) in try book.add(Scale(name: name, steps: [1])) }
      let deleted = fault { () throws(MusicFault) in try book.delete(name) }
      #expect(added?.kind == .state && deleted?.kind == .state)
    }
    #expect(book.own.isEmpty)
  }

  @Test(arguments: [
    "", "-", "_-", "a b", "a/b", "../a", "a\n", "\u{0}", String(repeating: "a", count: 41),
  ])
  func `names unsafe in paths or messages are refused`(name: String) {
    var book = ScaleBook()
    #expect(
      fault { () throws(MusicFault) in try book.add(Scale(name: name, steps: [1])) }?.kind == .range
    )
  }

  @Test func `at most a hundred user scales are allowed`() throws {
    var book = ScaleBook()
    for number in 1...100 { try book.add(Scale(name: "own\(number)", steps: [1])) }
    let fault = fault { () throws(MusicFault) in try book.add(Scale(name: "own101", steps: [1])) }
    #expect(fault?.kind == .state)
    #expect(fault?.description == "100 user scales already exist; delete one")
    try book.add(Scale(name: "own100", steps: [2]))
    #expect(book.own.count == 100)
  }
}
