import Control
import Engine
import Foundation
import Library
import OSC
import Posix
import TestSupport
import Testing

@Suite final class PresetsTests {
  private let root = FileManager.default.temporaryDirectory.appendingPathComponent(
    "syrinx-desk-\(UUID().uuidString)")
  private var own: String { root.appendingPathComponent("presets").path }
  private let desk: Desk

  private static let shipped = Project.file("Presets").path

  init() throws {
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    desk = Desk(presets: PresetLibrary(shipped: Self.shipped, own: "\(root.path)/presets"))
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  private func put(_ text: String, as name: String) throws {
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    try text.write(toFile: "\(own)/\(name).json", atomically: false, encoding: .utf8)
  }

  private func code(_ received: [Received]) -> String? {
    received.count == 1 && received[0].address == "/error" ? received[0].arguments[1].text : nil
  }

  /// Runs the clock until a reply that waits for the disk.
  private func answer(to address: String, _ name: String) -> Received? {
    #expect(desk.tell(address, .string(name)).isEmpty)
    var answer: Received?
    desk.pass(until: "\(address) is answered") {
      answer = desk.take().first
      return answer != nil
    }
    return answer
  }

  private func reply(_ address: String, _ name: String) -> Received {
    Received("/reply", [.string(address), .string(name)])
  }

  private var values: [Received] {
    AddressTable.node.addresses.filter { $0.parameter != nil }.flatMap { desk.tell($0.path) }
  }

  @Test func `the lock holds presets against being replaced, but not new ones`() {
    #expect(answer(to: "/preset/save", "mine") == reply("/preset/save", "mine"))
    desk.tell("/lock", .int32(1))
    #expect(code(desk.tell("/preset/save", .string("mine"))) == "denied")
    #expect(answer(to: "/preset/save", "other") == reply("/preset/save", "other"))
    desk.tell("/lock", .int32(0))
    #expect(answer(to: "/preset/save", "mine") == reply("/preset/save", "mine"))
  }

  // MARK: - Loading

  @Test func `each shipped preset is accepted, and sets everything that its sound depends on`()
    throws
  {
    let names = desk.tell("/presets")[0].arguments.compactMap(\.text)
    #expect(names == names.sorted() && names.count > 20)
    for name in ["chipmunk", "vader", "snail", "rabbit", "echo", "reverb"] {
      #expect(names.contains(name))
    }
    let table = AddressTable.node.addresses.filter(\.belongsToPreset)
    for name in names {
      #expect(answer(to: "/preset", name) == reply("/preset", name))
      let preset = try PresetLibrary(shipped: Self.shipped).read(PresetName(name)).preset
      let listed = preset.settings.map(\.address)
      for setting in preset.settings {
        let address = try #require(desk.node.table[setting.address])
        #expect(address.belongsToPreset, "\(name): \(setting.address)")
        let value = desk.tell(setting.address)[0].arguments[0]
        switch setting.value {
        case .number(let number): #expect(value.number.map(Float.init) == Float(number))
        case .text(let text): #expect(value == .string(text))
        case .flag(let flag): #expect(value.number == (flag ? 1 : 0))
        }
      }
      for family in ["/pitch", "/stretch", "/echo", "/reverb"] {
        #expect(listed.contains(family + "/on"), "\(name): \(family)")
        guard
          preset.settings.contains(where: { $0.address == family + "/on" && $0.value != .number(0) }
          )
        else { continue }
        for address in table where address.path.hasPrefix(family + "/") {
          #expect(listed.contains(address.path), "\(name): \(address.path)")
        }
      }
      #expect(!listed.contains("/stretch/rate") || listed.contains("/pitch/engine"), "\(name)")
    }
  }

  @Test func `a preset sounds the same after any other`() {
    _ = answer(to: "/preset", "dub")
    let first = values
    _ = answer(to: "/preset", "cathedral")
    #expect(values != first)
    _ = answer(to: "/preset", "dub")
    #expect(values == first)
  }

  @Test func `the name of the last preset is reported before the audio thread has it`() {
    #expect(desk.tell("/preset") == [Received("/preset", [.string("")])])
    desk.tell("/preset", .string("dub"))
    #expect(desk.tell("/preset") == [Received("/preset", [.string("dub")])])
    #expect(desk.tell("/echo/on") == [Received("/echo/on", [.int32(1)])])
    desk.pass()
    _ = desk.take()
    desk.tell("/echo/mix", .float(0.9))
    #expect(desk.tell("/preset") == [Received("/preset", [.string("dub")])])
    #expect(code(desk.tell("/preset", .string("dubb"))) == "missing")
    #expect(desk.tell("/preset") == [Received("/preset", [.string("dub")])])
  }

  @Test func `all of a preset takes effect on the frame of its bundle`() throws {
    try put("{\"set\": {\"/in/gain\": -6, \"/live/gain\": -6, \"/mute\": true}}", as: "soft")
    let clock = desk.host.engine.shared.clockReading
    let due = clock.microseconds + 1000 * clock.microsecondsPerFrame
    desk.give(
      [UInt8](
        bundle: [[UInt8](address: "/preset", [.string("soft")])],
        at: TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)))
    #expect(desk.host.engine.shared.commands.underWay == 4)
    #expect(desk.tell("/preset") == [Received("/preset", [.string("")])])
    let output = desk.host.render(Tone.constant(0.5, frames: 4096), block: 64)
    // The last clock reading was for the previous buffer, 64 frames earlier.
    #expect(output.left.firstIndex { $0 != 0.5 } == 1000 - 64)
    #expect(output.live.firstIndex { $0 != 0.5 } == 1000 - 64)
    desk.pass()
    #expect(desk.take() == [reply("/preset", "soft")])
    #expect(desk.tell("/preset") == [Received("/preset", [.string("soft")])])
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(1)])])
    #expect(desk.host.engine.shared.commands.underWay == 0)
  }

  @Test func `messages before and after a preset in a bundle apply in order`() {
    desk.give(
      [UInt8](
        bundle: [
          [UInt8](address: "/echo/mix", [.float(0.1)]),
          [UInt8](address: "/reverb/size", [.float(1)]),
          [UInt8](address: "/preset", [.string("echo")]),
          [UInt8](address: "/echo/time", [.float(2)]),
        ], at: .immediately))
    #expect(desk.tell("/echo/mix") == [Received("/echo/mix", [.float(0.35)])])
    #expect(desk.tell("/echo/time") == [Received("/echo/time", [.float(2)])])
    #expect(desk.tell("/reverb/size") == [Received("/reverb/size", [.float(1)])])
  }

  @Test(arguments: [
    ("\"/pitch/semitones\": 99", "range", "/pitch/semitones: 99 is out of range (-24 to 24"),
    ("\"/pitch/on\": 0.5", "range", "/pitch/on: 0.5 is not a whole number (0 to 1)"),
    ("\"/pitch/engine\": \"loud\"", "range", "/pitch/engine: \"loud\" is not one of live"),
    ("\"/pitch/engine\": 1", "type", "/pitch/engine: got 1; expected one of"),
    ("\"/echo/mix\": \"0.5\"", "type", "/echo/mix: got \"0.5\"; expected one number"),
    ("\"/echo/nothing\": 1", "unknown", "unknown address \"/echo/nothing\""),
    ("\"nonsense\": 1", "unknown", "unknown address \"nonsense\""),
    ("\"/*/mix\": 1", "unknown", "unknown address \"/*/mix\""),
    ("\"/quit\": 1", "type", "/quit: no value that can be set"),
    ("\"/preset\": \"dub\"", "type", "/preset: no value that can be set"),
    ("\"/status/rate\": 1", "type", "/status/rate: no value"),
    ("\"/echo/on\": 0", "type", "duplicate name /echo/on, already on line 3"),
    ("\"/echo/mix\" 0", "type", "expected a colon"),
  ])
  func `a broken file is reported with its line, and changes nothing`(
    line: String, code: String, message: String
  ) throws {
    try put("{\n  \"set\": {\n    \"/echo/on\": 1,\n    \(line)\n  }\n}\n", as: "bad")
    let before = values
    let answer = desk.tell("/preset", .string("bad"))
    #expect(self.code(answer) == code)
    let text = answer.first?.arguments[2].text ?? ""
    #expect(text.hasPrefix("\(own)/bad.json:4: \(message)"), "\(text)")
    #expect(desk.host.engine.shared.commands.underWay == 0)
    #expect(values == before)
    #expect(desk.tell("/preset") == [Received("/preset", [.string("")])])
  }

  @Test func `an empty preset is valid`() throws {
    try put("{\"set\": {}}", as: "nothing")
    #expect(answer(to: "/preset", "nothing") == reply("/preset", "nothing"))
  }

  @Test func `a preset is refused as a whole when too many commands are pending`() {
    let gain = [UInt8](address: "/live/gain", [.float(-1)])
    for _ in 0..<16 {
      desk.give([UInt8](bundle: Array(repeating: gain, count: 1023), at: .immediately))
    }
    // 16 slots are left.
    let before = values
    #expect(code(desk.tell("/preset", .string("dub"))) == "busy")
    #expect(values == before)
    #expect(desk.tell("/preset") == [Received("/preset", [.string("")])])
  }

  // MARK: - Changing

  @Test func `saving stores the current effects, and nothing else`() throws {
    desk.tell("/pitch/semitones", .float(7.25))
    desk.tell("/pitch/engine", .string("voice"))
    desk.tell("/live/gain", .float(-6))
    desk.tell("/chain/bypass", .int32(1))
    #expect(answer(to: "/preset/save", "mine") == reply("/preset/save", "mine"))
    let saved = try Preset(Array(Data(contentsOf: URL(fileURLWithPath: "\(own)/mine.json"))))
    let table = AddressTable.node.addresses.filter(\.belongsToPreset)
    #expect(saved.settings.map(\.address) == table.map(\.path))
    #expect(table.count == 64)
    desk.tell("/pitch/semitones", .float(0))
    desk.tell("/live/gain", .float(0))
    #expect(answer(to: "/preset", "mine") == reply("/preset", "mine"))
    #expect(desk.tell("/pitch/semitones")[0].arguments == [.float(7.25)])
    #expect(desk.tell("/pitch/engine")[0].arguments == [.string("voice")])
    #expect(desk.tell("/live/gain")[0].arguments == [.float(0)])
  }

  @Test func `a saved preset can be loaded before it is on disk`() {
    desk.tell("/pitch/semitones", .float(5))
    desk.tell("/preset/save", .string("dub"))
    #expect(desk.tell("/presets")[0].arguments.contains(.string("dub")))
    desk.tell("/preset/save", .string("mine"))
    #expect(desk.tell("/presets")[0].arguments.contains(.string("mine")))
    desk.tell("/pitch/semitones", .float(0))
    desk.tell("/preset", .string("mine"))
    #expect(desk.tell("/pitch/semitones")[0].arguments == [.float(5)])
    desk.tell("/preset/delete", .string("mine"))
    #expect(!desk.tell("/presets")[0].arguments.contains(.string("mine")))
    #expect(code(desk.tell("/preset", .string("mine"))) == "missing")
    desk.tell("/preset/delete", .string("dub"))
    desk.tell("/preset", .string("dub"))
    #expect(desk.tell("/pitch/on")[0].arguments == [.int32(0)])
    var answers: [Received] = []
    desk.pass(until: "all are answered") {
      answers += desk.take()
      return answers.count >= 6
    }
    #expect(!desk.node.isWriting)
    for (address, name) in [("/preset/save", "dub"), ("/preset/delete", "mine")] {
      #expect(answers.contains(reply(address, name)))
    }
    #expect((try? FileManager.default.contentsOfDirectory(atPath: own)) == [])
  }

  @Test func `the number of queued writes is limited`() {
    for _ in 1...64 { #expect(desk.tell("/preset/save", .string("mine")).isEmpty) }
    #expect(code(desk.tell("/preset/save", .string("mine"))) == "busy")
    var count = 0
    desk.pass(until: "all are answered") {
      count += desk.take().count { $0 == reply("/preset/save", "mine") }
      return count >= 64
    }
    #expect(count == 64)
    #expect(answer(to: "/preset/save", "mine") == reply("/preset/save", "mine"))
  }

  @Test func `a user preset hides a shipped one, which reappears`() {
    _ = answer(to: "/preset", "cathedral")
    #expect(answer(to: "/preset/save", "dub") == reply("/preset/save", "dub"))
    _ = answer(to: "/preset", "dub")
    #expect(desk.tell("/reverb/size")[0].arguments == [.float(1)])
    let count = desk.tell("/presets")[0].arguments.count
    #expect(answer(to: "/preset/delete", "dub") == reply("/preset/delete", "dub"))
    #expect(desk.tell("/presets")[0].arguments.count == count)
    _ = answer(to: "/preset", "dub")
    #expect(desk.tell("/reverb/size")[0].arguments == [.float(0.4)])
    let refused = answer(to: "/preset/delete", "dub")
    #expect(code([refused].compactMap(\.self)) == "denied")
    let missing = answer(to: "/preset/delete", "mine")
    #expect(code([missing].compactMap(\.self)) == "missing")
  }

  @Test(arguments: ["/preset", "/preset/save", "/preset/delete"])
  func `a name outside the folder is denied`(address: String) {
    for name in ["../x", "/etc/x", "", "a/b", ".hidden", ".."] {
      #expect(code(desk.tell(address, .string(name))) == "denied", "\(name)")
    }
    for arguments in [[Argument.float(1)], [.string("a"), .string("b")]] {
      #expect(code(desk.give([UInt8](address: address, arguments))) == "type")
    }
    #expect(!FileManager.default.fileExists(atPath: own))
  }

  @Test func `a failed write is reported, and leaves no preset`() throws {
    try "".write(toFile: own, atomically: false, encoding: .utf8)
    let before = desk.tell("/presets")
    let answer = try #require(self.answer(to: "/preset/save", "mine"))
    #expect(answer.arguments[0] == .string("/preset/save") && answer.arguments[1] == .string("io"))
    #expect(answer.arguments[2].text?.contains(own) == true)
    #expect(desk.tell("/presets") == before)
    #expect(desk.node.counters.errors == 1)
  }

  // MARK: - Feedback

  @Test func `subscribers receive the name on load, and the names on change`() {
    let phone = Desk.client(9001)
    let snapshot = desk.tell("/subscribe", .string("/preset*"), as: phone)
    #expect(snapshot.map(\.address) == ["/preset", "/presets", "/presets/own"])
    _ = answer(to: "/preset", "dub")
    desk.pass()
    #expect(desk.take(phone) == [Received("/preset", [.string("dub")])])
    _ = answer(to: "/preset/save", "mine")
    desk.pass()
    let names = desk.take(phone)
    #expect(names.map(\.address) == ["/presets", "/presets/own"])
    #expect(names.last?.arguments == [.string("mine")])
    #expect(names.first?.arguments.count == snapshot[1].arguments.count + 1)
    desk.tell("/pitch/mix", .float(0.5))
    desk.pass(seconds: 1)
    desk.pass(seconds: 1)
    #expect(desk.take(phone).isEmpty)
  }

  @Test func `the sender of a load receives the resulting preset, even if it is the previous one`()
  {
    desk.tell("/subscribe", .string("/preset"))
    _ = answer(to: "/preset", "dub")
    desk.pass()
    _ = desk.take()
    let phone = Desk.client(9001)
    desk.tell("/preset", .string("echo"))
    desk.tell("/preset", .string("dub"), as: phone)
    desk.pass()
    #expect(desk.take().contains(Received("/preset", [.string("dub")])))
  }
}
