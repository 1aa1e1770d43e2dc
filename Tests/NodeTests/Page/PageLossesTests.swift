import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The losses of sound on the page.
  @Suite struct PageLossesTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      try stage.open("rig")
    }

    @Test(.hangLimit)
    func `a stopped server is listed with its time, length and cause`() throws {
      try stage.phone.pass(seconds: 1.5, "xruns of joining don't count")
      stage.server.send(signal: SIGSTOP)
      letPass(seconds: 1, "the server is stopped")
      stage.server.send(signal: SIGCONT)
      let isListed = """
        [...document.querySelectorAll('#losses li')].some((one) => { \
        const [time, length, detail] = [...one.children].map((part) => part.textContent); \
        return /^\\d\\d:\\d\\d:\\d\\d$/.test(time) && parseFloat(length) > 500 \
        && detail.includes('the sound server was stopped'); })
        """
      try browser.await(isListed)
      try stage.open("rig")
      try browser.await(isListed)
    }

    @Test(.hangLimit)
    func `nodes of the network are listed, if there are others`() throws {
      // The real reply must not come during the invented ones.
      try browser.await("document.querySelector('#nodes')?.childElementCount > 0")
      let isAlone = try browser.run(
        """
        return import("/page/store/values.js").then(({ receive }) => {
          receive("/node", ["lead", "stage", 4, 0, "running", ""]);
          receive("/rig/end", [1]);
          return document.querySelector("#nodes").hidden;
        });
        """)
      #expect(isAlone as? Bool == true)
      let rows = try browser.text(
        """
        return import("/page/store/values.js").then(({ receive }) => {
          for (const row of [["choir", "pi2", 7.4, 0, "running", "verse"], ["lead", "stage", 4, 1, "gone", ""],
            ["old", "pi3", -1, -1, "silent", ""]]) receive("/node", row);
          receive("/rig/end", [3]);
          const nodes = document.querySelector("#nodes");
          return nodes.hidden ? "" : [...nodes.children]
            .map((row) => [...row.children].map((one) => one.textContent).join("|")).join("; ");
        });
        """)
      #expect(
        rows == "choir|pi2|7 % · verse; lead|stage|no sound server · lost sound 1 time; "
          + "old|pi3|no reply")
    }
  }
}
