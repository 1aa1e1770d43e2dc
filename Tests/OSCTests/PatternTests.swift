import OSC
import Testing

@Suite struct PatternTests {
  @Test(arguments: [
    ("/live/gain", "/live/gain", true), ("/live/gain", "/live/gai", false),
    ("/live/gai", "/live/gain", false), ("/*/gain", "/live/gain", true),
    ("/*", "/live/gain", false), ("/*/*", "/live/gain", true), ("/l*e/g*n", "/live/gain", true),
    ("/live/*", "/live/", true), ("/*live*/gain", "/live/gain", true),
    ("/li?e/gain", "/live/gain", true), ("/live?gain", "/live/gain", false),
    ("/[kl]ive/gain", "/live/gain", true), ("/[a-l]ive/gain", "/live/gain", true),
    ("/[!l]ive/gain", "/live/gain", false), ("/[!a-k]ive/gain", "/live/gain", true),
    ("/[a-]ive", "/-ive", true), ("/[", "/[", false), ("/live[/]gain", "/live/gain", false),
    ("/{live,loop}/gain", "/loop/gain", true), ("/{live,loop}/gain", "/grid/gain", false),
    ("/{live,li}ve/gain", "/live/gain", true), ("/{,x}live", "/live", true),
    ("/{live", "/live", false), ("", "", true), ("*", "", true),
  ])
  func `matches as specified`(pattern: String, address: String, matches: Bool) {
    #expect(Pattern(pattern).matches(address) == matches)
  }

  @Test(arguments: [
    ("/live", "/live/gain", true), ("/*", "/live/gain", true), ("/l*", "/grid/gain", false),
    ("/liv", "/live/gain", false), ("/live/gain", "/live/gain", true),
  ])
  func `covers everything below an address`(pattern: String, address: String, covers: Bool) {
    #expect(Pattern(pattern).covers(address) == covers)
  }

  @Test func `a pattern longer than any address matches nothing`() {
    for text in [String(repeating: "*", count: 60_000), String(repeating: "{", count: 60_000)] {
      #expect(!Pattern("/live/" + text).covers("/live/gain"))
    }
    #expect(Pattern("/live/" + String(repeating: "*", count: 200)).matches("/live/gain"))
  }

  @Test func `a pattern with exponential cost gives up`() {
    let pattern = Pattern("/" + String(repeating: "*a", count: 120) + "{a,b}")
    #expect(!pattern.matches("/" + String(repeating: "a", count: 200) + "c"))
  }
}
