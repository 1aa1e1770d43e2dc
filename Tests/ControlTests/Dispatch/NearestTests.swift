import Control
import OSC
import Posix
import TestSupport
import Testing

/// The words that are offered for those that are none.
@Suite struct NearestTests {
  private static let words = ["run", "render", "takes", "send", "watch", "status"]

  @Test(arguments: [
    ("rnu", "run"), ("rendr", "render"), ("take", "takes"), ("wacth", "watch"), ("stat", "status"),
    ("sent", "send"), ("rund", "run"),
  ])
  func `a slip or two still mean the same word`(typed: String, word: String) {
    #expect(typed.nearest(of: Self.words) == word)
  }

  @Test(arguments: ["", "r", "x", "play", "statistics", String(repeating: "run", count: 30_000)])
  func `what is far from all means none`(typed: String) {
    #expect(typed.nearest(of: Self.words) == nil)
  }

  @Test func `of two that are as near, the same one is told in any order`() {
    #expect("cat".nearest(of: ["hat", "bat"]) == "bat")
    #expect("cat".nearest(of: ["bat", "hat"]) == "bat")
  }

  @Test func `what begins a name is not what lies above it`() {
    #expect("/pitch/semi".nearest(of: ["/pitch/semitones", "/pitch/on"]) == "/pitch/semitones")
    #expect("/pitch".nearest(of: ["/pitch/semitones", "/pitch/on"]) == nil)
  }

  @Test(arguments: [
    ("/pitch/semitone", "is /pitch/semitones meant?"), ("/live/gian", "is /live/gain meant?"),
    ("/nothing", "/addresses lists them all"),
  ])
  func `an unknown address is answered with the nearest one`(typed: String, hint: String) {
    #expect(
      Desk().tell(typed)[0].arguments
        == [
          .string(typed), .string("unknown"), .string("there is no address \"\(typed)\"; \(hint)"),
        ])
  }
}
