import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// `syrinx calibrate` with a stand-in card, and the node that uses its result.
  @Suite struct CalibrateTests {
    private static let delay = 1009
    private static let reported: StandInCard.Reported = (200, 150)

    private func calibrate(_ server: JackServer, _ arguments: String...) throws -> (
      code: Int32, output: String, errors: String
    ) {
      try NodeProcess.run(
        [
          "calibrate", "--server", server.name, "--out", StandInCard.playback, "--in",
          StandInCard.capture,
        ] + arguments)
    }

    /// The number after a word at the start of a line.
    private func figure(_ word: String, in text: String) -> Double? {
      let line = text.split(separator: "\n").first { $0.hasPrefix(word) }
      return line?.dropFirst(word.count).split(separator: " ").first.flatMap { Double($0) }
    }

    @Test(.hangLimit)
    func `a cable and a room with noise are measured, and what JACK reports is subtracted`() throws
    {
      let server = try JackServer()
      let home = try TemporaryFolder()
      // JACK opens the loop of two clients with a delay of one buffer.
      let wanted = Double(Self.delay + 64 - 350)
      var card: StandInCard? = try StandInCard(
        server: server.name, echoes: [(Self.delay, 0.5)], reported: Self.reported)
      let cable = try calibrate(server, "--home", home.url.path, "--to", "127.0.0.1:9")
      #expect(cable.code == 0, "\(cable)")
      let found = try #require(figure("difference", in: cable.output))
      #expect(abs(found - wanted) < 0.05, "\(cable.output)")
      #expect(figure("JACK reports", in: cable.output) == 350)
      #expect(cable.output.contains("confidence    high"))
      #expect(cable.output.contains("node          not set at 127.0.0.1:9"))
      card?.close()
      card = nil

      let room = try StandInCard(
        server: server.name,
        echoes: [(Self.delay, 0.2), (Self.delay + 70, 0.3), (Self.delay + 411, 0.15)], noise: 0.02,
        reported: Self.reported)
      let air = try calibrate(server, "--home", home.url.path, "--to", "127.0.0.1:9")
      #expect(air.code == 0, "\(air)")
      let error = try #require(figure("difference", in: air.output)) - wanted
      #expect(abs(error) < 0.2 * 48, "\(air.output)")
      #expect(air.output.contains("with reflections"))
      room.close()
    }

    @Test(.hangLimit)
    func `silence, noise and unknown ports are refused with one line`() throws {
      let server = try JackServer()
      let home = try TemporaryFolder()
      let card = try StandInCard(server: server.name, echoes: [])
      let silent = try calibrate(server, "--home", home.url.path)
      #expect(silent.code == 65 && silent.output.isEmpty)
      #expect(silent.errors.contains("no signal"))
      let wrong = try NodeProcess.run(["calibrate", "--server", server.name, "--in", "card:none"])
      #expect(wrong.code == 66)
      #expect(wrong.errors.contains("no capture port card:none; there are"))
      #expect(wrong.errors.contains(StandInCard.capture))
      #expect(!FileManager.default.fileExists(atPath: home.path("latency")))
      card.close()
    }

    /// An impulse each fifth of a second.
    private static let impulses: @Sendable (UInt32) -> Float = { $0 % 9600 == 0 ? 0.2 : 0 }

    /// The places in a loop at which there is an impulse.
    private func places(_ probe: Probe, length: Int) throws -> Set<Int> {
      let heard = try probe.record(frames: length + 4800)
      #expect(heard.gaps == 0)
      return Set(
        heard.samples.indices.filter { abs(heard.samples[$0]) > 0.02 }
          .map { (Int(heard.start) + $0) % length })
    }

    @Test(.hangLimit)
    func `an overdub of what the card plays lands on the frame after a calibration`() throws {
      let (server, node, phone) = try startNode()
      let card = try StandInCard(
        server: server.name, echoes: [(Self.delay, 0.5)], reported: Self.reported)
      let probe = try Probe(server: server.name, plays: Self.impulses)
      let measured = try calibrate(
        server, "--home", node.home, "--to", "127.0.0.1:\(node.port)")
      #expect(measured.code == 0, "\(measured)")
      #expect(measured.output.contains("/latency/extra is set"))
      let extra = try #require(phone.ask("/latency/extra")?.arguments.first?.number)
      #expect(abs(Double(extra) - Double(Self.delay + 64 - 350)) < 0.05)

      try probe.connect(to: "syrinx")
      phone.send("/live/route", .string("off"))
      phone.send("/loop/route", .string("direct"))
      phone.send("/player/record")
      #expect(phone.sync())
      try phone.awaitLength(0.5)
      phone.send("/player/stop")
      phone.send("/player/play")
      #expect(phone.sync())
      let state = try #require(phone.ask("/player/state")?.arguments)
      let length = Int((Double(try #require(state[3].number)) * 48_000).rounded())
      #expect(probe.disconnect("player:left", "syrinx:in_1"))
      #expect(probe.disconnect("player:right", "syrinx:in_2"))
      try card.connect(to: "syrinx")
      let before = try places(probe, length: length)
      #expect(!before.isEmpty)

      phone.send("/loop/overdub")
      #expect(phone.sync())
      try probe.pass(seconds: 1.5, "the overdub's length")
      phone.send("/loop/overdub")
      #expect(phone.sync())
      try probe.pass(seconds: 0.2, "the latency of the overdub")
      #expect(phone.ask("/player/state")?.arguments.last == .int32(1))
      #expect(try places(probe, length: length) == before)

      // Without the measurement, the same overdub is late.
      phone.send("/latency/extra", .float(0))
      phone.send("/loop/overdub")
      #expect(phone.sync())
      try probe.pass(seconds: 1.5, "the overdub's length")
      phone.send("/loop/overdub")
      #expect(phone.sync())
      try probe.pass(seconds: 0.2, "the latency of the overdub")
      #expect(try !places(probe, length: length).isSubset(of: before))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a node uses the measurement of its card, and measures a loopback cable again`() throws {
      let server = try JackServer()
      let home = try TemporaryFolder()
      let first = try StandInCard(
        server: server.name, echoes: [(Self.delay, 0.5)], reported: Self.reported)
      let measured = try calibrate(
        server, "--home", home.url.path, "--loopback", "--to", "127.0.0.1:9")
      #expect(measured.code == 0, "\(measured)")
      first.close()

      // The card came up in another state.
      let card = try StandInCard(
        server: server.name, echoes: [(Self.delay + 400, 0.5)], reported: Self.reported)
      // Otherwise the node would send the sweeps around again.
      let (node, phone) = try startNode(
        on: server, ["--set", "/live/route=off"], home: home.url.path)
      #expect(phone.ask("/latency/extra")?.arguments.first?.number == 0)
      try card.connect(to: "syrinx")
      func awaitExtra(_ frames: Int, _ what: String) throws {
        try waitUntil(what, seconds: 60, every: 0.02) {
          let extra = Double(phone.ask("/latency/extra")?.arguments.first?.number ?? 0)
          return abs(extra - Double(frames + 64 - 350)) < 0.5
        }
      }
      try awaitExtra(Self.delay, "the stored measurement is used")
      try awaitExtra(Self.delay + 400, "the cable was measured again")
      #expect(node.end() == 0)
    }
  }
}
