import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The play page: a recording of the microphone or the piano, and its voices, on a new node and a new phone.
  @Suite struct PageVoicesTests {
    private static let sizes = Browser.Size.ofStories
    private static let name = "kid"
    private static let rate = 48_000.0
    // No recording ends by itself, however slow the machine is.
    private static let arguments = ["--name", name, "--loop-seconds", "120"]
    private static let environment = ["SYRINX_SOUNDFONTS": "none"]

    /// A player on the page of a new node: what is touched, how often, and what is heard.
    private final class Kid {
      let phone: Phone
      let browser: Browser
      let probe: Probe
      private(set) var touches = 0
      private let port: UInt16
      private let hertz = Guarded(400.0)

      init(_ node: NodeProcess, _ phone: Phone, _ stage: PageStage) throws {
        self.phone = phone
        port = node.port
        browser = stage.browser
        // Whole periods fit into a second at each frequency: a change is a corner at most.
        probe = try Probe(server: stage.server.name) { [hertz] frame in
          Float(0.3 * sin(2 * .pi * hertz.withLock { $0 } * Double(frame % 48_000) / rate))
        }
        try probe.connect(to: name)
        // Another node may have had the same port: a new phone has no page that was used last.
        let address = try #require(node.ready["web"])
        try browser.open(address)
        try browser.run("localStorage.clear()")
        try browser.open(address)
        try browser.await("document.body.dataset.link === 'open'")
        try browser.await("document.querySelectorAll('.drawing').length === 6")
      }

      /// Speaks at another frequency.
      func speak(_ hertz: Double) { self.hertz.withLock { $0 = hertz } }

      /// Touches a control, once it is enabled.
      func touch(_ selector: String) throws {
        try browser.await("document.querySelector(\"\(selector)\")?.matches(':enabled, a')")
        try browser.tap(selector)
        touches += 1
      }

      func record() throws { try touch("[data-act=record]") }
      func stop() throws { try touch("[data-act=stop]") }
      func voice(_ name: String) throws { try touch("[data-voice='\(name)']") }

      /// Waits until the player is in a state, in the node and on the page.
      func awaitState(_ state: String, word: String) throws {
        try waitUntil("the player is in state \(state)") {
          phone.ask("/player/state")?.arguments.first == .string(state)
        }
        try browser.await("document.querySelector('#play-word').textContent === '\(word)'")
      }

      /// The enabled buttons of the page.
      func enabled() throws -> String {
        try browser.text(
          """
          return [...document.querySelectorAll('#play [data-act], #play .voice')]
            .filter((one) => !one.disabled).map((one) => one.textContent).join(' ')
          """)
      }

      func awaitSilence() throws {
        try probe.awaitBlock("the output is silent") { Measure.peak($0) < 1e-4 }
      }

      func awaitSound() throws {
        try probe.awaitBlock("there is sound") { Measure.peak($0) > 0.05 }
      }

      /// The output from a touch until playback has ended by itself, and half a second more.
      func heard(_ act: () throws -> Void) throws -> [Float] {
        let watcher = try Phone(port: port)
        watcher.send("/subscribe", .string("/player/state"))
        #expect(watcher.sync())
        func awaitNews(_ state: String) throws {
          while let told = watcher.receive("/player/state") {
            if told.arguments.first == .string(state) { return }
          }
          throw Fault("the player never is in state \(state)")
        }
        return try probe.record {
          try act()
          try awaitNews("playing")
          try awaitNews("start")
          try probe.pass(seconds: 0.5, "an echo or a reverb")
        }.samples
      }

      func close() { probe.close() }
    }

    private let stage: PageStage

    init() throws { stage = try PageStage.ready() }

    /// Runs a story in a new window of a size, with a node whose data directory is new, or has songs.
    private func story(
      _ size: Browser.Size, songs: Int = 0, _ body: (Kid) throws -> Void
    ) throws {
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      if songs > 0 {
        try FileManager.default.createDirectory(
          atPath: "\(home)/music", withIntermediateDirectories: true)
        for number in 1...songs {
          try SoundFixture.write(
            "\(home)/music/song \(number).wav", left: Tone.sine(330, frames: 480_000))
        }
      }
      let (node, phone) = try startNode(
        on: stage.server, Self.arguments, environment: Self.environment, home: home, hasPage: true)
      try stage.browser.withAnotherWindow(size) {
        let kid = try Kid(node, phone, stage)
        defer { kid.close() }
        try body(kid)
        let faults = try stage.browser.takeFaults()
        #expect(faults == [])
      }
      #expect(node.end() == 0)
    }

    /// The middle half of the part that is louder than a threshold, and the seconds of that part.
    private func loud(_ samples: [Float], above threshold: Float = 0.05) throws -> (
      middle: [Float], seconds: Double
    ) {
      let first = try #require(samples.firstIndex { abs($0) > threshold })
      let last = try #require(samples.lastIndex { abs($0) > threshold })
      let quarter = (last - first) / 4
      return (
        Array(samples[first + quarter..<last - quarter]), Double(last - first) / Self.rate
      )
    }

    /// The amplitude of a partial.
    private func amplitude(of hertz: Double, in samples: [Float]) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for (index, sample) in samples.enumerated() {
        let window = 1 - cos(2 * .pi * Double(index) / Double(samples.count))
        let angle = 2 * .pi * hertz * Double(index) / Self.rate
        real += Double(sample) * window * cos(angle)
        imaginary += Double(sample) * window * sin(angle)
      }
      return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
    }

    @Test(.hangLimit, arguments: sizes)
    func `a new node records a voice and plays it as six others, one touch each`(
      _ size: Browser.Size
    ) throws {
      try story(size) { kid in
        // The page opens with it, and the live input is not heard.
        #expect(try kid.browser.text("return document.body.dataset.page") == "play")
        try kid.phone.awaitValue(of: "/live/off", .int32(1))
        try kid.awaitSilence()
        #expect(try kid.enabled() == "Record")
        try kid.record()
        try kid.awaitState("recording", word: "Recording")
        #expect(try kid.enabled() == "Stop Pause")
        try kid.phone.awaitLength(2)
        try kid.awaitSilence()
        try kid.stop()
        try kid.awaitState("start", word: "Choose a voice")
        #expect(try kid.enabled() == "Record Chipmunk Vader Snail Rabbit Echo Reverb")
        #expect(kid.touches == 2)
        let length = try #require(kid.phone.ask("/player/state")?.arguments[3].number)
        kid.speak(1000)
        for (voice, hertz, speed, hasTail) in [
          ("chipmunk", 400 * pow(2, 9.0 / 12), 1.0, false),
          ("vader", 400 * pow(2, -6.0 / 12), 1, false), ("snail", 400, 0.5, false),
          ("rabbit", 400, 1.5, false), ("echo", 400, 1, true), ("reverb", 400, 1, true),
        ] {
          let before = kid.touches
          let samples = try kid.heard { try kid.voice(voice) }
          #expect(kid.touches == before + 1)
          let (middle, seconds) = try loud(samples)
          let pitch = try #require(
            Measure.frequency(middle, near: hertz, sampleRate: Self.rate), "\(voice)")
          #expect(abs(pitch / hertz - 1) < 0.01, "\(voice): \(pitch) Hz")
          #expect(amplitude(of: hertz, in: middle) > 0.05, "\(voice)")
          // The live input, which speaks on, is not heard, and neither is the recording as it was.
          #expect(amplitude(of: 1000, in: middle) < 0.002, "\(voice)")
          if hertz != 400 { #expect(amplitude(of: 400, in: middle) < 0.02, "\(voice)") }
          if hasTail {
            #expect(Measure.peak(samples.suffix(4800)) > 0.001, "\(voice) has no tail")
          } else {
            #expect(abs(seconds - length / speed) < 0.2, "\(voice): \(seconds) s of \(length)")
          }
          try kid.awaitState("start", word: "Choose a voice")
        }
        #expect(kid.touches == 8)
        // The route was never changed, and whoever leaves gives the live input back.
        #expect(kid.phone.ask("/live/route")?.arguments == [.string("chain")])
        try kid.touch("a[href='#loop']")
        try kid.awaitSound()
        try kid.phone.awaitValue(of: "/live/off", .int32(0))
        try kid.touch("a[href='#play']")
        try kid.phone.awaitValue(of: "/live/off", .int32(1))
      }
    }

    private static let fits = [
      (320, 640), (360, 640), (360, 740), (740, 360), (820, 1180), (1280, 800),
    ]

    @Test(.hangLimit, arguments: fits)
    func `it fits without scrolling, and everything is large enough for a finger`(
      _ width: Int, _ height: Int
    ) throws {
      let browser = stage.browser
      try browser.command(
        "Emulation.setDeviceMetricsOverride",
        ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": true])
      defer { try? browser.resize(.tablet) }
      try stage.turn(to: "play")
      try browser.await("document.querySelectorAll('.drawing').length === 6")
      for part in ["piano", "voice"] {
        try browser.run("document.querySelector('[data-turn=\(part)]').click()")
        try stage.awaitRest()
        #expect(try browser.widthFaults() == [], "\(part)")
        #expect(try browser.overlapFaults() == [], "\(part)")
        let small = try browser.targets(below: 44, "[data-cell], .press, .voice")
        #expect(small == [], "\(part)")
        let outside = try browser.text(
          """
          const page = document.querySelector('#play');
          const range = document.createRange();
          const cut = [...page.querySelectorAll('button, #play-line')].filter((one) => {
            range.selectNodeContents(one);
            const [text, box] = [range, one].map((part) => part.getBoundingClientRect());
            return text.right > box.right + 1 || text.left < box.left - 1;
          });
          return (page.scrollHeight > page.clientHeight ? ['scrolls', ...cut] : cut)
            .map((one) => one.textContent ?? one).join();
          """)
        #expect(outside == "", "\(part) at \(width) x \(height)")
      }
    }

    @Test(.hangLimit)
    func `a page that is closed gives the live input back`() throws {
      let (node, phone) = try startNode(
        on: stage.server, Self.arguments, environment: Self.environment, hasPage: true)
      var probe: Probe?
      try stage.browser.withAnotherWindow(.phone) {
        let kid = try Kid(node, phone, stage)
        probe = kid.probe
        try phone.awaitValue(of: "/live/off", .int32(1))
        try kid.awaitSilence()
        let faults = try stage.browser.takeFaults()
        #expect(faults == [])
      }
      try phone.awaitValue(of: "/live/off", .int32(0))
      try probe?.awaitBlock("the live input is heard") { Measure.peak($0) > 0.05 }
      probe?.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a recording pauses and continues, playback pauses, and own presets play, too`() throws {
      try story(.phone) { kid in
        kid.phone.send("/pitch/semitones", .float(12))
        kid.phone.send("/preset/save", .string("My robot"))
        #expect(kid.phone.receive("/reply")?.arguments[0] == .string("/preset/save"))
        try kid.record()
        try kid.awaitState("recording", word: "Recording")
        try kid.phone.awaitLength(1)
        try kid.touch("[data-act=pause]")
        try kid.awaitState("suspended", word: "Paused")
        #expect(try kid.enabled() == "Record Stop Pause")
        for scheme in ["dark", "light"] {
          try kid.browser.prefer(["prefers-color-scheme": scheme])
          try stage.awaitRest()
          #expect(try kid.browser.contrastFaults() == [], "\(scheme)")
        }
        try kid.browser.prefer([:])
        let length = try #require(kid.phone.ask("/player/state")?.arguments[3].number)
        try kid.record()
        try kid.awaitState("recording", word: "Recording")
        try kid.phone.awaitLength(length + 1)
        try kid.stop()
        try kid.awaitState("start", word: "Choose a voice")
        let samples = try kid.heard { try kid.voice("My robot") }
        let (middle, _) = try loud(samples)
        let pitch = try #require(
          Measure.frequency(middle, near: 800, sampleRate: Self.rate))
        #expect(abs(pitch / 800 - 1) < 0.01)
        // Playback pauses, another voice starts again from the beginning, and Stop ends it.
        try kid.voice("snail")
        try kid.awaitState("playing", word: "Playing: Snail")
        #expect(try kid.enabled().hasPrefix("Record Stop Pause"))
        try kid.touch("[data-act=pause]")
        try kid.awaitState("paused", word: "Paused")
        try kid.voice("chipmunk")
        try kid.awaitState("playing", word: "Playing: Chipmunk")
        try kid.stop()
        try kid.awaitState("start", word: "Choose a voice")
        // A new recording replaces it, from playback, too.
        try kid.voice("snail")
        try kid.awaitState("playing", word: "Playing: Snail")
        try kid.record()
        try kid.awaitState("recording", word: "Recording")
        try kid.stop()
        try kid.awaitState("start", word: "Choose a voice")
      }
    }

    @Test(.hangLimit)
    func `the keyboard records, stops and plays, and never loses its place`() throws {
      try story(.smallLaptop) { kid in
        func awaitFocus(_ selector: String) throws {
          try kid.browser.await("document.activeElement.matches(\"\(selector)\")")
        }
        try kid.browser.run("document.querySelector('[data-act=record]').focus()")
        try kid.browser.type("\u{E007}")
        try kid.awaitState("recording", word: "Recording")
        try awaitFocus("[data-act=stop]")
        try kid.phone.awaitLength(0.5)
        try kid.browser.type("\u{E007}")
        try kid.awaitState("start", word: "Choose a voice")
        try awaitFocus("[data-voice=chipmunk]")
        _ = try kid.heard { try kid.browser.type("\u{E007}") }
      }
    }

    @Test(.hangLimit, arguments: sizes)
    func `only the piano is recorded, and the source of loop 1 is restored afterwards`(
      _ size: Browser.Size
    ) throws {
      try story(size) { kid in
        #expect(kid.phone.ask("/player/source")?.arguments == [.string("live")])
        try kid.touch("[data-turn=piano]")
        // All seven keys sound.
        for key in 1...7 {
          try kid.browser.press(at: try kid.browser.place("#play-piano [data-key='\(key)']"))
          try kid.awaitSound()
          try kid.browser.lift()
          try kid.phone.awaitValue(of: "/status/voices", .int32(0))
          try kid.awaitSilence()
        }
        try kid.record()
        try kid.awaitState("recording", word: "Recording")
        #expect(kid.phone.ask("/player/source")?.arguments == [.string("grid")])
        try kid.browser.press(at: try kid.browser.place("#play-piano [data-key='1']"))
        try kid.awaitSound()
        try kid.phone.pass(seconds: 1, "the length of the note")
        try kid.browser.lift()
        try kid.stop()
        try kid.awaitState("start", word: "Choose a voice")
        try kid.phone.awaitValue(of: "/player/source", .string("live"))
        // The first key is middle C; the microphone has not been recorded.
        let samples = try kid.heard { try kid.voice("chipmunk") }
        let first = try #require(samples.firstIndex { abs($0) > 0.02 })
        let note = Array(samples[(first + 480)...].prefix(9600))
        let wanted = 261.63 * pow(2, 9.0 / 12)
        let pitch = try #require(
          Measure.frequency(note, near: wanted, sampleRate: Self.rate))
        #expect(abs(pitch / wanted - 1) < 0.02, "\(pitch) Hz")
        #expect(amplitude(of: 400 * pow(2, 9.0 / 12), in: Array(samples)) < 0.005)
        #expect(kid.touches == 4)
      }
    }

    @Test(.hangLimit)
    func `reloading the page while the piano is recorded restores the source, too`() throws {
      try story(.phone) { kid in
        kid.phone.send("/player/source", .string("mix"))
        try kid.touch("[data-turn=piano]")
        try waitUntil("the page has received the source") {
          try kid.browser.run(
            """
            return import('/page/store/values.js').then(({ value }) => value('/player/source'))
            """) as? String == "mix"
        }
        try kid.record()
        try kid.awaitState("recording", word: "Recording")
        try kid.browser.open(try kid.browser.text("return location.href"))
        try kid.awaitState("recording", word: "Recording")
        #expect(kid.phone.ask("/player/source")?.arguments == [.string("grid")])
        try kid.stop()
        try kid.phone.awaitValue(of: "/player/source", .string("mix"))
      }
    }

    @Test(.hangLimit, arguments: sizes)
    func `the song list reports its first and last song`(_ size: Browser.Size) throws {
      try story(size, songs: 2) { kid in
        func awaitSong(_ number: Int32) throws {
          try waitUntil("song \(number) plays") {
            let state = kid.phone.ask("/music/state")?.arguments.prefix(2)
            return state == [.string("playing"), .int32(number)]
          }
          try kid.browser.await(
            "document.querySelector('#song-list li:nth-child(\(number)) [aria-current]')")
        }
        func awaitNotice(_ words: String) throws {
          try kid.browser.await(
            """
            document.querySelector('#notice-text').textContent === '\(words)' \
            && document.querySelector('#notice').classList.contains('shown')
            """)
        }
        try kid.touch("[data-turn=songs]")
        try kid.browser.await("document.querySelectorAll('#song-list li').length === 2")
        try kid.touch("#song-list li:nth-child(1) button")
        try awaitSong(1)
        #expect(kid.touches == 2)
        try kid.touch("[data-press='/music/next']")
        try awaitSong(2)
        try kid.touch("[data-press='/music/next']")
        try awaitNotice("This is the last song")
        try kid.browser.await(
          """
          ((song, { top, bottom }) => song.top >= top - 1 && song.bottom <= bottom + 1)(
            document.querySelector('#song-list [aria-current]').getBoundingClientRect(),
            document.querySelector('.songs .scroll').getBoundingClientRect())
          """)
        try kid.touch("[data-press='/music/previous']")
        try awaitSong(1)
        try kid.touch("[data-press='/music/previous']")
        try awaitNotice("This is the first song")
        try awaitSong(1)
        // Play has become Stop.
        try kid.browser.await("document.querySelector('#song-play').ariaLabel === 'Stop song'")
        try kid.touch("#song-play")
        try waitUntil("no song plays") {
          kid.phone.ask("/music/state")?.arguments.first == .string("stopped")
        }
      }
    }
  }
}
