import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The mappings of pedals and controllers on the page.
  @Suite struct PageBindingsTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      try stage.open("rig")
    }

    private func awaitRows(_ rows: String...) throws {
      let list = rows.map { "'\($0)'" }.joined(separator: ", ")
      try browser.await(
        """
        JSON.stringify([...document.querySelectorAll('#bindings li')]\
        .map((one) => [...one.children].slice(0, 3).map((part) => part.textContent).join('|'))) \
        === JSON.stringify([\(list)])
        """)
    }

    @Test(.hangLimit)
    func `a press is mapped with its argument, listed with others, and removed`() throws {
      let keyboard = try MIDIProbe(server: stage.server.name)
      try keyboard.connect(to: "syrinx", listening: false, phone: stage.phone)
      stage.phone.send("/midi/bind", .string("note:60"), .string("/player/record"))
      try awaitRows("note 60||/player/record")
      try browser.run("document.querySelector('#midi-press').value = 'long'")
      try browser.write("toggle", into: "#midi-argument")
      try browser.tap("#midi-learn")
      try browser.await("document.body.classList.contains('learning')")
      try browser.tap("[data-address='/midi/snap']")
      try browser.await("!document.body.classList.contains('learning')")
      try stage.awaitNode()
      keyboard.play([0x90, 60, 100])
      keyboard.play([0x80, 60, 0])
      try awaitRows("note 60|long|/midi/snap toggle", "note 60||/player/record")
      #expect(stage.phone.ask("/midi/snap")?.arguments == [.int32(1)])
      try browser.tap("#bindings li:first-child button")
      try awaitRows("note 60||/player/record")
      try browser.tap("#bindings li:first-child button")
      try awaitRows()
      try browser.await("!document.querySelector('#bindings-none').hidden")
      keyboard.close()
    }
  }
}
