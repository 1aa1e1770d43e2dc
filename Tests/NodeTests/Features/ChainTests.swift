import Control
import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The chain's effect on the sound at the node's ports.
  @Suite struct ChainTests {
    /// A tone from the server's frame count.
    private static func tone(_ hertz: Double) -> @Sendable (UInt32) -> Float {
      { frame in
        Float(0.3 * sin(2 * .pi * hertz * Double(frame % 4_800_000) / 48_000))
      }
    }

    /// A tone with eight partials.
    private static func rich(_ hertz: Double) -> @Sendable (UInt32) -> Float {
      { frame in
        let angle = 2 * .pi * hertz * Double(frame % 4_800_000) / 48_000
        var sum = 0.0
        for partial in 1...8 { sum += sin(Double(partial) * angle) / Double(partial) }
        return Float(0.2 * sum)
      }
    }

    @Test(.hangLimit, arguments: ["live", "voice", "studio"])
    func `a tone has the requested pitch, and JACK has the latency`(
      engine: String
    ) throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.rich(200))
      try probe.connect(to: "syrinx")
      #expect(probe.latency(of: "syrinx:out_1", isCapture: true)?.lowerBound == 0)
      phone.send("/pitch/engine", .string(engine))
      phone.send("/pitch/semitones", .float(12))
      #expect(phone.sync())
      try waitUntil("the chain reports its latency") {
        probe.latency(of: "syrinx:out_1", isCapture: true)?.lowerBound ?? 0 > 0
      }
      try probe.pass(seconds: 0.5, "the sound from before the pitch change fades out")
      let heard = try probe.unbroken(seconds: 0.5)
      // 400 Hz has a period of 120 frames. The shifters that preserve formants or follow chords
      // cost a single tone some of its purity.
      #expect(Measure.aperiodicity(heard, period: 120) < (engine == "live" ? -50 : -25))
      #expect(Measure.aperiodicity(heard, period: 240) < (engine == "live" ? -50 : -25))
      let delay = try #require(probe.latency(of: "syrinx:out_1", isCapture: true))
      #expect(delay.lowerBound == delay.upperBound)
      let most = ["live": 150, "voice": 27 * 48, "studio": 43 * 48 + 1][engine]!
      #expect((1...most).contains(delay.lowerBound))
      phone.send("/chain/bypass", .int32(1))
      try waitUntil("no latency is reported any more") {
        probe.latency(of: "syrinx:out_1", isCapture: true)?.lowerBound == 0
      }
      try probe.pass(seconds: 0.5, "the chain's tail decays")
      let after = try probe.unbroken(seconds: 0.5)
      #expect(Measure.aperiodicity(after, period: 240) < -100)
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `echoes have their delay to the frame`() throws {
      let (server, node, phone) = try startNode(["--set", "/echo/time=0.1"])
      // A click three times a second.
      let probe = try Probe(server: server.name) { $0 % 16_000 == 0 ? 0.5 : 0 }
      try probe.connect(to: "syrinx")
      phone.send("/echo/feedback", .float(0.5))
      phone.send("/echo/on", .int32(1))
      #expect(phone.sync())
      let heard = try probe.record(seconds: 1.5)
      // The first echo peaks at 0.14, the second, duller one at 0.046, two frames later.
      let places = heard.samples.indices.filter { abs(heard.samples[$0]) > 0.02 }
      let isHeard = places.contains { click in
        let first = places.first { $0 > click + 100 }
        let second = places.first { $0 > click + 5000 }
        return (heard.start &+ UInt32(click)) % 16_000 == 0 && first == click + 4800
          && (9600...9602).contains((second ?? 0) - click)
      }
      #expect(isHeard)
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `everything in the chain can change at once while it plays`() throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.tone(180))
      try probe.connect(to: "syrinx")
      let addresses = AddressTable.node.addresses.filter {
        $0.belongsToPreset || $0.path == "/chain/bypass" || $0.path == "/metronome/bpm"
      }
      #expect(addresses.count > 20)
      var random = SystemRandomNumberGenerator()
      for round in 0..<40 {
        for address in addresses.shuffled(using: &random) {
          if let words = address.words {
            phone.send(address.path, .string(words.randomElement()!))
          } else if address.types == "i" {
            phone.send(address.path, .int32(address.path == "/chain/bypass" ? 0 : 1))
          } else {
            let (least, greatest) = address.range
            // Both ends, and everything between.
            let value =
              round % 3 == 0
              ? least : round % 3 == 1 ? greatest : Float.random(in: least...greatest)
            phone.send(address.path, .float(value))
          }
        }
        if round % 10 == 9 { phone.send("/chain/reset") }
        try probe.pass(seconds: 0.03, "it plays with these values")
      }
      #expect(phone.sync())
      let heard = try probe.record(seconds: 0.3)
      #expect(heard.samples.allSatisfy { $0.isFinite && abs($0) <= 1 })
      // Nothing was refused, and nothing was NaN.
      #expect(phone.receiveAll(seconds: 0.2).allSatisfy { $0.address != "/error" })
      phone.send("/preset", .string("dry"))
      #expect(phone.sync())
      try probe.pass(seconds: 0.5, "the chain's tail decays")
      let dry = try probe.unbroken(seconds: 0.5)
      #expect(Measure.residue(dry, hertz: 180, sampleRate: 48_000) < -100)
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
