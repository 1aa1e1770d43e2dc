import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.SurfaceTests {
  /// Takes are listed newest first, and deleted by a second press.
  func takes(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    other.send("/location", .float(52.5), .float(13.25))
    #expect(other.sync())
    for (count, title) in ["First", "Second"].enumerated() {
      try stage.open("Loop")
      try stage.tap("Loop/record")
      try other.awaitLength(0.3)
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
      try (1...6).map { try stage.control("Takes/take-\($0)/title") }.filter(phone.shows).map(
        \.text)
    }
    #expect(try phone.wait { try titles() == ["Second", "First"] })

    try phone.tap(try stage.control("Takes/title/slot-3"))
    try phone.tap(try stage.control("Takes/take-2/name"))
    #expect(try phone.wait { try titles() == ["Second", "Chorus"] })

    // The species that takes have, one after the other, then none. The location follows it.
    let found = try stage.control("Takes/take-2/found")
    let status = try stage.control("bar/status")
    let species = try stage.control("Takes/take-2/name")
    try phone.tap(try stage.control("Takes/title/slot-4"))
    try phone.tap(species)
    #expect(try phone.wait { status.text.hasPrefix("No species yet") })
    other.send("/takes")
    let newest = try #require(other.receive("/take")).arguments[0]
    let older = try #require(other.receive("/take")).arguments[0]
    other.send("/take/species", newest, .string("Owl"))
    #expect(other.receive("/reply") != nil)
    try phone.tap(species)
    #expect(try phone.wait { found.text == "Owl  52.500, 13.250" })
    other.send("/take/species", newest, .string("Wren"))
    #expect(other.receive("/reply") != nil)
    // Both are known now, in alphabetical order.
    try phone.tap(species)
    #expect(try phone.wait { found.text == "Wren  52.500, 13.250" })
    try phone.tap(species)
    #expect(try phone.wait { found.text == "52.500, 13.250" })

    // It plays once, for 0.3 s: a busy machine may ask only after that.
    other.send("/subscribe", .string("/player/state"))
    #expect(other.sync())
    try phone.tap(try stage.control("Takes/take-2/play"))
    try waitUntil("the take plays") {
      other.receive("/player/state")?.arguments.first == .string("playing")
    }
    other.send("/unsubscribe", .string("/player/state"))
    // Four times as long, it is stopped by its button.
    let (play, caption) = ("Takes/take-2/play", try stage.control("Takes/take-2/caption-play"))
    #expect(try phone.wait { caption.text == "Play" })
    other.send("/loop/rate", .float(0.25))
    try phone.tap(try stage.control(play))
    #expect(try phone.wait { caption.text == "Stop" })
    #expect(try stage.reaches("/take/playing", older))
    try phone.tap(try stage.control(play))
    #expect(try phone.wait { caption.text == "Play" })
    other.send("/loop/rate", .float(1))
    #expect(other.sync())
    let delete = try stage.control("Takes/take-2/delete")
    let face = try stage.control("Takes/take-2/caption-delete")
    let usual = face.text
    try phone.tap(delete)
    #expect(face.text != usual)
    try phone.run(seconds: 0.5)
    #expect(try titles().count == 2)
    // A press of another one asks to confirm that one.
    try phone.tap(try stage.control("Takes/take-1/delete"))
    #expect(face.text == usual)
    try phone.tap(delete)
    #expect(try titles().count == 2)
    try phone.tap(delete)
    #expect(try phone.wait { try titles() == ["Second"] })
    // The confirmation expires after some seconds.
    let first = try stage.control("Takes/take-1/caption-delete")
    try phone.tap(try stage.control("Takes/take-1/delete"))
    #expect(try phone.wait { first.text == usual })
    try phone.tap(try stage.control("Takes/take-1/delete"))
    try phone.run(seconds: 0.3)
    #expect(try titles() == ["Second"])

    // Without a text the node sets the title, from the take's time.
    try phone.tap(try stage.control("Takes/title/slot-5"))
    try phone.tap(try stage.control("Takes/take-1/name"))
    #expect(try phone.wait { try titles().count == 1 && titles() != ["Second"] })

    // More than a page has.
    for _ in 1...8 {
      other.send("/take/save")
      #expect(other.receive("/reply") != nil)
    }
    let pages = try stage.control("Takes/pages/value")
    #expect(try phone.wait { pages.text == "1 of 2, 9 takes" })
    #expect(try titles().count == 6)
    try stage.tap("Takes/older")
    #expect(try phone.wait { try pages.text == "2 of 2, 9 takes" && titles().count == 3 })
    // The list ends there.
    try stage.tap("Takes/older")
    try phone.run(seconds: 0.3)
    #expect(pages.text == "2 of 2, 9 takes")
    try stage.tap("Takes/newer")
    #expect(try phone.wait { try pages.text == "1 of 2, 9 takes" && titles().count == 6 })
    stage.check()
  }

  /// The menu sets the grid and the metronome.
  func menu(_ stage: SurfaceStage) throws {
    let phone = stage.phone
    try stage.open("Scale")
    for root in ["E", "F#"] {
      try stage.tap("Scale/root-\(root)")
      #expect(try stage.reaches("/grid/root", .string(root)))
      #expect(try phone.wait { try stage.isLit("Scale/root-\(root)") })
    }
    #expect(try !stage.isLit("Scale/root-E"))
    for (page, list, address) in [
      ("Scale", "scale", "/grid/scale"), ("Menu", "instrument", "/grid/instrument"),
    ] {
      try stage.open(page)
      // The second name of the next page, or of the only one.
      try phone.tap(try stage.control("\(page)/\(list)/next"))
      try phone.run(seconds: 0.1)
      let slot = try stage.control("\(page)/\(list)/name-2")
      let name = slot.text
      #expect(!name.isEmpty)
      try phone.tap(try stage.control("\(page)/\(list)/slot-2"))
      #expect(try stage.reaches(address, .string(name)), "\(list): \(name)")
      #expect(try phone.wait { try stage.isLit("\(page)/\(list)", face: "name-2") })
    }
    try stage.open("Scale")
    for size in ["small", "large", "medium"] {
      try stage.tap("Scale/size-\(size)")
      #expect(try stage.reaches("/grid/size", .string(size)))
      #expect(try phone.wait { try stage.isLit("Scale/size-\(size)") })
    }
    for (page, name, address) in [
      ("Scale", "names", "/grid/names"), ("Menu", "sustain", "/grid/sustain"),
      ("Menu", "metronome", "/metronome/on"),
    ] {
      try stage.open(page)
      let before = try stage.number(address)
      for value in [1 - before, before] {
        try stage.tap("\(page)/\(name)")
        #expect(try stage.reaches(address, .int32(Int32(value))), "\(name)")
        #expect(try phone.wait { try stage.isLit("\(page)/\(name)") == (value == 1) }, "\(name)")
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
    // Their speed depends on the machine.
    #expect(try phone.wait { try stage.number("/metronome/bpm") != before })

    for (name, address) in [("countin", "/metronome/countin"), ("beats", "/metronome/beats")] {
      let before = try stage.number(address)
      try phone.tap(try stage.control("Menu/\(name)/more"))
      #expect(try stage.reaches(address, .int32(Int32(before + 1))))
      let shown = try stage.control("Menu/\(name)/value")
      #expect(try phone.wait { shown.text == "\(Int(before + 1))" })
    }

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

  /// Posts are listed newest first, including others' as they arrive; one with a sound is played
  /// and kept.
  func feed(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    func messages() throws -> [String] {
      try (1...6).map { try stage.control("Feed/post-\($0)/message") }.filter(phone.shows).map(
        \.text)
    }
    try stage.open("Feed")
    other.send("/feed/post", .string("Heard at the mill"))
    #expect(other.receive("/reply") != nil)
    #expect(try phone.wait { try messages() == ["Heard at the mill"] })
    #expect(!phone.shows(try stage.control("Feed/post-1/play")))
    // The loop is posted without a text.
    other.send("/player/done")
    try stage.open("Loop")
    let record = try stage.control("Loop/record/button")
    #expect(try phone.wait { phone.canTouch(record) })
    try stage.tap("Loop/record")
    try other.awaitLength(1)
    try stage.tap("Loop/record")
    #expect(try phone.wait { other.ask("/player/state")?.arguments[0] == .string("start") })
    // A second becomes four, in which to stop it.
    other.send("/loop/rate", .float(0.25))
    try stage.open("Feed")
    try stage.tap("Feed/post-clip")
    #expect(try phone.wait { try messages() == ["", "Heard at the mill"] })
    #expect(try stage.control("Feed/post-1/details").text.hasSuffix(" s"))
    // Its button stops it, and so does the page's.
    let play = try stage.control("Feed/post-1/play")
    let caption = try stage.control("Feed/post-1/caption-play")
    try phone.tap(play)
    #expect(try phone.wait { caption.text == "Stop" })
    try phone.tap(play)
    #expect(try phone.wait { caption.text == "Play" })
    try phone.tap(play)
    #expect(try phone.wait { other.ask("/player/state")?.arguments[1] == .string("play") })
    try stage.tap("Feed/stop-post")
    #expect(try phone.wait { other.ask("/player/state")?.arguments[0] == .string("start") })
    other.send("/loop/rate", .float(1))
    // The player's own buttons are on its page.
    try stage.open("Loop")
    try stage.tap("Loop/done")
    #expect(try phone.wait { other.ask("/player/state")?.arguments[1] == .string("standby") })
    try stage.open("Feed")
    try stage.tap("Feed/older")
    // There are no more posts: the display stays.
    try phone.run(seconds: 0.3)
    #expect(try messages() == ["", "Heard at the mill"])
    for number in 1...5 {
      other.send("/feed/post", .string("\(number)"))
      #expect(other.receive("/reply") != nil)
    }
    let newest = ["5", "4", "3", "2", "1", ""]
    #expect(try phone.wait { try messages() == newest })
    try stage.tap("Feed/older")
    #expect(try phone.wait { try messages() == ["Heard at the mill"] })
    try stage.tap("Feed/newer")
    #expect(try phone.wait { try messages() == newest })
    stage.check()
  }

  /// Own presets are saved, loaded and deleted; songs and captures start and stop.
  func keeping(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    try stage.open("Presets")
    let status = try stage.control("bar/status")
    try stage.tap("Presets/delete")
    #expect(try phone.wait { status.text == "Load one of your own presets first" })
    other.send("/pitch/semitones", .float(5))
    #expect(other.sync())
    try stage.tap("Presets/save-1")
    #expect(try phone.wait { other.ask("/presets/own")?.arguments == [.string("Mine 1")] })
    let slot = try stage.control("Presets/own/name-1")
    #expect(try phone.wait { phone.shows(slot) && slot.text == "Mine 1" })
    other.send("/pitch/semitones", .float(-5))
    #expect(other.sync())
    try phone.tap(try stage.control("Presets/own/slot-1"))
    #expect(try stage.reaches("/pitch/semitones", .float(5)))
    #expect(try phone.wait { try stage.isLit("Presets/own", face: "name-1") })
    // An existing one is overwritten, and deleted, by a second press.
    other.send("/pitch/semitones", .float(7))
    #expect(other.sync())
    try stage.tap("Presets/save-1")
    #expect(try phone.wait { status.text == "Press again to save as Mine 1" })
    try stage.tap("Presets/save-1")
    #expect(try phone.wait { status.text == "Saved as Mine 1" })
    try phone.run(seconds: 0.2)
    other.send("/pitch/semitones", .float(-5))
    #expect(other.sync())
    try phone.tap(try stage.control("Presets/own/slot-1"))
    #expect(try stage.reaches("/pitch/semitones", .float(7)))
    try stage.tap("Presets/delete")
    #expect(try phone.wait { status.text == "Press again to delete Mine 1" })
    #expect(other.ask("/presets/own")?.arguments == [.string("Mine 1")])
    try stage.tap("Presets/delete")
    #expect(try phone.wait { other.ask("/presets/own")?.arguments == [] })
    #expect(try phone.wait { !phone.shows(slot) })

    try stage.open("Mix")
    #expect(try stage.control("Mix/song/value").text == "No song plays")
    let captured = try stage.control("Mix/captured/value")
    #expect(captured.text == "No capture")
    for source in ["in", "out"] {
      try stage.tap("Mix/capture-\(source)")
      #expect(try stage.reaches("/capture/source", .string(source)))
      #expect(try phone.wait { try stage.isLit("Mix/capture-\(source)") })
    }
    other.send("/location", .float(52.5), .float(13.25))
    #expect(other.sync())
    try stage.tap("Mix/capture")
    #expect(try stage.reaches("/capture/on", .int32(1)))
    #expect(
      try phone.wait {
        try stage.isLit("Mix/capture") && captured.text.hasPrefix("Captured: ")
          && captured.text.hasSuffix(" s  52.500, 13.250")
      })
    try stage.tap("Mix/capture")
    #expect(try stage.reaches("/capture/on", .int32(0)))
    #expect(try phone.wait { captured.text == "No capture" })
    stage.check()
  }
}
