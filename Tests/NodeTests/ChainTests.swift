import Control
import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// What the chain makes of the sound that goes through the node's ports.
  @Suite struct ChainTests {
    /// A tone at the server's own frame count, so that blocks that were lost don't tear it.
    private static func tone(_ hertz: Double) -> @Sendable (UInt32) -> Float {
      { frame in
        Float(0.3 * sin(2 * .pi * hertz * Double(frame % 4_800_000) / 48_000))
      }
    }

    /// A tone of eight partials.
    private static func rich(_ hertz: Double) -> @Sendable (UInt32) -> Float {
      { frame in
        let angle = 2 * .pi * hertz * Double(frame % 4_800_000) / 48_000
        var sum = 0.0
        for partial in 1...8 { sum += sin(Double(partial) * angle) / Double(partial) }
        return Float(0.2 * sum)
      }
    }

    /// Half a second of what the node says, or nil where the server lost blocks every time.
    private func take(_ probe: Probe) -> [Float]? {
      for _ in 0..<5 {
        usleep(200_000)
        let heard = probe.record { usleep(500_000) }
        if heard.gaps == 0 { return heard.samples }
      }
      return nil
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["live", "voice", "studio"])
    func `a tone comes out at the pitch that was asked for, and JACK knows how late`(
      engine: String
    ) throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server)
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name, plays: Self.rich(200))
      try probe.connect(to: "syrinx")
      #expect(probe.latency(of: "syrinx:out_1", isCapture: true)?.lowerBound == 0)
      phone.send("/pitch/engine", .string(engine))
      phone.send("/pitch/semitones", .float(12))
      #expect(phone.sync())
      usleep(900_000)
      if let heard = take(probe) {
        // 400 Hz come round after 120 frames. What keeps formants, or follows chords, costs a
        // single tone a little of its purity.
        #expect(Measure.aperiodicity(heard, period: 120) < (engine == "live" ? -50 : -25))
        #expect(Measure.aperiodicity(heard, period: 240) < (engine == "live" ? -50 : -25))
      }
      let delay = try #require(probe.latency(of: "syrinx:out_1", isCapture: true))
      #expect(delay.lowerBound == delay.upperBound)
      let most = ["live": 150, "voice": 27 * 48, "studio": 43 * 48 + 1][engine]!
      #expect((1...most).contains(delay.lowerBound))
      phone.send("/chain/bypass", .int32(1))
      usleep(900_000)
      #expect(probe.latency(of: "syrinx:out_1", isCapture: true)?.lowerBound == 0)
      if let heard = take(probe) {
        #expect(Measure.aperiodicity(heard, period: 240) < -100)
      }
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `echoes come after their time, to the frame, and a reset silences them`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server, ["--set", "/echo/time=0.1"])
      let phone = try Phone(port: node.port)
      // A click every second.
      let probe = try Probe(server: server.name) { $0 % 48_000 == 0 ? 0.5 : 0 }
      try probe.connect(to: "syrinx")
      phone.send("/echo/feedback", .float(0.5))
      phone.send("/echo/on", .int32(1))
      #expect(phone.sync())
      usleep(1_200_000)
      let heard = probe.record { usleep(1_500_000) }
      let places = heard.samples.indices.filter { abs(heard.samples[$0]) > 0.05 }
      let clicks = places.filter { (heard.start &+ UInt32($0)) % 48_000 == 0 }
      #expect(!clicks.isEmpty || heard.gaps > 0)
      for click in clicks where heard.gaps == 0 && click + 10_000 < heard.samples.count {
        #expect(places.contains(click + 4800) && places.contains(click + 9600))
      }
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `everything in the chain can be turned at once while it plays`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server)
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name, plays: Self.tone(180))
      try probe.connect(to: "syrinx")
      let addresses = AddressTable.node.addresses.filter {
        $0.belongsToPreset || $0.path == "/chain/bypass" || $0.path == "/metronome/bpm"
      }
      #expect(addresses.count > 20)
      var random = SystemRandomNumberGenerator()
      for round in 0..<40 {
        for address in addresses.shuffled(using: &random) {
          switch address.kind {
          case .choice(_, let words, _):
            phone.send(address.path, .string(words.randomElement()!))
          case .whole: phone.send(address.path, .int32(address.path == "/chain/bypass" ? 0 : 1))
          default:
            let (least, greatest) = address.range
            // Both ends, and all between.
            let value =
              round % 3 == 0
              ? least : round % 3 == 1 ? greatest : Float.random(in: least...greatest)
            phone.send(address.path, .float(value))
          }
        }
        if round % 10 == 9 { phone.send("/chain/reset") }
        usleep(30_000)
      }
      #expect(phone.sync())
      let heard = probe.record { usleep(300_000) }
      #expect(heard.samples.allSatisfy { $0.isFinite && abs($0) <= 1 })
      // Nothing was refused, and nothing was no number.
      #expect(phone.receiveAll(seconds: 0.2).allSatisfy { $0.address != "/error" })
      phone.send("/preset", .string("dry"))
      #expect(phone.sync())
      usleep(500_000)
      if let heard = take(probe) {
        #expect(Measure.residue(heard, hertz: 180, sampleRate: 48_000) < -100)
      }
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
