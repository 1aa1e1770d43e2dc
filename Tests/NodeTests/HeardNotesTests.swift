import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// When notes are heard at the node's ports, and that the node greets whoever hears it.
  @Suite struct HeardNotesTests {
    /// Without a soundfont: each note begins with its first sample, whatever is installed here.
    private static let environment = ["SYRINX_SOUNDFONTS": "none"]

    /// Where notes begin after at least a tenth of a second of silence, in the server's frames.
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

    @Test(.timeLimit(.minutes(1)))
    func `keys of a keyboard are heard on their frames`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server, environment: Self.environment)
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      let keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false)
      phone.send("/grid/instrument", .string("organ"))
      #expect(phone.receive("/reply", seconds: 20)?.arguments[0] == .string("/grid/instrument"))
      // Of a few goes one at least is one in which the machine loses no block.
      var differences: [[UInt32]] = []
      for _ in 0..<5 where differences.isEmpty {
        var wanted: [UInt32] = []
        let heard = probe.record {
          let start = keyboard.frame &+ 9600
          for note in 0..<5 as Range<UInt32> {
            wanted.append(start &+ note &* 24_007)
            keyboard.play([0x90, 69, 100], at: start &+ note &* 24_007)
            keyboard.play([0x80, 69, 0], at: start &+ note &* 24_007 &+ 4800)
          }
          usleep(3_000_000)
        }
        guard heard.gaps == 0 else { continue }
        let found = beginnings(heard)
        #expect(found.count == wanted.count)
        differences.append(zip(found, wanted).map { $0 &- $1 })
      }
      let late = try #require(differences.first)
      // The very first sample of a tone that rises from nothing is nothing.
      #expect(late.allSatisfy { $0 == late[0] } && late[0] <= 1, "\(late)")
      keyboard.close()
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is touched goes out as MIDI with its sound, and ends there, too`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server, environment: Self.environment)
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      let listener = try MIDIProbe(server: server.name)
      try listener.connect(to: "syrinx", listening: true)
      phone.send("/grid/instrument", .string("organ"))
      #expect(phone.receive("/reply", seconds: 20)?.arguments[0] == .string("/grid/instrument"))
      var late: [UInt32] = []
      for _ in 0..<5 where late.isEmpty {
        _ = listener.take()
        let heard = probe.record {
          for cell in 1...4 as ClosedRange<Int32> {
            usleep(350_000)
            phone.send("/grid/touch", .int32(1), .int32(cell), .float(0.5))
            usleep(100_000)
            phone.send("/grid/release", .int32(1), .int32(cell))
          }
          usleep(300_000)
        }
        let told = listener.take()
        // A A# B C, from A2 on, each struck at 0.5, and ended.
        #expect(told.map(\.bytes[0]) == (0..<4).flatMap { _ in [0x90, 0x80] })
        #expect(told.map(\.bytes[1]) == [45, 45, 46, 46, 47, 47, 48, 48])
        let begun = told.filter { $0.bytes[0] == 0x90 }
        #expect(begun.allSatisfy { $0.bytes[2] == 64 })
        guard heard.gaps == 0 else { continue }
        let found = beginnings(heard)
        #expect(found.count == 4)
        late = zip(found, begun.map(\.frame)).map { $0 &- $1 }
      }
      #expect(!late.isEmpty && late.allSatisfy { $0 <= 1 }, "\(late)")
      probe.close()
      listener.close()
      #expect(node.end() == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `it greets whoever is connected, unless told not to`() throws {
      let server = try JackServer()
      func start(_ arguments: [String], home: String? = nil) throws -> (NodeProcess, [Received]) {
        let node = try NodeProcess(
          server: server, arguments, environment: Self.environment, home: home)
        let phone = try Phone(port: node.port)
        var told: [Received] = []
        for _ in 0..<40 {
          if let voices = phone.ask("/status/voices") { told.append(voices) }
          usleep(20_000)
        }
        return (node, told)
      }
      func isGreeted(_ told: [Received]) -> Bool {
        told.contains { $0.arguments.first?.number ?? 0 > 0 }
      }
      let (alone, nothing) = try start([])
      #expect(!nothing.isEmpty && !isGreeted(nothing))
      #expect(alone.end() == 0)
      let (heard, greeting) = try start(["--connect"])
      #expect(isGreeted(greeting))
      // It is short: what rings is over soon.
      usleep(1_500_000)
      let phone = try Phone(port: heard.port)
      #expect(phone.ask("/status/voices")?.arguments == [.int32(0)])
      phone.send("/settings/startup", .int32(0))
      #expect(phone.ask("/settings/startup")?.arguments == [.int32(0)])
      #expect(heard.end() == 0)
      let (quiet, silence) = try start(["--connect"], home: heard.home)
      #expect(!silence.isEmpty && !isGreeted(silence))
      #expect(quiet.end() == 0)
    }
  }
}
