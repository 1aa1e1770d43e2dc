import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The feedback guard of the running node, with its output fed back to its input.
  @Suite struct HowlingTests {
    private func level(_ block: [Float]) -> Float {
      Float(Measure.level(block[...]))
    }

    @Test(.hangLimit)
    func `feedback ends when the guard is turned on, and is detected again after a clear`() throws {
      let (server, node, phone) = try startNode()
      let way = HowlingWay()
      let probe = try Probe(server: server.name, plays: way.sample)
      probe.listen(way.hear)
      try probe.connect(to: "syrinx")
      // Faster than real time.
      probe.setFreewheel(true)
      // 2 dB above unity loop gain.
      phone.send("/live/gain", .float(2))
      try probe.awaitBlock("there is feedback") { level($0) > 0.3 }

      phone.send("/guard/hold", .float(600))
      phone.send("/guard/on", .int32(1))
      func notches() throws -> [Double] {
        try #require(phone.ask("/guard/notches")).arguments.compactMap(\.number)
      }
      try waitUntil("the feedback is detected") { try !notches().isEmpty }
      try probe.awaitBlock("the feedback has ended") { level($0) < 0.02 }
      let found = try notches()
      try #require((1...8).contains(found.count / 2))
      // The resonance is at 1 kHz, and loop modes are 100 Hz apart.
      #expect(abs(found[0] - 1000) < 100)
      #expect(found[1] == -30)

      let ear = try Phone(port: node.port)
      ear.send("/subscribe", .string("/guard/notches"))
      // At this level there is no feedback: cleared notches stay cleared.
      phone.send("/live/gain", .float(-20))
      phone.send("/guard/clear")
      try waitUntil("the node reports no notches") {
        ear.receive("/guard/notches")?.arguments.isEmpty == true
      }
      phone.send("/live/gain", .float(2))
      try waitUntil("the feedback is detected again") {
        ear.receive("/guard/notches")?.arguments.isEmpty == false
      }

      phone.send("/guard/on", .int32(0))
      try probe.awaitBlock("there is feedback again") { level($0) > 0.3 }
      #expect(phone.ask("/guard/notches")?.arguments.isEmpty == true)
      probe.setFreewheel(false)
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
