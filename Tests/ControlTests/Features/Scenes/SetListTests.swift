import Control
import Engine
import Foundation
import OSC
import TestSupport
import Testing

@Suite struct SetListTests {
  private let stage: SceneDesk
  private var desk: Desk { stage.desk }

  init() throws {
    stage = try SceneDesk()
    for (name, gain) in [("a", -1), ("b", -2), ("c", -3)] {
      try stage.put("{ \"set\": { \"/live/gain\": \(gain) } }", "scenes", name)
    }
    try stage.put(
      """
      { "scenes": [
        { "scene": "c", "name": "Opening", "notes": "capo 2" },
        "a",
        { "scene": "c", "name": "Reprise" }
      ] }
      """, "setlists", "tonight")
  }

  @Test func `next and previous step through the set list, which shows titles and notes`() {
    #expect(stage.result("/setlist", .string("tonight")) == "tonight")
    #expect(stage.values("/setlist/scene") == ["0.0", "3.0", "", "", "Opening"])
    #expect(stage.values("/setlist/scenes") == ["Opening", "a", "Reprise"])
    #expect(stage.result("/scene/previous").hasPrefix("state: "))
    #expect(stage.result("/scene/next") == "c")
    #expect(stage.values("/setlist/scene") == ["1.0", "3.0", "Opening", "capo 2", "a"])
    #expect(stage.result("/scene/next") == "a")
    #expect(stage.value("/live/gain") == "-1.0")
    #expect(stage.result("/scene/next") == "c")
    #expect(stage.values("/setlist/scene") == ["3.0", "3.0", "Reprise", "", ""])
    #expect(stage.result("/scene/next").hasPrefix("state: "))
    #expect(stage.result("/scene/previous") == "a")
    #expect(stage.result("/setlist/go", .int32(1)) == "c")
    #expect(stage.values("/setlist/scene").first == "1.0")
    #expect(stage.result("/setlist", .string("")) == "")
  }

  @Test func `without scenes, next and go say how to save some`() throws {
    let empty = try SceneDesk()
    for result in [empty.result("/setlist/go", .int32(1)), empty.result("/scene/next")] {
      #expect(
        result.hasPrefix("missing: ") && result.hasSuffix(": no scenes; /scene/save saves one"))
    }
  }

  @Test
  func
    `a scene by name moves to its position in the set list, and one outside it leaves the position`()
  {
    stage.result("/setlist", .string("tonight"))
    func place(after name: String) -> String {
      stage.result("/scene", .string(name))
      return stage.values("/setlist/scene").first ?? ""
    }
    #expect(place(after: "a") == "2.0")
    // Of two entries with the same scene, the next one; the present one stays if it matches.
    #expect(place(after: "c") == "3.0")
    #expect(place(after: "c") == "3.0")
    #expect(place(after: "a") == "2.0")
    // Not in the list.
    #expect(place(after: "b") == "2.0")
    #expect(stage.result("/scene/next") == "c")
    #expect(stage.values("/setlist/scene").first == "3.0")
  }

  @Test func `steps of one bundle are counted`() {
    stage.result("/setlist", .string("tonight"))
    let step = [UInt8](address: "/scene/next", [])
    desk.give([UInt8](bundle: [step, step], at: .immediately))
    desk.pass()
    #expect(stage.values("/setlist/scene").first == "2.0")
  }

  @Test func `the place in the set list is kept`() throws {
    stage.result("/setlist", .string("tonight"))
    stage.result("/scene/next")
    stage.result("/scene/next")
    desk.pass(until: "the disk has the scenes") { !desk.node.isWriting }
    let state = desk.node.keeper.state
    let next = Desk(home: stage.root.path)
    #expect(next.node.keeper.resume(state) == [])
    func values(_ path: String) -> [Argument] { next.tell(path).last?.arguments ?? [] }
    next.pass(until: "the set list is read") { values("/setlist/scenes").count == 3 }
    #expect(values("/setlist/scene").first == .int32(2))
    #expect(values("/scene").first == .string("a"))
  }

  @Test func `without a set list all scenes are stepped through by name`() {
    stage.result("/scene/check")
    #expect(stage.result("/scene/next") == "a")
    #expect(stage.result("/scene/next") == "b")
    #expect(stage.result("/scene/previous") == "a")
  }

  @Test func `steps that wait are counted`() {
    stage.result("/setlist", .string("tonight"))
    desk.tell("/metronome/bpm", .float(60))
    while desk.host.engine.shared.latestBeat.beat != 2 { desk.pass(frames: 480) }
    desk.tell("/scene/next", .string("bar"))
    desk.tell("/scene/next", .string("bar"))
    #expect(stage.values("/scene/queued") == ["a", "bar"])
    desk.pass(frames: 4 * 48_000)
    #expect(stage.values("/setlist/scene").first == "2.0")
  }

  @Test func `a set list is saved with the titles and notes of its scenes`() throws {
    stage.result("/setlist", .string("tonight"))
    #expect(
      stage.result("/setlist/note", .int32(2), .string("slow"), .string("Ballad")) == "tonight")
    #expect(stage.result("/setlist/save", .string("short"), .string("a"), .string("b")) == "short")
    #expect(stage.result("/setlist", .string("short")) == "short")
    #expect(stage.values("/setlist/scenes") == ["Ballad", "b"])
    #expect(stage.values("/setlists") == ["short", "tonight"])
    #expect(stage.result("/setlist/delete", .string("short")) == "short")
    #expect(stage.result("/setlist/save", .string("x"), .string("zz")).hasPrefix("missing: "))
  }

  @Test func `each fault of a set list is reported when it is opened`() throws {
    try stage.put(
      """
      { "scenes": [
        "a",
        "nobody",
        7
      ] }
      """, "setlists", "bad")
    var replies = desk.ask("/setlist", .string("bad"), until: ["/reply"])
    desk.pass(until: "it is open") {
      replies += desk.take()
      return replies.contains { $0.address == "/reply" }
    }
    let errors = replies.filter { $0.address == "/error" }.compactMap { $0.arguments[2].text }
    #expect(errors.count == 2)
    #expect(errors.contains { $0.contains("bad.json:3: ") && $0.contains("nobody") })
    #expect(errors.contains { $0.contains("bad.json:4: ") })
  }
}
