import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Announcements of the page to screen readers.
  @Suite struct PageAnnouncementTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }
    private var phone: Phone { stage.phone }

    init() throws {
      stage = try PageStage.ready(.laptop)
      for number in 1...4 {
        phone.send("/loop/\(number)/quantize", .string("off"))
        phone.send("/loop/\(number)/after", .string("play"))
        phone.send("/loop/\(number)/mute", .int32(0))
        for part in ["stop", "cancel", "clear"] { phone.send("/loop/\(number)/\(part)") }
      }
      phone.send("/loop/select", .int32(1))
      phone.send("/mute", .int32(0))
      #expect(phone.sync())
      try stage.open("loop")
      try stage.awaitNode()
      try record()
    }

    /// Notes all announcements from now on, with their times.
    private func record() throws {
      try browser.run(
        """
        window.announced = [];
        for (const id of ["announced", "refused"]) {
          const region = document.getElementById(id);
          new MutationObserver(() => announced.push([id, region.textContent.trim(), performance.now()]))
            .observe(region, { childList: true, characterData: true, subtree: true });
        }
        """)
    }

    /// Waits for an announcement, by a regular expression.
    private func awaitAnnouncement(
      _ words: String, in region: String = "announced", file: String = #fileID, line: Int = #line
    ) throws {
      try browser.await(
        "announced.some(([id, text]) => id === '\(region)' && /\(words)/.test(text))", file: file,
        line: line)
    }

    @Test(.hangLimit)
    func `changes of loops, takes and values are announced`() throws {
      phone.send("/loop/2/record")
      try awaitAnnouncement("^Loop 2 recording$")
      try phone.awaitLength(0.6, ofLoop: 2)
      phone.send("/loop/2/record")
      try awaitAnnouncement(#"^Loop 2 playing, \d\.\d seconds$"#)
      phone.send("/loop/2/overdub")
      try awaitAnnouncement("^Loop 2 overdubbing$")
      phone.send("/loop/2/overdub")
      try awaitAnnouncement(#"^Loop 2 playing, \d\.\d seconds, 1 overdub$"#)
      phone.send("/loop/2/undo")
      try awaitAnnouncement("^Loop 2 without overdubs$")
      for number in [1, 3] {
        phone.send("/loop/\(number)/record")
        try phone.awaitLength(0.3, ofLoop: number)
      }
      try awaitAnnouncement("^Loops? .*3 recording$")
      phone.send("/loop/*/clear")
      try awaitAnnouncement("^Loops 1, 2 and 3 empty$")
      phone.send("/loop/select", .int32(2))
      try awaitAnnouncement("^Loop 2 selected, empty$")
      phone.send("/mute", .int32(1))
      try awaitAnnouncement("^Output muted$")
      phone.send("/mute", .int32(0))
      try awaitAnnouncement("^Output unmuted$")
      phone.send("/preset", .string("thirds"))
      try awaitAnnouncement("Preset thirds")
      phone.send("/preset", .string("dry"))
      // A scene of a set list, and the take of another client.
      phone.send("/scene/save", .string("Verse"))
      phone.send("/setlist/save", .string("Evening"), .string("Verse"))
      phone.send("/setlist", .string("Evening"))
      phone.send("/scene/next")
      try awaitAnnouncement("Scene Verse, 1 of 1")
      phone.send("/capture/on", .int32(1))
      try awaitAnnouncement("Recording to disk")
      try waitUntil("something is recorded") {
        phone.ask("/capture/state")?.arguments[1].number ?? 0 > 0.1
      }
      phone.send("/capture/on", .int32(0))
      try awaitAnnouncement("New take: ")
      try browser.await("document.querySelector('#take-list [data-take]')")
      phone.send("/setlist", .string(""))
      phone.send("/setlist/delete", .string("Evening"))
      phone.send("/scene/delete", .string("Verse"))
      let id = try browser.text("return document.querySelector('#take-list li').dataset.take")
      phone.send("/take/delete", .string(id))
      try phone.awaitValue(of: "/takes/total", .int32(0))
    }

    @Test(.hangLimit)
    func `refusals interrupt, also the same one again`() throws {
      try browser.run("document.activeElement?.blur()")
      for count in 1...2 {
        try browser.type("p")
        try browser.await("announced.filter(([id]) => id === 'refused').length === \(count)")
      }
      let isEmpty =
        try browser.run(
          "return announced.some(([id, text]) => id === 'refused' && !text)") as? Bool
      #expect(isEmpty == false)
    }

    @Test(.hangLimit)
    func `the state at load is not announced, nor are levels, beats and positions`() throws {
      phone.send("/loop/1/record")
      try phone.awaitLength(0.6, ofLoop: 1)
      phone.send("/loop/1/record")
      phone.send("/metronome/bpm", .float(240))
      phone.send("/metronome/on", .int32(1))
      phone.send("/grid/touch", .int32(1), .int32(2))
      #expect(phone.sync())
      for page in ["loop", "rig"] {
        try stage.open(page)
        try stage.awaitNode()
        try record()
        // Seconds of each, at thirty messages per second.
        try browser.run(
          """
          window.seen = {};
          return import("/page/store/values.js").then(({ listen }) => {
            for (const one of ["/meter", "/metronome/beat", "/loop/1/state"]) {
              listen(one, () => (seen[one] = (seen[one] ?? 0) + 1));
            }
          });
          """)
        try browser.await(
          "seen['/meter'] > 60 && seen['/metronome/beat'] > 4 && seen['/loop/1/state'] > 20")
        let announced = try browser.text(
          "return JSON.stringify([announced, document.querySelector('#announced').textContent])")
        #expect(announced == #"[[],""]"#, "\(page)")
        // No other live region.
        let regions = try browser.text(
          """
          return [...document.querySelectorAll('[aria-live], [role=status], [role=alert], [role=log]')]
            .map((one) => one.id).join()
          """)
        #expect(regions == "announced,refused")
      }
      phone.send("/metronome/on", .int32(0))
      phone.send("/note/allOff")
    }

    @Test(.hangLimit)
    func `rapid changes are merged`() throws {
      for count in 0..<60 {
        phone.send("/mute", .int32(Int32(count % 2)))
        #expect(phone.sync())
      }
      phone.send("/mute", .int32(1))
      // Others can be announced with it.
      try browser.await("/Output muted/.test(announced.at(-1)?.[1])")
      phone.send("/mute", .int32(0))
      try browser.await("/Output unmuted/.test(announced.at(-1)?.[1])")
      let least = try browser.numbers(
        "return [Math.min(...announced.slice(1).map(([, , time], at) => time - announced[at][2]))]")
      #expect(least[0] > 490, "\(least)")
    }

    @Test(.hangLimit)
    func `the loss and return of the connection are announced`() throws {
      stage.killNode()
      try awaitAnnouncement("^Connection lost$")
      try stage.startNodeAgain()
      try stage.awaitLink()
      try awaitAnnouncement("Reconnected")
      // The failed attempts to connect.
      _ = try browser.takeFaults()
    }

    @Test(.hangLimit)
    func `the focused playhead does not speak by itself`() throws {
      phone.send("/loop/1/record")
      try phone.awaitLength(1, ofLoop: 1)
      phone.send("/loop/1/record")
      try browser.await("!document.querySelector('#wave input').disabled")
      try browser.run(
        """
        const input = document.querySelector('#wave input');
        input.focus();
        window.changes = 0;
        new MutationObserver(() => changes++).observe(input, { attributeFilter: ["aria-valuetext"] });
        window.moved = 0;
        return import("/page/store/values.js").then(({ listen }) => listen("/loop/1/state", () => moved++));
        """)
      try browser.await("moved > 20")
      let changes = try browser.numbers("return [changes]")
      #expect(changes == [0])
      // An arrow moves it, and speaks.
      try browser.type("\u{E014}")
      try browser.await("changes > 0")
      let words = try browser.text("return document.querySelector('#wave input').ariaValueText")
      #expect(words.wholeMatch(of: /\d\.\d seconds of \d\.\d seconds/) != nil, "\(words)")
    }
  }
}
