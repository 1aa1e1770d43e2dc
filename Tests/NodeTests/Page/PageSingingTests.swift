import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The input's channel strip and the pitch correction on the voice page.
  @Suite struct PageSingingTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready(.phone)
      try stage.open("voice")
    }

    /// A voice at a pitch, which repeats every second.
    private func voice(_ note: Double) -> (UInt32) -> Float {
      // A whole number of periods.
      let hertz = SungTone.hertz(note).rounded()
      let sound = SungTone().sound(seconds: 1, level: 0.05) { _ in 69 + 12 * log2(hertz / 440) }
      return { sound[Int($0) % sound.count] }
    }

    private func awaitValue(_ path: String, _ value: Argument) throws {
      try waitUntil("\(path) is \(value)") { stage.phone.ask(path)?.arguments == [value] }
    }

    /// Ends the connections to the node, so that it doesn't restore them to later clients of the same names.
    private func leave(_ probe: Probe) throws {
      for (from, to) in [
        ("player:left", "syrinx:in_1"), ("player:right", "syrinx:in_2"),
        ("syrinx:out_1", "hearer:in"),
      ] { #expect(probe.disconnect(from, to)) }
      // Two seconds: it looks once a second.
      let start = probe.heardFrames
      try waitUntil("the node has seen it") { probe.heardFrames - start > 96_000 }
    }

    private func close(_ sheet: String) throws {
      try browser.tap("#\(sheet) [data-close]")
      try browser.await("document.querySelector('#\(sheet)').hidden")
    }

    @Test(.hangLimit)
    func `the gate is turned on by a tap, and shows whether it is open`() throws {
      let probe = try Probe(server: stage.server.name, plays: voice(50))
      try probe.connect(to: "syrinx")
      defer {
        probe.close()
        for (path, value): (String, Argument) in [
          ("/gate/on", .int32(0)), ("/gate/threshold", .float(-45)),
        ] { stage.phone.send(path, value) }
        _ = stage.phone.sync()
      }
      try browser.tap("#voice .bar [data-sheet='channel']")
      try browser.tap("#channel [data-address='/gate/on']")
      try awaitValue("/gate/on", .int32(1))
      try browser.await("document.querySelector('#channel-gains').textContent === 'open'")
      stage.phone.send("/gate/threshold", .float(0))
      try browser.await("document.querySelector('#channel-gains').textContent === 'closed'")
      try close("channel")
      try leave(probe)
    }

    @Test(.hangLimit)
    func `tune shows the note that is sung, and draws what is sung and heard`() throws {
      let probe = try Probe(server: stage.server.name, plays: voice(57.3))
      try probe.connect(to: "syrinx")
      defer {
        probe.close()
        for (path, value): (String, Argument) in [
          ("/tune/on", .int32(0)), ("/tune/scale", .string("grid")),
        ] { stage.phone.send(path, value) }
        _ = stage.phone.sync()
      }
      try browser.tap("#voice .bar [data-sheet='tune']")
      try browser.tap("#tune [data-address='/tune/on']")
      try awaitValue("/tune/on", .int32(1))
      try browser.tap("#tune [data-word='chromatic']")
      try awaitValue("/tune/scale", .string("chromatic"))
      // 224 Hz are 31 cents above A3.
      try browser.await(
        "/^A3, \\+(30|31|32) cents$/.test(document.querySelector('#tune-note').textContent)")
      // The line of what is heard, in the color of the page's accent.
      try browser.await(
        """
        (() => {
          const { width, height } = document.querySelector('#tune-picture');
          const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
          copy.drawImage(document.querySelector('#tune-picture'), 0, 0);
          const { data } = copy.getImageData(0, 0, width, height);
          let colored = 0;
          for (let at = 0; at < data.length; at += 4) {
            const [red, , blue, alpha] = data.slice(at, at + 4);
            if (alpha > 200 && blue > red + 40) colored++;
          }
          return colored > 20;
        })()
        """)
      try close("tune")
      try leave(probe)
    }

    @Test(.hangLimit)
    func `a harmony voice is turned on by a tap, and shows its note`() throws {
      let probe = try Probe(server: stage.server.name, plays: voice(57))
      try probe.connect(to: "syrinx")
      defer {
        probe.close()
        for (path, value): (String, Argument) in [
          ("/harmony/2/on", .int32(0)), ("/harmony/2/interval", .string("3rdUp")),
        ] { stage.phone.send(path, value) }
        _ = stage.phone.sync()
      }
      try browser.tap("#voice .bar [data-sheet='harmony']")
      try browser.tap("#harmony [data-address='/harmony/2/on']")
      try awaitValue("/harmony/2/on", .int32(1))
      try browser.await(
        """
        (() => {
          const list = document.querySelector("#harmony select[data-address='/harmony/2/interval']");
          if (!list || list.options.length !== 13) return false;
          list.value = 'octaveUp';
          list.dispatchEvent(new Event('change'));
          return true;
        })()
        """)
      try awaitValue("/harmony/2/interval", .string("octaveUp"))
      try browser.await(
        "document.querySelectorAll('#harmony .harmony-note')[1].textContent === 'A4'")
      try close("harmony")
      try leave(probe)
    }
  }
}
