import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Clips that are heard once: the posts of the feed with the player, and takes.
  @Suite struct PageClipTests {
    private let stage: PageStage
    private let folder: TemporaryFolder
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      folder = try TemporaryFolder()
      stage.emptyPlayer()
    }

    private static let sizes = Browser.Size.ofStories

    private static let tone: @Sendable (UInt32) -> Float = { frame in
      Float(0.3 * sin(2 * .pi * 400 * Double(frame % 4_800_000) / 48_000))
    }

    private func isLoud(_ block: [Float]) -> Bool { Measure.peak(block) > 0.1 }
    private func isSilent(_ block: [Float]) -> Bool { Measure.peak(block) == 0 }

    /// Clicks a button as soon as it has a text or a label, without a round trip to the test.
    private func click(_ selector: String, when word: String) throws {
      try browser.run(
        """
        return new Promise((done) => {
          const look = () => {
            const one = document.querySelector(arguments[0]);
            if ((one?.ariaLabel || one?.textContent || '').startsWith(arguments[1])) done(one.click());
            else setTimeout(look, 5);
          };
          look();
        });
        """, selector, word)
    }

    // MARK: - The feed

    /// Waits for the player's buttons: their captions, with a hyphen after one that is disabled.
    private func awaitButtons(_ words: String, line: Int = #line) throws {
      try browser.await(
        """
        [...document.querySelectorAll('.feed-player .press')].filter((one) => !one.hidden)
          .map((one) => one.textContent + (one.ariaDisabled === 'true' ? '-' : '')).join(' ') \
        === '\(words)'
        """, line: line)
    }

    @Test(.hangLimit, arguments: sizes)
    func `a clip is recorded, posted and heard once, with the buttons that have an effect`(
      _ size: Browser.Size
    ) throws {
      try browser.resize(size)
      try stage.open("feed")
      let probe = try Probe(server: stage.server.name, plays: Self.tone)
      defer { probe.close() }
      try probe.connect(to: "syrinx", output: "loop_1")
      var touches = 0
      func tap(_ selector: String) throws {
        touches += 1
        try browser.tap(selector)
      }
      func press(_ what: String) throws { try tap(".feed-player [data-loop=\(what)]") }
      try awaitButtons("Rec Back- Play- Stop- Ahead- Done-")
      try press("record")
      try awaitButtons("Stop Back- Play Stop Ahead- Done-")
      // So long that even on a busy machine it still plays when it is paused and stopped.
      try stage.phone.awaitLength(6)
      // What was Record ends it.
      try press("record")
      try awaitButtons("Rec Back- Play Stop- Ahead- Done")
      try tap("#feed-message")
      try browser.type("listen")
      try tap("#feed-send")
      let post = "#feed-posts .post:first-child [data-act=play]"
      try browser.await("document.querySelector('#feed-posts .post p')?.textContent === 'listen'")
      #expect(touches == 4)
      try probe.awaitBlock("the loop is silent") { isSilent($0) }
      // Heard once: from one touch to its end.
      try tap(post)
      try probe.awaitBlock("the post is heard") { isLoud($0) }
      try probe.awaitBlock("it has ended") { isSilent($0) }
      try awaitButtons("Back- Play Stop- Ahead- Close")
      #expect(try stage.values(of: "/player/loop") == [.int32(1)])
      #expect(touches == 5)
      // Played again, paused and closed with the player's buttons.
      try press("play")
      try click(".feed-player [data-loop=play]", when: "Pause")
      try awaitButtons("Back Play Stop Ahead Close")
      try probe.awaitBlock("it is paused") { isSilent($0) }
      try press("done")
      try awaitButtons("Rec Back- Play Stop- Ahead- Done")
      // The button of the post stops what it plays.
      try tap(post)
      try click(post, when: "Stop")
      try awaitButtons("Back- Play Stop- Ahead- Close")
      try browser.await("document.querySelector('\(post)').ariaLabel.startsWith('Play')")
      try tap("#feed-posts .post:first-child [data-act=delete]")
      try tap("#notice-action")
      try browser.await("document.querySelector('#feed-posts .post p')?.textContent !== 'listen'")
    }

    // MARK: - Takes

    private func add(_ title: String, seconds: Double) throws {
      try SoundFixture.write(
        "\(stage.home)/\(title).wav",
        [Tone.sine(440, amplitude: 0.5, frames: Int(seconds * 48_000))], samples: .integer16)
      defer { try? FileManager.default.removeItem(atPath: "\(stage.home)/\(title).wav") }
      stage.phone.send("/take/import", .string("\(title).wav"))
      #expect(stage.phone.receive("/reply")?.arguments[0] == .string("/take/import"))
      try browser.await("document.querySelector('#take-list b')?.textContent === '\(title)'")
    }

    private func throwAway() throws {
      stage.phone.send("/takes")
      for take in stage.phone.receive(untilOneOf: ["/takes/end"]) where take.address == "/take" {
        stage.phone.send(bytes: [UInt8](address: "/take/delete", [take.arguments[0]]))
        #expect(stage.phone.receive("/reply") != nil)
      }
      try browser.await("!document.querySelector('#take-list li')")
    }

    private static let row = "#take-list li:first-child .take-play"

    @Test(.hangLimit, arguments: sizes)
    func `a take ends by itself, its button stops it, and closing it does`(_ size: Browser.Size)
      throws
    {
      try browser.resize(size)
      try stage.open("takes")
      let probe = try Probe(server: stage.server.name)
      defer { probe.close() }
      try probe.connect(to: "syrinx", output: "loop_1")
      try add("Short", seconds: 0.7)
      try browser.tap(Self.row)
      try probe.awaitBlock("the take is heard") { isLoud($0) }
      try probe.awaitBlock("it has ended") { isSilent($0) }
      try browser.await("document.querySelector('\(Self.row)').ariaLabel.startsWith('Play Short')")
      #expect(try stage.values(of: "/player/state")?[0] == .string("start"))
      try throwAway()

      try add("Long", seconds: 9)
      func isStopped(by stop: () throws -> Void) throws {
        try probe.awaitBlock("the take is heard") { isLoud($0) }
        let before = probe.heardFrames
        try stop()
        try probe.awaitBlock("it is silent") { isSilent($0) }
        #expect(probe.heardFrames - before < 8 * 48_000)
        #expect(try stage.values(of: "/player/state")?[0] == .string("start"))
      }
      try browser.tap(Self.row)
      try isStopped { try click(Self.row, when: "Stop Long") }
      try browser.await("document.querySelector('\(Self.row)').ariaLabel.startsWith('Play Long')")
      try browser.tap("#take-list li:first-child .take-open")
      try browser.await("document.querySelector('#take-title').value === 'Long'")
      try browser.tap("#take-play")
      try isStopped { try click("#take-play", when: "Stop") }
      try browser.await("document.querySelector('#take-play').textContent === 'Play'")
      try browser.tap("#take-play")
      try isStopped {
        try browser.await("document.querySelector('#take-play').textContent === 'Stop'")
        try browser.tap("#take-close")
      }
      try throwAway()
    }

    @Test(.hangLimit)
    func `a take that is too long for the loop is stopped by the same button`() throws {
      try stage.open("takes")
      let probe = try Probe(server: stage.server.name)
      defer { probe.close() }
      try probe.connect(to: "syrinx")
      stage.phone.send("/live/route", .string("off"))
      try add("Hour", seconds: 30)
      try browser.tap(Self.row)
      try probe.awaitBlock("the take is heard") { isLoud($0) }
      #expect(try stage.values(of: "/music/state")?[2] == .string("Hour"))
      try click(Self.row, when: "Stop Hour")
      try waitUntil("the song has stopped") {
        stage.phone.ask("/music/state")?.arguments[0] == .string("stopped")
      }
      try browser.await("document.querySelector('\(Self.row)').ariaLabel.startsWith('Play Hour')")
      // Another take ends it, too.
      try browser.tap(Self.row)
      try browser.await("document.querySelector('\(Self.row)').ariaLabel.startsWith('Stop Hour')")
      try add("Short", seconds: 0.7)
      try browser.tap(Self.row)
      try waitUntil("the song has stopped") {
        stage.phone.ask("/music/state")?.arguments[0] == .string("stopped")
      }
      try browser.await(
        "[...document.querySelectorAll('.take-play')].every((one) => one.ariaLabel.startsWith('Play'))"
      )
      stage.phone.send("/live/route", .string("chain"))
      try throwAway()
    }
  }
}
