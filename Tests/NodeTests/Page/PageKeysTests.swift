import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Keyboard shortcuts: every command of loops, voice, grid and takes in three presses.
  @Suite struct PageKeysTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }
    private var phone: Phone { stage.phone }

    init() throws {
      stage = try PageStage.ready(.laptop)
      for number in 1...4 {
        for (part, value) in [
          ("quantize", Argument.string("off")), ("after", .string("play")), ("mute", .int32(0)),
          ("rate", .float(1)), ("direction", .int32(1)),
        ] { phone.send("/loop/\(number)/\(part)", value) }
        for part in ["stop", "cancel", "clear"] { phone.send("/loop/\(number)/\(part)") }
      }
      phone.send("/loop/select", .int32(1))
      phone.send("/preset", .string("dry"))
      phone.send("/mute", .int32(0))
      phone.send("/metronome/bpm", .float(240))
      phone.send("/piano/octave", .int32(4))
      #expect(phone.sync())
      try browser.run("localStorage.removeItem('syrinx.keys')")
    }

    /// Opens a page with the focus nowhere.
    private func start(at page: String = "rig") throws {
      try stage.turn(to: page)
      for one in ["#preset-list button", "#cells [data-cell]"] {
        try browser.await("document.querySelector('\(one)')")
      }
      try browser.run("document.activeElement?.blur()")
    }

    private static let named = [
      "Up": "\u{E013}", "Down": "\u{E015}", "Enter": "\u{E007}", "Delete": "\u{E017}",
      "F2": "\u{E032}", "Escape": "\u{E00C}",
    ]

    /// Presses keys one after the other.
    ///
    /// After a key that goes somewhere, such as `Shift E`, waits for the focus.
    private func press(_ keys: String...) throws {
      #expect(keys.count <= 3)
      for key in keys {
        if let letter = key.wholeMatch(of: /Shift (\w)/)?.1 {
          try browser.typeShifted(String(letter))
          if !"MXU".contains(letter) {
            try browser.await("document.activeElement !== document.body")
          }
        } else {
          try browser.type(Self.named[key] ?? key)
        }
      }
    }

    private func awaitState(_ state: String, of number: Int) throws {
      try waitUntil("loop \(number) is \(state)") {
        phone.ask("/loop/\(number)/state")?.arguments.first == .string(state)
      }
    }

    private func awaitLayers(_ count: Int32, of number: Int) throws {
      try waitUntil("loop \(number) has \(count) layers") {
        phone.ask("/loop/\(number)/state")?.arguments[3] == .int32(count)
      }
    }

    @Test(.hangLimit)
    func `the list of shortcuts, their table in the documentation, and their dispatch agree`()
      throws
    {
      let text = try String(
        contentsOf: Project.file("Sources/syrinx/Documentation.docc/Browser.md"), encoding: .utf8)
      let written = text.split(separator: "\n", omittingEmptySubsequences: false)
        .drop { $0 != "| Keys | Effect |" }.dropFirst(2).prefix { !$0.isEmpty }.map(String.init)
      let rows = try #require(
        try browser.run(
          """
          return import("/page/parts/shortcuts.js").then(({ shortcuts }) => shortcuts.flatMap(
            ([title, rows]) => [`| **${title}** | |`, ...rows.map(([keys, effect]) => `| ${keys} | ${effect} |`)]))
          """) as? [String])
      #expect(rows.count > 40)
      #expect(written == rows)
      // The dialog.
      try start()
      try browser.type("?")
      let shown =
        try browser.run(
          """
          return [...document.querySelectorAll('#keys :is(h3, dl > div)')].map((one) => one.matches('h3')
            ? `| **${one.textContent}** | |`
            : `| ${one.querySelector('dt').textContent} | ${one.querySelector('dd').textContent} |`)
          """) as? [String]
      #expect(shown == rows)
      try browser.type(try #require(Self.named["Escape"]))
      // No key of two rows, and every action is there.
      let faults = try browser.text(
        """
        return Promise.all([import("/page/parts/shortcuts.js"), import("/page/parts/keys.js")])
          .then(([{ shortcuts }, { hasAction }]) => {
            const rows = shortcuts.flatMap(([, rows]) => rows).filter(([, , action]) => action);
            const keys = rows.map(([keys]) => keys.split(", then ")[0]);
            return [...keys.filter((key, at) => keys.indexOf(key) !== at),
              ...rows.filter(([, , action, argument]) => !hasAction(action, argument)).map(([keys]) => keys)].join();
          })
        """)
      #expect(faults == "")
    }

    @Test(.hangLimit, arguments: ["rig", "grid"])
    func `each command of a loop takes at most three presses on any page`(_ page: String) throws {
      try start(at: page)
      try press("3", "r")
      try awaitState("recording", of: 3)
      try phone.awaitLength(0.6, ofLoop: 3)
      try press("3", "p")
      try awaitState("playing", of: 3)
      try press("3", "o")
      try awaitState("overdubbing", of: 3)
      try press("3", "o")
      try awaitLayers(1, of: 3)
      try press("3", "u")
      try awaitLayers(0, of: 3)
      try press("3", "y")
      try awaitLayers(1, of: 3)
      try press("3", "<")
      try phone.awaitValue(of: "/loop/3/rate", .float(0.5))
      try press("3", ">")
      try phone.awaitValue(of: "/loop/3/rate", .float(1))
      try press("3", ">")
      try phone.awaitValue(of: "/loop/3/rate", .float(2))
      try press("3", "q")
      try phone.awaitValue(of: "/loop/3/direction", .int32(-1))
      try press("3", "m")
      try awaitState("muted", of: 3)
      try press("3", "m")
      try press("3", "x")
      try awaitState("stopped", of: 3)
      try press("3", "c", "c")
      try awaitState("empty", of: 3)
      try press("Shift U")
      try awaitState("stopped", of: 3)
      // Retroactively.
      try press("4", "k", "1")
      try awaitState("playing", of: 4)
      try press("Shift X")
      try awaitState("stopped", of: 4)
      let known = try browser.text("return document.body.dataset.page")
      #expect(known == page)
    }

    @Test(.hangLimit)
    func `each of sixteen loops is selected and recorded by three presses`() throws {
      let node = try NodeProcess(
        server: stage.server, ["--loops", "16", "-n", "sixteen"],
        environment: ["SYRINX_SOUNDFONTS": "none"], hasPage: true)
      let address = try #require(node.ready["web"])
      let sixteen = try Phone(port: node.port)
      try browser.withAnotherWindow {
        try browser.open(address + "#rig")
        try browser.await("document.querySelectorAll('.slot').length === 16")
        for number in [1, 9, 10, 11, 16] {
          try browser.type(
            (number < 10 ? "\(number)" : number == 10 ? "0" : "0\(number - 10)") + "r")
          try waitUntil("loop \(number) records") {
            sixteen.ask("/loop/\(number)/state")?.arguments.first == .string("recording")
          }
        }
      }
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `each command of the voice takes at most three presses`() throws {
      try start()
      try press("Shift V")
      // Text, which is no press. The list can be drawn again meanwhile.
      try browser.type("thi")
      try browser.run(
        """
        return import("/page/store/values.js")
          .then(({ latest, receive }) => receive("/presets", latest("/presets")))
        """)
      try browser.type("rd")
      try press("Enter")
      try phone.awaitValue(of: "/preset", .string("thirds"))
      for (key, mix, on) in [("E", "/echo/mix", "/echo/on"), ("R", "/reverb/mix", "/reverb/on")] {
        let value = try #require(try stage.values(of: mix)?.first?.number)
        try start()
        try press("Shift \(key)", "Up")
        try waitUntil("\(mix) is raised") { phone.ask(mix)?.arguments[0].number ?? 0 > value }
        let isOn = try #require(try stage.values(of: on)?.first)
        try start()
        try press("Shift \(key)", "Shift \(key)", "Enter")
        try phone.awaitValue(of: on, .int32(isOn == .int32(1) ? 0 : 1))
      }
      let pitch = try #require(try stage.values(of: "/pitch/semitones")?.first?.number)
      try start()
      try press("Shift P", "Up")
      try phone.awaitValue(of: "/pitch/semitones", .float(Float(pitch) + 1))
      try start()
      try press("Shift B", "Enter")
      try phone.awaitValue(of: "/chain/bypass", .int32(1))
      try press("Enter")
      try phone.awaitValue(of: "/chain/bypass", .int32(0))
      try press("Shift M")
      try phone.awaitValue(of: "/mute", .int32(1))
      try press("Shift M")
      try phone.awaitValue(of: "/mute", .int32(0))
    }

    /// Presses or releases a key for the focused element.
    private func hold(_ event: String, _ key: String, code: String) throws {
      try browser.run(
        """
        const [event, key, code] = arguments;
        document.activeElement.dispatchEvent(new KeyboardEvent(event, { key, code, bubbles: true, cancelable: true }))
        """, event, key, code)
    }

    @Test(.hangLimit)
    func `each command of the grid takes at most three presses`() throws {
      // Other tests play the grid's default notes.
      phone.send("/grid/scale", .string("minor-pentatonic"))
      #expect(phone.sync())
      defer {
        phone.send("/grid/root", .string("A"))
        phone.send("/grid/scale", .string("chromatic"))
        phone.send("/grid/instrument", .string("organ"))
        _ = phone.sync()
      }
      try start()
      let watcher = try stage.watcher(of: "/grid/lit")
      try press("Shift N")
      // A press of no length can be merged with its end.
      try hold("keydown", "Enter", code: "Enter")
      #expect(watcher.receive("/grid/lit") != nil)
      try hold("keyup", "Enter", code: "Enter")
      // Other notes leave the focus where it is.
      let place =
        "return document.activeElement.dataset.row + ' ' + document.activeElement.dataset.column"
      let focused = try browser.text(place)
      let name = "document.activeElement.ariaLabel"
      let label = try browser.text("return \(name)")
      phone.send("/grid/root", .string("C"))
      try browser.await("(\(name) ?? '\(label)') !== '\(label)'")
      #expect(try browser.text(place) == focused)
      try start(at: "loop")
      try press("Shift 4")
      try hold("keydown", "d", code: "KeyD")
      try phone.awaitValue(of: "/status/voices", .int32(1))
      try hold("keyup", "d", code: "KeyD")
      try phone.awaitValue(of: "/status/voices", .int32(0))
      for (key, address) in [
        ("K", "/grid/root"), ("S", "/grid/scale"), ("I", "/grid/instrument"),
      ] {
        let before = try stage.values(of: address)
        try start()
        try press("Shift \(key)", "Down")
        try waitUntil("\(address) changes") { phone.ask(address)?.arguments != before }
      }
      try start()
      try press("Shift O", "Enter")
      try phone.awaitValue(of: "/piano/octave", .int32(5))
      try start()
      try press("Shift O", "Shift O", "Enter")
      try phone.awaitValue(of: "/piano/octave", .int32(4))
    }

    private func awaitTakes(_ count: Int) throws {
      try phone.awaitValue(of: "/takes/total", .int32(Int32(count)))
      try browser.await("document.querySelectorAll('#take-list li').length === \(count)")
    }

    private func focusedTake() throws -> String {
      try browser.text(
        "return document.activeElement.closest('[data-take]')?.dataset.take ?? document.activeElement.id"
      )
    }

    @Test(.hangLimit)
    func `takes are recorded, played, found, renamed and deleted by at most three presses`()
      throws
    {
      try start()
      for count in 1...3 {
        try press("Shift C", "Enter")
        try phone.awaitValue(of: "/capture/on", .int32(1))
        try waitUntil("something is recorded") {
          phone.ask("/capture/state")?.arguments[1].number ?? 0 > 0.1
        }
        try browser.await("document.activeElement.ariaPressed === 'true'")
        try press("Enter")
        try phone.awaitValue(of: "/capture/on", .int32(0))
        try awaitTakes(count)
        try start()
      }
      // The second one of the list, which is short.
      let watcher = try stage.watcher(of: "/take/playing")
      try press("Shift T", "Down", "Enter")
      let second = try focusedTake()
      #expect(watcher.receive("/take/playing")?.arguments == [.string(second)])
      try phone.awaitValue(of: "/take/playing", .string(""))
      try start()
      try press("Shift T", "F2")
      try browser.await("document.activeElement.id === 'take-title'")
      try browser.type("Curlew")
      try press("Enter")
      try browser.await(
        "document.querySelector('#take-list li .take-open b').textContent === 'Curlew'")
      try start()
      try press("Shift F")
      try browser.type("curl")
      try browser.await("document.querySelectorAll('#take-list li').length === 1")
      try press("Down", "Delete")
      try phone.awaitValue(of: "/takes/total", .int32(2))
      // The list is empty.
      try browser.await("document.activeElement.id === 'take-record'")
      try press("Shift U")
      try phone.awaitValue(of: "/takes/total", .int32(3))
      try press("Shift F")
      try browser.write("", into: "#take-search")
      try awaitTakes(3)
      // The row in the place of a deleted one gets the focus, also where the open take has it.
      try press("Escape")
      let ids = try #require(
        try browser.run(
          "return [...document.querySelectorAll('#take-list li')].map((one) => one.dataset.take)")
          as? [String])
      try press("Shift T", "Down", "Delete")
      try awaitTakes(2)
      #expect(try focusedTake() == ids[2])
      try browser.run("document.querySelector('#take-list .take-open').click()")
      try browser.run("document.querySelector('#take-trash').focus()")
      try press("Enter")
      try awaitTakes(1)
      try browser.await("document.querySelector('#take').hidden")
      #expect(try focusedTake() == ids[2])
      try press("Delete")
      try awaitTakes(0)
    }

    @Test(.hangLimit)
    func `shortcuts are inactive in fields, and can be turned off on a device`() throws {
      try start(at: "feed")
      try browser.run("document.querySelector('#feed-message').focus()")
      try browser.type("rxm?1")
      let text = try browser.text("return document.querySelector('#feed-message').value")
      #expect(text == "rxm?1")
      try browser.write("", into: "#feed-message")
      // Escape leaves a field.
      try press("Escape")
      let isLeft = try browser.run("return document.activeElement === document.body") as? Bool
      #expect(isLeft == true)
      try start()
      try browser.run("document.querySelector('#rig [data-view=node]').click()")
      try browser.run(
        "const open = document.querySelector('#rig [data-sheet=keys]'); open.focus(); open.click()")
      let dialog = try browser.text(
        """
        const dialog = document.activeElement.closest('[role=dialog]');
        return dialog?.getAttribute('aria-label') ?? '';
        """)
      #expect(dialog == "Keyboard shortcuts")
      try browser.run("document.querySelector('#keys-on').click()")
      try press("Escape")
      let opener = try browser.text("return document.activeElement.dataset.sheet ?? ''")
      #expect(opener == "keys")
      try stage.open("rig")
      try browser.type("r?")
      try stage.awaitNode()
      #expect(phone.ask("/loop/1/state")?.arguments.first == .string("empty"))
      let isHidden = try browser.run("return document.querySelector('#keys').hidden") as? Bool
      #expect(isHidden == true)
      try browser.run("document.querySelector('#keys-on').click()")
      try browser.type("r")
      try awaitState("recording", of: 1)
    }

    @Test(.hangLimit)
    func `sliders speak their values with their units, and the tab of the page is marked`() throws {
      try start(at: "voice")
      phone.send("/pitch/semitones", .float(-3))
      phone.send("/live/gain", .float(-6))
      phone.send("/echo/time", .float(0.25))
      #expect(phone.sync())
      for (address, words) in [
        ("/pitch/semitones", "minus 3 semitones"), ("/live/gain", "minus 6.0 decibels"),
        ("/echo/time", "250 milliseconds"),
      ] {
        let text = "document.querySelector(\"[data-address='\(address)'] input\").ariaValueText"
        do {
          try browser.await("\(text) === '\(words)'")
        } catch {
          throw Fault("\(address): \(try browser.text("return \(text)")), not \(words)")
        }
      }
      let unspoken = try browser.text(
        """
        return [...document.querySelectorAll('input[type=range]')]
          .filter((one) => !one.ariaValueText || !(one.ariaLabel)).map((one) => one.outerHTML).join()
        """)
      #expect(unspoken == "")
      for page in PageStage.pages {
        try stage.turn(to: page)
        let marked = try browser.text(
          "return [...document.querySelectorAll('.tabs [aria-current=page]')].map((one) => one.hash).join()"
        )
        #expect(marked == "#" + page)
      }
      let unnamed = try browser.text(
        """
        return [...document.querySelectorAll('main ul, main ol, .sheet, [role=group], [role=radiogroup]')]
          .filter((one) => !one.ariaLabel).map((one) => one.outerHTML.slice(0, 80)).join()
        """)
      #expect(unnamed == "")
    }
  }
}
