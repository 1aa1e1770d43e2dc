import Control
import OSC
import Posix
import TestSupport
import Testing

/// Suggestions for unknown words.
@Suite struct NearestTests {
  private static let words = ["run", "render", "takes", "send", "watch", "status"]

  @Test(arguments: [
    ("rnu", "run"), ("rendr", "render"), ("take", "takes"), ("wacth", "watch"), ("stat", "status"),
    ("sent", "send"), ("rund", "run"),
  ])
  func `one or two typos still match the word`(typed: String, word: String) {
    #expect(typed.nearest(of: Self.words) == word)
  }

  @Test(arguments: ["", "r", "x", "play", "statistics", String(repeating: "run", count: 30_000)])
  func `a word unlike all others matches none`(typed: String) {
    #expect(typed.nearest(of: Self.words) == nil)
  }

  @Test func `of two equally near words, the same one is chosen in any order`() {
    #expect("cat".nearest(of: ["hat", "bat"]) == "bat")
    #expect("cat".nearest(of: ["bat", "hat"]) == "bat")
  }

  @Test func `the start of a name does not match a parent path`() {
    #expect("/pitch/semi".nearest(of: ["/pitch/semitones", "/pitch/on"]) == "/pitch/semitones")
    #expect("/pitch".nearest(of: ["/pitch/semitones", "/pitch/on"]) == nil)
  }

  @Test(arguments: [
    ("/pitch/semitone", "did you mean /pitch/semitones?"),
    ("/live/gian", "did you mean /live/gain?"),
    ("/nothing", "/addresses lists all"),
  ])
  func `an unknown address is answered with the nearest one`(typed: String, hint: String) {
    #expect(
      Desk().tell(typed)[0].arguments
        == [
          .string(typed), .string("unknown"), .string("unknown address \"\(typed)\"; \(hint)"),
        ])
  }
}
