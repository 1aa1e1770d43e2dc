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
      try browser.await(
        """
        [...document.querySelectorAll('#losses li')].some((one) => { \
        const [time, length, detail] = [...one.children].map((part) => part.textContent); \
        return /^\\d\\d:\\d\\d:\\d\\d$/.test(time) && parseFloat(length) > 500 \
        && detail.includes('the sound server was stopped'); })
        """)
    }
  }
}
