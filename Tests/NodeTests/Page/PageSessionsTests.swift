import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Sessions on the page: recording, markers, and the last minutes.
  @Suite struct PageSessionsTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      try stage.open("rig")
      try awaitCard()
    }

    // The card is fetched when the page is first shown.
    private func awaitCard() throws {
      try browser.await("!!document.querySelector('#session-keep')")
    }

    private func awaitText(_ selector: String, _ pattern: String) throws {
      let text = "document.querySelector('\(selector)').textContent"
      do {
        try browser.await("/\(pattern)/.test(\(text))")
      } catch {
        throw Fault("\(selector): \(try browser.text("return \(text)"))")
      }
    }

    private func awaitOn(_ isOn: Bool) throws {
      try browser.await(
        "document.querySelector('#session').getAttribute('aria-pressed') === '\(isOn)'")
      try awaitText("#session", isOn ? "^Stop session$" : "^Session$")
    }

    private func isShown(_ selector: String) throws -> Bool {
      try browser.run(
        "return document.querySelector(arguments[0]).checkVisibility()", selector) as? Bool == true
    }

    @Test(.hangLimit)
    func `a session is recorded with markers, and a fault is shown`() throws {
      #expect(try !isShown("#session-keep"))
      try browser.await("document.querySelector('#session-mark button').disabled")
      try browser.tap("#session")
      try awaitOn(true)
      try awaitText("#session-time", "^[1-9]\\.\\d s$")
      try awaitText("#session-folder", "^Recording to sessions.\\d{4}-\\d\\d-\\d\\d_\\d{6}")
      try browser.write("Verse", into: "#session-name")
      try browser.tap("#session-mark button")
      try browser.await("document.querySelector('#session-name').value === ''")
      try browser.tap("#session-mark button")
      try awaitText("#notice-text", "^Marker .Mark 1.$")
      try browser.tap("#session")
      try awaitOn(false)
      try awaitText("#notice-text", "^Session .* saved$")
      try awaitText("#session-folder", "^Last: sessions.")
      let name = try #require(stage.phone.ask("/session/state")?.arguments[2].text)
      let sessions = stage.home + "/sessions"
      let rows = (Files.read("\(sessions)/\(name)/markers.csv") ?? "").split(separator: "\n")
      // Loops place markers of their own.
      let names = rows.map { $0.split(separator: ",")[1] }.filter { !$0.hasPrefix("\"loop ") }
      #expect(names == ["Name", "\"Verse\"", "\"Mark 1\""])

      try FileManager.default.removeItem(atPath: sessions)
      try Files.write("", to: sessions)
      defer { Files.remove(sessions) }
      try browser.tap("#session")
      try browser.await("document.querySelector('#notice').dataset.kind === 'fault'")
      try awaitText("#notice-text", "sessions")
      try awaitOn(false)
    }

    @Test(.hangLimit)
    func `the last minutes are kept if the node has them`() throws {
      let (node, phone) = try startNode(
        on: stage.server, ["--name", "ring", "--session-ring", "2"],
        environment: ["SYRINX_SOUNDFONTS": "none"], hasPage: true)
      try browser.withAnotherWindow(.tallPhone) {
        try browser.open("http://127.0.0.1:\(node.webPort)/#rig")
        try stage.awaitLink()
        try awaitCard()
        try awaitText("#session-keep", "^Keep the last 2 minutes$")
        #expect(try isShown("#session-keep"))
        // Without a session, too.
        try browser.write("Bird", into: "#session-name")
        try browser.tap("#session-mark button")
        try awaitText("#notice-text", "Bird")
        try browser.tap("#session-keep")
        try awaitText("#notice-text", "^Last minutes saved as session ")
        let name = try #require(
          Files.names(in: node.home + "/sessions").first { !$0.hasPrefix(".") })
        let table = Files.read("\(node.home)/sessions/\(name)/markers.csv")
        #expect(table?.contains("\"Bird\"") == true)
        #expect(phone.ask("/session/state")?.arguments.first == .string("off"))
        let faults = try browser.takeFaults()
        #expect(faults == [])
      }
      #expect(node.end() == 0)
    }
  }
}
