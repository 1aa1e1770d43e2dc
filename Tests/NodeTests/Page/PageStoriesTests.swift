import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The stories of the grid and of the messenger, from the first touch on a new node to their end.
  @Suite struct PageStoriesTests {
    private let stage: PageStage

    init() throws { stage = try PageStage.ready() }

    private static let sizes = Browser.Size.ofStories
    private static let phrase =
      "[...document.querySelectorAll('#phrase-notes b')].map((one) => one.textContent).join(' ')"

    private func isLoud(_ block: [Float]) -> Bool { Measure.peak(block) > 0.01 }
    private func isSilent(_ block: [Float]) -> Bool { Measure.peak(block) < 1e-4 }

    @Test(.hangLimit, arguments: sizes)
    func `a new node's grid plays, repeats a phrase, and clicks`(_ size: Browser.Size) throws {
      try stage.story(size) { story in
        let browser = story.browser
        func cell(_ column: Int) -> String { "[data-row='1'][data-column='\(column)']" }
        try story.touch(".tabs [href='#grid']")
        try story.listen(to: "grid_1")
        try story.probe.awaitBlock("nothing sounds yet") { isSilent($0) }
        try story.touch("#phrase-record")
        try browser.await("document.querySelector('#phrase-record').textContent === 'Stop'")
        // Without a pause, since a phrase ends after ten seconds.
        for column in [1, 3, 5] { try story.touch(cell(column)) }
        try browser.await("\(Self.phrase) === 'A B C\u{266F}'")
        try story.probe.awaitBlock("the notes have ended") { isSilent($0) }
        try browser.run(
          """
          window.played = [];
          new MutationObserver(() => {
            const now = document.querySelector('#phrase-notes .is')?.textContent;
            if (now && now !== window.played.at(-1)) window.played.push(now);
          }).observe(document.querySelector('#phrase-notes'), { attributes: true, subtree: true });
          """)
        // Play ends the recording.
        let sound = try story.probe.record {
          try story.touch("#phrase-play")
          try browser.await("window.played.join(' ') === 'A B C\u{266F}'")
          try browser.await("document.querySelector('#phrase-play').textContent === 'Play'")
        }.samples
        #expect(isLoud(sound))
        try story.probe.awaitBlock("the phrase has ended") { isSilent($0) }
        // The tab, Record, three notes and Play: the app needs five, with its one screen.
        #expect(story.touches == 6)
        try story.listen(to: "click")
        try story.touch("#grid-click")
        try story.probe.awaitBlock("the click is heard") { isLoud($0) }
        try story.touch("#grid-click")
        try story.phone.awaitValue(of: "/metronome/on", .int32(0))
      }
    }

    @Test(.hangLimit, arguments: sizes)
    func `a new node's clip is recorded, posted, and heard once`(_ size: Browser.Size) throws {
      try stage.story(size) { story in
        let browser = story.browser
        try story.touch(".tabs [href='#feed']")
        // The live input is heard on this page, and the loop apart.
        try story.listen(to: "loop_1")
        try story.touch(".feed-player [data-loop=record]")
        try story.phone.awaitLength(1)
        try story.touch(".feed-player [data-loop=record]")
        try browser.await(
          "document.querySelector('.feed-player [data-loop=record]').textContent === 'Rec'")
        try story.touch("#feed-message")
        try browser.type("listen")
        try story.touch("#feed-send")
        let post = "#feed-posts .post:first-child"
        try browser.await("document.querySelector('\(post) p')?.textContent === 'listen'")
        try story.probe.awaitBlock("the loop is silent") { isSilent($0) }
        let heard = try story.heard { try story.touch("\(post) [data-act=play]") }
        let (first, last) = (
          heard.firstIndex { abs($0) > 0.1 } ?? 0, heard.lastIndex { abs($0) > 0.1 } ?? 0
        )
        let length = try #require(story.phone.ask("/player/state")?.arguments[3].number)
        // Once, and as loud as the voice was. A fade takes some milliseconds.
        #expect(abs(Double(last - first) / PageStory.rate - length) < 0.05)
        #expect(abs(Measure.peak(heard) - 0.3) < 0.01)
        let pitch = try #require(
          Measure.frequency(
            Array(heard[(first + 4800)...].prefix(19_200)), near: 400, sampleRate: PageStory.rate))
        #expect(abs(pitch / 400 - 1) < 0.001)
        try story.phone.awaitValue(of: "/feed/playing", .int32(0))
        // The tab, Record, Stop, the message, Post and Play: as many as the app.
        #expect(story.touches == 6)
      }
    }
  }
}
