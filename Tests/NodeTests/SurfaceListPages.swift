import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.SurfaceTests {
  /// Takes stand with the newest first, and go with a second press.
  func takes(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    for (count, title) in ["First", "Second"].enumerated() {
      try stage.open("Loop")
      try stage.tap("Loop/record")
      try phone.run(seconds: 0.3)
      try stage.tap("Loop/record")
      #expect(
        try phone.wait { other.ask("/player/state")?.arguments[0] == .string("start") })
      let keep = try stage.control("Loop/keep/button")
      #expect(try phone.wait { phone.canTouch(keep) })
      try phone.tap(keep)
      var kept: [Received] = []
      #expect(
        try phone.wait {
          other.send("/takes")
          kept = other.receive(untilOneOf: ["/takes/end"]).filter { $0.address == "/take" }
          return kept.count == count + 1
        })
      other.send("/take/title", try #require(kept.first).arguments[0], .string(title))
      #expect(other.receive("/reply") != nil)
    }
    try stage.open("Takes")
    func titles() throws -> [String] {
      try (1...8).map { try stage.control("Takes/take-\($0)/title") }.filter(phone.shows).map(
        \.text)
    }
    #expect(try phone.wait { try titles() == ["Second", "First"] })

    try phone.tap(try stage.control("Takes/title/slot-3"))
    try phone.tap(try stage.control("Takes/take-2/name"))
    #expect(try phone.wait { try titles() == ["Second", "Chorus"] })

    try phone.tap(try stage.control("Takes/take-2/play"))
    #expect(try phone.wait { other.ask("/player/state")?.arguments[0] == .string("playing") })
    let delete = try stage.control("Takes/take-2/delete")
    let face = try stage.control("Takes/take-2/caption-delete")
    let usual = face.text
    try phone.tap(delete)
    #expect(face.text != usual)
    try phone.run(seconds: 0.5)
    #expect(try titles().count == 2)
    // A press of another one asks for that one.
    try phone.tap(try stage.control("Takes/take-1/delete"))
    #expect(face.text == usual)
    try phone.tap(delete)
    #expect(try titles().count == 2)
    try phone.tap(delete)
    #expect(try phone.wait { try titles() == ["Second"] })
    // It waits no longer than some seconds.
    let first = try stage.control("Takes/take-1/caption-delete")
    try phone.tap(try stage.control("Takes/take-1/delete"))
    #expect(try phone.wait { first.text == usual })
    try phone.tap(try stage.control("Takes/take-1/delete"))
    try phone.run(seconds: 0.3)
    #expect(try titles() == ["Second"])

    // No word leaves the title to the node, which calls a take by its time.
    try phone.tap(try stage.control("Takes/title/slot-7"))
    try phone.tap(try stage.control("Takes/take-1/name"))
    #expect(try phone.wait { try titles().count == 1 && titles() != ["Second"] })

    // More than a page has.
    for _ in 1...8 {
      other.send("/take/save")
      #expect(other.receive("/reply") != nil)
    }
    let pages = try stage.control("Takes/pages/value")
    #expect(try phone.wait { pages.text == "1 of 2, 9 takes" })
    #expect(try titles().count == 8)
    try stage.tap("Takes/older")
    #expect(try phone.wait { try pages.text == "2 of 2, 9 takes" && titles().count == 1 })
    // There it ends.
    try stage.tap("Takes/older")
    try phone.run(seconds: 0.3)
    #expect(pages.text == "2 of 2, 9 takes")
    try stage.tap("Takes/newer")
    #expect(try phone.wait { try pages.text == "1 of 2, 9 takes" && titles().count == 8 })
    stage.check()
  }

  /// The menu sets the grid and the metronome.
  func menu(_ stage: SurfaceStage) throws {
    let phone = stage.phone
    try stage.open("Menu")
    for root in ["E", "F#"] {
      try stage.tap("Menu/root-\(root)")
      #expect(try stage.reaches("/grid/root", .string(root)))
      #expect(try phone.wait { try stage.isLit("Menu/root-\(root)") })
    }
    #expect(try !stage.isLit("Menu/root-E"))
    for (list, address) in [("scale", "/grid/scale"), ("instrument", "/grid/instrument")] {
      // The second name of the next page, or of the one and only.
      try phone.tap(try stage.control("Menu/\(list)/next"))
      try phone.run(seconds: 0.1)
      let slot = try stage.control("Menu/\(list)/name-2")
      let name = slot.text
      #expect(!name.isEmpty)
      try phone.tap(try stage.control("Menu/\(list)/slot-2"))
      #expect(try stage.reaches(address, .string(name)), "\(list): \(name)")
      #expect(try phone.wait { try stage.isLit("Menu/\(list)", face: "name-2") })
    }
    for size in ["small", "large", "medium"] {
      try stage.tap("Menu/size-\(size)")
      #expect(try stage.reaches("/grid/size", .string(size)))
      #expect(try phone.wait { try stage.isLit("Menu/size-\(size)") })
    }
    for (name, address) in [
      ("sustain", "/grid/sustain"), ("names", "/grid/names"), ("metronome", "/metronome/on"),
    ] {
      let before = try stage.number(address)
      for value in [1 - before, before] {
        try stage.tap("Menu/\(name)")
        #expect(try stage.reaches(address, .int32(Int32(value))), "\(name)")
        #expect(try phone.wait { try stage.isLit("Menu/\(name)") == (value == 1) }, "\(name)")
      }
    }
    try stage.tap("Menu/random")
    #expect(try stage.reaches("/grid/order", .string("random")))
    #expect(try phone.wait { try !stage.isLit("Menu/in-order") })
    try stage.tap("Menu/in-order")
    #expect(try stage.reaches("/grid/order", .string("scale")))
    let tempo = try stage.control("Menu/bpm/fader")
    try phone.touch(tempo, at: tempo.point(0.5, 0.5)).lift()
    try phone.run(seconds: 0.2)
    let shown = SurfaceStage.number(in: try stage.control("Menu/bpm/value").text)
    #expect(abs(try stage.number("/metronome/bpm") - (try #require(shown))) < 0.51)
    phone.forget()
    let before = try stage.number("/metronome/bpm")
    for _ in 1...4 {
      try stage.tap("Menu/tap")
      try phone.run(seconds: 0.22)
    }
    #expect(phone.sent.filter { $0.address == "/metronome/tap" }.count == 4)
    // How fast they came is the machine's business.
    #expect(try phone.wait { try stage.number("/metronome/bpm") != before })

    try stage.open("Grid")
    let cell = try stage.control("Grid/cells/cell 1 1")
    let finger = try phone.touch(cell)
    var lit: [Received] { phone.received.filter { $0.address == "/grid/lit" } }
    #expect(try phone.wait { lit.contains { $0.arguments[2].number ?? 0 > 0 } })
    stage.other.send("/note/allOff")
    #expect(try phone.wait { lit.last?.arguments[2] == .float(0) })
    try finger.lift()
    try stage.open("Menu")
    phone.forget()
    try stage.tap("Menu/all-off")
    #expect(phone.sent.map(\.address) == ["/note/allOff"])
    stage.check()
  }

  /// Posts stand with the newest first, others' as they come; what has a sound is played and kept.
  func feed(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    func messages() throws -> [String] {
      try (1...8).map { try stage.control("Feed/post-\($0)/message") }.filter(phone.shows).map(
        \.text)
    }
    try stage.open("Feed")
    other.send("/feed/post", .string("Heard at the mill"))
    #expect(other.receive("/reply", seconds: 5) != nil)
    #expect(try phone.wait { try messages() == ["Heard at the mill"] })
    #expect(!phone.shows(try stage.control("Feed/post-1/play")))
    // The loop goes without words.
    other.send("/player/done")
    try stage.open("Loop")
    let record = try stage.control("Loop/record/button")
    #expect(try phone.wait { phone.canTouch(record) })
    try stage.tap("Loop/record")
    try phone.run(seconds: 0.3)
    try stage.tap("Loop/record")
    #expect(try phone.wait { other.ask("/player/state")?.arguments[0] == .string("start") })
    try stage.open("Feed")
    try stage.tap("Feed/post-clip")
    #expect(try phone.wait { try messages() == ["", "Heard at the mill"] })
    #expect(try stage.control("Feed/post-1/details").text.hasSuffix(" s"))
    try phone.tap(try stage.control("Feed/post-1/play"))
    #expect(try phone.wait { other.ask("/player/state")?.arguments[1] == .string("play") })
    // The player's own buttons are on its page.
    try stage.open("Loop")
    try stage.tap("Loop/done")
    #expect(try phone.wait { other.ask("/player/state")?.arguments[1] == .string("standby") })
    try stage.open("Feed")
    try stage.tap("Feed/older")
    // There are none: what is shown stays.
    try phone.run(seconds: 0.3)
    #expect(try messages() == ["", "Heard at the mill"])
    stage.check()
  }
}
