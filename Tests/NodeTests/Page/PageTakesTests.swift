import Foundation
import Library
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The take library on the page.
  @Suite struct PageTakesTests {
    private let stage: PageStage
    private let folder: TemporaryFolder
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      folder = try TemporaryFolder()
      try stage.open("takes")
    }

    /// A sound file of a tenth of a second.
    private func sound(_ name: String, hertz: Double = 440) throws -> String {
      let path = folder.path("\(name).wav")
      try SoundFixture.write(
        path, [Tone.sine(hertz, amplitude: 0.25, frames: 4800)], samples: .integer16)
      return path
    }

    private func awaitTakes(_ titles: String..., line: Int = #line) throws {
      try waitUntil("the list has \(titles)", line: line) {
        try browser.run(
          """
          return [...document.querySelectorAll("#take-list .take-open b")]
            .map((one) => one.textContent);
          """) as? [String] == titles
      }
    }

    /// The number of takes in the library.
    private func countTakes() -> Int {
      stage.phone.send("/takes")
      return stage.phone.receive(untilOneOf: ["/takes/end"]).count { $0.address == "/take" }
    }

    private func awaitCount(_ count: Int) throws {
      try browser.await("document.querySelectorAll('#take-list li').length === \(count)")
    }

    /// Deletes takes on the page, which doesn't load their pictures any more then.
    private func deleteNewest(_ count: Int) throws {
      let takes = countTakes()
      for left in (takes - count..<takes).reversed() {
        try browser.tap("#take-list .take-open")
        try browser.tap("#take-trash")
        try awaitCount(left)
      }
    }

    @Test(.hangLimit)
    func
      `takes are imported by drag and drop and by button, found, named, deleted and restored`()
      throws
    {
      // Other tests may have left some.
      let takes = countTakes()
      try awaitCount(takes)
      try deleteNewest(takes)
      // Dropped.
      let bytes = try Data(contentsOf: URL(fileURLWithPath: try sound("Wren")))
      try browser.run(
        """
        const bytes = Uint8Array.from(atob(arguments[0]), (one) => one.charCodeAt(0));
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], "Wren.wav", { type: "audio/wav" }));
        for (const type of ["dragenter", "dragover", "drop"]) {
          document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        }
        """, bytes.base64EncodedString())
      try awaitTakes("Wren")
      // Chosen.
      try browser.choose(file: try sound("Owl", hertz: 220), in: "#take-import")
      try awaitTakes("Owl", "Wren")
      // Found.
      try browser.write("wre", into: "#take-search")
      try awaitTakes("Wren")
      // Shown, and named.
      try browser.tap("#take-list .take-open")
      try browser.await("document.querySelector('#take-title').value === 'Wren'")
      try browser.write("Wren <b>at</b> dawn\u{E007}", into: "#take-title")
      try waitUntil("the node has its name") {
        stage.phone.send("/takes/find", .string("dawn"))
        return stage.phone.receive("/take", seconds: 0.2)?.arguments[1]
          == .string("Wren <b>at</b> dawn")
      }
      try browser.write("", into: "#take-search")
      try awaitTakes("Owl", "Wren <b>at</b> dawn")
      // Deleted, and restored.
      try browser.tap("#take-trash")
      try awaitTakes("Owl")
      try browser.tap("#notice-action")
      try awaitTakes("Owl", "Wren <b>at</b> dawn")
    }

    @Test(.hangLimit)
    func `messages about single takes during a query change neither the list nor its order`()
      throws
    {
      let library = try TakeLibrary(home: stage.home)
      let first = try library.importFile(try sound("First"))
      _ = try library.importFile(try sound("Second", hertz: 330))
      let titles = """
        JSON.stringify([...document.querySelectorAll('#take-list .take-open b')]\
        .map((one) => one.textContent).slice(0, 2))
        """
      try browser.await("\(titles) === JSON.stringify(['Second', 'First'])")
      // The query is on its way until the script ends, so what it receives comes before the reply.
      let order = try browser.text(
        """
        const [first, deleted] = arguments;
        return Promise.all([import("/page/store/values.js"), import("/page/store/takes.js")])
          .then(([{ receive, listen }, { findTakes }]) => new Promise((found) => {
            const show = () => found([...document.querySelectorAll("#take-list .take-open b")]
              .map((one) => one.textContent).slice(0, 2).join());
            findTakes("");
            listen("/takes/end", () => setTimeout(show));
            receive("/take", [first, "First", "", "2026-01-01T00:00:00Z", 0.1, NaN, NaN]);
            receive("/take", [deleted, "Gone", "", "2026-01-01T00:00:00Z", 0.1, NaN, NaN]);
            receive("/take/delete", [deleted]);
          }));
        """, first.id, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
      #expect(order == "Second,First")
      #expect(
        try browser.run(
          "return document.querySelector('[data-take=\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"]') === null")
          as? Bool == true)
      try deleteNewest(2)
    }

    @Test(.hangLimit)
    func `a take that is announced has its place by date`() throws {
      let takes = countTakes()
      try awaitCount(takes)
      let library = try TakeLibrary(home: stage.home)
      _ = try library.importFile(try sound("Now"))
      try awaitCount(takes + 1)
      let titles = try browser.text(
        """
        return Promise.all([import("/page/store/values.js"), import("/page/store/takes.js"),
          import("/page/link/files.js")])
          .then(([{ receive }, { foundTakes }, { cancelLoads }]) => {
            // They have no thumbnails.
            for (const id of ["old", "new"]) cancelLoads(id, true);
            const row = (id, year) => [id, id, "", `${year}-01-01T00:00:00+01:00`, 0.1, NaN, NaN];
            receive("/take", row("old", 1999));
            receive("/take", row("new", 2999));
            const titles = foundTakes().map(({ title }) => title);
            for (const id of ["old", "new"]) receive("/take/delete", [id]);
            return titles.filter((title) => ["old", "Now", "new"].includes(title)).join();
          });
        """)
      #expect(titles == "new,Now,old")
      try deleteNewest(1)
    }

    @Test(.hangLimit)
    func `a file without sound is refused with one line, and the list stays`() throws {
      let path = folder.path("tale.wav")
      try Data("Once upon a time".utf8).write(to: URL(fileURLWithPath: path))
      let takes = countTakes()
      try awaitCount(takes)
      try browser.choose(file: path, in: "#take-import")
      try browser.await("document.querySelector('#notice').dataset.kind === 'fault'")
      #expect(try browser.text("return document.querySelector('#notice-text').textContent") != "")
      try stage.awaitNode()
      try awaitCount(takes)
      // The browser itself logs the refusal.
      let told = try browser.takeFaults()
      #expect(told.allSatisfy { $0.contains("/files/takes?name=tale.wav") }, "\(told)")
    }

    @Test(.hangLimit)
    func `of several files, those that can't be imported are named at the end`() throws {
      let bad = folder.path("tale.wav")
      try Data("Once upon a time".utf8).write(to: URL(fileURLWithPath: bad))
      let files = [try sound("Finch"), bad, try sound("Crow", hertz: 330)]
      let takes = countTakes()
      try awaitCount(takes)
      try browser.choose(file: files.joined(separator: "\n"), in: "#take-import")
      try browser.await(
        """
        document.querySelector('#notice-text').textContent
          .startsWith('2 of 3 files imported. Not imported: ')
          && document.querySelector('#notice-text').textContent.includes('tale.wav')
        """)
      try browser.await("document.querySelector('#notice').dataset.kind === 'fault'")
      _ = try browser.takeFaults()
      // The list follows the replies.
      try awaitCount(takes + 2)
      try deleteNewest(2)
    }

    @Test(.hangLimit) func `takes that another program adds and deletes appear and disappear`()
      throws
    {
      let library = try TakeLibrary(home: stage.home)
      let path = try sound("Outside")
      let take = try library.importFile(path)
      try browser.await("document.querySelector('#take-list b')?.textContent === 'Outside'")
      let count = try #require(stage.values(of: "/takes/total")?.first?.number)
      try library.delete(take.id)
      try browser.await("document.querySelector('#take-list b')?.textContent !== 'Outside'")
      #expect(try stage.values(of: "/takes/total")?.first?.number == count - 1)
    }

    @Test(.hangLimit)
    func `a take that plays in the browser ends when it is closed, and with all loops`()
      throws
    {
      let take = try TakeLibrary(home: stage.home).importFile(sound("Here"))
      try browser.await("document.querySelector('#take-list b')?.textContent === 'Here'")
      try browser.tap("#take-list .take-open")
      for end in ["#stop-all", "#take-close"] {
        try tap("#take-listen")
        try browser.await(
          "![null, window.audio ?? null].includes(document.querySelector('#take-here audio'))")
        // It has a tenth of a second.
        try browser.run(
          """
          window.audio = document.querySelector('#take-here audio');
          audio.loop = true;
          return audio.play().catch(() => {});
          """)
        try browser.await("!audio.paused")
        try browser.tap(end)
        try browser.await("audio.paused")
      }
      stage.phone.send("/take/delete", .string(take.id))
      #expect(stage.phone.receive("/reply") != nil)
    }

    @Test(.hangLimit) func `Undo stays when the library changes during a deletion`() throws {
      let take = try TakeLibrary(home: stage.home).importFile(sound("Undone"))
      try browser.await("document.querySelector('#take-list b')?.textContent === 'Undone'")
      try browser.tap("#take-list .take-open")
      try browser.await("document.querySelector('#take-title').value === 'Undone'")
      // The page asks for the open take after it has sent the deletion.
      try browser.run(
        """
        return import('/page/store/values.js').then(({ receive }) => {
          document.querySelector('#take-trash').click();
          receive('/takes/changed', []);
        });
        """)
      try stage.awaitNode()
      #expect(
        try browser.text("return document.querySelector('#notice-text').textContent")
          == "Undone moved to the trash")
      try browser.tap("#notice-action")
      // The list may still have it from before the deletion.
      try stage.awaitNode()
      try browser.await("document.querySelector('#take-list b')?.textContent === 'Undone'")
      stage.phone.send("/take/delete", .string(take.id))
      #expect(stage.phone.receive("/reply") != nil)
      _ = try browser.takeFaults()
    }

    @Test(.hangLimit) func `a search that can't be understood says so in place of the list`() throws
    {
      let take = try TakeLibrary(home: stage.home).importFile(sound("Sought"))
      try browser.await("document.querySelector('#take-list b')?.textContent === 'Sought'")
      try browser.write("from:2026-99-99", into: "#take-search")
      try browser.await("!document.querySelector('#take-list li')")
      try browser.await("document.querySelector('#take-empty').textContent.includes('a date like')")
      #expect(
        try browser.run("return document.querySelector('#notice').classList.contains('shown')")
          as? Bool == false)
      try browser.write("sou", into: "#take-search")
      try browser.await("document.querySelector('#take-list b')?.textContent === 'Sought'")
      try browser.write("", into: "#take-search")
      stage.phone.send("/take/delete", .string(take.id))
      #expect(stage.phone.receive("/reply") != nil)
    }

    // MARK: - Pictures

    /// A listed take of a species for which a server has two photographs.
    private func openTake(_ server: PictureServer) throws {
      server.haveSpecies(
        "Sylvia atricapilla", [.init(21, "cc-by", by: "Ann &lt;b&gt;"), .init(22, "cc0")])
      server.haveNoFiles()
      for service in ["inaturalist", "commons"] {
        stage.phone.send("/settings/pictures/\(service)", .string(server.url))
      }
      #expect(stage.phone.sync())
      // The page then has no message over the take.
      try FileManager.default.copyItem(atPath: try sound("Cap"), toPath: stage.home + "/Cap.wav")
      defer { try? FileManager.default.removeItem(atPath: stage.home + "/Cap.wav") }
      stage.phone.send("/take/import", .string("Cap.wav"))
      #expect(stage.phone.receive("/reply")?.arguments[0] == .string("/take/import"))
      try browser.await("document.querySelector('#take-list b')?.textContent === 'Cap'")
      try browser.tap("#take-list .take-open")
      // There the take has the window to itself.
      try browser.resize(.phone)
      try stage.awaitRest()
    }

    /// Taps a target that may be below the window's edge.
    private func tap(_ selector: String) throws {
      try browser.run("document.querySelector(arguments[0]).scrollIntoView()", selector)
      try browser.tap(selector)
    }

    private func throwAway() throws {
      try tap("#take-trash")
      try browser.await("document.querySelector('#take-list b')?.textContent !== 'Cap'")
    }

    @Test(.hangLimit)
    func `a picture is found, shown with its credit, changed by a tap, and removed`() throws {
      let server = try PictureServer()
      try openTake(server)
      try browser.write("Sylvia atricapilla\u{E007}", into: "#take-species")
      try tap("#take-find")
      let credit = "document.querySelector('#take-image .credit')?.textContent"
      try browser.await("\(credit)?.startsWith('Ann <b>, CC BY, source, ')")
      try browser.await("document.querySelector('#take-image img').naturalWidth === 50")
      // A thumbnail in the list.
      try browser.await(
        """
        document.querySelector('#take-list .small-picture').naturalWidth === 7 \
        && !document.querySelector('#take-list .small-picture').hidden
        """)
      #expect(
        try browser.text(
          """
          return [...document.querySelectorAll('#take-image a')]
            .map((one) => [one.href, one.target, one.rel].join(' ')).join('|')
          """)
          == "https://creativecommons.org/licenses/by/4.0/ _blank noopener noreferrer|"
          + "https://www.inaturalist.org/photos/21 _blank noopener noreferrer")
      try browser.run("document.querySelector('#take-image').scrollIntoView()")
      try stage.awaitRest()
      #expect(try browser.widthFaults() == [])
      #expect(try browser.overlapFaults() == [])
      #expect(try browser.targets(below: 44, "#take *") == [])
      let pale = try browser.contrastFaults()
      #expect(pale == [])
      try tap("#take-image .change")
      try browser.await(
        "\(credit)?.startsWith('Ann Lee, CC0, source, ')")
      try tap("#take-unpicture")
      try browser.await("!document.querySelector('#take-image img')")
      try browser.await("document.querySelector('#take-list .small-picture').hidden")
      try throwAway()
    }

    @Test(.hangLimit)
    func `species names are suggested, and accepted by keys and by tap`() throws {
      try "Blackcap; Sylvia atricapilla\nBlackbird\nRobin\n".write(
        toFile: stage.home + "/species.txt", atomically: true, encoding: .utf8)
      let server = try PictureServer()
      try openTake(server)
      let names =
        "[...document.querySelectorAll('#take-species-names li')].map((one) => one.textContent)"
      try browser.write("bl", into: "#take-species")
      try browser.await("\(names).join() === 'Blackcap,Blackbird'")
      #expect(try browser.targets(below: 44, "#take-species-names *") == [])
      let pale = try browser.contrastFaults()
      #expect(pale == [])
      // The second one, by keys.
      try browser.type("\u{E015}\u{E015}\u{E007}")
      try browser.await("document.querySelector('#take-species').value === 'Blackbird'")
      try browser.await("document.querySelector('#take-species-names').hidden")
      try awaitSpecies("Blackbird")
      try browser.write("ro", into: "#take-species")
      try browser.await("\(names).join() === 'Robin'")
      try tap("#take-species-names li")
      try awaitSpecies("Robin")
      try throwAway()
    }

    @Test(.hangLimit)
    func `a pin on the map has a title, and a thumbnail as soon as it is found`() throws {
      let server = try PictureServer()
      server.haveSpecies("Strix aluco", [.init(31, "cc0")])
      stage.phone.send("/settings/pictures/inaturalist", .string(server.url))
      // An imported take keeps its location.
      let other = try TakesHome()
      let hoot = try other.add("Hoot") { $0.place = Place(latitude: 52, longitude: 13) }
      let path = "\(other.home)/takes/\(hoot.id).wav"
      try FileManager.default.copyItem(atPath: path, toPath: stage.home + "/Hoot.wav")
      defer { try? FileManager.default.removeItem(atPath: stage.home + "/Hoot.wav") }
      stage.phone.send("/take/import", .string("Hoot.wav"))
      let saved = try #require(stage.phone.receive(untilOneOf: ["/reply", "/error"]).last)
      let id = try #require(saved.arguments[1].text, "\(saved)")
      func change(_ address: String, _ value: [String] = []) {
        let arguments = ([id] + value).map(Argument.string)
        stage.phone.send(bytes: [UInt8](address: address, arguments))
        #expect(stage.phone.receive("/reply")?.arguments[0] == .string(address))
      }
      change("/take/species", ["Strix aluco"])
      let pin = "document.querySelector('#map .pin[role=button][aria-label=Hoot]')"
      try browser.await(pin)
      try browser.run("\(pin).dispatchEvent(new MouseEvent('click', { bubbles: true }))")
      try browser.await(
        "document.querySelector('.bubble')?.textContent.startsWith('HootStrix aluco')")
      #expect(
        try browser.run("return document.querySelector('.bubble img').hidden") as? Bool == true)
      change("/take/picture")
      try browser.await("document.querySelector('.bubble img').naturalWidth === 7")
      stage.phone.send("/take/delete", .string(id))
      #expect(stage.phone.receive("/reply") != nil)
      try browser.await("!\(pin)")
    }

    private func awaitSpecies(_ name: String) throws {
      try waitUntil("the node has the species") {
        stage.phone.send("/takes/find", .string("Cap"))
        return stage.phone.receive("/take", seconds: 0.2)?.arguments[2] == .string(name)
      }
    }
  }
}
