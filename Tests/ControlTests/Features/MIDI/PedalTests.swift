import Control
import Engine
import Foundation
import Library
import OSC
import TestSupport
import Testing

/// Pedals: the mappings of presses, the messages they send, and the lights.
@Suite struct PedalTests {
  private let desk = Desk()

  private static let shipped = Project.file("Presets").path

  /// Plays MIDI messages at once, waits out the bounce of a contact, polls the node, and returns
  /// the MIDI output.
  @discardableResult
  private func play(
    _ messages: [UInt8]..., frames: Int = 1536, on desk: Desk? = nil
  ) -> [[UInt8]] {
    let desk = desk ?? self.desk
    desk.host.midi += messages.map { (desk.host.frame, $0) }
    var out: [[UInt8]] = []
    for _ in 0..<max(1, frames / 64) {
      out += desk.play(Tone.constant(0, frames: 64)).midi.map(\.bytes)
      desk.seconds += 0.02
    }
    desk.pass()
    return out
  }

  private func value(_ path: String, on desk: Desk? = nil) -> Argument? {
    (desk ?? self.desk).tell(path).last { $0.address == path }?.arguments.first
  }

  private var state: String? { value("/loop/state")?.text }

  private func code(_ told: [Received]) -> String? {
    told.count == 1 && told[0].address == "/error" ? told[0].arguments[1].text : nil
  }

  /// The rows of all bindings, without the address.
  private func bindings(on desk: Desk? = nil) -> [[String]] {
    (desk ?? self.desk).tell("/midi/bindings").dropLast().map { row in
      row.arguments.map { $0.text ?? plain($0.number ?? 0) }
    }
  }

  // MARK: - Learning

  @Test(arguments: [[0x93, 40, 100], [0xC3, 40], [0xB3, 40, 127]] as [[UInt8]])
  func `a button is mapped to any trigger, and the press that maps it has no effect`(bytes: [UInt8])
  {
    #expect(desk.tell("/midi/learn", .string("/player/record")).isEmpty)
    play(bytes)
    let told = desk.take()
    #expect(told.count == 1 && told.first?.address == "/midi/learnt")
    let kind = bytes[0] == 0x93 ? "note" : bytes[0] == 0xC3 ? "program" : "controller"
    #expect(bindings() == [["/player/record", "40", kind, "short", "", "\(kind):40@4"]])
    #expect(state == "empty")
    if bytes[0] != 0xC3 { play([bytes[0], 40, 0]) }
    #expect(state == "empty")
    play(bytes)
    #expect(state == "recording")
  }

  @Test func `a continuous value is mapped to controllers only, and notes sound meanwhile`() {
    desk.tell("/midi/learn", .string("/echo/mix"))
    play([0x90, 60, 100], [0xC0, 3])
    #expect(desk.take().isEmpty)
    #expect(desk.host.engine.shared.notes.level(of: .midi(60)) > 0)
    play([0xB0, 9, 1])
    #expect(desk.take().first?.address == "/midi/learnt")
  }

  @Test func `a note mapped to a switch toggles it`() {
    desk.tell("/midi/learn", .string("/mute"))
    play([0x90, 40, 100], [0x80, 40, 0])
    #expect(bindings().first?[4] == "toggle")
    for wanted in [1, 0, 1] as [Int32] {
      play([0x90, 40, 100], [0x80, 40, 0])
      #expect(value("/mute") == .int32(wanted))
    }
    // A message and a press set the same value.
    desk.tell("/mute", .int32(0))
    play([0x90, 40, 100])
    #expect(value("/mute") == .int32(1))
  }

  @Test func `a press sends its argument, and each press of a trigger its own`() {
    desk.tell("/midi/learn", .string("/echo/mix"), .float(0.25), .string("short"))
    play([0x90, 40, 100])
    desk.tell("/midi/bind", .string("note:40"), .string("/echo/mix"), .float(0.75), .string("long"))
    desk.tell(
      "/midi/bind", .string("note:40"), .string("/live/route"), .string("direct"),
      .string("double"))
    play([0x80, 40, 0])
    #expect(bindings().map(\.[3]) == ["long", "short", "double"])
    play([0x90, 40, 100], [0x80, 40, 0], frames: 14_500)
    #expect(value("/echo/mix") == .float(0.25))
    play([0x90, 40, 100], frames: 24_500)
    #expect(value("/echo/mix") == .float(0.75))
    play([0x80, 40, 0])
    play([0x90, 40, 100], [0x80, 40, 0])
    play([0x90, 40, 100], [0x80, 40, 0])
    #expect(value("/live/route") == .string("direct"))
    #expect(value("/echo/mix") == .float(0.75))
  }

