import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// Speech on its port, mostly by a program that plays a tone in place of espeak-ng.
  @Suite struct SpeechTests {
    private static let hertz = 441.0
    private static let rate = 22_050

    /// A folder with a program named espeak-ng, which logs its text and writes a tone.
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      let samples = (0..<Self.rate / 2).map {
        Int16(16_384 * sin(2 * .pi * Self.hertz * Double($0) / Double(Self.rate)))
      }
      let sound = Data(WaveFixture.stream(samples, rate: UInt32(Self.rate)))
      try sound.write(to: folder.url.appendingPathComponent("tone.wav"))
      let script = """
        #!/bin/sh
        for text; do :; done
        printf '%s\\n' "$*" >>"\(folder.path("arguments"))"
        printf '%s\\n' "$text" >>"\(folder.path("texts"))"
        cat "\(folder.path("tone.wav"))"
        """
      try Data(script.utf8).write(to: folder.url.appendingPathComponent("espeak-ng"))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.path("espeak-ng"))
    }

    private var environment: [String: String] { ["PATH": folder.path("") + ":/usr/bin:/bin"] }

    private var texts: [String] {
      ((try? String(contentsOfFile: folder.path("texts"), encoding: .utf8)) ?? "")
        .split(separator: "\n").map(String.init)
    }

    /// Waits until the node knows that its port is connected, by speaking.
    private func awaitConnection(_ phone: Phone) throws {
      try waitUntil("the node knows the connection") {
        phone.send("/speak/say", .string("ready"))
        return phone.receive("/error", seconds: 0.2) == nil
      }
    }

    private func awaitText(_ text: String) throws {
      try awaitText("“\(text)” is said") { $0 == text }
    }

    private func awaitText(_ what: String, _ isSo: (String) -> Bool) throws {
      do {
        try waitUntil(what) { texts.last.map(isSo) == true }
      } catch { throw Fault("\(error); said so far: \(texts)") }
    }

    @Test(.hangLimit) func `changes are announced on the speech port, and never in the mix`() throws
    {
      let (server, node, phone) = try startNode(block: 256, environment: environment)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "speech_1")
      try waitUntil("the node knows the connection") {
        phone.send("/ports")
        return phone.receive(untilOneOf: ["/ports/end"]).contains {
          $0.arguments.first?.text == "speech_1" && $0.arguments.count > 3
        }
      }
      phone.send("/speak/on", .int32(1))
      try awaitText("speech on")
      let heard = try probe.record(seconds: 0.3).samples
      let peak = heard.map(abs).max() ?? 0
      // Half of full scale, within the ripple of the resampler.
      #expect(abs(peak - 0.5) < 0.01, "\(peak)")
      let loud = heard.drop { abs($0) < 0.25 }.prefix(4800)
      let found = try #require(
        Measure.frequency(loud, near: Self.hertz, sampleRate: 48_000))
      // A tenth of a second determines the frequency to better than 0.5 Hz.
      #expect(abs(found - Self.hertz) < 0.5, "\(found) Hz")
      try probe.awaitBlock("the phrase is over") { $0.allSatisfy { $0 == 0 } }

      phone.send("/loop/1/record")
      try awaitText("loop 1 recording")
      try phone.pass(seconds: 0.3, "the clip has a length")
      phone.send("/loop/1/play")
      try awaitText("the loop plays") { $0.hasPrefix("loop 1 playing, 0.") }
      phone.send("/loop/1/overdub")
      try awaitText("loop 1 overdubbing")
      phone.send("/loop/1/overdub")
      try awaitText("loop 1 playing, 1 overdub")
      phone.send("/loop/1/undo")
      try awaitText("loop 1 undo, no overdubs")
      phone.send("/loop/1/redo")
      try awaitText("loop 1 redo, 1 overdub")
      phone.send("/loop/1/mute", .int32(1))
      try awaitText("loop 1 muted")
      phone.send("/loop/1/mute", .int32(0))
      try awaitText("loop 1 playing")
      phone.send("/loop/1/clear")
      try awaitText("loop 1 empty")
      phone.send("/loop/select", .int32(2))
      try awaitText("loop 2, empty")

      // In the mix it is silent: a phrase plays on its port only.
      #expect(probe.disconnect("syrinx:speech_1", "hearer:in"))
      try probe.hear("syrinx:out_1")
      try probe.connect("syrinx:speech_1", "system:playback_1")
      try waitUntil("the node knows the connections") {
        phone.send("/speak/say", .string("hello"))
        return phone.receive("/error", seconds: 0.2) == nil
      }
      try awaitText("hello")
      let mix = try probe.record(seconds: 0.2).samples
      #expect(mix.allSatisfy { $0 == 0 }, "\(mix.map(abs).max() ?? 0)")
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit) func `queries are answered, with the speed and the level that are set`()
      throws
    {
      let (server, node, phone) = try startNode(block: 256, environment: environment)
      phone.send("/speak/loop")
      let refused = try #require(phone.receive("/error"))
      #expect(refused.arguments[1].text == "state")
      #expect(
        refused.arguments[2].text == "nothing is connected to speech_1; connect it to headphones")
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "speech_1")
      phone.send("/speak/speed", .int32(300))
      phone.send("/speak/gain", .float(-20))
      try waitUntil("the node knows the connection") {
        phone.send("/speak/loop")
        return phone.receive("/error", seconds: 0.2) == nil
      }
      try awaitText("loop 1, empty")
      let arguments = try String(contentsOfFile: folder.path("arguments"), encoding: .utf8)
      #expect(arguments.contains("-s 300"))
      let peak = try probe.record(seconds: 0.2).samples.map(abs).max() ?? 0
      #expect(abs(peak - 0.05) < 0.001, "\(peak)")
      phone.send("/loop/1/record")
      try phone.pass(seconds: 0.2, "the clip has a length")
      phone.send("/loop/1/stop")
      #expect(phone.sync())
      phone.send("/speak/loops")
      try awaitText("the loop is told") { $0.hasPrefix("loop 1, stopped, 0.") }
      // Nothing was turned on, so nothing else was said.
      #expect(!texts.contains("loop 1 recording"))
      phone.send("/speak/scene")
      try awaitText("no scene")
      phone.send("/speak/take")
      try awaitText("capture off")
      phone.send("/speak/status")
      try awaitText("the status is told") { $0.hasPrefix("tempo 120. load ") }
      // A text that looks like an option is not parsed as one.
      phone.send("/speak/say", .string("--version"))
      try awaitText("--version")
      phone.send("/speak/say", .string(String(repeating: "a", count: 301)))
      #expect(
        phone.receive("/error")?.arguments.last?.text
          == "takes a text of up to 300 characters; got 301")
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `the return of the server is announced once the port is connected, and a saved loop`()
      throws
    {
      let (server, node, phone) = try startNode(block: 256, environment: environment)
      let first = try Probe(server: server.name)
      try first.connect(to: "syrinx", output: "speech_1")
      try awaitConnection(phone)
      phone.send("/speak/on", .int32(1))
      try awaitText("speech on")
      phone.send("/loop/1/record")
      try awaitText("loop 1 recording")
      try phone.pass(seconds: 0.3, "the clip has a length")
      phone.send("/loop/1/stop")
      try awaitText("the loop stops") { $0.hasPrefix("loop 1 stopped") }
      phone.send("/take/save", .string("Phrase"))
      try awaitText("the take is saved") { $0.hasPrefix("take saved, 0.") }
      first.close()
      server.kill()
      try waitUntil("the server is gone") {
        phone.ask("/status/server")?.arguments.first == .string("gone")
      }
      try server.start()
      try waitUntil("the server is back") {
        phone.ask("/status/server")?.arguments.first == .string("running")
      }
      // Nobody hears it yet.
      try phone.pass(seconds: 0.2, "the node has seen the server several times")
      #expect(texts.last != "sound server is back")
      let second = try Probe(server: server.name)
      try second.connect(to: "syrinx", output: "speech_1")
      try awaitText("sound server is back")
      second.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit) func `a pedal sends queries, and its refused presses are announced`() throws {
      let (server, node, phone) = try startNode(block: 256, environment: environment)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "speech_1")
      let pedal = try MIDIProbe(server: server.name)
      try pedal.connect(to: "syrinx", listening: false, phone: phone)
      phone.send("/midi/bind", .string("note:60"), .string("/speak/loop"))
      phone.send("/midi/bind", .string("note:61"), .string("/scene/next"))
      #expect(phone.sync())
      try awaitConnection(phone)
      pedal.play([0x90, 60, 100])
      pedal.play([0x80, 60, 0])
      try awaitText("loop 1, empty")
      phone.send("/speak/on", .int32(1))
      try awaitText("speech on")
      pedal.play([0x90, 61, 100])
      pedal.play([0x80, 61, 0])
      try awaitText("the refusal is told") { $0.contains("no scenes") }
      pedal.close()
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit) func `without espeak-ng, one error names the package to install`() throws {
      let (server, node, phone) = try startNode(
        block: 256, environment: ["PATH": folder.path("nothing")])
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "speech_1")
      phone.send("/speak/on", .int32(1))
      let error = try #require(phone.receive("/error"))
      #expect(
        error.arguments.compactMap(\.text) == [
          "/speak/on", "missing", "speech needs the program espeak-ng: apt install espeak-ng",
        ])
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit) func `espeak-ng itself is heard`() throws {
      let (server, node, phone) = try startNode(block: 64)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "speech_1")
      try awaitConnection(phone)
      phone.send("/speak/on", .int32(1))
      try probe.awaitBlock("something is said") { $0.contains { abs($0) > 0.05 } }
      try probe.awaitBlock("the phrase is over") { $0.allSatisfy { $0 == 0 } }
      var delays: [Double] = []
      for action in ["record", "play", "stop", "clear"] {
        try probe.pass(seconds: 2.5, "the last phrase is over, and the clip has a length")
        let start = HostTime.steady
        phone.send("/loop/1/\(action)")
        try probe.awaitBlock("something is said") { $0.contains { abs($0) > 0.01 } }
        delays.append((HostTime.steady - start) / 1e3)
      }
      print(
        "speech begins \(Int(delays.min() ?? 0)) to \(Int(delays.max() ?? 0)) ms after the message")
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
