import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The play page: a recording of the microphone or the piano, and its voices, on a new node and a new phone.
  @Suite struct PageVoicesTests {
    private static let sizes = Browser.Size.ofStories
    private static let rate = PageStory.rate

    private let stage: PageStage

    init() throws { stage = try PageStage.ready() }

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
      try stage.story(size) { kid in
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
    func `a page that is hidden, left or closed gives the live input back`() throws {
      let (node, phone) = try startNode(
        on: stage.server, PageStory.arguments, environment: PageStory.environment, hasPage: true)
      var probe: Probe?
      try stage.browser.withAnotherWindow(.phone) {
        let kid = try PageStory(node, phone, stage)
        probe = kid.probe
        try phone.awaitValue(of: "/live/off", .int32(1))
        try kid.awaitSilence()
        // As a browser does in the background; a window without a screen is never hidden.
        for (isHidden, value) in [(true, 0), (false, 1)] as [(Bool, Int32)] {
          try stage.browser.run(
            """
            Object.defineProperty(document, "hidden", { value: \(isHidden), configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
            """)
          try phone.awaitValue(of: "/live/off", .int32(value))
        }
        // Browsers keep a page that is left, with its connection, for Back.
        try stage.browser.run("location.href = 'about:blank'")
        try phone.awaitValue(of: "/live/off", .int32(0))
        try stage.browser.run("history.back()")
        try phone.awaitValue(of: "/live/off", .int32(1))
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
      try stage.story(.phone) { kid in
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
          let pale = try kid.browser.contrastFaults()
          #expect(pale == [], "\(scheme)")
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
      try stage.story(.smallLaptop) { kid in
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
      try stage.story(size) { kid in
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
      try stage.story(.phone) { kid in
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
      try stage.story(size, songs: 2) { kid in
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
