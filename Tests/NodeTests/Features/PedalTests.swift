import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Pedals at the node's ports, and at a device: what is pressed, and which lights come back.
  @Suite struct PedalTests {
    /// The bytes of the kernel's event for a key.
    private static func event(_ key: UInt16, _ value: Int32, type: UInt16 = 1) -> [UInt8] {
      [UInt8](repeating: 0, count: MemoryLayout<timeval>.size)
        + withUnsafeBytes(of: type) { Array($0) } + withUnsafeBytes(of: key) { Array($0) }
        + withUnsafeBytes(of: value) { Array($0) }
    }

    /// Plays a message until something has come of it: a block that the server loses is lost with
    /// it.
    private func play(
      _ keyboard: MIDIProbe, _ bytes: [UInt8], release: [UInt8], until what: String,
      _ isSo: () -> Bool
    ) throws {
      for _ in 0..<5 {
        keyboard.play(bytes)
        keyboard.play(release)
        let hasCome = (try? waitUntil(what, seconds: 2, isSo)) != nil
        if hasCome { return }
      }
      Issue.record("\(what) in vain")
    }

    @Test(.hangLimit)
    func
      `a pedal records, its light follows in the same block, and again when it is plugged in anew`()
      throws
    {
      let (server, node, phone) = try startNode()
      var keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false)
      try keyboard.connect(to: "syrinx", listening: true)
      phone.send("/midi/learn", .string("/loop/2/record"))
      #expect(phone.sync())
      try play(keyboard, [0x94, 60, 100], release: [0x84, 60, 0], until: "the pedal is learnt") {
        phone.receive("/midi/learnt", seconds: 0.5) != nil
      }
      #expect(phone.ask("/loop/2/state")?.arguments.first == .string("empty"))
      var heard: [MIDIProbe.Heard] = []
      try waitUntil("its light is dark") {
        heard += keyboard.take()
        return heard.last?.bytes == [0x94, 60, 0]
      }
      _ = keyboard.takePlayed()
      // On and off again: what the light said stands beside when the pedal was pressed.
      var delays: [UInt32] = []
      for index in 0..<12 {
        keyboard.play([0x94, 60, 100])
        keyboard.play([0x84, 60, 0])
        var lit: MIDIProbe.Heard?
        let wanted: UInt8 = index % 2 == 0 ? 127 : 0
        try waitUntil("the light is \(wanted)") {
          lit = keyboard.take().last { $0.bytes == [0x94, 60, wanted] }
          return lit != nil
        }
        if let lit, let pressed = keyboard.takePlayed().first {
          delays.append(lit.frame &- pressed)
        }
      }
      // What goes round between two programs is a block of the server's later. The machine may lose
      // blocks; not every time.
      let sorted = delays.sorted()
      #expect(sorted.count == 12 && sorted[6] == 64, "\(delays)")
      keyboard.close()
      keyboard = try MIDIProbe(server: server.name)
      heard = []
      try keyboard.connect(to: "syrinx", listening: true)
      try waitUntil("the light is sent again") {
        heard += keyboard.take()
        return heard.contains { $0.bytes == [0x94, 60, 0] }
      }
      keyboard.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `what is bound to notes and programs presses after a restart, and sounds no tone`() throws
    {
      let (server, node, phone) = try startNode()
      phone.send("/midi/bind", .string("note:60"), .string("/mute"), .string("toggle"))
      phone.send("/midi/bind", .string("program:5"), .string("/preset"), .string("next"))
      #expect(phone.receive("/midi/learnt") != nil && phone.receive("/midi/learnt") != nil)
      #expect(phone.sync())
      #expect(node.end() == 0)
      let (again, other) = try startNode(on: server, home: node.home)
      let keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false)
      try play(keyboard, [0x90, 60, 100], release: [0x80, 60, 0], until: "it is mute") {
        other.ask("/mute")?.arguments == [.int32(1)]
      }
      #expect(other.ask("/status/voices")?.arguments != [.int32(1)])
      keyboard.play([0xC0, 5])
      try waitUntil("a preset is loaded") {
        other.ask("/preset")?.arguments.first?.text?.isEmpty == false
      }
      keyboard.close()
      #expect(again.end() == 0)
    }

    @Test(.hangLimit)
    func `a pedal that speaks as a keyboard is learnt by its keys, and may come later`() throws {
      let folder = try TemporaryFolder()
      let path = folder.url.appendingPathComponent("keys").path
      let (_, node, phone) = try startNode(["--keys", path])
      #expect(node.errors.contains("--keys: \(path) is not there yet; it is read when it is"))
      try #require(mkfifo(path, 0o600) == 0)
      try waitUntil("it is read") { node.errors.contains("--keys: \(path) is read") }
      func press(_ key: UInt16) throws {
        let pipe = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // A key is between events of other kinds, repeats itself, and is lifted.
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
      try press(104)
      try press(109)
      try waitUntil("it records") {
        phone.ask("/loop/state")?.arguments.first == .string("recording")
      }
      #expect(node.end() == 0)
      #expect(node.errors.split(separator: "\n").count { $0.contains("--keys") } == 2)
    }

    @Test(.hangLimit)
    func `what is no keyboard is refused in a line`() throws {
      let folder = try TemporaryFolder()
      let file = folder.url.appendingPathComponent("file").path
      try Data().write(to: URL(fileURLWithPath: file))
      for path in [file, folder.url.path] {
        let result = try NodeProcess.run(["run", "--keys", path, "--home", folder.url.path + "/h"])
        #expect(result.code == 64)
        #expect(result.errors.contains("--keys takes a keyboard's device") && result.output.isEmpty)
      }
      let (_, node, _) = try startNode(["--keys", "/dev/null"])
      #expect(node.errors.contains("--keys: /dev/null is no keyboard's device"))
      #expect(node.end() == 0)
    }
  }
}
