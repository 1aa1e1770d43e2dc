import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The library of takes on the page.
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

    private func awaitTakes(_ titles: String...) throws {
      let list = titles.map { "'\($0)'" }.joined(separator: ", ")
      try browser.await(
        """
        JSON.stringify([...document.querySelectorAll('#take-list .take-open b')]\
        .map((one) => one.textContent)) === JSON.stringify([\(list)])
        """)
    }

    @Test(.timeLimit(.minutes(1)))
    func
      `takes come in by a drop and by the button, and are found, named, thrown away and brought back`()
      throws
    {
      try browser.await("!document.querySelector('#take-list li')")
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
      // Thrown away, and brought back.
      try browser.tap("#take-trash")
      try awaitTakes("Owl")
      try browser.tap("#notice-action")
      try awaitTakes("Owl", "Wren <b>at</b> dawn")
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is no sound is refused in a line, and the list stays`() throws {
      let path = folder.path("tale.wav")
      try Data("Once upon a time".utf8).write(to: URL(fileURLWithPath: path))
      let before = try browser.numbers("return [document.querySelectorAll('#take-list li').length]")
      try browser.choose(file: path, in: "#take-import")
      try browser.await("document.querySelector('#notice').dataset.kind === 'fault'")
      #expect(try browser.text("return document.querySelector('#notice-text').textContent") != "")
      #expect(
        try browser.numbers("return [document.querySelectorAll('#take-list li').length]") == before)
      // The browser says by itself that it was refused.
      let told = try browser.takeFaults()
      #expect(told.allSatisfy { $0.contains("/files/takes?name=tale.wav") }, "\(told)")
    }
  }
}
