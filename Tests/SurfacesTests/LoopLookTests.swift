import Engine
import Foundation
import Looks
import TestSupport
import Testing

@testable import Screen
@testable import Surfaces

/// The states of a loop look the same on the page, layouts, terminals and pedals.
@Suite struct LoopLookTests {
  private static let page = Project.file("Sources/Page/web")

  private func text(_ file: String) throws -> String {
    try String(contentsOf: Self.page.appendingPathComponent(file), encoding: .utf8)
  }

  @Test func `there is a look for each state of the engine, in its order`() {
    #expect(LoopLook.all.map(\.state) == LoopActivity.allCases.map { "\($0)" })
    #expect(LoopLook.of("playing")?.word == "Play" && LoopLook.of("unknown") == nil)
  }

  @Test func `the page's table is generated from this one`() throws {
    let rows = LoopLook.all.map { look in
      "  \(look.state): { word: \"\(look.word)\", icon: \"\(look.icon)\", "
        + "button: \"\(look.button ?? "")\", tone: \"\(look.tone?.rawValue ?? "")\", "
        + "fills: \(look.isFilled), runs: \(look.isRunning) },\n"
    }
    let script = """
      // Generated from LoopLook.swift: the look of each state of a loop. SYRINX_WRITE_SNAPSHOTS=1 \
      renews it in a test.

      export const looks = {
      \(rows.joined())};

      """
    if ProcessInfo.processInfo.environment["SYRINX_WRITE_SNAPSHOTS"] != nil {
      try script.write(
        to: Self.page.appendingPathComponent("store/looks.js"), atomically: true, encoding: .utf8)
    }
    let isSame = try text("store/looks.js") == script
    #expect(isSame, "store/looks.js is old; SYRINX_WRITE_SNAPSHOTS=1 renews it")
  }

  @Test func `the page has the same colors and the same blinking`() throws {
    let style = try text("page.css") + text("more.css")
    for tone in LoopLook.Tone.allCases {
      let digits = String(tone.rgb, radix: 16)
      let name = tone.rawValue
      let written = "#" + String(repeating: "0", count: 6 - digits.count) + digits
      #expect(style.contains("--\(name): \(written);"), "\(name)")
      #expect(style.contains("[data-tone=\"\(name)\"] { --tone: var(--\(name)); }"), "\(name)")
      #expect(style.contains("[data-coming=\"\(name)\"] { --coming: var(--\(name)); }"), "\(name)")
    }
    let period = "\(Double(LoopLook.blinkPeriod) / 1000)s step-end infinite"
    for animation in ["will", "will-be"] {
      #expect(style.contains("animation: \(animation) \(period)"), "\(animation)")
    }
  }

  @Test func `a pedal's light for the button of a state is lit in that state`() throws {
    for look in LoopLook.all {
      guard let button = look.button else { continue }
      let light = try #require(LoopLight.allCases.first { "\($0)" == button })
      let activity = try #require(LoopActivity.allCases.first { "\($0)" == look.state })
      // A muted loop plays on, and the light of /loop/N/play shows what can be heard.
      #expect(light.isLit(activity) == (look.state != "muted"), "\(look.state)")
    }
  }

  @Test func `a terminal tells the states apart as the page does`() {
    for look in LoopLook.all {
      for other in LoopLook.all where other.tone != nil {
        let isSame = look.tone == other.tone && look.isFilled == other.isFilled
        #expect((Style(look) == Style(other)) == isSame, "\(look.state) \(other.state)")
      }
    }
    #expect(Style.queued.sequence(hasColor: true).contains(";5;"))
  }

  @Test func `text on buttons has enough contrast`() {
    func luminance(_ color: Color) -> Double {
      let parts = [color.red, color.green, color.blue].map {
        $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    func contrast(_ one: Color, _ other: Color) -> Double {
      let (dark, light) = (
        min(luminance(one), luminance(other)), max(luminance(one), luminance(other))
      )
      return (light + 0.05) / (dark + 0.05)
    }
    for look in LoopLook.all { #expect(contrast(look.face, look.text) >= 4.5, "\(look.state)") }
    for accent in SurfaceControl.Accent.allCases {
      #expect(contrast(accent.color, accent.color.ink) >= 4.5, "\(accent)")
      #expect(contrast(accent.color.dimmed, .text) >= 4.5, "\(accent), dim")
      #expect(contrast(accent.color.faded, .text) >= 4.5, "\(accent), of a fader")
    }
  }

  @Test func `states differ by word, and lit ones by color`() {
    #expect(Set(LoopLook.all.map(\.word)).count == LoopLook.all.count)
    #expect(Set(LoopLook.all.map(\.letter)).count == LoopLook.all.count)
    #expect(Set(LoopLook.all.filter(\.isFilled).compactMap(\.tone)).count == 4)
  }
}
