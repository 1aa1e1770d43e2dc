import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The timing of notes at the node's ports, and the node's greeting.
  @Suite struct HeardNotesTests {
    /// Without a soundfont each note starts with its first sample, whatever is installed here.
    private static let environment = ["SYRINX_SOUNDFONTS": "none"]

    /// Note onsets after at least a tenth of a second of silence, in server frames.
    private func beginnings(_ heard: (start: UInt32, samples: [Float], gaps: Int)) -> [UInt32] {
      var silent = 4800
      var beginnings: [UInt32] = []
      for (index, sample) in heard.samples.enumerated() {
        if sample == 0 {
          silent += 1
        } else {
          if silent >= 4800 { beginnings.append(heard.start &+ UInt32(index)) }
          silent = 0
        }
      }
      return beginnings
    }

    /// Plays single notes.
    private func collect<Value>(_ count: Int, _ go: () throws -> Value?) rethrows -> [Value] {
      try (0..<count).compactMap { _ in try go() }
    }

    @Test(.hangLimit)
    func `a keyboard's keys sound on their frames`() throws {
      let (server, node, phone) = try startNode(block: 512, environment: Self.environment)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      let keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false, phone: phone)
      phone.send("/grid/instrument", .string("organ"))
      #expect(phone.receive("/reply")?.arguments[0] == .string("/grid/instrument"))
      let late = try collect(5) { () -> UInt32? in
        _ = keyboard.takePlayed()
        let heard = try probe.record {
          let frame = keyboard.frame &+ 9607
          keyboard.play([0x90, 69, 100], at: frame)
          keyboard.play([0x80, 69, 0], at: frame &+ 4800)
          try probe.pass(seconds: 0.6, "the note starts after 0.2 s, lasts 0.1 s, and rings out")
        }
        // Later than requested if the machine was late.
        let played = keyboard.takePlayed()
        #expect(heard.gaps == 0 && played.count == 2)
        let found = beginnings(heard)
        #expect(found.count == 1)
        return zip(found, played).map { $0 &- $1 }.first
      }
      // The first sample of a tone that rises from zero is zero.
      #expect(late.count == 5 && late.allSatisfy { $0 == late[0] && $0 <= 1 }, "\(late)")
      keyboard.close()
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a touch sends MIDI with its sound, and ends both`() throws {
      let (server, node, phone) = try startNode(block: 512, environment: Self.environment)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      let listener = try MIDIProbe(server: server.name)
      try listener.connect(to: "syrinx", listening: true, phone: phone)
      phone.send("/grid/instrument", .string("organ"))
      #expect(phone.receive("/reply")?.arguments[0] == .string("/grid/instrument"))
      // A A# B C, from A2 on.
      var cell = 0
      let late = try collect(4) { () -> UInt32? in
        _ = listener.take()
        let column = Int32(cell % 4 + 1)
        let heard = try probe.record {
          try probe.pass(seconds: 0.1, "silence, so that the onset is detected")
          phone.send("/grid/touch", .int32(1), .int32(column), .float(0.5))
          try probe.pass(seconds: 0.1, "the note's length")
          phone.send("/grid/release", .int32(1), .int32(column))
          try probe.pass(seconds: 0.3, "the note rings out")
        }
        // Played at 0.5, and ended.
        let (told, key) = (listener.take(), UInt8(45 + cell % 4))
        #expect(told.map { Array($0.bytes.prefix(2)) } == [[0x90, key], [0x80, key]])
        #expect(told.first?.bytes.last == 64)
        #expect(heard.gaps == 0)
        guard let begun = told.first else { return nil }
        cell += 1
        let found = beginnings(heard)
        #expect(found.count == 1)
        return found.first.map { $0 &- begun.frame }
      }
      #expect(late.count == 4 && late.allSatisfy { $0 <= 1 }, "\(late)")
      probe.close()
      listener.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `it greets a new connection, unless turned off`() throws {
      let server = try JackServer()
      func start(_ arguments: [String], home: String? = nil) throws -> (NodeProcess, Phone) {
        try startNode(on: server, arguments, environment: Self.environment, home: home)
      }
      func isSounding(_ phone: Phone) -> Bool {
        phone.ask("/status/voices")?.arguments.first?.number ?? 0 > 0
      }
      /// Whether anything sounds in the first 0.8 s.
      func isGreeted(_ phone: Phone) throws -> Bool {
        var isGreeted = false
        for _ in 0..<40 where !isGreeted {
          isGreeted = isSounding(phone)
          try phone.pass(seconds: 0.02, "levels are sampled")
        }
        return isGreeted
      }
      let (alone, aside) = try start([])
      #expect(try !isGreeted(aside))
      #expect(alone.end() == 0)
      let (heard, phone) = try start(["--connect"])
      try waitUntil("the greeting plays", every: 0) { isSounding(phone) }
      // It is short, and decays soon.
      try waitUntil("the greeting has ended") {
        phone.ask("/status/voices")?.arguments == [.int32(0)]
      }
      phone.send("/settings/startup", .int32(0))
      #expect(phone.ask("/settings/startup")?.arguments == [.int32(0)])
      #expect(heard.end() == 0)
      let (quiet, near) = try start(["--connect"], home: heard.home)
      #expect(try !isGreeted(near))
      #expect(quiet.end() == 0)
    }
  }
}
