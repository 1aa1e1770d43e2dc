import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Whether pages fit windows of several sizes, computed from their boxes.
  @Suite struct PageFitTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      // No animation is in progress then.
      try browser.prefer(["prefers-reduced-motion": "reduce"])
    }

    /// Checks every page at every size, with everything that opens over it.
    private func lookAtAll(
      _ look: (_ place: String, _ layer: String) throws -> Void
    ) throws {
      let take = try addTake()
      defer {
        stage.phone.send("/take/delete", .string(take))
        _ = stage.phone.sync()
      }
      for size in Browser.Size.all {
        try browser.resize(size)
        for page in PageStage.pages {
          try stage.turn(to: page)
          try stage.awaitRest()
          try look("\(page) at \(size)", "body")
          for (other, button, sheet) in Self.sheets where other == page {
            guard try isShown(button) else { continue }
            try browser.run("document.querySelector(arguments[0]).click()", button)
            try stage.awaitRest()
            try look("\(sheet) at \(size)", sheet)
            try browser.run("document.querySelector(`${arguments[0]} .close`).click()", sheet)
          }
        }
      }
    }

    /// Overlays with little room: the page, the button, and the overlay.
    private static let sheets = [
      ("voice", "[data-sheet='presets']", "#presets"),
      ("voice", "[data-sheet='channel']", "#channel"),
      ("voice", "[data-sheet='tune']", "#tune"),
      ("grid", "[data-sheet='grid-more']", "#grid-more"),
      ("takes", "#take-list .take-open", "#take"),
    ]

    private func isShown(_ selector: String) throws -> Bool {
      try browser.run(
        "return document.querySelector(arguments[0])?.checkVisibility() === true", selector)
        as? Bool
        == true
    }

    /// A library with a take of a long name, the worst case for space.
    private func addTake() throws -> String {
      let folder = URL(fileURLWithPath: stage.home)
      try SoundFixture.write(
        folder.appending(path: "long.wav").path, [Tone.sine(440, frames: 48_000)],
        samples: .integer16)
      stage.phone.send("/take/import", .string("long.wav"))
      let id = try #require(stage.phone.receive("/reply")?.arguments[1].text)
      stage.phone.send(
        "/take/title", .string(id),
        .string(
          "A-nightingale-and-a-blackbird-that-answer-each-other in the park at half past four"))
      try browser.await("document.querySelector('#take-list li')")
      return id
    }

    @Test(.hangLimit, arguments: [Browser.Size.phone, .tallPhone, .smallLaptop, .laptop])
    func `no caption leaves its control, and no row of loop buttons is cut`(_ size: Browser.Size)
      throws
    {
      let take = try addTake()
      defer {
        stage.phone.send("/take/delete", .string(take))
        _ = stage.phone.sync()
      }
      try browser.resize(size)
      for page in PageStage.pages {
        try stage.turn(to: page)
        if page == "loop", try isShown("#loop-choice .all") {
          try browser.run("document.querySelector('#loop-choice .number').click()")
        }
        if page == "takes" {
          try browser.run("document.querySelector('#take-list .take-open').click()")
          try browser.await("document.querySelector('#take-title').value")
          // As it is with a picture.
          try browser.run(
            "document.querySelector('#take-unpicture').hidden = false;"
              + "document.querySelector('#take-find').textContent = 'Another picture'")
        }
        try stage.awaitRest()
        let outside = try browser.text(
          """
          // Titles in the list end in an ellipsis.
          return [...document.querySelectorAll('main button:not(.take-open), main select, .fader-figure')]
            .filter((one) => one.checkVisibility()).filter((one) => {
              const range = document.createRange();
              range.selectNodeContents(one);
              const [text, box] = [range, one].map((part) => part.getBoundingClientRect());
              return text.width && (text.right > box.right + 1 || text.left < box.left - 1);
            }).map((one) => one.id || one.textContent.trim()).join()
          """)
        #expect(outside == "", "\(page) at \(size)")
        if page == "takes" { try browser.run("document.querySelector('#take-close').click()") }
        guard page == "loop" else { continue }
        let cut = try browser.text(
          """
          const end = document.querySelector('main').getBoundingClientRect().bottom;
          return [...document.querySelectorAll('#loop .presses .press')].filter((one) => {
            const { top, bottom } = one.getBoundingClientRect();
            return top < end && bottom > end;
          }).map((one) => one.textContent).join()
          """)
        #expect(cut == "", "\(size)")
      }
    }

    @Test(.hangLimit)
    func `no page exceeds its window, and no target is too small or overlaps another`() throws {
      var small: [String] = []
      try lookAtAll { place, layer in
        let wide = try browser.widthFaults()
        #expect(wide == [], "\(place)")
        let overlapping = try browser.overlapFaults(in: layer)
        #expect(overlapping == [], "\(place)")
        let tiny = try browser.targets(below: 24)
        #expect(tiny == [], "\(place)")
        // Controls that are played without looking.
        let played = try browser.targets(below: 44, "[data-cell], .press, #mute")
        #expect(played == [], "\(place)")
        // Nine millimeters on a phone.
        small += try browser.targets(below: 57).map { "\(place): \($0)" }
      }
      if !small.isEmpty {
        print("\(small.count) targets below 57 CSS pixels:\n  \(small.joined(separator: "\n  "))")
      }
    }
  }
}
