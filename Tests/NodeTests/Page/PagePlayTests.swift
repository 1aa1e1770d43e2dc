import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Touches on the page's cells, their sound and messages.
  @Suite struct PagePlayTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      try stage.turn(to: "grid")
      // The cells are arranged once the page has its size.
      try stage.awaitRest()
    }

    private func cell(_ row: Int, _ column: Int) -> String {
      "[data-row='\(row)'][data-column='\(column)']"
    }

    /// The next changes of lit cells: row, column and strength; without strength if turned off.
    private func lights(_ watcher: Phone, _ count: Int) -> [[Double]] {
      (0..<count).compactMap { _ in
        watcher.receive("/grid/lit")?.arguments.compactMap(\.number)
      }
    }

    /// Waits until a cell of the first row is lit on the page, by an update from the node.
    private func awaitLit(_ column: Int) throws {
      try browser.await(
        "document.querySelector(\"\(cell(1, column))\").classList.contains('lit')")
    }

    /// Expects the seven cells of a slide to light up in order.
    ///
    /// They are sampled a hundred times per second: a busy machine may miss one in between, but
    /// neither the first nor the last.
    private func expectLights(_ watcher: Phone) {
      var columns: [Double] = []
      while let light = lights(watcher, 1).first {
        #expect(light[0] == 1)
        if light[2] > 0 { columns.append(light[1]) } else if light[1] == 7 { break }
      }
      #expect(columns == columns.sorted() && columns.first == 1 && columns.last == 7)
    }

    /// The names of the notes that the node records during a touch.
    private func notes(_ hand: () throws -> Void) throws -> [String] {
      stage.phone.send("/phrase/record")
      #expect(stage.phone.sync())
      try hand()
      try waitUntil("seven notes are recorded, and have ended") {
        stage.phone.ask("/status/voices")?.arguments == [.int32(0)]
          && stage.phone.ask("/phrase/state")?.arguments[3] == .int32(7)
      }
      stage.phone.send("/phrase/stop")
      return stage.phone.ask("/phrase/notes")?.arguments.compactMap(\.text) ?? []
    }

    private func isLoud(_ block: [Float]) -> Bool { Measure.peak(block) > 0.01 }
    private func isSilent(_ block: [Float]) -> Bool { Measure.peak(block) < 0.0001 }

    @Test(.hangLimit)
    func `a tap on a cell sounds at the node's port`() throws {
      let probe = try Probe(server: stage.server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      try probe.awaitBlock("the output is silent") { isSilent($0) }
      try browser.press(at: try browser.place(cell(1, 3)))
      try probe.awaitBlock("the note sounds") { isLoud($0) }
      try browser.await("document.querySelector(\"\(cell(1, 3))\").classList.contains('lit')")
      try browser.lift()
      try probe.awaitBlock("the note has ended") { isSilent($0) }
      try browser.await("!document.querySelector('.lit, .touched')")
      probe.close()
    }

    @Test(.hangLimit)
    func `a slide over seven cells plays seven notes in order`() throws {
      let watcher = try stage.watcher(of: "/grid/lit")
      let notes = try notes {
        try browser.press(at: try browser.place(cell(1, 1)))
        try awaitLit(1)
        for column in 2...7 { try browser.move(to: try browser.place(cell(1, column))) }
        try awaitLit(7)
        try browser.lift()
      }
      #expect(notes == ["A", "A#", "B", "C", "C#", "D", "D#"])
      expectLights(watcher)
    }

    @Test(.hangLimit)
    func `a move within one frame skips no cell`() throws {
      let watcher = try stage.watcher(of: "/grid/lit")
      let notes = try notes {
        try browser.press(at: try browser.place(cell(1, 1)))
        try awaitLit(1)
        try browser.move(to: try browser.place(cell(1, 7)))
        try awaitLit(7)
        try browser.lift()
      }
      #expect(notes == ["A", "A#", "B", "C", "C#", "D", "D#"])
      expectLights(watcher)
    }

    @Test(.hangLimit)
    func `two fingers play two notes, and each ends its own`() throws {
      let watcher = try stage.watcher(of: "/grid/lit")
      try browser.press(1, at: try browser.place(cell(1, 1)))
      try browser.press(2, at: try browser.place(cell(1, 5)))
      #expect(lights(watcher, 2).map { $0[1] } == [1, 5])
      #expect(stage.phone.ask("/status/voices")?.arguments == [.int32(2)])
      try browser.move(2, to: try browser.place(cell(1, 6)))
      #expect(lights(watcher, 2).map { [$0[1], $0[2] > 0 ? 1 : 0] } == [[5, 0], [6, 1]])
      try browser.lift(1)
      #expect(lights(watcher, 1).map { [$0[1], $0[2]] } == [[1, 0]])
      try browser.lift(2)
      #expect(lights(watcher, 1).map { [$0[1], $0[2]] } == [[6, 0]])
    }

    @Test(.hangLimit)
    func `a cell touched lower is louder`() throws {
      let watcher = try stage.watcher(of: "/grid/lit")
      let strengths = try [0.02, 0.5, 0.98].map { down in
        // A touched cell is larger for a moment: its edge would be in the gap to the next one.
        try stage.awaitRest()
        // Waits for each light: a brief one may not be sent.
        try browser.press(at: try browser.place(cell(2, 2), 0.5, down))
        let lit = try #require(lights(watcher, 1).first)
        try browser.lift()
        #expect(lights(watcher, 1).map { $0[2] } == [0])
        return lit[2]
      }
      for (strength, wanted) in zip(strengths, [0.363, 0.675, 0.987]) {
        // A pixel is a fraction of the cell, and MIDI has 127 steps.
        #expect(abs(strength - wanted) < 0.02, "\(strengths)")
      }
    }

    @Test(.hangLimit)
    func `canceled touches are released`() throws {
      let watcher = try stage.watcher(of: "/grid/lit")
      try browser.press(1, at: try browser.place(cell(1, 2)))
      try browser.press(2, at: try browser.place(cell(1, 4)))
      #expect(lights(watcher, 2).allSatisfy { $0[2] > 0 })
      try browser.cancelTouches()
      #expect(lights(watcher, 2).allSatisfy { $0[2] == 0 })
    }

    @Test(.hangLimit)
    func `a still finger holds its note longer than a long press`() throws {
      let watcher = try stage.watcher(of: "/grid/lit")
      try browser.press(at: try browser.place(cell(1, 2)))
      #expect(lights(watcher, 1).allSatisfy { $0[2] > 0 })
      letPass(seconds: 0.9, "longer than a long press")
      #expect(watcher.receive("/grid/lit", seconds: 0.1) == nil)
      try browser.lift()
      #expect(lights(watcher, 1).allSatisfy { $0[2] == 0 })
    }

    @Test(.hangLimit)
    func `a hidden page releases its notes`() throws {
      let watcher = try stage.watcher(of: "/grid/lit")
      try browser.withAnotherWindow {
        try stage.open("grid")
        try browser.press(at: try browser.place(cell(2, 3)))
        #expect(lights(watcher, 1).allSatisfy { $0[2] > 0 })
        // As when another program covers it.
        try browser.command("Page.setWebLifecycleState", ["state": "frozen"])
        #expect(lights(watcher, 1).allSatisfy { $0[2] == 0 })
        // The browser closes the connections of such a page, and reports it.
        let told = try browser.takeFaults()
        #expect(told.allSatisfy { $0.contains("Back-Forward Cache") })
        try browser.command("Page.setWebLifecycleState", ["state": "active"])
      }
    }

    @Test(.hangLimit)
    func `a closed page is silent within a second`() throws {
      let probe = try Probe(server: stage.server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      func clients() -> Int { Int(stage.phone.ask("/status/clients")?.arguments[0].number ?? -1) }
      var count = 0
      try browser.withAnotherWindow {
        try stage.open("grid")
        try browser.press(at: try browser.place(cell(1, 3)))
        try probe.awaitBlock("the note sounds") { isLoud($0) }
        count = clients()
      }
      // A busy machine delays the browser's end of the connection.
      try waitUntil("its connection has ended") { clients() < count }
      let before = probe.heardFrames
      try probe.awaitBlock("the note has ended") { isSilent($0) }
      #expect(probe.heardFrames - before < 48_000)
      probe.close()
    }

    @Test(.hangLimit)
    func `the piano's seven keys sound, also in a slide`() throws {
      let notes = try notes {
        try browser.press(at: try browser.place("#piano [data-key='1']"))
        try browser.move(to: try browser.place("#piano [data-key='7']"))
        try browser.lift()
      }
      #expect(notes == ["C", "D", "E", "F", "G", "A", "B"])
    }
  }
}
