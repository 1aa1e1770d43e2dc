import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The player of the running node, used by a phone and a pedal.
  @Suite struct PlayerTests {
    /// A tone with a period of 120 frames, from the server's frame count.
    private static let tone: @Sendable (UInt32) -> Float = { frame in
      Float(0.3 * sin(2 * .pi * 400 * Double(frame % 4_800_000) / 48_000))
    }

    private func words(_ received: Received?) -> [String] {
      received?.arguments.compactMap(\.text) ?? []
    }

    @Test(.hangLimit)
    func `it records, plays, overdubs and undoes, and reports the available buttons`() throws {
      let (server, node, phone) = try startNode()
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
      try phone.awaitLength(0.5)
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

      // The output is the tone, although the input is not passed through.
      try probe.awaitBlock("the tone starts") { Measure.peak($0) > 0.1 }
      let heard = try probe.record(seconds: 0.2)
      #expect(Measure.peak(heard.samples) > 0.25)

      phone.send("/loop/overdub")
      try probe.pass(seconds: 0.1, "the overdub's length")
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
      try probe.awaitBlock("the output has faded out") { Measure.peak($0) == 0 }
      #expect(Measure.peak(try probe.record(seconds: 0.05).samples) == 0)
      #expect(node.end() == 0)
    }

    /// Noise with a known value for each frame.
    private static let noise: @Sendable (UInt32) -> Float = { frame in
      var bits = frame &* 0x9E37_79B9
      bits ^= bits >> 15
      bits = bits &* 0x85EB_CA6B
      bits ^= bits >> 13
      return Float(Int32(bitPattern: bits)) / Float(1 << 33)
    }

    @Test(.hangLimit)
    func `in freewheel it punches in and out on the sample of a time tag`() throws {
      let (server, node, phone) = try startNode(block: 1024)
      let probe = try Probe(server: server.name, plays: Self.noise)
      try probe.connect(to: "syrinx")
      phone.send("/live/route", .string("off"))
      phone.send("/loop/route", .string("direct"))
      #expect(phone.sync())
      try probe.pass(seconds: 0.5, "the smoothed clock settles")
      let ear = Ear()
      probe.listen(ear.hear)
      probe.setFreewheel(true)
      try phone.awaitFreewheel()
      ear.turnstile.hold()
      let clock = try #require(phone.ask("/clock")).arguments
      guard case .int64(let frame0) = clock[0], case .timeTag(let time0) = clock[1] else {
        Issue.record("\(clock)")
        return
      }
      func at(_ frame: Int64, _ addresses: String...) {
        let time = TimeTag(
          unixMicroseconds: time0.unixMicroseconds + Double(frame - frame0) / 48_000 * 1e6)
        phone.send(
          bytes: [UInt8](bundle: addresses.map { [UInt8](address: $0, []) }, at: time))
      }
      let length: Int64 = 30_011
      let start = ear.turnstile.heard + 20_003
      let play = start + length
      // In the second cycle, and out again.
      let (punchIn, punchOut) = (play + length + 7001, play + length + 19_013)
      at(start, "/player/record")
      at(play, "/player/stop", "/player/play")
      at(punchIn, "/loop/overdub")
      at(punchOut, "/loop/overdub")
      _ = try #require(phone.ask("/status/rate"))
      ear.turnstile.open(until: .max)
      ear.turnstile.awaitHeard(play + 3 * length)
      probe.setFreewheel(false)
      probe.listen(nil)
      func played(_ frame: Int64) -> Float { Self.noise(UInt32(truncatingIfNeeded: frame)) }
      // Silent before the punch-in; after a millisecond complete, bit for bit.
      #expect((play - 1000..<play).allSatisfy { ear[$0] == 0 })
      #expect((48..<length).allSatisfy { ear[play + $0] == played(start + $0) })
      // In the third cycle: after the crossfade, and after the fades of the overdub.
      let third = play + 2 * length
      func loop(_ place: Int64) -> Float { played(start + place) }
      #expect((240..<7001).allSatisfy { ear[third + $0] == loop($0) })
      #expect(
        (7001 + 240..<19_013).allSatisfy {
          ear[third + $0] == loop($0) + played(play + length + $0)
        })
      #expect((19_013 + 240..<length).allSatisfy { ear[third + $0] == loop($0) })
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `it follows the tempo and bars of JACK's transport`() throws {
      let (server, node, phone) = try startNode()
      let master = try TransportMaster(
        server: server.name, beatsPerMinute: 90, beatsPerBar: 3)
      phone.send("/transport/follow", .int32(1))
      phone.send("/loop/quantize", .string("bar"))
      phone.send("/loop/lateness", .float(0))
      let eye = try Phone(port: node.port)
      eye.send("/subscribe", .string("/metronome/beat"))
      #expect(phone.sync())
      // The node checks the tempo twenty times per second.
      try phone.awaitValue(of: "/metronome/bpm", .float(90))
      // A value set by a client is overwritten.
      phone.send("/metronome/bpm", .float(200))
      #expect(phone.sync())
      try phone.awaitValue(of: "/metronome/bpm", .float(90))
      phone.send("/player/record")
      #expect(phone.sync())
      let before = master.frame
      let next = try #require(phone.ask("/player/next")).arguments
      let after = master.frame
      #expect(next[0] == .string("record"))
      // A bar is two seconds, and the change is queued for the end of one, within the few blocks by
      // which the clients differ.
      let wait = try #require(next[1].number) * 48_000
      let rest = (Double(after) + wait).truncatingRemainder(dividingBy: 96_000)
      let late = min(rest, 96_000 - rest)
      #expect(late <= Double(after - before) + 512, "\(wait), \(before), \(after)")
      // Four of the transport's bars in a row: earlier ones may be the node's own.
      var beats: [[Argument]] = []
      try waitUntil("the transport's beats are reported in sequence") {
        if let beat = eye.receive("/metronome/beat") { beats.append(beat.arguments) }
        let numbers = beats.suffix(4).compactMap(\.first?.number)
        return beats.suffix(4).allSatisfy { $0.last == .int32(3) } && numbers.count == 4
          && zip(numbers, numbers.dropFirst()).allSatisfy {
            $1 == $0.truncatingRemainder(dividingBy: 3) + 1
          }
      }
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a recording ends by itself at ten seconds, and subscribers are notified`() throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.tone)
      try probe.connect(to: "syrinx")
      phone.send("/subscribe", .string("/player/state"))
      #expect(phone.receive("/player/state") != nil)
      probe.setFreewheel(true)
      defer { probe.setFreewheel(false) }
      phone.send("/player/record")
      try waitUntil("the end of the recording is reported") {
        let received = phone.receive("/player/state")
        return words(received) == ["start", "standby"]
          && received?.arguments[3].number ?? 0 > 9
      }
      let state = try #require(phone.ask("/player/state"))
      #expect(state.arguments[3] == .float(10))
      #expect(node.isRunning)
    }
  }
}
