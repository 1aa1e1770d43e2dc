import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// Songs of the running node: from a folder to the output.
  @Suite struct SongTests {
    /// A running node with its environment.
    private struct Stage {
      let server: JackServer
      let node: NodeProcess
      let phone: Phone
      let probe: Probe
      let music: String

      init(_ arguments: [String] = []) throws {
        (server, node, phone) = try startNode(arguments)
        probe = try Probe(server: server.name)
        try probe.connect(to: "syrinx")
        music = node.folder.appendingPathComponent("home/music").path
        try FileManager.default.createDirectory(
          atPath: music, withIntermediateDirectories: true)
      }

      /// Writes a song of one tone, or of a tone with overtones.
      func write(
        _ name: String, hertz: Double = 441, seconds: Double = 2, rate: Int = 44_100,
        overtones: Int = 0
      ) throws {
        let frames = Int(seconds * Double(rate))
        var samples = [Float](repeating: 0, count: frames)
        for partial in 1...1 + overtones {
          let tone = Tone.sine(
            hertz * Double(partial), amplitude: 0.3 / Float(partial), frames: frames,
            sampleRate: Double(rate))
          for frame in samples.indices { samples[frame] += tone[frame] }
        }
        try SoundFixture.write("\(music)/\(name)", left: samples, rate: rate)
      }

      func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(music)/\(name)"))
      }

      func put(_ data: Data, _ name: String) throws {
        try data.write(to: URL(fileURLWithPath: "\(music)/\(name)"))
      }

      /// Sends a request and waits for its /reply; nil if another reply comes.
      func done(_ address: String, _ arguments: Argument...) -> String? {
        phone.send(bytes: [UInt8](address: address, arguments))
        while let received = phone.receive() {
          guard ["/reply", "/error"].contains(received.address) else { continue }
          guard received.address == "/reply", received.arguments[0] == .string(address) else {
            return nil
          }
          return received.arguments[1].text
        }
        return nil
      }

      /// Sends a request and waits for its /error.
      func refusal(_ address: String, _ arguments: Argument...) -> (code: String, line: String)? {
        phone.send(bytes: [UInt8](address: address, arguments))
        return refusal(of: address)
      }

      func refusal(of address: String) -> (code: String, line: String)? {
        guard let error = phone.receive("/error"),
          error.arguments[0] == .string(address), let code = error.arguments[1].text,
          let line = error.arguments[2].text
        else { return nil }
        return (code, line)
      }

      /// The state as a word, and the number of the song.
      var state: (word: String, number: Int) {
        guard let state = phone.ask("/music/state")?.arguments else { return ("no reply", -1) }
        return (state[0].text ?? "", Int(state[1].number ?? -1))
      }

      func awaitState(_ word: String, file: String = #fileID, line: Int = #line) throws {
        try waitUntil("the music is \(word)", every: 0.02, file: file, line: line) {
          state.word == word
        }
      }

      /// A fraction of a second of the output.
      func take() throws -> [Float] { try probe.unbroken(seconds: 0.15) }
    }

    // The purity of a tone after a codec, in dB.
    @Test(
      .hangLimit,
      arguments: [("wav", -90.0), ("flac", -90), ("ogg", -40), ("mp3", -40), ("opus", -30)])
    func `a song of any format and rate has its pitch, level and length`(
      ending: String, purity: Double
    ) throws {
      let stage = try Stage()
      try stage.write("song.\(ending)", seconds: 2, rate: ending == "opus" ? 48_000 : 44_100)
      #expect(stage.phone.ask("/music") == Received("/music", [.string("song")]))
      let heard = try stage.probe.record {
        #expect(stage.done("/music/play", .int32(1)) == "song")
        try stage.awaitState("stopped")
      }
      let first = heard.samples.firstIndex { abs($0) > 0.05 } ?? 0
      let last = heard.samples.lastIndex { abs($0) > 0.05 } ?? 0
      // Block codecs pad their last block.
      #expect(heard.gaps == 0)
      #expect(abs(Double(last - first) / 48_000 - 2) < 0.06)
      let middle = heard.samples[(first + 9600)..<(last - 9600)]
      #expect(Measure.residue(middle, hertz: 441, sampleRate: 48_000) < purity)
      #expect(abs(Measure.level(middle) - 0.3 / 2.0.squareRoot()) < 0.01)
      #expect(stage.node.end() == 0)
    }

    @Test(.hangLimit)
    func `next and previous step through the folder, and report its ends`()
      throws
    {
      let stage = try Stage()
      for (index, hertz) in [300.0, 400, 600].enumerated() {
        try stage.write("\(index + 1).flac", hertz: hertz, seconds: 20)
      }
      #expect(stage.done("/music/play") == "1")
      #expect(
        (stage.refusal("/music/previous") ?? ("", "")) == (
          "state", "/music/previous: already at the first song"
        ))
      #expect(stage.state == ("playing", 1))
      for (address, title, hertz) in [
        ("/music/next", "2", 400.0), ("/music/next", "3", 600), ("/music/previous", "2", 400),
        ("/music/next", "3", 600),
      ] {
        #expect(stage.done(address) == title)
        try stage.probe.pass(seconds: 0.2, "the previous song fades out")
        let heard = try stage.take()
        #expect(Measure.residue(heard, hertz: hertz, sampleRate: 48_000) < -90)
      }
      #expect(
        (stage.refusal("/music/next") ?? ("", "")) == (
          "state", "/music/next: already at the last song"
        ))
      #expect(stage.state == ("playing", 3))
      #expect(stage.refusal("/music/play", .int32(4))?.code == "range")
      stage.phone.send("/music/stop")
      try stage.awaitState("stopped")
      try stage.probe.awaitBlock("the song has faded out") { Measure.peak($0) == 0 }
      #expect(Measure.peak(try stage.probe.record(seconds: 0.05).samples) == 0)
      #expect(stage.refusal("/music/stop")?.code == "state")
      #expect(stage.done("/music/play") == "3")
      #expect(stage.node.end() == 0)
    }

    @Test(.hangLimit, arguments: ["live", "voice", "studio"])
    func `on the route chain, the chain's pitch and rate apply independently`(engine: String)
      throws
    {
      let stage = try Stage()
      // Preserving formants requires some.
      let overtones = engine == "voice" ? 7 : 0
      try stage.write("a.wav", hertz: 200, seconds: 20, overtones: overtones)
      #expect(stage.done("/music/play") == "a")
      stage.phone.send("/pitch/engine", .string(engine))
      stage.phone.send("/pitch/semitones", .float(12))
      stage.phone.send("/stretch/rate", .float(0.5))
      #expect(stage.phone.sync())
      try stage.probe.pass(seconds: 0.6, "the sound from before the change fades out")
      let frames = stage.phone.ask("/clock")?.arguments[0].number ?? 0
      let before = stage.phone.ask("/music/state")?.arguments[4].number ?? 0
      let heard = try stage.take()
      // 400 Hz has a period of 120 frames. An octave up at half the speed, the shifters that
      // preserve formants or follow chords cost a single tone some of its purity; unchanged, it
      // is at -3 or above.
      #expect(Measure.aperiodicity(heard, period: 120) < (engine == "live" ? -45 : -15))
      try stage.probe.pass(seconds: 1, "the song plays on, at half its speed")
      let after = stage.phone.ask("/music/state")?.arguments[4].number ?? 0
      let passed = ((stage.phone.ask("/clock")?.arguments[0].number ?? 0) - frames) / 48_000
      #expect(after > before && after - before < passed * 0.5 + 0.7)
      stage.phone.send("/music/route", .string("direct"))
      #expect(stage.phone.sync())
      try stage.probe.pass(seconds: 0.3, "the chain's tail decays")
      let direct = try stage.take()
      #expect(Measure.aperiodicity(direct, period: 240) < -90)
      #expect(Measure.aperiodicity(direct, period: 120) > -3)
      #expect(stage.node.end() == 0)
    }

    @Test(.hangLimit)
    func `a deleted song plays to its end, and its replacement is skipped`() throws {
      let stage = try Stage()
      // Longer than the read-ahead.
      try stage.write("a.wav", seconds: 13)
      try stage.write("b.wav", seconds: 13)
      try stage.write("c.wav", hertz: 600, seconds: 4)
      #expect(stage.done("/music/play") == "a")
      unlink("\(stage.music)/a.wav")
      unlink("\(stage.music)/b.wav")
      mkfifo("\(stage.music)/b.wav", 0o600)
      try stage.probe.pass(seconds: 0.3, "the deleted file is read further")
      let heard = try stage.take()
      #expect(Measure.residue(heard, hertz: 441, sampleRate: 48_000) < -90)
      stage.phone.send("/stretch/rate", .float(4))
      #expect(stage.refusal(of: "/music/play")?.code == "type")
      // The playing song is no longer in the list; the others are renumbered.
      #expect(stage.phone.ask("/music") == Received("/music", [.string("c")]))
      #expect(stage.state == ("playing", 1))
      #expect(
        (stage.refusal("/music/next") ?? ("", "")) == (
          "state", "/music/next: already at the last song"
        ))
      try stage.awaitState("stopped")
      #expect(stage.node.end() == 0)
    }

    /// A WAV file's bytes, with replaced bytes after a name in its header.
    private static func patched(
      _ data: Data, behind name: String, at offset: Int, _ bytes: [UInt8]
    ) -> Data {
      var data = data
      let place = data.range(of: Data(name.utf8))!.upperBound + offset
      data.replaceSubrange(place..<place + bytes.count, with: bytes)
      return data
    }

    @Test(.hangLimit)
    func `invalid or broken files are reported once, and the next song plays`() throws {
      let stage = try Stage()
      try stage.write("a.wav", seconds: 1)
      try stage.write("b.flac", seconds: 1)
      try stage.write("c.mp3", seconds: 1)
      let (wav, flac, mp3) = (
        try stage.bytes("a.wav"), try stage.bytes("b.flac"), try stage.bytes("c.mp3")
      )
      // A header with four times the length; truncated; at one hertz; with one channel too many for
      // its frame count.
      try stage.put(
        Self.patched(wav, behind: "data", at: 0, [0, 0xE0, 0x0F, 0]), "a.wav")
      try stage.put(flac.prefix(flac.count / 2), "b.flac")
      try stage.put(mp3.prefix(mp3.count / 2), "c.mp3")
      try stage.put(Self.patched(wav, behind: "fmt ", at: 8, [1, 0, 0, 0]), "d.wav")
      try stage.put(Self.patched(wav, behind: "fmt ", at: 6, [0xFF, 0xFF]), "e.wav")
      try stage.put(wav.prefix(20), "f.wav")
      // NaN, and far too loud.
      let fine = [Float.nan, .infinity, 1e30, -1e30, 0.1]
      try SoundFixture.write(
        "\(stage.music)/g.wav", [(0..<48_000).map { fine[$0 % 5] }], rate: 48_000)
      try stage.write("h.wav", hertz: 300, seconds: 1)
      #expect(stage.phone.ask("/music")?.arguments.contains(.string("h")) == true)
      var told: [String] = []
      var heard: [Float] = []
      // Waiting for a reply discards other messages: another client receives the errors.
      let listener = try Phone(port: stage.node.port)
      listener.send("/subscribe", .string("/error"))
      #expect(listener.sync())
      heard +=
        try stage.probe.record {
          #expect(stage.done("/music/play") == "a")
          // One error for each unplayable file, and the end of the last song.
          try waitUntil("all songs have ended") {
            for received in listener.receiveAll(seconds: 0.1) where received.address == "/error" {
              told.append(received.arguments[2].text ?? "")
            }
            return stage.state.word == "stopped"
          }
        }.samples
      #expect(heard.allSatisfy { $0.isFinite && abs($0) <= 1 })
      #expect(stage.state == ("stopped", stage.phone.ask("/music")?.arguments.count ?? 0))
      for name in ["a.wav", "b.flac", "d.wav"] {
        #expect(told.filter { $0.contains(name) }.count == 1, "\(name)")
      }
      // The last one plays unchanged, in the best of ten parts.
      let last = heard.lastIndex { $0 != 0 } ?? 0
      let residues = stride(from: last - 30_000, to: last - 10_000, by: 2000).map {
        Measure.residue(heard[$0..<$0 + 2000], hertz: 300, sampleRate: 48_000)
      }
      #expect(residues.min()! < -80)
      #expect(stage.node.end() == 0)
    }

    @Test(.hangLimit)
    func `after a server restart at another rate the song continues`() throws {
      let stage = try Stage()
      // Longer than the restart: without a server, the song advances by the host's clock.
      try stage.write("a.flac", hertz: 300, seconds: 180)
      #expect(stage.done("/music/play") == "a")
      try stage.probe.pass(seconds: 0.5, "a part of the song plays")
      let before = stage.phone.ask("/music/state")?.arguments[4].number ?? 0
      let left = HostTime.steady
      stage.probe.close()
      stage.server.stop()
      try stage.phone.awaitServer("gone")
      try stage.server.start(rate: 96_000)
      try stage.phone.awaitServer("running")
      #expect(stage.phone.ask("/status/rate")?.arguments == [.int32(96_000)])
      let probe = try Probe(server: stage.server.name)
      try probe.connect(to: "syrinx")
      #expect(stage.state == ("playing", 1))
      try probe.awaitBlock("the song plays") { Measure.peak($0) > 0.1 }
      try probe.pass(seconds: 0.2, "it fades in")
      let heard = try probe.record(seconds: 0.2)
      #expect(heard.gaps == 0)
      #expect(Measure.residue(heard.samples, hertz: 300, sampleRate: 96_000) < -90)
      let position = stage.phone.ask("/music/state")?.arguments[4].number ?? 0
      let passed = (HostTime.steady - left) / 1e6
      #expect(position > before && position < before + passed + 1, "\(before), \(position)")
      probe.close()
      #expect(stage.node.end() == 0)
    }

    @Test(.hangLimit)
    func `folders come from the options, and the command line waits for the result`() throws {
      let elsewhere = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: elsewhere.path("Rock"), withIntermediateDirectories: true)
      try SoundFixture.write(elsewhere.path("Rock/b.wav"), [Tone.sine(300, frames: 480)])
      let stage = try Stage(["--music", elsewhere.path("Rock")])
      try stage.write("a.wav")
      func send(_ words: String...) throws -> String {
        let result = try NodeProcess.run(
          ["send", "--to", "127.0.0.1:\(stage.node.port)"] + words)
        return result.output + result.errors + "\(result.code)"
      }
      #expect(try send("/music/folder") == "/music/folder Rock\n0")
      #expect(try send("/music") == "/music b\n0")
      #expect(try send("/music/folder", "music") == "/reply /music/folder music\n0")
      #expect(try send("/music") == "/music a\n0")
      #expect(try send("/music/play") == "/reply /music/play a\n0")
      #expect(try send("/music/folder", "../..").hasSuffix("77"))
      #expect(try send("/music/folder", "nowhere").hasSuffix("66"))
      #expect(
        try NodeProcess.run(["run", "--music", "/x/a", "--music", "/y/a"]).code == 64)
      #expect(stage.node.end() == 0)
    }
  }
}
