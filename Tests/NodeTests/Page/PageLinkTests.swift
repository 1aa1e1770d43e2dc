import Control
import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The page's connection: changes by others, and reconnection.
  @Suite struct PageLinkTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      stage.phone.send("/echo/mix", .float(0.25))
      #expect(stage.phone.sync())
      try stage.turn(to: "voice")
      try awaitFigure("25 %", in: browser)
    }

    private let fader = "#voice .fader[data-address='/echo/mix']"

    private func awaitFigure(_ figure: String, in browser: Browser) throws {
      try browser.await(
        "document.querySelector(\"\(fader) .fader-figure\").textContent === '\(figure)'")
    }

    @Test(.hangLimit)
    func `a fader moves on the page when OSC moves it`() throws {
      stage.phone.send("/echo/mix", .float(0.7))
      try awaitFigure("70 %", in: browser)
      // For screen readers, too.
      try browser.await(
        "document.querySelector(\"\(fader) input\").getAttribute('aria-valuetext') === '70 percent'"
      )
    }

    @Test(.hangLimit)
    func `a fader moved on the page moves at the node, relative to its position`() throws {
      // A brush changes nothing.
      try browser.tap(try browser.place(fader, 0.9))
      #expect(try stage.values(of: "/echo/mix") == [.float(0.25)])
      try browser.press(at: try browser.place(fader, 0.2))
      try browser.move(to: try browser.place(fader, 0.3))
      try browser.move(to: try browser.place(fader, 0.7))
      try browser.lift()
      let value = try #require(try stage.values(of: "/echo/mix")?[0].number)
      // Except for the few points by which the movement is detected.
      #expect((0.6...0.75).contains(value))
    }

    @Test(.hangLimit)
    func `a fader at its middle has the value of the table's curve`() throws {
      let script = """
        const paths = JSON.parse(arguments[0]);
        return (async () => {
          const [{ fact }, { exactValue, place }] = await Promise.all([
            import("/page/store/table.js"), import("/page/store/units.js")
          ]);
          return paths.map((path) => {
            const middle = exactValue(0.5, fact(path));
            return [middle, place(middle, fact(path))];
          });
        })();
        """
      let addresses = AddressTable.node.addresses.filter { address in
        address.types == "f" && address.range.least < address.range.greatest
          && address.value?.isPlayhead == false && !address.standsForMany
      }
      let paths = "[" + addresses.map { "\"\($0.path)\"" }.joined(separator: ",") + "]"
      let told = try #require(try browser.run(script, paths) as? [[Double]])
      #expect(told.count == addresses.count && told.count > 60)
      for (address, pair) in zip(addresses, told) {
        let middle = address.curve.value(at: 0.5, in: address.forms[0].range)
        #expect(abs(pair[0] - middle) < 1e-5 * max(1, abs(middle)), "\(address.path)")
        #expect(abs(pair[1] - 0.5) < 1e-6, "\(address.path)")
      }
    }

    @Test(.hangLimit)
    func `a double tap on a fader restores its default`() throws {
      try browser.doubleTap(fader)
      try stage.phone.awaitValue(of: "/echo/mix", .float(0.35))
      try awaitFigure("35 %", in: browser)
    }

    @Test(.hangLimit)
    func `a touched fader keeps its position, and takes another client's on release`() throws {
      try browser.press(at: try browser.place(fader, 0.2))
      try browser.move(to: try browser.place(fader, 0.3))
      try browser.move(to: try browser.place(fader, 0.5))
      let script = "return document.querySelector(arguments[0]).textContent"
      try waitUntil("the node has the finger's value") {
        // From the second move: the first is a third of the distance.
        stage.phone.ask("/echo/mix")?.arguments[0].number ?? 0 > 0.45
      }
      try stage.awaitRest()
      let held = try browser.text(script, "\(fader) .fader-figure")
      stage.phone.send("/echo/mix", .float(0.9))
      #expect(stage.phone.sync())
      // Earlier updates are shown by then.
      stage.phone.send("/reverb/mix", .float(0.9))
      try browser.await(
        """
        document.querySelector("[data-address='/reverb/mix'] .fader-figure").textContent === '90 %'
        """)
      #expect(try browser.text(script, "\(fader) .fader-figure") == held)
      try browser.lift()
      try awaitFigure("90 %", in: browser)
      #expect(try stage.values(of: "/echo/mix") == [.float(0.9)])
    }

    @Test(.hangLimit)
    func `two clients see each other's faders move`() throws {
      let other = try Browser(.phone)
      defer { other.end() }
      try other.open(stage.address + "#voice")
      try awaitFigure("25 %", in: other)
      for (one, two) in [(browser, other), (other, browser)] {
        let before = try two.text("return document.querySelector(arguments[0]).textContent", fader)
        try one.press(at: try one.place(fader, 0.2))
        try one.move(to: try one.place(fader, 0.3))
        try one.move(to: try one.place(fader, 0.6))
        try one.lift()
        try one.run("return new Promise(requestAnimationFrame)")
        let figure = try one.text(
          "return document.querySelector(arguments[0]).textContent", "\(fader) .fader-figure")
        try waitUntil("the node has the finger's value") {
          let value = stage.phone.ask("/echo/mix")?.arguments[0].number ?? 0
          return figure == "\(Int((value * 100).rounded())) %"
        }
        try awaitFigure(figure, in: two)
        #expect(
          try two.text("return document.querySelector(arguments[0]).textContent", fader) != before)
        stage.phone.send("/echo/mix", .float(0.25))
        for each in [one, two] { try awaitFigure("25 %", in: each) }
      }
      let faults = try other.takeFaults()
      #expect(faults == [])
    }

    @Test(.hangLimit)
    func `the page asks for its table again if a request fails or is refused`() throws {
      let script = """
        window.asked = [];
        const real = window.fetch;
        window.fetch = (...request) => {
          const number = window.asked.push(request[0]);
          if (number === 1) return Promise.reject(new TypeError("Failed to fetch"));
          if (number === 2) return Promise.resolve(new Response("", { status: 503 }));
          window.fetch = real;
          return real(...request);
        };
        import("/page/store/table.js").then(({ fetchTable, onTable }) => {
          onTable(() => { window.tables = (window.tables ?? 0) + 1; });
          fetchTable();
        });
        """
      try browser.run(script)
      // The table that the page has, and the one that arrives in the end.
      try browser.await("window.tables === 2")
      try browser.await("window.asked.join() === '/?,/?,/?'")
      #expect(try browser.takeFaults() == [])
    }

    @Test(.hangLimit)
    func `the page reconnects to a killed node within a second, and no old note sounds`() throws {
      try stage.turn(to: "grid")
      let cell = "[data-row='1'][data-column='2']"
      try browser.press(at: try browser.place(cell))
      try stage.phone.awaitValue(of: "/status/voices", .int32(1))
      // The delays for which the page waits before it connects again, in milliseconds: a busy
      // machine delays the connection itself.
      try browser.run(
        """
        window.waits = [];
        const wait = window.setTimeout;
        window.setTimeout = (todo, milliseconds, ...rest) => {
          if (todo.name === "connect") window.waits.push(milliseconds);
          return wait(todo, milliseconds, ...rest);
        };
        """)
      stage.killNode()
      try browser.await("document.body.dataset.link === 'lost'")
      try browser.await("!document.querySelector('.touched')")
      // Without a connection: it must not sound later.
      try browser.move(to: try browser.place("[data-row='1'][data-column='3']"))
      // Every delay has been used by then.
      try browser.await("window.waits.length > 5")
      try stage.startNodeAgain()
      try stage.awaitLink()
      let waits = try browser.numbers("return window.waits")
      #expect(waits.allSatisfy { $0 < 1000 }, "\(waits)")
      // The page's messages arrive before the reply to its next query.
      let watcher = try stage.watcher(of: "/echo/mix")
      try browser.lift()
      try stage.turn(to: "voice")
      try browser.run("document.querySelector(arguments[0]).focus()", "\(fader) input")
      try browser.type("\u{E014}")
      #expect(watcher.receive("/echo/mix") != nil)
      #expect(stage.phone.ask("/status/voices")?.arguments == [.int32(0)])
      try stage.turn(to: "grid")
      try browser.await("!document.querySelector('.lit')")
      // The page plays as before.
      try browser.press(at: try browser.place(cell))
      try stage.phone.awaitValue(of: "/status/voices", .int32(1))
      try browser.lift()
      try stage.phone.awaitValue(of: "/status/voices", .int32(0))
      let told = try browser.takeFaults()
      #expect(told.allSatisfy { $0.contains("WebSocket connection") }, "\(told)")
    }

    @Test(.hangLimit)
    func `after a phone's sleep the page shows the present and plays, also with a new node`() throws
    {
      try browser.withAnotherWindow {
        try stage.open("voice")
        try awaitFigure("25 %", in: browser)
        for (restarts, value, figure) in [(false, 0.7, "70 %"), (true, 0.5, "50 %")] {
          try browser.command("Emulation.setFocusEmulationEnabled", ["enabled": false])
          try browser.command("Page.setWebLifecycleState", ["state": "frozen"])
          if restarts {
            stage.killNode()
            try stage.startNodeAgain()
          }
          stage.phone.send("/echo/mix", .float(Float(value)))
          #expect(stage.phone.sync())
          try browser.command("Page.setWebLifecycleState", ["state": "active"])
          // It becomes visible.
          try browser.command("Emulation.setFocusEmulationEnabled", ["enabled": true])
          try awaitFigure(figure, in: browser)
          let watcher = try stage.watcher(of: "/echo/mix")
          try browser.run("document.querySelector(arguments[0]).focus()", "\(fader) input")
          try browser.type("\u{E014}")
          #expect(watcher.receive("/echo/mix") != nil)
        }
        // The browser reports that it closed the connections of a frozen page.
        let told = try browser.takeFaults()
        #expect(
          told.allSatisfy { $0.contains("Back-Forward Cache") || $0.contains("WebSocket") },
          "\(told)")
      }
      // The other page has lost its node, too.
      try stage.awaitLink()
      _ = try browser.takeFaults()
    }
  }
}
