import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The player in the running node, as somebody with a phone and somebody with a pedal use it.
  @Suite struct PlayerTests {
    /// A tone that comes round after 120 frames, at the server's own frame count.
    private static let tone: @Sendable (UInt32) -> Float = { frame in
      Float(0.3 * sin(2 * .pi * 400 * Double(frame % 4_800_000) / 48_000))
    }

    private func words(_ received: Received?) -> [String] {
      received?.arguments.compactMap(\.text) ?? []
    }

    @Test(.timeLimit(.minutes(1)))
    func `it records, plays, adds and undoes, and tells what can be pressed`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server)
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name, plays: Self.tone)
      try probe.connect(to: "syrinx")
      phone.send("/live/route", .string("off"))
      phone.send("/loop/route", .string("direct"))
      #expect(words(phone.ask("/player/state")) == ["start", "standby"])
      let atFirst = try #require(phone.ask("/player/controls")).arguments
      #expect(atFirst[..<6].compactMap(\.number) == [1, 0, 0, 0, 0, 0])
      phone.send("/player/play")
      #expect(phone.receive("/error")?.arguments[1] == .string("state"))

      phone.send("/player/record")
      #expect(phone.sync())
      #expect(words(phone.ask("/player/state")) == ["recording", "record"])
      usleep(500_000)
      phone.send("/player/stop")
      phone.send("/player/play")
      #expect(phone.sync())
      let state = try #require(phone.ask("/player/state"))
      #expect(words(state) == ["playing", "standby"])
      let length = try #require(state.arguments[3].number)
      #expect((0.4...2).contains(length))
      let playing = try #require(phone.ask("/player/controls")).arguments
      #expect(playing[..<6].compactMap(\.number) == [0, 1, 1, 1, 1, 1])
      #expect(playing[7] == .string("pause"))

      // What is heard is the tone, though the input is not let through.
      usleep(300_000)
      let heard = probe.record { usleep(200_000) }
      #expect(Measure.peak(heard.samples) > 0.25)

      phone.send("/loop/overdub")
      usleep(100_000)
      phone.send("/loop/overdub")
      #expect(phone.sync())
      #expect(phone.ask("/player/state")?.arguments.last == .int32(1))
      phone.send("/loop/undo")
      #expect(phone.sync())
      #expect(phone.ask("/player/state")?.arguments.last == .int32(0))
      phone.send("/player/pause")
      #expect(phone.sync())
      #expect(words(phone.ask("/player/state")) == ["paused", "standby"])
      phone.send("/player/position", .float(0.125))
      #expect(phone.sync())
      let position = try #require(phone.ask("/player/position")?.arguments[0].number)
      #expect(abs(position - 0.125) < 1e-4)
      phone.send("/player/stop")
      #expect(phone.sync())
      usleep(50_000)
      #expect(Measure.peak(probe.record { usleep(50_000) }.samples) == 0)
      #expect(node.end() == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `tempo and bars of JACK's transport are followed`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server)
      let phone = try Phone(port: node.port)
      let master = try TransportMaster(
        server: server.name, beatsPerMinute: 90, beatsPerBar: 3)
      phone.send("/transport/follow", .int32(1))
      phone.send("/loop/quantize", .string("bar"))
      #expect(phone.sync())
      // The node looks for another tempo twenty times a second.
      usleep(300_000)
      #expect(phone.ask("/metronome/bpm")?.arguments == [.float(90)])
      phone.send("/player/record")
      #expect(phone.sync())
      let next = try #require(phone.ask("/player/next")).arguments
      let frame = master.frame
      let wait = try #require(next[1].number)
      // A bar is two seconds; asking took a few milliseconds.
      let expected = 2 - Double(frame % 96_000) / 48_000
      #expect(next[0] == .string("record"))
      #expect(abs(wait - expected) < 0.1 || abs(wait - expected) > 1.9, "\(wait), \(expected)")
      #expect(node.end() == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `at ten seconds a recording ends by itself, and subscribers are told`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server)
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name, plays: Self.tone)
      try probe.connect(to: "syrinx")
      phone.send("/subscribe", .string("/player/state"))
      _ = phone.receiveAll(seconds: 0.2)
      probe.setFreewheel(true)
      defer { probe.setFreewheel(false) }
      phone.send("/player/record")
      var told: [String] = []
      let end = Date() + 20
      while Date() < end {
        guard let received = phone.receive("/player/state") else { continue }
        told = words(received)
        if told == ["start", "standby"], received.arguments[3].number ?? 0 > 9 { break }
      }
      #expect(told == ["start", "standby"])
      let state = try #require(phone.ask("/player/state"))
      #expect(state.arguments[3] == .float(10))
    }
  }
}