  @Test func `a float or a text alone is an argument, and a whole number alone a controller`() {
    desk.tell("/midi/learn", .string("/echo/mix"), .float(1))
    play([0x90, 40, 100])
    desk.tell("/midi/learn", .string("/live/route"), .string("off"))
    play([0x90, 41, 100])
    desk.tell("/midi/learn", .string("/loop/gain"), .int32(7))
    #expect(
      bindings().map { Array($0[2...4]) } == [
        ["controller", "turn", ""], ["note", "short", "1"], ["note", "short", "off"],
      ])
    #expect(code(desk.tell("/midi/learn", .string("/loop/gain"), .int32(128))) == "range")
  }

  @Test func `next and previous step through words, and wrap around`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/live/route"), .string("next"))
    desk.tell("/midi/bind", .string("note:41"), .string("/live/route"), .string("previous"))
    for wanted in ["direct", "off", "chain"] {
      play([0x90, 40, 100], [0x80, 40, 0])
      #expect(value("/live/route") == .string(wanted))
    }
    play([0x90, 41, 100])
    #expect(value("/live/route") == .string("off"))
  }

  @Test func `next and previous step through presets`() throws {
    let folder = try TemporaryFolder()
    for (name, mix) in [("a", 0.1), ("b", 0.2), ("next one", 0.3)] {
      try #"{"set": {"/echo/mix": \#(mix)}}"#.write(
        to: folder.url.appendingPathComponent("\(name).json"), atomically: true, encoding: .utf8)
    }
    let desk = Desk(presets: PresetLibrary(shipped: folder.url.path))
    desk.tell("/midi/bind", .string("program:1"), .string("/preset"), .string("next"))
    desk.tell("/midi/bind", .string("program:2"), .string("/preset"), .string("previous"))
    desk.tell("/midi/bind", .string("program:3"), .string("/preset"), .string("next one"))
    for (program, wanted) in [(1, 0.1), (1, 0.2), (1, 0.3), (1, 0.1), (2, 0.3), (2, 0.2), (3, 0.3)]
    {
      play([0xC0, UInt8(program)], on: desk)
      #expect(value("/echo/mix", on: desk) == .float(Float(wanted)))
    }
  }

  @Test func `a grid cell is held as long as its note`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/grid/1/2"))
    play([0x90, 40, 64])
    #expect(abs(desk.host.engine.shared.notes.level(of: .cell(1)) - 64 / 127.0) < 1e-6)
    #expect(desk.host.engine.shared.notes.level(of: .midi(40)) == 0)
    play([0x80, 40, 0])
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) == 0)
  }

  @Test(arguments: [
    (["/nothing", "short"], "unknown"), (["/quit", "short"], "denied"),
    (["/echo/mix", "short"], "type"), (["/echo/mix", "toggle", "long"], "type"),
    (["/live/route", "sideways"], "range"), (["/preset", "short"], "type"),
    (["/status", "short"], "type"), (["/pong", "short"], "type"),
  ])
  func `an invalid message is refused when it is mapped`(words: [String], code: String) {
    let arguments = words.map(Argument.string)
    #expect(self.code(desk.give([UInt8](address: "/midi/learn", arguments))) == code)
    #expect(
      self.code(desk.give([UInt8](address: "/midi/bind", [.string("note:1")] + arguments))) == code)
    #expect(bindings().isEmpty)
  }

  @Test(arguments: [
    "note", "note:", "note:128", "note:-1", "cc:x", "key:KEY_NOTHING", "note:1@0", "note:1@17",
    "pedal:3", "",
  ])
  func `an invalid trigger is refused, and the error shows a valid one`(name: String) {
    let told = desk.tell("/midi/bind", .string(name), .string("/player/record"))
    #expect(code(told) == "type")
    #expect(told.first?.arguments.last?.text?.contains("note:60") == true)
  }

  @Test func `an impossible press is refused, and one that the player refuses is reported`() {
    #expect(
      code(
        desk.tell(
          "/midi/bind", .string("program:1"), .string("/player/record"), .string("long")))
        == "type")
    #expect(
      code(desk.tell("/midi/bind", .string("note:1"), .string("/echo/mix"))) == "type")
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/undo"))
    desk.tell("/subscribe", .string("/error"))
    _ = desk.take()
    play([0x90, 40, 100])
    #expect(
      desk.take() == [
        Received(
          "/error",
          [.string("/loop/undo"), .string("state"), .string("/loop/undo: nothing to undo")])
      ])
  }

  @Test func `a loop's pedal reports why it can't overdub, whatever presses it`() {
    for loop in ["/loop/1", "/loop/2"] {
      desk.tell("\(loop)/record")
      desk.pass(frames: 9600)
      desk.tell("\(loop)/record")
      desk.tell("\(loop)/rate", .float(0.5))
      desk.pass(frames: 9600)
    }
    // Of stretched loops, one takes overdubs.
    desk.tell("/loop/1/overdub")
    desk.pass(frames: 480)
    _ = desk.take()
    let reason = desk.tell("/loop/2/overdub")
    desk.pass(frames: 480)
    let expected = (reason + desk.take()).filter { $0.address == "/error" }.map { error in
      let text = error.arguments[2].text ?? ""
      return Received(
        "/error",
        [
          .string("/loop/2/pedal"), .string("state"),
          .string(text.replacing("/loop/2/overdub", with: "/loop/2/pedal")),
        ])
    }
    #expect(expected.count == 1)
    // Without an argument it is pressed and released at once.
    desk.tell("/loop/2/pedal")
    desk.pass(frames: 48_000)
    #expect(desk.take() == expected)
    desk.tell("/loop/2/pedal", .int32(127))
    desk.pass(frames: 4800)
    #expect(desk.take() == expected)
    desk.tell("/loop/2/pedal", .int32(0))
    desk.pass(frames: 48_000)
    #expect(desk.take().isEmpty)
    desk.tell("/subscribe", .string("/error"))
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/2/pedal"))
    _ = desk.take()
    play([0x90, 40, 100])
    play([0x80, 40, 0])
    #expect(desk.take() == expected)
    desk.pass(frames: 48_000)
    desk.tell("/midi/bind", .string("key:30"), .string("/loop/2/pedal"))
    _ = desk.take()
    for isDown in [true, false] {
      desk.node[MIDI.self].press(key: 30, isDown: isDown)
      play()
    }
    #expect(desk.take() == expected)
  }

  @Test func `subscribers receive values set by a press`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/mute"))
    desk.tell("/subscribe", .string("/mute"))
    desk.pass()
    _ = desk.take()
    play([0x90, 40, 100])
    #expect(desk.take() == [Received("/mute", [.int32(1)])])
  }

  @Test func `keys of a keyboard are mapped by their names`() {
    desk.tell("/midi/learn", .string("/player/record"))
    desk.node[MIDI.self].press(key: 109, isDown: true)
    play()
    desk.node[MIDI.self].press(key: 109, isDown: false)
    play()
    _ = desk.take()
    #expect(
      bindings() == [["/player/record", "109", "key", "short", "", "key:KEY_PAGEDOWN"]])
    #expect(state == "empty")
    desk.node[MIDI.self].press(key: 109, isDown: true)
    play()
    #expect(state == "recording")
    // An invalid key has no effect.
    desk.node[MIDI.self].press(key: -1, isDown: true)
    desk.node[MIDI.self].press(key: 70_000, isDown: true)
    play()
    #expect(state == "recording")
  }

  // MARK: - The table

  @Test func `one press is unmapped, or all of an address`() {
    for press in ["short", "long", "double"] {
      desk.tell(
        "/midi/bind", .string("note:40"), .string("/loop/clear"), .string(press))
    }
    #expect(desk.tell("/midi/forget", .string("/loop/clear"), .string("long")).isEmpty)
    #expect(
      code(desk.tell("/midi/forget", .string("/loop/clear"), .string("long"))) == "missing")
    #expect(bindings().map(\.[3]) == ["double", "short"])
    // An invalid press does not mean all of them.
    #expect(code(desk.tell("/midi/forget", .string("/loop/clear"), .string("shrt"))) == "range")
    #expect(bindings().count == 2)
    #expect(desk.tell("/midi/forget", .string("/loop/clear")).isEmpty)
    #expect(bindings().isEmpty)
    play([0x90, 40, 100])
    #expect(desk.host.engine.shared.notes.level(of: .midi(40)) > 0)
  }

  @Test func `all kinds of mappings survive a restart`() throws {
    let folder = try TemporaryFolder()
    let presets = PresetLibrary(shipped: nil)
    var before: [[String]] = []
    do {
      let desk = Desk(presets: presets, home: folder.url.path)
      desk.tell("/midi/learn", .string("/live/gain"), .int32(7))
      desk.tell("/midi/bind", .string("note:60@10"), .string("/player/record"))
      desk.tell("/midi/bind", .string("note:60"), .string("/loop/clear"), .string("long"))
      desk.tell(
        "/midi/bind", .string("program:3"), .string("/preset"), .string("my, 100 % ünder=1"))
      desk.tell("/midi/bind", .string("key:KEY_A"), .string("/mute"))
      desk.tell("/midi/bind", .string("cc:9"), .string("/echo/mix"), .float(0.5), .string("double"))
      desk.tell("/midi/bind", .string("cc:9"), .string("/live/route"), .string("next"))
      desk.tell("/midi/light", .string("/metronome/beat"), .string("note:61"))
      desk.tell("/midi/bind", .string("note:62"), .string("/loop/*/stop"))
      desk.tell("/midi/lights", .int32(0))
      before = bindings(on: desk)
      #expect(before.count == 9)
      desk.awaitDisk()
    }
    let desk = Desk(presets: presets, home: folder.url.path)
    desk.node[Takes.self].open { _ in }
    desk.awaitDisk()
    #expect(bindings(on: desk) == before)
    #expect(value("/midi/lights", on: desk) == .int32(0))
    play([0xB0, 9, 127], on: desk)
    desk.pass(seconds: 0.02)
    play([0x90, 60, 100], [0x80, 60, 0], on: desk)
    #expect(value("/loop/state", on: desk) == .string("recording"))
  }

  @Test func `mappings of an older version are converted`() throws {
    let desk = Desk()
    desk.node.keeper.beginSession()
    var state = NodeState()
    state.values = [
      "/midi/bindings=/echo/mix=7 /player/record=64 /nothing=3 /grid/1/2=5 /new=x:1,y"
    ]
    #expect(desk.node.keeper.resumeSession(state).isEmpty)
    #expect(
      bindings(on: desk) == [
        ["/grid/1/2", "5", "controller", "turn", "", "controller:5"],
        ["/echo/mix", "7", "controller", "turn", "", "controller:7"],
        ["/player/record", "64", "controller", "short", "", "controller:64"],
      ])
  }

  // MARK: - Lights

  @Test func `a light shows the state of the loop, the value or the word`() {
    desk.tell("/midi/bind", .string("note:40@3"), .string("/player/record"))
    desk.tell("/midi/bind", .string("note:41@3"), .string("/mute"))
    desk.tell("/midi/bind", .string("cc:42@3"), .string("/live/route"), .string("direct"))
    desk.tell("/midi/bind", .string("program:1"), .string("/loop/clear"))
    #expect(play() == [[0x92, 40, 0], [0x92, 41, 0], [0xB2, 42, 0]])
    #expect(play([0x92, 40, 100]) == [[0x92, 40, 127]])
    #expect(play([0x92, 41, 100]) == [[0x92, 41, 127]])
    #expect(play([0xB2, 42, 127]) == [[0xB2, 42, 127]])
    desk.tell("/live/route", .string("off"))
    desk.tell("/mute", .int32(0))
    #expect(play() == [[0x92, 41, 0], [0xB2, 42, 0]])
  }

  @Test func `lights are turned off and on, which sends them again`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/clear"))
    #expect(play() == [[0x90, 40, 127]])
    desk.tell("/midi/lights", .int32(0))
    #expect(play() == [[0x90, 40, 0]])
    desk.tell("/midi/lights", .int32(1))
    #expect(play() == [[0x90, 40, 127]])
    #expect(play() == [])
    desk.tell("/midi/lights", .int32(1))
    #expect(play() == [[0x90, 40, 127]])
  }

  @Test func `lights are sent again to a pedal that is reconnected`() {
    func plug(_ connections: [String]) {
      desk.ports = [
        SoundPort(name: "midi_out", isMIDI: true, isInput: false, connections: connections)
      ]
    }
    plug(["pedal:in"])
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/clear"))
    #expect(play().suffix(1) == [[0x90, 40, 127]])
    play()
    plug([])
    #expect(play() == [])
    plug(["pedal:in"])
    // The node detects the connection, and sends in the next buffer.
    #expect(play() == [[0x90, 40, 127]])
  }

  @Test func `keys that a device held are released when it is gone`() {
    func plug(_ connections: [String]) {
      desk.ports = [
        SoundPort(name: "midi_in", isMIDI: true, isInput: true, connections: connections)
      ]
    }
    func level(_ key: UInt8) -> Float { desk.host.engine.shared.notes.level(of: .midi(key)) }
    plug(["keys:out", "pedal:out"])
    play([0x90, 60, 127])
    #expect(level(60) == 1)
    plug(["keys:out", "pedal:out", "more:out"])
    play()
    #expect(level(60) == 1)
    plug(["pedal:out", "more:out"])
    play()
    #expect(level(60) == 0)
  }

  @Test func `presets have lights, set by the control side`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] {
      try #"{"set": {"/echo/mix": 0.5}}"#.write(
        to: folder.url.appendingPathComponent("\(name).json"), atomically: true, encoding: .utf8)
    }
    let desk = Desk(presets: PresetLibrary(shipped: folder.url.path))
    desk.tell("/midi/bind", .string("note:40"), .string("/preset"), .string("a"))
    desk.tell("/midi/bind", .string("note:41"), .string("/preset"), .string("b"))
    #expect(play(on: desk) == [[0x90, 40, 0], [0x90, 41, 0]])
    desk.tell("/preset", .string("a"))
    #expect(play(on: desk) == [[0x90, 40, 127]])
    #expect(play([0x90, 41, 100], frames: 640, on: desk) == [[0x90, 40, 0], [0x90, 41, 127]])
  }

  @Test func `the light shows the short press, unless another is assigned`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/player/record"), .string("short"))
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/clear"), .string("long"))
    #expect(play() == [[0x90, 40, 0]])
    desk.tell("/midi/light", .string("/loop/clear"), .string("note:40"))
    #expect(play() == [[0x90, 40, 127]])
    #expect(bindings().map(\.[3]) == ["light", "long", "short"])
    desk.tell("/midi/forget", .string("/loop/clear"), .string("light"))
    #expect(play() == [[0x90, 40, 0]])
  }

  @Test func `beats and values can light a trigger that is not mapped to them`() {
    desk.tell("/midi/light", .string("/metronome/beat"), .string("cc:20@2"))
    desk.tell("/midi/light", .string("/mute"), .string("note:41"))
    desk.tell("/midi/light", .string("/live/route"), .string("off"), .string("note:42"))
    desk.tell("/mute", .int32(1))
    let lit = play(frames: 48_000)
    #expect(lit.contains([0x90, 41, 127]) && lit.contains([0x90, 42, 0]))
    // Two beats, and the one during which it started.
    #expect(2...3 ~= lit.count { $0 == [0xB1, 20, 127] })
    // A trigger that only has a light still sounds.
    play([0x90, 41, 100])
    #expect(desk.host.engine.shared.notes.level(of: .midi(41)) > 0)
  }

  @Test(arguments: [
    ["/tuner", "note:40"], ["/tuner", "high", "note:40"], ["/echo/mix", "note:40"],
    ["/loop/clear", "program:40"], ["/loop/clear"], ["/loop/clear", "light:3"],
    ["/takes", "note:3"],
  ])
  func `an address without a light is refused`(words: [String]) {
    #expect(code(desk.give([UInt8](address: "/midi/light", words.map(Argument.string)))) == "type")
  }

  @Test(arguments: [(-20.0, 40), (2.0, 41), (20.0, 42)])
  func `the tuner has three lights`(cents: Double, key: UInt8) {
    for (index, word) in ["flat", "tune", "sharp"].enumerated() {
      desk.tell("/midi/light", .string("/tuner"), .string(word), .string("note:\(40 + index)"))
    }
    var lit: [[UInt8]] = []
    let tone = Tone.sine(440 * exp2(cents / 1200), frames: 48_000)
    for start in stride(from: 0, to: tone.count, by: 480) {
      lit += desk.play(Array(tone[start..<start + 480])).midi.map(\.bytes)
      desk.awaitWriting()
    }
    #expect(lit.filter { $0[2] == 127 } == [[0x90, key, 127]])
  }

  // MARK: - Loops

  @Test func `a loop's pedal receives press and release, and shows the loop's state`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/2/pedal"))
    desk.tell("/loop/2/pedal/long", .string("clear"))
    #expect(play() == [[0x90, 40, 0]])
    #expect(play([0x90, 40, 100], [0x80, 40, 0], frames: 3072) == [[0x90, 40, 127]])
    #expect(value("/loop/2/state") == .string("recording"))
    #expect(value("/loop/1/state") == .string("empty"))
    #expect(play([0x90, 40, 100], [0x80, 40, 0], frames: 3072) == [[0x90, 40, 0]])
    #expect(value("/loop/2/state") == .string("playing"))
    play([0x90, 40, 100], frames: 40_000)
    #expect(value("/loop/2/state") == .string("empty"))
  }

  @Test(arguments: ["note:40", "cc:64", "program:3", "key:KEY_A", "1 0", "127 0", "none"])
  func `with a grain the pedal records from bar to bar, from every input`(way: String) {
    func press() {
      switch way {
      case "note:40": play([0x90, 40, 100], [0x80, 40, 0])
      case "cc:64": play([0xB0, 64, 127], [0xB0, 64, 0])
      case "program:3": play([0xC0, 3])
      case "key:KEY_A":
        desk.node[MIDI.self].press(key: 30, isDown: true)
        play()
        desk.node[MIDI.self].press(key: 30, isDown: false)
      case "none": desk.tell("/loop/2/pedal")
      default:
        desk.tell("/loop/2/pedal", .float(way == "1 0" ? 1 : 127))
        play()
        desk.tell("/loop/2/pedal", .float(0))
      }
      play()
    }
    if way.contains(":") { desk.tell("/midi/bind", .string(way), .string("/loop/2/pedal")) }
    desk.tell("/loop/2/quantize", .string("bar"))
    for wanted in ["recording", "playing"] {
      // A bar has 96,000 frames. The wait is at most that long, but not zero.
      press()
      #expect(value("/loop/2/next")?.text == "record")
      play(frames: 100_000)
      #expect(value("/loop/2/next")?.text == "" && value("/loop/2/state")?.text == wanted)
    }
    let length = desk.tell("/loop/2/state").first?.arguments[2].number ?? 0
    #expect(length == 2 || length == 4)
  }

  @Test func `press durations apply to triggers and pedals, and are persisted`() throws {
    let folder = try TemporaryFolder()
    do {
      let desk = Desk(home: folder.url.path)
      desk.node[Takes.self].open { _ in }
      #expect(desk.tell("/settings/press/long").first?.arguments == [.float(0.5)])
      #expect(desk.tell("/settings/press/double").first?.arguments == [.float(0.3)])
      #expect(code(desk.tell("/settings/press/long", .float(0.1))) == "range")
      #expect(code(desk.tell("/settings/press/double", .float(1.1))) == "range")
      desk.tell("/settings/press/long", .float(1))
      desk.tell("/settings/press/double", .float(0.2))
      desk.awaitDisk()
    }
    let desk = Desk(home: folder.url.path)
    desk.node[Takes.self].open { _ in }
    desk.awaitDisk()
    desk.pass()
    #expect(desk.tell("/settings/press/double").first?.arguments == [.float(0.2)])
    desk.tell("/midi/bind", .string("note:40"), .string("/mute"), .string("long"))
    desk.tell("/loop/2/pedal")
    desk.pass(frames: 24_000)
    desk.tell("/loop/2/pedal")
    desk.pass(frames: 24_000)
    desk.tell("/loop/2/pedal", .float(1))
    play([0x90, 40, 100], frames: 46_000, on: desk)
    #expect(value("/mute", on: desk) == .int32(0))
    #expect(value("/loop/2/state", on: desk) == .string("overdubbing"))
    play(frames: 4000, on: desk)
    #expect(value("/mute", on: desk) == .int32(1))
    #expect(value("/loop/2/state", on: desk) == .string("stopped"))
  }

  @Test func `mappings of the selected loop follow the selection`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/selected/record"))
    desk.tell("/midi/bind", .string("note:41"), .string("/loop/select"), .int32(3))
    desk.tell("/midi/bind", .string("note:42"), .string("/loop/selected/mute"))
    #expect(play() == [[0x90, 40, 0], [0x90, 41, 0], [0x90, 42, 0]])
    // One light shows the selection, the others the selected loop.
    #expect(play([0x90, 41, 100]) == [[0x90, 41, 127]])
    #expect(play([0x90, 40, 100]) == [[0x90, 40, 127]])
    #expect(value("/loop/3/state") == .string("recording"))
    #expect(play([0x90, 42, 100]) == [[0x90, 42, 127]])
    #expect(value("/loop/3/mute") == .int32(1))
    desk.tell("/loop/select", .int32(1))
    #expect(play() == [[0x90, 40, 0], [0x90, 41, 0], [0x90, 42, 0]])
    #expect(value("/loop/1/mute") == .int32(0))
  }

  @Test func `one press reaches all loops, and its light is on if any of them is`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/*/record"))
    desk.tell("/midi/bind", .string("note:41"), .string("/loop/*/mute"))
    desk.tell("/midi/bind", .string("cc:7"), .string("/loop/*/gain"))
    #expect(play() == [[0x90, 40, 0], [0x90, 41, 0]])
    #expect(play([0x90, 40, 100]) == [[0x90, 40, 127]])
    play([0x90, 41, 100])
    play([0xB0, 7, 127])
    for number in 1...4 {
      #expect(value("/loop/\(number)/state") == .string("recording"))
      #expect(value("/loop/\(number)/mute") == .int32(1))
      #expect(value("/loop/\(number)/gain") == .float(24))
    }
    desk.tell("/loop/1/clear")
    #expect(play().contains([0x90, 40, 0]) == false)
    #expect(bindings().map(\.[0]) == ["/loop/*/gain", "/loop/*/record", "/loop/*/mute"])
    #expect(desk.tell("/midi/forget", .string("/loop/*/record")).isEmpty)
    #expect(bindings().count == 2)
    #expect(
      code(desk.tell("/midi/bind", .string("note:1"), .string("/loop/*/nothing"))) == "unknown")
  }

  @Test func `an error names the loop`() {
    desk.tell("/midi/bind", .string("note:40"), .string("/loop/3/overdub"))
    desk.tell("/subscribe", .string("/error"))
    _ = desk.take()
    play([0x90, 40, 100])
    let told = desk.take()
    #expect(told.first?.arguments.first == .string("/loop/3/overdub"))
    #expect(told.first?.arguments.last?.text?.contains("loop 3 is empty") == true)
  }

  @Test func `stored mappings of missing loops are retained`() throws {
    let desk = Desk()
    desk.node.keeper.beginSession()
    var state = NodeState()
    state.values = ["/midi/bindings=/loop/9/record=note:40,short /mute=note:41,short,toggle"]
    #expect(desk.node.keeper.resumeSession(state).isEmpty)
    #expect(bindings(on: desk).map(\.[0]) == ["/mute"])
    desk.tell("/midi/bind", .string("note:42"), .string("/loop/1/record"))
    #expect(
      desk.node.keeper.sessionState.values.contains {
        $0.hasPrefix("/midi/bindings=") && $0.contains("/loop/9/record=note:40,short")
      })
  }

  // MARK: - Controller presets

  @Test func `a controller preset replaces all mappings of its triggers`() throws {
    let folder = try TemporaryFolder()
    let maps = folder.url.appendingPathComponent("pedals")
    try FileManager.default.createDirectory(at: maps, withIntermediateDirectories: true)
    try """
    # A pedal of two.
    note 60 channel 10   /player/record    # left
    note 60 channel 10 long /loop/clear
    note 62 /preset "my own"
    controller 7 /echo/mix
    light note 64 /metronome/beat
    color recording 5
    color off 1
    """.write(to: maps.appendingPathComponent("mine.pedal"), atomically: true, encoding: .utf8)
    let desk = Desk(home: folder.url.path)
    desk.tell("/midi/bind", .string("note:60"), .string("/mute"))
    desk.tell("/midi/bind", .string("note:70"), .string("/mute"))
    #expect(desk.tell("/midi/pedals") == [Received("/midi/pedals", [.string("mine")])])
    #expect(
      desk.tell("/midi/pedal", .string("mine"))
        == [Received("/reply", [.string("/midi/pedal"), .string("mine")])])
    #expect(
      bindings(on: desk).map { [$0[0], $0[3], $0[4], $0[5]] } == [
        ["/echo/mix", "turn", "", "controller:7"],
        ["/loop/clear", "long", "", "note:60@10"],
        ["/player/record", "short", "", "note:60@10"],
        ["/preset", "short", "my own", "note:62"],
        ["/metronome/beat", "light", "", "note:64"],
        ["/mute", "short", "toggle", "note:70"],
      ])
    play(on: desk)
    #expect(play([0x99, 60, 9], [0x89, 60, 0], on: desk).contains([0x99, 60, 5]))
  }

  @Test(arguments: [
    ("note 60", 1), ("\nnote 128 /mute", 2), ("bell 3 /mute", 1), ("note 3 channel 17 /mute", 1),
    ("note 3 mute", 1), ("color green 5", 1), ("color on 128", 1), ("note 3 /preset \"x", 1),
    ("light note 3 long /mute", 1), ("note 3 /mute\n\nnote 4 /nothing", 3),
    ("program 3 long /loop/clear", 1), ("light program 3 /mute", 1),
  ])
  func `an invalid controller preset maps nothing, and the error has the line`(
    text: String, line: Int
  ) throws {
    let folder = try TemporaryFolder()
    let maps = folder.url.appendingPathComponent("pedals")
    try FileManager.default.createDirectory(at: maps, withIntermediateDirectories: true)
    try text.write(
      to: maps.appendingPathComponent("bad.pedal"), atomically: true, encoding: .utf8)
    let desk = Desk(home: folder.url.path)
    let told = desk.tell("/midi/pedal", .string("bad"))
    #expect(told.first?.address == "/error")
    #expect(told.first?.arguments.last?.text?.contains("bad.pedal:\(line): ") == true)
    #expect(bindings(on: desk).isEmpty)
  }

  @Test func `a missing controller preset is refused with the names of the others`() {
    let desk = Desk(presets: PresetLibrary(shipped: Self.shipped))
    let told = desk.tell("/midi/pedal", .string("wahwah"))
    #expect(code(told) == "missing")
    #expect(told.first?.arguments.last?.text?.contains("fcb1010") == true)
    #expect(code(desk.tell("/midi/pedal", .string("../x"))) == "denied")
  }

  @Test(arguments: ["fcb1010", "softstep", "page-turner"])
  func `each shipped controller preset loads`(name: String) {
    let desk = Desk(presets: PresetLibrary(shipped: Self.shipped))
    #expect(
      desk.tell("/midi/pedal", .string(name))
        == [Received("/reply", [.string("/midi/pedal"), .string(name)])])
    #expect(bindings(on: desk).count >= 6)
  }
}
