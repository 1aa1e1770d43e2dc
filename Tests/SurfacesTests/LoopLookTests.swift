import Control
import Foundation
import TestSupport
import Testing

@testable import Surfaces

/// The states of a loop look alike wherever they are shown.
@Suite struct LoopLookTests {
  private static let page = Project.file("Sources/Page/web")

  private func text(_ file: String) throws -> String {
    try String(contentsOf: Self.page.appendingPathComponent(file), encoding: .utf8)
  }

  @Test func `the page has the same words, in the same order`() throws {
    let words = try text("store/loops.js").matches(of: /\n  (\w+): \["(\w+)", "\w+", "\w*"\]/)
    #expect(words.map { String($0.1) } == LoopLook.all.map(\.state))
    #expect(words.map { String($0.2) } == LoopLook.all.map(\.word))
  }

  @Test func `the page has the same colours`() throws {
    let style = try text("page.css")
    for (name, colour) in [
      ("record", Color.record), ("overdub", Color.overdub), ("replace", Color.replace),
      ("play", Color.play),
    ] {
      let digits = String(colour, radix: 16)
      let written = "#" + String(repeating: "0", count: 6 - digits.count) + digits
      #expect(style.contains("--\(name): \(written);"), "\(name)")
    }
    for look in LoopLook.all where look.fill != nil {
      #expect(style.contains("[data-state=\"\(look.state)\"]"), "\(look.state)")
    }
  }

  @Test func `words on a button can be read, whatever its colour`() {
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

  @Test func `each state differs from the others by its word, and where it is lit by its colour`() {
    #expect(Set(LoopLook.all.map(\.word)).count == LoopLook.all.count)
    #expect(Set(LoopLook.all.compactMap(\.fill)).count == 4)
  }
}
