import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Pedals at the node's ports, and at a device: presses and LEDs.
  @Suite struct PedalTests {
    /// The bytes of the kernel's event for a key.
    private static func event(_ key: UInt16, _ value: Int32, type: UInt16 = 1) -> [UInt8] {
      [UInt8](repeating: 0, count: MemoryLayout<timeval>.size)
        + withUnsafeBytes(of: type) { Array($0) } + withUnsafeBytes(of: key) { Array($0) }
        + withUnsafeBytes(of: value) { Array($0) }
    }

    @Test(.hangLimit)
    func
      `a pedal records, its light follows in the same block, and again when it is plugged in anew`()
      throws
    {
      let (server, node, phone) = try startNode()
      var keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false, phone: phone)
      try keyboard.connect(to: "syrinx", listening: true, phone: phone)
      phone.send("/midi/learn", .string("/loop/2/record"))
      #expect(phone.sync())
      keyboard.play([0x94, 60, 100])
      keyboard.play([0x84, 60, 0])
      #expect(phone.receive("/midi/learnt") != nil)
      #expect(phone.ask("/loop/2/state")?.arguments.first == .string("empty"))
      var heard: [MIDIProbe.Heard] = []
      try waitUntil("its LED is off") {
        heard += keyboard.take()
        return heard.last?.bytes == [0x94, 60, 0]
      }
      _ = keyboard.takePlayed()
      try phone.pass(seconds: 0.03, "the learned key's contact has settled")
      // On and off again: the earlier LED state is part of the result.
      var delays: [UInt32] = []
      var next: UInt32?
      for index in 0..<12 {
        keyboard.play([0x94, 60, 100], at: next)
        keyboard.play([0x84, 60, 0], at: next)
        var lit: MIDIProbe.Heard?
        let wanted: UInt8 = index % 2 == 0 ? 127 : 0
        try waitUntil("the LED is \(wanted)") {
          lit = keyboard.take().last { $0.bytes == [0x94, 60, wanted] }
          return lit != nil
        }
        if let lit, let pressed = keyboard.takePlayed().first {
          delays.append(lit.frame &- pressed)
          // Longer than a contact bounces.
          next = pressed &+ 1440
        }
      }
      // A connection back to an earlier client adds a buffer.
      #expect(delays == Array(repeating: 64, count: 12))
      keyboard.close()
      keyboard = try MIDIProbe(server: server.name)
      heard = []
      try keyboard.connect(to: "syrinx", listening: true, phone: phone)
      try waitUntil("the LED state is sent again") {
        heard += keyboard.take()
        return heard.contains { $0.bytes == [0x94, 60, 0] }
      }
      keyboard.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `with a grain a pedal records from bar to bar, from every input`() throws {
      let folder = try TemporaryFolder()
      let path = folder.url.appendingPathComponent("keys").path
      try #require(mkfifo(path, 0o600) == 0)
      let (server, node, phone) = try startNode(["--keys", path])
      let keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false, phone: phone)
      for trigger in ["note:60", "cc:64", "program:5", "key:KEY_A"] {
        phone.send("/midi/bind", .string(trigger), .string("/loop/1/pedal"))
      }
      // A bar of half a second.
      phone.send("/metronome/bpm", .float(240))
      phone.send("/metronome/beats", .int32(2))
      phone.send("/loop/1/quantize", .string("bar"))
      phone.send("/loop/lateness", .float(0))
      #expect(phone.sync())
      let pipe = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      let ways: [(name: String, press: () throws -> Void)] = [
        (
          "note",
          {
            keyboard.play([0x90, 60, 100]); keyboard.play([0x80, 60, 0])
          }
        ),
        (
          "controller",
          {
            keyboard.play([0xB0, 64, 127]); keyboard.play([0xB0, 64, 0])
          }
        ),
        ("program", { keyboard.play([0xC0, 5]) }),
        ("key", { try pipe.write(contentsOf: Self.event(30, 1) + Self.event(30, 0)) }),
        (
          "press and release",
          {
            phone.send("/loop/1/pedal", .int32(1))
            phone.send("/loop/1/pedal", .int32(0))
          }
        ),
        ("one message", { phone.send("/loop/1/pedal") }),
      ]
      func state() -> [Argument] { phone.ask("/loop/1/state")?.arguments ?? [.string("")] }
      for (name, press) in ways {
        try press()
        // Longer than the time in which a second press belongs to the first.
        try waitUntil("\(name): the loop records") {
          state()[0] == .string("recording") && state()[1].number ?? 0 > 0.4
        }
        try press()
        try waitUntil("\(name): the loop plays") { state()[0] == .string("playing") }
        let bars = (state()[2].number ?? 0) / 0.5
        #expect(bars.rounded() >= 1 && abs(bars - bars.rounded()) < 1e-4, "\(name): \(bars) bars")
        phone.send("/loop/1/clear")
        try waitUntil("\(name): the loop is empty") { state()[0] == .string("empty") }
        try phone.pass(seconds: 0.5, "an earlier press would make a double press")
      }
      try pipe.close()
      keyboard.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `bindings to notes and programs work after a restart, and make no sound`() throws {
      let (server, node, phone) = try startNode()
      phone.send("/midi/bind", .string("note:60"), .string("/mute"), .string("toggle"))
      phone.send("/midi/bind", .string("program:5"), .string("/preset"), .string("next"))
      #expect(phone.receive("/midi/learnt") != nil && phone.receive("/midi/learnt") != nil)
      #expect(phone.sync())
      #expect(node.end() == 0)
      let (again, other) = try startNode(on: server, home: node.home)
      let keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false, phone: other)
      keyboard.play([0x90, 60, 100])
      keyboard.play([0x80, 60, 0])
      try other.awaitValue(of: "/mute", .int32(1))
      #expect(other.ask("/status/voices")?.arguments != [.int32(1)])
      keyboard.play([0xC0, 5])
      try waitUntil("a preset is loaded") {
        other.ask("/preset")?.arguments.first?.text?.isEmpty == false
      }
      keyboard.close()
      #expect(again.end() == 0)
    }

    @Test(.hangLimit)
    func `a keyboard pedal is mapped by its keys, and may be plugged in later`() throws {
      let folder = try TemporaryFolder()
      let path = folder.url.appendingPathComponent("keys").path
      let (_, node, phone) = try startNode(["--keys", path])
      #expect(node.errors.contains("--keys: \(path) does not exist yet; waiting for it"))
      try #require(mkfifo(path, 0o600) == 0)
      try waitUntil("the device is open") { node.errors.contains("--keys: reading \(path)") }
      func press(_ key: UInt16) throws {
        let pipe = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // A key is between events of other types, repeats, and is released.
        try pipe.write(
          contentsOf: Self.event(4, 0x7004E, type: 4) + Self.event(key, 1)
            + Self.event(0, 0, type: 0) + Self.event(key, 2) + Self.event(key, 0))
        try pipe.close()
      }
      phone.send("/midi/learn", .string("/player/record"))
      #expect(phone.sync())
      try press(109)
      #expect(
        phone.receive("/midi/learnt")?.arguments.last == .string("key:KEY_PAGEDOWN"))
      #expect(phone.ask("/loop/state")?.arguments.first == .string("empty"))
      try phone.pass(seconds: 0.03, "the learned key's contact has settled")
      try press(104)
      try press(109)
      try waitUntil("the loop records") {
        phone.ask("/loop/state")?.arguments.first == .string("recording")
      }
      #expect(node.end() == 0)
      #expect(node.errors.split(separator: "\n").count { $0.contains("--keys") } == 2)
    }

    @Test(.hangLimit)
    func `a device that is no keyboard is refused in one line`() throws {
      let folder = try TemporaryFolder()
      let file = folder.url.appendingPathComponent("file").path
      try Data().write(to: URL(fileURLWithPath: file))
      for path in [file, folder.url.path] {
        let result = try NodeProcess.run(["run", "--keys", path, "--home", folder.url.path + "/h"])
        #expect(result.code == 64)
        #expect(result.errors.contains("--keys takes a keyboard device") && result.output.isEmpty)
      }
      let (_, node, _) = try startNode(["--keys", "/dev/null"])
      #expect(node.errors.contains("--keys: /dev/null is not a keyboard"))
      #expect(node.end() == 0)
    }
  }
}
