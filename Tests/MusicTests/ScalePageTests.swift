import Foundation
import Music
import Testing

/// The list of scales in the documentation.
@Suite struct ScalePageTests {
  @Test func `the grid page lists all scales with semitones and aliases`() throws {
    let page = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../Sources/syrinx/Documentation.docc/Grid.md"
    ).standardized
    let rows = Scale.shipped.map { shipped in
      let steps = shipped.scale.steps.map { "\($0)" }.joined(separator: " ")
      let others = shipped.aliases.map { "`\($0)`" }.joined(separator: " ")
      return "| `\(shipped.scale.name)` | \(steps) | \(others) |\n"
    }
    let table = "| Scale | Semitones | Also |\n| --- | --- | --- |\n" + rows.joined()
    var text = try String(contentsOf: page, encoding: .utf8)
    if ProcessInfo.processInfo.environment["SYRINX_WRITE_SNAPSHOTS"] != nil {
      text = (text.range(of: "| Scale |").map { String(text[..<$0.lowerBound]) } ?? text) + table
      try text.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(text.hasSuffix(table), "write it with SYRINX_WRITE_SNAPSHOTS=1")
  }
}
