import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// A server that dies in an overdub, as when its sound card is unplugged, and another one in its place.
  @Suite struct ServerReturnTests {
    // At 120 bpm.
    private static let beat = 0.5
    /// Pulses at the tempo, but not on the beat.
    private static let pulses: @Sendable (UInt32) -> Float = { frame in
      frame % 24_000 < 100 ? 0.5 : 0
    }

    /// The time within a beat at which the sounds of an output begin, in seconds of the server's frames.
    private func phase(of output: String, rate: Int, _ probe: Probe) throws -> Double {
      try probe.hear("syrinx:\(output)")
      let recording = try probe.record(seconds: 1.1)
      #expect(probe.disconnect("syrinx:\(output)", "hearer:in"))
      try #require(recording.gaps == 0)
      var quiet = 0
      for (index, sample) in recording.samples.enumerated() {
        if abs(sample) > 0.1 {
          if quiet > rate / 5 {
            let frame = Double(recording.start &+ UInt32(index))
            return (frame / Double(rate)).truncatingRemainder(dividingBy: Self.beat)
          }
          quiet = 0
        } else {
          quiet += 1
        }
      }
      throw Fault("nothing begins on \(output)")
    }

    /// The delay of the loop's pulses after the clicks, in seconds within a beat.
    private func delay(rate: Int, _ probe: Probe) throws -> Double {
      let clicks = try phase(of: "click", rate: rate, probe)
      let loop = try phase(of: "loop_1", rate: rate, probe)
      let delay = loop - clicks
      return delay < 0 ? delay + Self.beat : delay
    }

    private func startLoop(_ phone: Phone) throws {
      phone.send("/metronome/on", .int32(1))
      phone.send("/loop/1/beats", .float(4))
      phone.send("/loop/1/quantize", .string("beat"))
      phone.send("/loop/1/record")
      #expect(phone.sync())
      try waitUntil("the loop plays", every: 0.05) {
        phone.ask("/loop/1/state")?.arguments.first == .string("playing")
      }
    }

    @Test(.hangLimit, arguments: [(44_100, 512), (48_000, 64), (96_000, 1024)])
    func `loops are on their beat when it is back, at any rate, and keep the layer`(
      rate: Int, block: Int
    ) throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.pulses)
      try probe.connect(to: "syrinx")
      #expect(probe.disconnect("syrinx:out_1", "hearer:in"))
      try startLoop(phone)
      let before = try delay(rate: 48_000, probe)
      phone.send("/loop/1/quantize", .string("off"))
      phone.send("/loop/1/overdub")
      #expect(phone.sync())
      // A connection that was removed in the last second before a server dies may be the server's doing: it is
      // restored.
      try probe.pass(seconds: 1.7, "a layer is recorded")
      server.kill()
      probe.close()
      try phone.awaitServer("gone")
      // It answers, and its loops go on, from the first block of its own clock.
      try waitUntil("the layer ends and the loop plays", every: 0.01) {
        phone.ask("/loop/1/state")?.arguments.first == .string("playing")
      }
      #expect(phone.ask("/loop/1/history")?.arguments.first == .int32(2))
      try phone.pass(seconds: 0.2, "the node has a clock of its own")
      try server.start(rate: rate, block: block)
      try phone.awaitServer("running")
      #expect(phone.ask("/status/rate")?.arguments == [.int32(Int32(rate))])
      #expect(phone.ask("/status/block")?.arguments == [.int32(Int32(block))])
      let later = try Probe(server: server.name)
      let after = try delay(rate: rate, later)
      // Each is at most half a frame off, and the pulses' edges depend on the rate.
      #expect(abs(after - before) * 44_100 < 3, "\(before) s, then \(after) s")
      #expect(phone.ask("/loop/1/state")?.arguments.first == .string("playing"))
      #expect(phone.ask("/loop/1/history")?.arguments.first == .int32(2))
      #expect(node.errors.contains("reconnected to the JACK server after"))
      #expect(node.errors.contains("at \(rate) Hz and \(block) frames"))
      #expect(node.errors.contains("were converted") == (rate != 48_000))
      phone.send("/status/lost")
      let lost = phone.receive(untilOneOf: ["/lost/end"]).map(\.arguments)
      #expect(
        lost.contains { $0[2].text == "server" && ($0[3].text ?? "").contains("ended") }, "\(lost)")
      later.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit) func `a loop that was stopped stays stopped`() throws {
      let (server, node, phone) = try startNode()
      try startLoop(phone)
      phone.send("/loop/1/quantize", .string("off"))
      phone.send("/loop/1/stop")
      #expect(phone.sync())
      server.kill()
      try phone.awaitServer("gone")
      try server.start(rate: 44_100)
      try phone.awaitServer("running")
      #expect(phone.sync())
      #expect(phone.ask("/loop/1/state")?.arguments.first == .string("stopped"))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit) func `a bundle takes effect at its time, with or without a server`() throws {
      let (server, node, phone) = try startNode()
      #expect(phone.ask("/mute")?.arguments == [.int32(0)])
      let due = Date().timeIntervalSince1970 + 3
      let packet = [UInt8](
        bundle: [[UInt8](address: "/mute", [.int32(1)])],
        at: TimeTag(unixMicroseconds: due * 1e6))
      phone.send(bytes: packet)
      server.kill()
      try phone.awaitServer("gone")
      try server.start(rate: 96_000)
      try waitUntil("it takes effect", every: 0.005) {
        phone.ask("/mute")?.arguments == [.int32(1)]
      }
      // Not before; a busy machine may answer later.
      #expect(Date().timeIntervalSince1970 > due - 0.01)
      #expect(node.end() == 0)
    }
  }
}
