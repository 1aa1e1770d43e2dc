import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The lock, which leaves only playing enabled.
  @Suite struct PageLockTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws { stage = try PageStage.ready() }

    @Test(.hangLimit)
    func `locked, the page only plays; a tap on the lock does not unlock, a hold does`() throws {
      stage.phone.send("/echo/mix", .float(0.25))
      #expect(stage.phone.sync())
      try browser.tap("#lock")
      try browser.await("document.querySelector('#lock').getAttribute('aria-pressed') === 'true'")
      // No touch moves a fader or a switch …
      try stage.turn(to: "voice")
      try dragFader()
      try browser.tap("#voice .switch[data-address='/echo/on']")
      try browser.tapAtOnce("#lock")
      #expect(
        try browser.run("return document.body.classList.contains('locked')") as? Bool == true)
      #expect(try stage.values(of: "/echo/mix") == [.float(0.25)])
      #expect(try stage.values(of: "/echo/on") == [.int32(0)])
      // … nor a key …
      try browser.type(String(repeating: "\u{E004}", count: 30) + "\u{E014}")
      #expect(try stage.values(of: "/echo/mix") == [.float(0.25)])
      // … but cells play, the loop button works, and so does mute.
      try stage.turn(to: "grid")
      let watcher = try stage.watcher(of: "/grid/lit")
      try browser.press(at: try browser.place("[data-row='1'][data-column='2']"))
      #expect(watcher.receive("/grid/lit") != nil)
      try browser.lift()
      try stage.turn(to: "loop")
      try browser.tap("[data-loop='record']")
      try waitUntil("the loop records") {
        stage.phone.ask("/player/state")?.arguments[0] == .string("recording")
      }
      // The page has received it, too, when its button is enabled.
      try browser.await(
        "document.querySelector(`[data-loop='stop']`).getAttribute('aria-disabled') !== 'true'")
      try browser.tap("[data-loop='stop']")
      try waitUntil("the recording has ended") {
        stage.phone.ask("/player/state")?.arguments[0] != .string("recording")
      }
      try browser.tap("#mute")
      try stage.phone.awaitValue(of: "/mute", .int32(1))
      try browser.tap("#mute")
      try stage.phone.awaitValue(of: "/mute", .int32(0))
      // It stays locked when the page is opened again.
      try stage.open("voice")
      try browser.await("document.querySelector('#lock').getAttribute('aria-pressed') === 'true'")
      try dragFader()
      #expect(try stage.values(of: "/echo/mix") == [.float(0.25)])
      try browser.press(at: try browser.place("#lock"))
      try browser.await("document.querySelector('#lock').getAttribute('aria-pressed') === 'false'")
      try browser.lift()
      try dragFader()
      #expect(try stage.values(of: "/echo/mix") != [.float(0.25)])
    }

    @Test(.hangLimit)
    func `locked, a swipe does not navigate back`() throws {
      try stage.turn(to: "takes")
      try stage.turn(to: "voice")
      try browser.run(
        """
        window.wentBack = false;
        addEventListener("popstate", () => (window.wentBack = true));
        """)
      try browser.tap("#lock")
      try dragFader()
      // The browser navigates in a separate task after the touch ends.
      letPass(seconds: 0.3, "the navigation would be over by then")
      #expect(try browser.run("return window.wentBack") as? Bool == false)
    }

    private func dragFader() throws {
      let fader = "#voice .fader[data-address='/echo/mix']"
      try browser.press(at: try browser.place(fader, 0.3))
      try browser.move(to: try browser.place(fader, 0.4))
      try browser.move(to: try browser.place(fader, 0.8))
      try browser.lift()
      // Its messages arrive before the reply to one sent now.
      try stage.awaitRest()
    }
  }
}
