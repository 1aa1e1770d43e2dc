import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The feedback guard on the rig page, with a loudspeaker in front of a microphone.
  @Suite struct PageGuardTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready(.phone)
      try stage.open("rig")
      try browser.await("document.querySelector('.guard .switch')")
    }

    private func level(_ block: [Float]) -> Double { Measure.level(block[...]) }

    private func awaitText(_ selector: String, _ condition: String) throws {
      try browser.await(
        "((text) => \(condition))(document.querySelector('.guard \(selector)').textContent)")
    }

    @Test(.hangLimit)
    func `its code is fetched when the rig is first shown`() throws {
      let isFetched =
        "performance.getEntriesByType('resource').some((one) => one.name.endsWith('guard.js'))"
      try stage.open("voice")
      #expect(try browser.run("return \(isFetched)") as? Bool == false)
      try stage.turn(to: "rig")
      try browser.await(isFetched)
    }

    @Test(.hangLimit)
    func `it is turned on by a tap, reports its notches, and clears them`() throws {
      let way = HowlingWay()
      let probe = try Probe(server: stage.server.name, plays: way.sample)
      probe.listen(way.hear)
      try probe.connect(to: "syrinx")
      defer {
        probe.close()
        stage.phone.send("/guard/on", .int32(0))
        stage.phone.send("/live/gain", .float(0))
        _ = stage.phone.sync()
      }
      stage.phone.send("/live/gain", .float(2))
      try probe.awaitBlock("there is feedback") { level($0) > 0.3 }
      try awaitText(".guard-notches", "text === 'Feedback is not suppressed'")
      #expect(
        try browser.run("return document.querySelector('.guard .tool').disabled") as? Bool == true)

      try browser.tap(".guard .switch")
      try browser.await("document.querySelector('.guard .switch').ariaChecked === 'true'")
      // The page shows a touch before the node's reply.
      try waitUntil("the node has received the switch") {
        stage.phone.ask("/guard/on")?.arguments == [.int32(1)]
      }
      try probe.awaitBlock("the feedback has ended") { level($0) < 0.02 }
      try awaitText(".big", "/^[1-8] of 8$/.test(text)")
      // The resonance is at 1 kHz, and loop modes are 100 Hz apart.
      try awaitText(
        ".guard-notches", "/^Notches: (9\\d\\d(\\.\\d)?\\sHz|1(\\.0\\d)?\\skHz)/.test(text)")

      // At this level there is no feedback: cleared notches stay cleared.
      stage.phone.send("/live/gain", .float(-20))
      #expect(stage.phone.sync())
      try browser.tap(".guard .tool")
      try awaitText(".big", "text === '0 of 8'")
      try awaitText(".guard-notches", "text === 'No notches'")
      #expect(stage.phone.ask("/guard/notches")?.arguments.isEmpty == true)
    }

    @Test(.hangLimit)
    func `one of four hold times is chosen, and any other is shown`() throws {
      defer { stage.phone.send("/guard/hold", .float(60)) }
      try browser.tap(".guard [data-word='600']")
      try browser.await(
        "document.querySelector('.guard [data-word=\"600\"]').ariaChecked === 'true'")
      try waitUntil("the node has received the time") {
        stage.phone.ask("/guard/hold")?.arguments == [.float(600)]
      }
      try awaitText(".labelled small", "text === 'Hold'")
      stage.phone.send("/guard/hold", .float(45))
      try awaitText(".labelled small", "text === 'Hold 45 s'")
      // None is chosen, and one of them is still focusable.
      #expect(
        try browser.run(
          """
          const buttons = [...document.querySelectorAll('.guard [role=radio]')];
          return buttons.every((one) => one.ariaChecked === 'false')
            && buttons.filter((one) => one.tabIndex === 0).length === 1;
          """) as? Bool == true)
    }
  }
}
