import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The loops on the page: each with a large button, and the chosen one with everything.
  @Suite struct PageLoopsTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }
    private var phone: Phone { stage.phone }

    init() throws {
      stage = try PageStage.ready(.phone)
      for number in 1...4 {
        for (part, value) in [
          ("quantize", Argument.string("off")), ("after", .string("play")), ("mute", .int32(0)),
          ("rate", .float(1)), ("direction", .int32(1)), ("gain", .float(0)),
          ("pedal/long", .string("stop")), ("pedal/double", .string("undo")),
        ] { phone.send("/loop/\(number)/\(part)", value) }
        phone.send("/loop/\(number)/stop")
        phone.send("/loop/\(number)/cancel")
        phone.send("/loop/\(number)/clear")
      }
      phone.send("/player/done")
      // Presses wait for the next bar, however soon after the last one they come.
      phone.send("/loop/lateness", .float(0))
      phone.send("/loop/select", .int32(1))
      phone.send("/metronome/bpm", .float(120))
      #expect(phone.sync())
      try stage.turn(to: "loop")
      try browser.await("document.querySelectorAll('.slot[data-state=empty]').length === 4")
      try browser.run("document.querySelector('#loop-choice .all').click()")
    }

    private func slot(_ number: Int) -> String { ".slot[data-slot='\(number)']" }

    /// Waits until a loop is in a state, in the node and on the page.
    private func awaitState(_ state: String, of number: Int) throws {
      try waitUntil("loop \(number) is \(state)") {
        phone.ask("/loop/\(number)/state")?.arguments.first == .string(state)
      }
      try browser.await(
        "document.querySelector(\"\(slot(number))\").dataset.state === '\(state)'")
    }

    private func text(_ selector: String) throws -> String {
      try browser.text("return document.querySelector(arguments[0]).textContent", selector)
    }

    private func style(_ property: String, of selector: String) throws -> String {
      try browser.text(
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector,
        property)
    }

    /// Makes all presses of a loop's button short ones: on a busy machine, a tap can take as long as a long one.
    private func ignoreLongPresses(of number: Int) {
      for press in ["long", "double"] {
        phone.send("/loop/\(number)/pedal/\(press)", .string("off"))
      }
      #expect(phone.sync())
    }

    /// Starts a bar of 48 seconds: what is queued for its end is still queued when a busy machine looks.
    private func startLongBar() {
      phone.send("/metronome/bpm", .float(20))
      phone.send("/metronome/beats", .int32(16))
      phone.send("/metronome/on", .int32(1))
      #expect(phone.sync())
    }

    private func endLongBar() {
      phone.send("/metronome/on", .int32(0))
      phone.send("/metronome/beats", .int32(4))
    }

    /// Makes a playing loop of some seconds.
    private func makeLoop(_ number: Int, seconds: Double = 0.6) throws {
      phone.send("/loop/\(number)/record")
      try phone.awaitLength(seconds, ofLoop: number)
      phone.send("/loop/\(number)/record")
      try awaitState("playing", of: number)
    }

    @Test(.hangLimit)
    func `one large button records, plays and overdubs, and shows it by word and color`() throws {
      let button = slot(2) + " .pedal"
      #expect(try style("borderTopStyle", of: button) == "dashed")
      ignoreLongPresses(of: 2)
      for (state, word, color) in [
        ("recording", "Rec", "rgb(255, 77, 61)"), ("playing", "Play", "rgb(0, 194, 160)"),
        ("overdubbing", "Over", "rgb(255, 176, 0)"), ("playing", "Play", "rgb(0, 194, 160)"),
      ] {
        try browser.tap(button)
        try awaitState(state, of: 2)
        #expect(try text(slot(2) + " .slot-word") == word)
        #expect(try style("backgroundColor", of: button) == color)
        try phone.pass(seconds: 0.1, "longer than a switch bounces")
      }
      #expect(try text(slot(2) + " small") == "1 overdub")
      // The others are unchanged.
      #expect(phone.ask("/loop/1/state")?.arguments.first == .string("empty"))
      // Its cycle is an animated bar.
      let bar = { try style("transform", of: slot(2) + " .run") }
      let before = try bar()
      try waitUntil("the bar has moved") { try bar() != before }
    }

    @Test(.hangLimit)
    func `a held press stops the loop, and its release is no second press`()
      throws
    {
      try makeLoop(1)
      try browser.press(at: try browser.place(slot(1) + " .pedal"))
      try awaitState("stopped", of: 1)
      try browser.lift()
      try stage.awaitRest()
      #expect(phone.ask("/loop/1/state")?.arguments.first == .string("stopped"))
    }

    @Test(.hangLimit, arguments: ["finger", "space"])
    func `with quantize the button records from bar to bar`(_ way: String) throws {
      try browser.run("document.activeElement?.blur()")
      try browser.type("4")
      try phone.awaitValue(of: "/loop/select", .int32(4))
      phone.send("/metronome/bpm", .float(240))
      phone.send("/loop/4/quantize", .string("bar"))
      ignoreLongPresses(of: 4)
      for state in ["recording", "playing"] {
        if way == "space" { try browser.type(" ") } else { try browser.tap("#loop-choice .all") }
        if way == "finger" { try browser.tap(slot(4) + " .pedal") }
        try awaitState(state, of: 4)
        try phone.pass(seconds: 0.1, "longer than a switch bounces")
      }
      // A bar of four beats is a second.
      let seconds = phone.ask("/loop/4/state")?.arguments[2].number ?? 0
      #expect(seconds.rounded() >= 1 && abs(seconds - seconds.rounded()) < 1e-4, "\(seconds) s")
    }

    @Test(.hangLimit)
    func `mute, undo and gain belong to their loop`() throws {
      try makeLoop(3)
      try browser.tap(slot(3) + " .slot-mute")
      try awaitState("muted", of: 3)
      #expect(phone.ask("/loop/3/mute")?.arguments == [.int32(1)])
      // When muted it has an outline, and no fill.
      #expect(try style("borderTopColor", of: slot(3) + " .pedal") == "rgb(0, 194, 160)")
      #expect(try style("backgroundColor", of: slot(3) + " .pedal") != "rgb(0, 194, 160)")
      try browser.tap(slot(3) + " .slot-mute")
      try awaitState("playing", of: 3)
      let fader = slot(3) + " .fader"
      try browser.press(at: try browser.place(fader, 0.7))
      try browser.move(to: try browser.place(fader, 0.6))
      try browser.move(to: try browser.place(fader, 0.3))
      try browser.lift()
      try waitUntil("the loop is softer") {
        phone.ask("/loop/3/gain")?.arguments.first?.number ?? 0 < -10
      }
      #expect(phone.ask("/loop/2/gain")?.arguments == [.float(0)])
      try browser.await(
        "document.querySelector(\"\(slot(3)) [data-press$=undo]\").ariaDisabled === 'false'")
      try browser.tap(slot(3) + " [data-press$=undo]")
      try awaitState("empty", of: 3)
    }

    @Test(.hangLimit)
    func
      `the queued state blinks twice a second next to the current one, with icon, word and beats`()
      throws
    {
      try makeLoop(2)
      startLongBar()
      defer { endLongBar() }
      phone.send("/loop/2/quantize", .string("bar"))
      phone.send("/loop/2/overdub")
      let next = slot(2) + " .slot-next"
      try browser.await("document.querySelector(\"\(slot(2))\").dataset.waits === 'overdubbing'")
      try browser.await("!document.querySelector(\"\(next)\").hidden")
      let words = try text(next)
      #expect(words.wholeMatch(of: /Over([1-9]|1[0-6])/) != nil, "\(words)")
      #expect(try text(slot(2) + " .slot-word") == "Play")
      #expect(try style("animationName", of: next) == "will-be")
      #expect(try style("animationDuration", of: next) == "0.5s")
      let picture = try browser.text(
        "return document.querySelector(arguments[0] + ' use').getAttribute('href')", next)
      #expect(picture == "#i-overdub")
      try browser.prefer(["prefers-reduced-motion": "reduce"])
      #expect(try style("animationName", of: next) == "none")
      phone.send("/loop/2/cancel")
      try browser.await("document.querySelector(\"\(next)\").hidden")
    }

    @Test(.hangLimit)
    func `a button blinks while its start or end is queued, as a pedal's light does`() throws {
      try browser.tap("#loop-choice .number:nth-of-type(3)")
      func button(_ name: String) -> String { "#loop .presses [data-loop=\(name)]" }
      func awaitBlinking(_ name: String, _ isBlinking: Bool) throws {
        try browser.await(
          "document.querySelector('\(button(name))').classList.contains('will') === \(isBlinking)")
      }
      startLongBar()
      defer { endLongBar() }
      try browser.tap(button("record"))
      try awaitState("recording", of: 2)
      try phone.awaitLength(0.5, ofLoop: 2)
      #expect(try style("animationName", of: button("record")) == "none")
      phone.send("/loop/2/quantize", .string("bar"))
      try browser.tap(button("record"))
      try browser.await("document.querySelector(\"\(slot(2))\").dataset.waits === 'playing'")
      for (name, animation) in [("record", "ends"), ("play", "will")] {
        try awaitBlinking(name, true)
        #expect(try style("animationName", of: button(name)) == animation)
        #expect(try style("animationDuration", of: button(name)) == "0.5s")
      }
      let isPressed = "return document.querySelector(arguments[0]).ariaPressed"
      #expect(try browser.text(isPressed, button("record")) == "true")
      try browser.prefer(["prefers-reduced-motion": "reduce"])
      #expect(try style("animationName", of: button("record")) == "none")
      #expect(try style("borderTopStyle", of: button("record")) == "dashed")
      try browser.prefer([:])
      phone.send("/loop/2/cancel")
      for name in ["record", "play"] { try awaitBlinking(name, false) }
      phone.send("/loop/2/quantize", .string("off"))
      phone.send("/loop/2/record")
      try awaitState("playing", of: 2)
      // The loop plays on under an overdub: only the latter blinks.
      phone.send("/loop/2/quantize", .string("bar"))
      phone.send("/loop/2/overdub")
      try awaitBlinking("overdub", true)
      try awaitBlinking("play", false)
      phone.send("/loop/2/cancel")
      try awaitBlinking("overdub", false)
    }

    /// Records half a second into a loop, which then plays.
    private func record(_ number: Int) throws {
      phone.send("/loop/\(number)/record")
      try phone.awaitLength(0.5, ofLoop: number)
      phone.send("/loop/\(number)/record")
      try awaitState("playing", of: number)
    }

    private func click(on selector: String) throws {
      try browser.run("document.querySelector(arguments[0]).click()", selector)
    }

    @Test(.hangLimit) func `the lock holds the chosen loop until it is held down`() throws {
      defer { phone.send("/lock", .int32(0)) }
      try browser.tap("#loop-choice .number:nth-of-type(2)")
      try record(1)
      let lock = "document.querySelector('#loop-settings .hold')"
      try browser.run("\(lock).scrollIntoView()")
      try browser.tapAtOnce("#loop-settings .hold")
      try browser.await("\(lock).ariaChecked === 'true'")
      try browser.await("document.querySelector('#loop [data-loop=clear]').ariaDisabled === 'true'")
      // A tap does not unlock.
      try browser.tapAtOnce("#loop-settings .hold")
      try stage.awaitNode()
      #expect(phone.ask("/lock")?.arguments == [.int32(1)])
      phone.send("/loop/1/clear")
      #expect(phone.receive("/error")?.arguments[1] == .string("denied"))
      try awaitState("playing", of: 1)
      try browser.run("\(lock).dispatchEvent(new PointerEvent('pointerdown'))")
      try browser.await("\(lock).ariaChecked === 'false'")
      try browser.await(
        "document.querySelector('#loop [data-loop=clear]').ariaDisabled === 'false'")
    }

    @Test(.hangLimit) func `a loop is faded out, copied and soloed from its settings`() throws {
      try browser.tap("#loop-choice .number:nth-of-type(2)")
      try record(1)
      let settings = "#loop-settings [data-press='/loop/1/fadeBars']"
      // A bar then has 0.8 s.
      phone.send("/metronome/bpm", .float(300))
      try click(on: "\(settings)[data-value='-1']")
      try awaitState("stopped", of: 1)
      try browser.run(
        """
        const select = document.querySelector("#loop-settings [aria-label='Copy to another loop, loop 1']");
        select.value = '2';
        select.dispatchEvent(new Event('change'));
        """)
      try awaitState("stopped", of: 2)
      for number in 1...2 { phone.send("/loop/\(number)/play") }
      try awaitState("playing", of: 2)
      try click(on: "#loop-settings [data-address='/loop/1/solo']")
      try awaitState("muted", of: 2)
      try click(on: "#loop-settings [data-address='/loop/1/solo']")
      try awaitState("playing", of: 2)
    }

    @Test(.hangLimit)
    func `the chosen loop has its waveform, buttons and settings`() throws {
      try browser.tap("#loop-choice .number:nth-of-type(4)")
      try phone.awaitValue(of: "/loop/select", .int32(3))
      try browser.await("document.querySelector('#loop-number').textContent === '3'")
      try browser.await("!document.querySelector('#slots').checkVisibility()")
      try browser.tap("[data-loop=record]")
      try awaitState("recording", of: 3)
      try phone.awaitLength(0.5, ofLoop: 3)
      try browser.tap("[data-loop=record]")
      try awaitState("playing", of: 3)
      for (what, state) in [
        ("multiply", "multiplying"), ("insert", "inserting"), ("substitute", "substituting"),
        ("replace", "replacing"),
      ] {
        try browser.tap("#loop .presses [data-loop=\(what)]")
        try awaitState(state, of: 3)
        try browser.await(
          "document.querySelector('#loop .presses [data-loop=\(what)]').ariaPressed === 'true'")
        try browser.tap("#loop .presses [data-loop=\(what)]")
        try awaitState("playing", of: 3)
      }
      // The waveform is that of this loop.
      try browser.await(
        """
        (() => {
          const canvas = document.querySelector('#wave canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return data.some((part) => part > 0);
        })()
        """)
      let settings = "#loop-settings [data-address='/loop/3/"
      for (part, word, value) in [
        ("after", "overdub", Argument.string("overdub")), ("quantize", "loop", .string("loop")),
        ("source", "mix", .string("mix")), ("direction", "-1", .int32(-1)),
        ("route", "direct", .string("direct")),
      ] {
        try click(on: "\(settings)\(part)'] [data-word='\(word)']")
        try phone.awaitValue(of: "/loop/3/\(part)", value)
      }
      try click(on: "#loop-settings [data-press='/loop/3/rate'][data-value='0.5']")
      try phone.awaitValue(of: "/loop/3/rate", .float(0.5))
      for part in ["source", "route"] {
        phone.send("/loop/3/\(part)", .string(part == "source" ? "live" : "chain"))
      }
      // The others keep theirs.
      #expect(phone.ask("/loop/1/quantize")?.arguments == [.string("off")])
      // A clear can be undone.
      try click(on: "#loop [data-loop=clear]")
      try awaitState("empty", of: 3)
      try browser.tap("#notice-action")
      try waitUntil("the loop is back") {
        phone.ask("/loop/3/state")?.arguments[2].number ?? 0 > 0
      }
    }

    @Test(.hangLimit)
    func `recent sound is kept as a loop and as a take`() throws {
      try browser.tap("#loop-choice .number:nth-of-type(3)")
      try browser.run(
        "document.querySelector(\"[data-press='/loop/2/keepSeconds'][data-value='5']\").click()")
      try waitUntil("the last five seconds are a loop") {
        abs((phone.ask("/loop/2/state")?.arguments[2].number ?? 0) - 5) < 0.01
      }
      // Not while it is still being copied into the loop.
      try waitUntil("the sound is saved as a take", every: 0.3) {
        try browser.run("document.querySelector(\"[data-press='/loop/2/save']\").click()")
        return try text("#notice-text").hasPrefix("Saved as a take")
      }
      phone.send("/takes", .int32(0), .int32(1))
      let take = try #require(phone.receive("/take"))
      #expect(abs((take.arguments[4].number ?? 0) - 5) < 0.01)
      // The take is copied into another loop.
      try browser.tap("#loop-choice .number:nth-of-type(5)")
      try browser.await(
        "document.querySelector(\"[aria-label='Take into loop 4']\").options.length > 1")
      try browser.run(
        """
        const select = document.querySelector("[aria-label='Take into loop 4']");
        select.selectedIndex = 1;
        select.dispatchEvent(new Event("change"));
        """)
      try waitUntil("the take is in the loop") {
        abs((phone.ask("/loop/4/state")?.arguments[2].number ?? 0) - 5) < 0.01
      }
      try removeTakes()
    }

    // Other tests start without takes.
    private func removeTakes() throws {
      phone.send("/takes")
      for take in phone.receive(untilOneOf: ["/takes/end"]) where take.address == "/take" {
        phone.send("/take/delete", take.arguments[0])
      }
      try phone.awaitValue(of: "/takes/total", .int32(0))
    }

    @Test(.hangLimit)
    func `all loops are saved as a set, and loaded again`() throws {
      try makeLoop(1)
      try makeLoop(4)
      try browser.tap("#loop-choice .number:nth-of-type(2)")
      try browser.await("document.querySelector('#loops-load').disabled")
      try browser.write("Evening", into: "#loops-name")
      try browser.run("document.querySelector('#loops-form button').click()")
      try browser.await("document.querySelector('#loops-list').value === 'Evening'")
      for number in [1, 4] {
        phone.send("/loop/\(number)/clear")
        try awaitState("empty", of: number)
      }
      try browser.run("document.querySelector('#loops-load').click()")
      for number in [1, 4] { try awaitState("stopped", of: number) }
      phone.send("/loops/delete", .string("Evening"))
      #expect(phone.sync())
      try removeTakes()
    }

    @Test(.hangLimit, arguments: ["touch", "key"])
    func `learning takes the touched button, which does nothing else`(
      _ way: String
    ) throws {
      try browser.run("document.querySelector('#midi-learn').click()")
      try browser.await("document.body.classList.contains('learning')")
      if way == "touch" {
        try browser.tap(slot(2) + " .pedal")
      } else {
        try browser.run("document.querySelector(arguments[0]).focus()", slot(2) + " .pedal")
        try browser.type(" ")
      }
      try browser.await("!document.body.classList.contains('learning')")
      #expect(try text("#notice-text").hasSuffix("for /loop/2/pedal"))
      try stage.awaitRest()
      #expect(phone.ask("/loop/2/state")?.arguments.first == .string("empty"))
      // It is no longer armed.
      try browser.tap("#notice-action")
    }

    @Test(.hangLimit)
    func `number keys choose a loop, and space is its pedal`() throws {
      try browser.run("document.activeElement?.blur()")
      try browser.type("4")
      try phone.awaitValue(of: "/loop/select", .int32(4))
      ignoreLongPresses(of: 4)
      for state in ["recording", "playing"] {
        try browser.type(" ")
        try awaitState(state, of: 4)
        try phone.pass(seconds: 0.1, "longer than a switch bounces")
      }
      try browser.type("o")
      try awaitState("overdubbing", of: 4)
      try browser.type("x")
      try awaitState("stopped", of: 4)
      try browser.type("u")
      try waitUntil("the overdub is undone") {
        phone.ask("/loop/4/state")?.arguments[3] == .int32(0)
      }
      // There is no ninth.
      try browser.type("9")
      try browser.type("1")
      try phone.awaitValue(of: "/loop/select", .int32(1))
    }

    @Test(.hangLimit)
    func `a number key shows the loop that it chooses, and marks it alone`() throws {
      let marked = {
        try browser.text(
          "return [...document.querySelectorAll('#loop-choice [aria-pressed=true]')]"
            + ".map((one) => one.textContent).join()")
      }
      #expect(try marked() == "All")
      try browser.run("document.activeElement?.blur()")
      for number in ["1", "3"] {
        try browser.type(number)
        try browser.await("document.querySelector('#loop').dataset.part === 'one'")
        #expect(try marked() == number)
      }
      try browser.run("document.querySelector('#loop-choice .all').click()")
      #expect(try marked() == "All")
    }

    @Test(.hangLimit)
    func `as in watch, m mutes the chosen loop, and c clears it when pressed twice`() throws {
      try makeLoop(2)
      try browser.run("document.activeElement?.blur()")
      try browser.type("2")
      try phone.awaitValue(of: "/loop/select", .int32(2))
      try browser.type("m")
      try awaitState("muted", of: 2)
      #expect(phone.ask("/mute")?.arguments == [.int32(0)])
      try browser.type("m")
      try awaitState("playing", of: 2)
      try browser.type("c")
      #expect(try text("#notice-text") == "Press C again to clear loop 2")
      // Another key or another loop in between cancels it.
      try browser.type("tc1c2c")
      // Until the page has the replies to both choices: loop 2 was chosen before them, too.
      try stage.awaitNode()
      #expect(phone.ask("/loop/select")?.arguments == [.int32(2)])
      #expect(phone.ask("/loop/2/state")?.arguments.first == .string("playing"))
      // Both at once: on a busy machine, the first would be forgotten between two requests.
      try browser.type("tcc")
      try awaitState("empty", of: 2)
      try browser.tap("#notice-action")
      try phone.awaitLength(0.5, ofLoop: 2)
      try browser.typeShifted("M")
      try phone.awaitValue(of: "/mute", .int32(1))
      phone.send("/mute", .int32(0))
      #expect(phone.sync())
    }

    @Test(.hangLimit)
    func `every command of the chosen loop has a key`() throws {
      try makeLoop(2)
      try browser.run("document.activeElement?.blur()")
      try browser.type("2")
      try phone.awaitValue(of: "/loop/select", .int32(2))
      for (key, state) in [
        ("e", "replacing"), ("b", "substituting"), ("b", "playing"), ("i", "inserting"),
        ("i", "playing"), ("l", "multiplying"), ("l", "playing"), ("o", "overdubbing"),
        ("o", "playing"), ("z", "paused"),
      ] {
        try browser.type(key)
        try awaitState(state, of: 2)
      }
      func loop() -> [Argument] { phone.ask("/loop/2/state")?.arguments ?? [] }
      try browser.type(",")
      try waitUntil("it is at its start") { loop()[1] == .float(0) }
      let layers = loop()[3]
      for (key, isBefore) in [("u", false), ("y", true)] {
        try browser.type(key)
        try waitUntil("\(key) is done") { (loop()[3] == layers) == isBefore }
      }
      phone.send("/metronome/bpm", .float(240))
      #expect(phone.sync())
      try browser.type("k")
      #expect(try text("#notice-text") == "Press a digit to keep that many bars in loop 2")
      try browser.type("1")
      try waitUntil("a bar is kept") { loop()[2].number.map { abs($0 - 1) < 0.001 } == true }
      try awaitState("playing", of: 2)
      try browser.type("n")
      try awaitState("stopped", of: 2)
      try browser.type("w")
      try browser.await(
        "document.querySelector('#notice-text').textContent.startsWith('Saved as a take')")
    }

    @Test(.hangLimit)
    func `all loops stop by one button, and by shift and x`() throws {
      for way in ["button", "key"] {
        for number in [1, 3] {
          phone.send("/loop/\(number)/clear")
          #expect(phone.sync())
          try makeLoop(number)
        }
        if way == "button" { try browser.tap("#stop-all") } else { try browser.typeShifted("X") }
        for number in [1, 3] { try awaitState("stopped", of: number) }
      }
      #expect(phone.ask("/loop/2/state")?.arguments.first == .string("empty"))
    }

    @Test(.hangLimit)
    func `each page has one heading, its name`() throws {
      for (page, name) in [("grid", "Grid"), ("takes", "Takes"), ("loop", "Loop")] {
        try stage.turn(to: page)
        let headings = try browser.text(
          "return [...document.querySelectorAll('h1')].filter((one) => one.checkVisibility())"
            + ".map((one) => one.textContent).join()")
        #expect(headings == name)
      }
    }

    @Test(.hangLimit)
    func `the loops' touch targets have 9 mm on a phone`() throws {
      for part in ["slots", "one"] {
        try browser.run(
          "document.querySelector('#loop').dataset.part = arguments[0]", part)
        try stage.awaitRest()
        let small = try browser.targets(below: 57, "#loop *")
        #expect(small == [], "\(part)")
      }
      // Keep is not next to clear.
      let save = try browser.box("[data-press='/loop/1/save']")
      let clear = try browser.numbers(
        """
        const { bottom } = document.querySelector('#loop [data-loop=clear]').getBoundingClientRect();
        const { top } = document.querySelector("[data-press='/loop/1/save']").getBoundingClientRect();
        return [top - bottom];
        """)
      #expect(save.height >= 57 && clear[0] > 57)
    }

    @Test(.hangLimit, arguments: [1, 16])
    func `all loops fit every window`(loops: Int) throws {
      let node = try NodeProcess(
        server: stage.server, ["--loops", "\(loops)", "-n", "many"],
        environment: ["SYRINX_SOUNDFONTS": "none"], hasPage: true)
      let address = try #require(node.ready["web"])
      let many = try Phone(port: node.port)
      let states = ["record", "overdub", "replace", "multiply", "insert", "substitute", "stop"]
      for number in 1...loops { many.send("/loop/\(number)/record") }
      try many.awaitLength(0.3, ofLoop: loops)
      for number in 1...loops { many.send("/loop/\(number)/record") }
      many.send("/loop/select", .int32(Int32(loops)))
      for (number, what) in zip(1...loops, states.dropFirst()) {
        many.send("/loop/\(number)/\(what)")
      }
      #expect(many.sync())
      try browser.withAnotherWindow {
        try browser.open(address + "#loop")
        try browser.await(
          "document.querySelectorAll('.slot:not([data-state=empty])').length === \(loops)")
        try browser.prefer(["prefers-reduced-motion": "reduce"])
        for size in Browser.Size.all {
          try browser.resize(size)
          for part in ["slots", "one"] {
            try browser.run("document.querySelector('#loop').dataset.part = arguments[0]", part)
            try stage.awaitRest()
            let place = "\(loops) loops, \(part) at \(size)"
            let widthFaults = try browser.widthFaults()
            #expect(widthFaults == [], "\(place)")
            let overlapFaults = try browser.overlapFaults()
            #expect(overlapFaults == [], "\(place)")
            let contrastFaults = try browser.contrastFaults()
            #expect(contrastFaults == [], "\(place)")
            let small = try browser.targets(below: 48, "#slots *")
            #expect(small == [], "\(place)")
          }
        }
      }
      #expect(node.end() == 0)
    }
  }
}
