import Foundation
import TestSupport
import Testing

extension NodeTests {
  /// Whether all of a page has its place in windows of several sizes, computed from boxes.
  @Suite(.serialized, .whereChromiumIs, .onStage()) struct PageFitTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try #require(PageStage.current)
      // Nothing is on its way to its place then.
      try browser.prefer(["prefers-reduced-motion": "reduce"])
    }

    /// Has every page in every size looked at.
    private func lookAtAll(_ look: (_ page: String, _ size: Browser.Size) throws -> Void) throws {
      for size in Browser.Size.all {
        try browser.resize(size)
        for page in PageStage.pages {
          try stage.turn(to: page)
          try stage.awaitRest()
          try look(page, size)
        }
      }
    }

    @Test(.timeLimit(.minutes(1)))
    func `no page is wider than its window`() throws {
      try lookAtAll { page, size in
        let faults = try browser.widthFaults()
        #expect(faults == [], "\(page) at \(size)")
      }
    }

    @Test(.timeLimit(.minutes(1)))
    func `no two targets overlap, and none lies under anything`() throws {
      try lookAtAll { page, size in
        let faults = try browser.overlapFaults()
        #expect(faults == [], "\(page) at \(size)")
      }
    }

    @Test(.timeLimit(.minutes(1)))
    func `all targets are large enough for a finger`() throws {
      var small: [String] = []
      try lookAtAll { page, size in
        #expect(try browser.targets(below: 24) == [], "\(page) at \(size)")
        // What is played without looking.
        let played = "[data-cell], .press, #mute"
        #expect(try browser.targets(below: 44, played) == [], "\(page) at \(size)")
        // Nine millimetres on a phone.
        small += try browser.targets(below: 57).map { "\(page) at \(size): \($0)" }
      }
      print("targets below 57 CSS pixels: \(small.count)\n  \(small.joined(separator: "\n  "))")
    }
  }
}
