import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The grid page as an instrument: the phrase, scales of one's own, the click and the settings.
  @Suite struct PageGridTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      try stage.open("grid")
    }

    private static let sizes = Browser.Size.ofStories
    private static let settings = "[data-sheet='grid-more']"

    private func cell(_ column: Int) -> String { "[data-row='1'][data-column='\(column)']" }

    private func hasClass(_ selector: String, _ name: String) -> String {
      "document.querySelector(\"\(selector)\").classList.contains('\(name)')"
    }

    /// Plays a cell of the first row, and waits until its note has begun and ended.
    private func play(_ column: Int) throws {
      try browser.press(at: try browser.place(cell(column)))
      try browser.await(hasClass(cell(column), "lit"))
      try browser.lift()
      try browser.await("!\(hasClass(cell(column), "lit"))")
    }

    /// The names of the phrase's notes on the page.
    private static let names =
      "[...document.querySelectorAll('#phrase-notes b')].map((one) => one.textContent).join(' ')"

    private func isLoud(_ block: [Float]) -> Bool { Measure.peak(block) > 0.01 }
    private func isSilent(_ block: [Float]) -> Bool { Measure.peak(block) < 0.0001 }

    @Test(.hangLimit, arguments: sizes)
    func `a phrase is recorded and played in two touches, and its notes are shown`(
      _ size: Browser.Size
    ) throws {
      try browser.resize(size)
      try stage.awaitRest()
      let probe = try Probe(server: stage.server.name)
      defer { probe.close() }
      try probe.connect(to: "syrinx", output: "grid_1")
      try probe.awaitBlock("nothing sounds yet") { isSilent($0) }
      // All of it is next to the cells.
      for part in [
        cell(1), "#phrase-record", "#phrase-play", "#phrase-notes", "#grid-click", Self.settings,
      ] {
        #expect(try isWhole(part), "\(part)")
      }
      try browser.tap("#phrase-record")
      try browser.await(
        "document.querySelector('#phrase-record').textContent === 'Stop' && \(Self.names) === ''")
      for column in [1, 3, 5] { try play(column) }
      // As they are played.
      try browser.await("\(Self.names) === 'A B C\u{266F}'")
      try browser.run(
        """
        window.spat = [];
        new MutationObserver(() => {
          const now = document.querySelector('#phrase-notes .is')?.textContent;
          if (now && now !== window.spat.at(-1)) window.spat.push(now);
        }).observe(document.querySelector('#phrase-notes'), { attributes: true, subtree: true });
        """)
      try browser.tap("#phrase-play")
      try probe.awaitBlock("the phrase sounds") { isLoud($0) }
      try browser.await("window.spat.join(' ') === 'A B C\u{266F}'")
      try browser.await("document.querySelector('#phrase-play').textContent === 'Play'")
      try probe.awaitBlock("the phrase has ended") { isSilent($0) }
      #expect(try browser.text("return \(Self.names)") == "A B C\u{266F}")
    }

    /// Whether an element is in the window as a whole.
    private func isWhole(_ selector: String) throws -> Bool {
      try browser.run(
        """
        const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return box.width > 0 && box.height > 0 && box.top >= 0 && box.left >= 0
          && box.bottom <= innerHeight && box.right <= innerWidth;
        """, selector) as? Bool == true
    }

    @Test(.hangLimit, arguments: sizes)
    func `a recording is seen from every page`(_ size: Browser.Size) throws {
      try browser.resize(size)
      // By the page itself, since a recording ends after ten seconds.
      try browser.run(
        """
        window.seen = 0;
        new MutationObserver(() => {
          for (const tab of document.querySelectorAll('.tabs .recording')) {
            const mark = getComputedStyle(tab, '::after');
            window.seen |= mark.width === '14px' && tab.checkVisibility() && tab.ariaLabel === 'Grid, recording';
          }
        }).observe(document.querySelector('.tabs'), { attributes: true, subtree: true });
        """)
      for page in PageStage.pages {
        try stage.turn(to: page)
        try browser.run("window.seen = 0")
        stage.phone.send("/phrase/record")
        try browser.await("window.seen")
        stage.phone.send("/phrase/stop")
        try browser.await("!document.querySelector('.tabs .recording')")
      }
      // And so is that of a loop.
      stage.phone.send("/loop/2/record")
      try browser.await("document.querySelector('.tabs [href=\"#loop\"].recording')")
      stage.phone.send("/loop/2/clear")
      try browser.await("!document.querySelector('.tabs .recording')")
    }

    /// Touches, of which a test counts each.
    private final class Hand {
      private let browser: Browser
      private(set) var touches = 0

      init(_ browser: Browser) { self.browser = browser }

      func tap(_ selector: String) throws {
        touches += 1
        try browser.tap(selector)
      }
    }

    @Test(.hangLimit, arguments: sizes)
    func `a user scale is tapped, named, saved, selected, deleted and restored`(
      _ size: Browser.Size
    ) throws {
      try browser.resize(size)
      let hand = Hand(browser)
      try hand.tap(Self.settings)
      try hand.tap("[data-sheet='grid-scales']")
      // All twelve notes, named from the root.
      #expect(
        try browser.text(
          """
          return [...document.querySelectorAll('.degrees b')].map((one) => one.textContent).join(' ')
          """) == "A A\u{266F} B C C\u{266F} D D\u{266F} E F F\u{266F} G G\u{266F}")
      for step in [3, 7, 10] { try hand.tap("[data-step='\(step)']") }
      try hand.tap("#scale-name")
      try browser.type("my own")
      try hand.tap("#scale-form .main")
      // The menu, the window, three notes, the name and its end: as many as there are things to say.
      #expect(hand.touches == 7)
      let chips =
        "[...document.querySelectorAll('.own-scales .chip')]"
        + ".map((one) => one.textContent + (one.ariaPressed === 'true' ? '*' : '')).join(' ')"
      try browser.await("\(chips) === 'my-own*'")
      #expect(try stage.values(of: "/scale/user") == [.string("my-own:0,3,7,10")])
      #expect(try stage.values(of: "/grid/scale") == [.string("my-own")])
      // Another one, from the first.
      try hand.tap("[data-step='10']")
      try browser.write("triad", into: "#scale-name")
      try hand.tap("#scale-form .main")
      try browser.await("\(chips) === 'my-own triad*'")
      try hand.tap(".own-scales .chip")
      try browser.await("\(chips) === 'my-own* triad'")
      try browser.await("document.querySelectorAll('.degrees [aria-pressed=true]').length === 4")
      try hand.tap("#grid-scales .close")
      // The cells play it.
      try browser.await(
        """
        [...document.querySelectorAll("[data-row='1'] b")].map((one) => one.textContent).join(' ') \
        === 'A C E G'
        """)
      #expect(
        try browser.run(
          "return [...document.querySelector('#grid select[aria-label=Scale]').options]"
            + ".some((one) => one.value === 'triad')") as? Bool == true)
      // Deleted by mistake.
      try hand.tap(Self.settings)
      try hand.tap("[data-sheet='grid-scales']")
      try hand.tap("#scale-delete")
      try browser.await("\(chips) === 'triad'")
      #expect(try stage.values(of: "/grid/scale") == [.string("chromatic")])
      try hand.tap("#notice-action")
      try browser.await("\(chips) === 'triad my-own*'")
      #expect(
        try stage.values(of: "/scale/user") == [
          .string("triad:0,3,7"), .string("my-own:0,3,7,10"),
        ])
      for name in ["triad", "my-own"] {
        stage.phone.send("/scale/delete", .string(name))
      }
      try browser.await("\(chips) === ''")
      // The focus returns to the button of the settings.
      try browser.type("\u{E00C}")
      try browser.await("document.activeElement.dataset.sheet === 'grid-more'")
    }

    @Test(.hangLimit, arguments: sizes)
    func `the cells of a chromatic scale leave no hole`(_ size: Browser.Size) throws {
      try browser.resize(size)
      stage.phone.send("/grid/scale", .string("chromatic"))
      try stage.awaitRest()
      // The cells' areas, with half of the gap of 2 px around each.
      try browser.await(
        """
        (() => {
          const all = document.querySelector("#cells").getBoundingClientRect();
          let sum = 0;
          for (const cell of document.querySelectorAll("#grid .cell")) {
            sum += (cell.offsetWidth + 2) * (cell.offsetHeight + 2);
          }
          return Math.abs(sum / ((all.width + 2) * (all.height + 2)) - 1) < 0.02;
        })()
        """)
    }

    @Test(.hangLimit)
    func `the click is turned on and off by one touch on this page`() throws {
      try browser.resize(.tallPhone)
      let probe = try Probe(server: stage.server.name)
      defer { probe.close() }
      try probe.connect(to: "syrinx", output: "click")
      try browser.tap("#grid-click")
      try probe.awaitBlock("the click is heard") { isLoud($0) }
      try browser.tap("#grid-click")
      #expect(try stage.values(of: "/metronome/on") == [.int32(0)])
      try browser.await("document.querySelector('#grid-click').ariaChecked === 'false'")
    }

    @Test(.hangLimit)
    func `a touched cell grows, but not with reduced motion`() throws {
      let growth =
        "new DOMMatrix(getComputedStyle(document.querySelector(\"\(cell(2))\")).transform).a"
      for (motion, isLarger) in [("no-preference", true), ("reduce", false)] {
        try browser.prefer(["prefers-reduced-motion": motion])
        try browser.press(at: try browser.place(cell(2)))
        try browser.await(hasClass(cell(2), "touched"))
        try stage.awaitRest()
        let factor = try browser.numbers("return [\(growth)]")[0]
        #expect(isLarger ? (1.03...1.1).contains(factor) : factor == 1, "\(motion): \(factor)")
        try browser.lift()
        try browser.await("\(growth) === 1")
      }
    }

    @Test(.hangLimit, arguments: [Browser.Size.smallPhone, .tallPhone, .turnedPhone, .smallLaptop])
    func `cells, phrase and settings fit any window, and the settings are under the thumb`(
      _ size: Browser.Size
    ) throws {
      try browser.resize(size)
      try browser.prefer(["prefers-reduced-motion": "reduce"])
      try stage.awaitRest()
      for turn in 0..<2 {
        // The cells, then the piano on a phone.
        if turn == 1 { try browser.run("document.querySelector('#piano-turn').click()") }
        try stage.awaitRest()
        #expect(try browser.widthFaults() == [])
        #expect(try browser.overlapFaults() == [])
        // A whole octave takes its room.
        let least: Double = [.smallPhone, .turnedPhone].contains(size) ? 42 : 44
        #expect(try browser.targets(below: least, "[data-cell], .press, .foot .tool") == [])
        let corner = try browser.numbers(
          """
          const [main, box] = ['main', arguments[0]]
            .map((one) => document.querySelector(one).getBoundingClientRect());
          return [main.right - box.right, main.bottom - box.bottom];
          """, Self.settings)
        #expect(corner.allSatisfy { (0...16).contains($0) }, "\(corner)")
      }
      try browser.run("document.querySelector('#piano-turn').click()")
      for (button, sheet) in [
        (Self.settings, "#grid-more"), ("[data-sheet='grid-scales']", "#grid-scales"),
      ] {
        try browser.run("document.querySelector(arguments[0]).click()", button)
        try stage.awaitRest()
        #expect(try browser.widthFaults() == [])
        #expect(try browser.overlapFaults(in: sheet) == [])
        #expect(try browser.targets(below: 44, "\(sheet) *") == [])
      }
      try browser.run("document.querySelector('#grid-scales .close').click()")
    }
  }
}
