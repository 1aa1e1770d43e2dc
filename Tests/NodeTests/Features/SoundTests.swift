import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The sound at the node's ports.
  @Suite struct SoundTests {
    private static func noise(_ frame: UInt32) -> Float {
      let hash = (UInt64(frame) &+ 1) &* 0x9E37_79B9_7F4A_7C15
      return Float(hash >> 40) / Float(1 << 25) - 0.25
    }

    @Test(.hangLimit, arguments: ["out_1", "out_2", "live_1", "live_2"])
    func `sound passes bit for bit, within its own block`(port: String) throws {
      let (server, node, _) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.noise)
      try probe.connect(to: "syrinx", output: port)
      try probe.awaitPassage()
      let heard = try probe.record(seconds: 0.3)
      #expect(heard.samples.count > 9600)
      let wrong = heard.samples.enumerated().filter {
        $0.element != Self.noise(heard.start &+ UInt32($0.offset))
      }.count
      #expect(wrong == 0 && heard.gaps == 0)
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `stems of silent sources are silent, and so is the metronome`() throws {
      let (server, node, _) = try startNode()
      let probe = try Probe(server: server.name) { _ in 0.5 }
      for port in ["loop_1", "loop_2", "grid_1", "grid_2", "click"] {
        try probe.connect(to: "syrinx", output: port)
      }
      let heard = try probe.record(seconds: 0.1)
      #expect(heard.samples.allSatisfy { $0 == 0 })
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `the buffer size can change while it plays`() throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      for block in [256, 32, 1024, 4096, 16, 64] {
        probe.setBlock(block)
        try phone.awaitValue(of: "/status/block", .int32(Int32(block)))
        try probe.awaitPassage()
        let heard = try probe.record(frames: 9600)
        #expect(heard.samples.suffix(2000).allSatisfy { $0 == 0.5 })
      }
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `it ends with a fade`() throws {
      let (server, node, _) = try startNode()
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      let heard = try probe.record { #expect(node.end() == 0) }
      // The steepest part of the fade is e/144 of the range per frame.
      let steps = zip(heard.samples, heard.samples.dropFirst()).map { abs($1 - $0) }
      #expect(heard.gaps == 0 && steps.max()! < 0.5 / 144)
      #expect(heard.samples.first == 0.5 && heard.samples.last == 0)
      probe.close()
    }

    @Test(.hangLimit)
    func `a NaN is silenced and counted`() throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name) { $0 % 1000 == 0 ? .nan : 0.5 }
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      let heard = try probe.record(seconds: 0.1)
      #expect(heard.samples.allSatisfy { $0 == 0.5 || $0 == 0 })
      #expect((phone.ask("/status/nan")?.arguments[0].number ?? 0) > 0)
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
