import Foundation
import Library
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Recording in the field on the page: from the list and the map, with location, species and picture.
  @Suite final class PageRecorderTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }
    private var touches = 0

    init() throws { stage = try PageStage.ready() }

    /// Runs a body with the page of a new node in a new window.
    ///
    /// The page's storage is empty.
    private func withNewNode(
      _ size: Browser.Size, _ options: [String] = [], mayLocate: Bool = true,
      _ body: (NodeProcess, Phone) throws -> Void
    ) throws {
      let (node, phone) = try startNode(
        on: stage.server, ["--name", "bird"] + options,
        environment: ["SYRINX_SOUNDFONTS": "none"], hasPage: true)
      // Chromium resolves no names and addresses but this machine's own.
      let scheme = try #require(node.ready["web"]).prefix { $0 != ":" }
      let address = "\(scheme)://127.0.0.1:\(node.webPort)/"
      defer { _ = try? browser.command("Browser.resetPermissions") }
      try browser.withAnotherWindow(size) {
        try browser.resize(size)
        // No phone of this test trusts the node's certificate authority.
        try browser.command("Security.setIgnoreCertificateErrors", ["ignore": true])
        try browser.open(address)
        // A connection that ends before it is established is a fault of the page.
        try stage.awaitLink()
        try browser.run("localStorage.clear()")
        try browser.command(
          "Emulation.setGeolocationOverride",
          ["latitude": 52.52, "longitude": 13.4, "accuracy": 5])
        try browser.command(
          "Browser.setPermission",
          [
            "permission": ["name": "geolocation"], "setting": mayLocate ? "granted" : "denied",
            "origin": address,
          ])
        try browser.open(address)
        try stage.awaitLink()
        try body(node, phone)
        let faults = try browser.takeFaults()
        #expect(faults == [])
      }
      #expect(node.end() == 0)
    }

    private func tap(_ selector: String) throws {
      touches += 1
      try browser.tap(selector)
    }

    private func isShown(_ selector: String) throws -> Bool {
      try browser.run(
        "return document.querySelector(arguments[0])?.checkVisibility({ visibilityProperty: true })",
        selector) as? Bool == true
    }

    private func awaitShown(_ selector: String, _ isShown: Bool = true) throws {
      try browser.await(
        """
        (document.querySelector("\(selector)")?.checkVisibility({ visibilityProperty: true }) \
        ?? false) === \(isShown)
        """)
    }

    private func awaitText(_ selector: String, _ text: String) throws {
      let words = "document.querySelector(\"\(selector)\").textContent"
      do {
        try browser.await("\(words) === \"\(text)\"")
      } catch {
        throw Fault("\(selector): \(try browser.text("return \(words)"))")
      }
    }

    /// Waits until the recorder's button says so, and then for the length of a capture.
    private func awaitCapture(_ phone: Phone, seconds: Double = 0.5) throws {
      try browser.await("document.querySelector('#take-record').textContent === 'Stop'")
      try waitUntil("\(seconds) s are captured") {
        // Before its first frame, the state is that of the capture before.
        guard let state = phone.ask("/capture/state")?.arguments else { return false }
        return state[0] == .string("on") && state[1].number ?? 0 > seconds
      }
    }

    private func awaitSilence(_ probe: Probe, _ phone: Phone) throws {
      do {
        try probe.awaitBlock("nothing plays") { Measure.peak($0) < 0.0001 }
      } catch {
        let states = ["/player/state", "/loop/1/state", "/music/state"].map { phone.ask($0) }
        throw Fault("\(error); \(states)")
      }
    }

    private func awaitTakes(_ count: Int) throws {
      try browser.await("document.querySelectorAll('#take-list li').length === \(count)")
    }

    /// The location of the newest take in the node's list.
    private func place(_ phone: Phone) -> [Double]? {
      phone.send("/takes", .int32(0), .int32(1))
      return phone.receive(untilOneOf: ["/takes/end"]).first { $0.address == "/take" }?
        .arguments.suffix(2).compactMap(\.number)
    }

    private static let here = [Double(Float(52.52)), Double(Float(13.4))]

    /// Looks for faults of the layout.
    private func look(_ place: String) throws {
      // A notice that fades between two screenshots has no contrast.
      try browser.await("!document.querySelector('#notice.shown')")
      try stage.awaitRest()
      let (wide, overlapping) = (try browser.widthFaults(), try browser.overlapFaults())
      #expect(wide == [], "\(place)")
      #expect(overlapping == [], "\(place)")
      let tiny = try browser.targets(below: 24)
      #expect(tiny == [], "\(place)")
      let small = try browser.targets(below: 44, ".press, #mute, .bubble *")
      #expect(small == [], "\(place)")
      let pale = try browser.contrastFaults()
      #expect(pale == [], "\(place)")
    }

    @Test(.hangLimit, arguments: Browser.Size.ofStories)
    func
      `the story: record at once, on air on every page, stop, and the take is in the list and on the map`(
        _ size: Browser.Size
      ) throws
    {
      let tone = Tone.sine(400, amplitude: 0.3, frames: 48_000)
      // On a busy machine the take is longer than ten seconds, and would play as a song.
      try withNewNode(size, ["--loop-seconds", "300"]) { node, phone in
        try browser.prefer(["prefers-reduced-motion": "reduce"])
        let probe = try Probe(server: stage.server.name) { tone[Int($0 % 48_000)] }
        defer { probe.close() }
        try probe.connect(to: "bird", output: "loop_1")
        // The first touch opens the library, as an app's icon does.
        try tap(".tabs a[href='#takes']")
        try browser.await("document.body.dataset.page === 'takes'")
        try look("the empty library at \(size)")
        try tap("#take-record")
        try awaitCapture(phone)
        for page in PageStage.pages {
          try stage.turn(to: page)
          try awaitShown(".lamp")
          try browser.await(
            "/^\\d+\\.\\d s$/.test(document.querySelector('.lamp span').textContent)")
        }
        try look("on air, on the last page at \(size)")
        // That was a look around. The lamp leads back.
        try browser.tap(".lamp")
        try browser.await("document.body.dataset.page === 'takes'")
        try look("on air, in the library at \(size)")
        try awaitText("#recorder-place", "52.5200° N, 13.4000° E")
        try tap("#take-record")
        try awaitTakes(1)
        // As many as the app: its icon, Record, Stop.
        #expect(touches == 3)
        try awaitShown(".lamp", false)
        // Time and place, in the list and in the library.
        try browser.await(
          "document.querySelector('#take-list small').textContent.endsWith('52.520, 13.400')")
        #expect(try browser.text("return document.querySelector('#take-list b').textContent") != "")
        #expect(place(phone) == Self.here)
        let take = try #require(try TakeLibrary(home: node.home).list(count: 1).takes.first)
        #expect(abs(Double(take.date.microseconds) / 1e6 - Date().timeIntervalSince1970) < 300)
        // What was recorded is what the microphone heard.
        let sound = try SoundFixture.read(TakeLibrary(home: node.home).path(take)).left
        let peak = Measure.peak(sound)
        #expect(abs(peak - 0.3) < 0.001)
        // The map shows it in a bubble.
        if try isShown("[data-view='map']") { try tap("[data-view='map']") }
        try awaitShown(".pin")
        try awaitShown(".bubble")
        let title = try browser.text("return document.querySelector('#take-list b').textContent")
        try browser.await("document.querySelector('.bubble b').textContent === '\(title)'")
        try look("the bubble at \(size)")
        // A tap next to it closes it, and asks nothing. A tap on the pin opens it again.
        try browser.tap(try browser.place("#map", 0.05, 0.1))
        try awaitShown(".bubble", false)
        try browser.tap(".pin")
        try awaitShown(".bubble")
        try awaitSilence(probe, phone)
        try browser.tap(".bubble .tool")
        try probe.awaitBlock("the take plays") { Measure.peak($0) > 0.25 }
        try awaitText(".bubble .tool", "Stop")
        try browser.tap(".bubble .tool")
        try awaitSilence(probe, phone)
        try awaitText(".bubble .tool", "Play")
        try browser.tap(".bubble .tool")
        try probe.awaitBlock("the take plays again") { Measure.peak($0) > 0.25 }
        try browser.tap(".bubble-open")
        try awaitShown("#take")
        try browser.await("document.querySelector('#take-title').value === '\(title)'")
        try browser.await(
          "document.querySelector('#take-when').textContent.endsWith('52.520, 13.400')")
        // Its file may still be loading.
        try browser.tap("#take-trash")
        try awaitTakes(0)
        try awaitShown(".pin", false)
      }
    }

    @Test(.hangLimit)
    func `over HTTPS, a phone on the network is asked for its location, and plays`() throws {
      let options = ["--listen", "lan", "--tls", "--web-open"]
      try withNewNode(.tallPhone, options) { node, phone in
        #expect(try browser.text("return location.protocol") == "https:")
        #expect(try browser.text("return String(isSecureContext)") == "true")
        try stage.turn(to: "takes")
        try browser.tap("#take-record")
        try awaitCapture(phone, seconds: 0.1)
        try awaitText("#recorder-place", "52.5200° N, 13.4000° E")
        try browser.tap("#take-record")
        try awaitTakes(1)
        #expect(place(phone) == Self.here)
      }
    }

    /// Adds copies of the newest take to a node's library.
    private func addCopies(_ count: Int, to node: NodeProcess) throws {
      let library = try TakeLibrary(home: node.home)
      let first = try #require(try library.list(count: 1).takes.first)
      for index in 0..<count {
        var copy = Take(title: "copy \(index)", date: first.date, rate: first.rate, source: .live)
        copy.place = first.place.flatMap {
          Place(latitude: $0.latitude - 0.01 * Double(index + 1), longitude: $0.longitude)
        }
        let path = library.recordingPath(copy.id)
        try FileManager.default.copyItem(atPath: library.path(first), toPath: path)
        try library.add(copy, from: path)
      }
    }

    @Test(.hangLimit)
    func
      `the map or the list opens, whichever was used last, and a search without results reports it`()
      throws
    {
      try withNewNode(.tallPhone) { node, phone in
        try stage.turn(to: "takes")
        #expect(try !isShown("#map"))
        try browser.tap("[data-view='map']")
        try awaitShown("#map")
        let words = "document.querySelector('#map-none').textContent"
        try browser.await("\(words).startsWith('No take in the list has a location. ')")
        // From the map, too.
        try browser.tap("#take-record")
        try awaitCapture(phone, seconds: 0.1)
        try browser.tap("#take-record")
        try awaitShown(".pin")
        try browser.await("document.querySelector('#map-none').hidden")
        try browser.write("heron", into: "#take-search")
        try browser.await("\(words) === 'No takes match “heron”.'")
        try awaitShown("#map-none")
        try awaitShown(".pin", false)
        // The next recording is not hidden by the search.
        try browser.tap("#take-record")
        try awaitCapture(phone, seconds: 0.1)
        try browser.tap("#take-record")
        // Takes at one place share a pin.
        let shown =
          "[...document.querySelectorAll('.pin')].reduce((sum, one) => sum + (Number(one.textContent) || 1), 0)"
        try browser.await("document.querySelectorAll('.pin').length === 1 && \(shown) === 2")
        try browser.await("document.querySelector('#take-search').value === ''")
        // After a reload, the map comes first, with more takes than a page of the list.
        try addCopies(40, to: node)
        try browser.open(try browser.text("return location.href"))
        try stage.awaitLink()
        try awaitShown("#map")
        try browser.await("\(shown) === 42")
        try browser.await("document.querySelector('#map-none').hidden")
        // And with more than the map shows at once.
        try addCopies(150, to: node)
        try browser.open(try browser.text("return location.href"))
        try stage.awaitLink()
        try browser.await("\(shown) === 180")
        try browser.await("\(words) === 'The newest 180 takes. A search shows older ones.'")
        try browser.tap("[data-view='takes']")
        try browser.open(try browser.text("return location.href"))
        try stage.awaitLink()
        try awaitShown("#take-list li")
        #expect(try !isShown("#map"))
      }
    }

    @Test(.hangLimit)
    func `without https the page says so, and the location is the node's, or a tap on the map`()
      throws
    {
      try withNewNode(.tallPhone, ["--location", "-33.9,151.2"], mayLocate: false) { _, phone in
        try browser.run("Object.defineProperty(window, 'isSecureContext', { value: false })")
        try stage.turn(to: "takes")
        try browser.tap("#take-record")
        try awaitText(
          "#recorder-place",
          "33.9000° S, 151.2000° E, as set before: browsers give it only over https or on localhost"
        )
        try awaitCapture(phone, seconds: 0.1)
        try look("a recording without https")
        try browser.tap("#take-record")
        try awaitTakes(1)
        #expect(place(phone) == [Double(Float(-33.9)), Double(Float(151.2))])
        // The map begins at the node's location. A tap in its middle asks, and sets it.
        try browser.tap("[data-view='map']")
        try awaitShown(".bubble")
        try browser.tap(try browser.place("#map", 0.05, 0.1))
        try awaitShown(".bubble", false)
        try browser.tap("#take-record")
        try awaitCapture(phone, seconds: 0.1)
        try browser.tap(try browser.place("#map", 0.3, 0.3))
        try awaitShown("#map-here")
        try look("the question on the map")
        try browser.tap("#map-here")
        try waitUntil("the recording and the node have moved") {
          guard let here = phone.ask("/capture/location")?.arguments,
            let latitude = here[0].number
          else { return false }
          return latitude > -33.5 && phone.ask("/location")?.arguments == here
        }
        try browser.tap("#take-record")
        try awaitTakes(2)
        #expect(place(phone)?[0] ?? -90 > -33.5)
      }
    }

    @Test(.hangLimit)
    func `automatic pictures are offered once, with a notice of the data that a search reveals`()
      throws
    {
      let server = try PictureServer()
      server.haveSpecies("Sylvia atricapilla", [.init(21, "cc0")])
      server.haveNoFiles()
      try withNewNode(.tallPhone) { node, phone in
        for service in ["inaturalist", "commons"] {
          phone.send("/settings/pictures/\(service)", .string(server.url))
        }
        #expect(phone.sync())
        try stage.turn(to: "takes")
        for take in 1...2 {
          try browser.tap("#take-record")
          try awaitCapture(phone, seconds: 0.1)
          try browser.tap("#take-record")
          try awaitTakes(take)
        }
        try browser.tap("#take-list .take-open")
        try browser.await("document.querySelector('#take-title').value !== ''")
        #expect(try !isShown("#take-offer"))
        try browser.write("Sylvia atricapilla\u{E007}", into: "#take-species")
        try awaitShown("#take-offer")
        try browser.run("document.querySelector('#take-offer').scrollIntoView()")
        try browser.await(
          "document.querySelector('#take-offer').textContent.includes('iNaturalist')")
        try look("the offer")
        #expect(phone.ask("/settings/pictures")?.arguments == [.int32(0)])
        try browser.tap("#take-offer .main")
        try browser.await("document.querySelector('#take-image img')?.naturalWidth === 50")
        try phone.awaitValue(of: "/settings/pictures", .int32(1))
        try awaitShown("#take-offer", false)
        // Not again, even when the setting is off.
        phone.send("/settings/pictures", .int32(0))
        #expect(phone.sync())
        try browser.run("document.querySelector('#take-close').click()")
        try browser.tap("#take-list li:last-child .take-open")
        try browser.write("Wren\u{E007}", into: "#take-species")
        try browser.await(
          "document.querySelector('#take-list li:last-child small').textContent.startsWith('Wren')")
        #expect(try !isShown("#take-offer"))
      }
    }
  }
}
