internal import Foundation

// Accessibility and layout checks of a page, measured by `audit.js`.
extension Browser {
  private static let script = Result {
    try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "audit.js"), encoding: .utf8)
  }

  private func measure(_ expression: String, _ arguments: Any...) throws -> Any? {
    try ask(
      "POST", "/execute/sync",
      ["script": "\(try Self.script.get())\nreturn \(expression);", "args": arguments])
  }

  private func faults(_ expression: String, _ arguments: Any...) throws -> [String] {
    let answer = try ask(
      "POST", "/execute/sync",
      ["script": "\(try Self.script.get())\nreturn \(expression);", "args": arguments])
    guard let faults = answer as? [String] else { throw Fault("\(expression): \(answer ?? "-")") }
    return faults
  }

  /// Elements wider than their window.
  package func widthFaults() throws -> [String] { try faults("widthFaults()") }

  /// Targets that overlap each other or are covered; `layer` limits the check to an open overlay.
  package func overlapFaults(in layer: String = "body") throws -> [String] {
    try faults("overlapFaults(...arguments)", layer)
  }

  /// Targets matched by a selector that are smaller than `pixels` CSS pixels in either dimension.
  package func targets(below pixels: Double, _ selector: String = "*") throws -> [String] {
    try faults("smaller(...arguments)", pixels, selector)
  }

  /// Texts with less contrast against their background than WCAG AA requires.
  ///
  /// If the page changes between the two pictures that are compared, for example when a notice
  /// appears, texts are compared with the wrong backgrounds. So three measurements must agree.
  package func contrastFaults() throws -> [String] {
    var found = try contrastFaultsOnce()
    for _ in 0..<2 where !found.isEmpty {
      // Times and levels in the texts change in between.
      let again = Set(try contrastFaultsOnce().map(Self.withoutNumbers))
      found.removeAll { !again.contains(Self.withoutNumbers($0)) }
    }
    return found
  }

  private static func withoutNumbers(_ text: String) -> String {
    text.filter { !$0.isNumber }
  }

  private func contrastFaultsOnce() throws -> [String] {
    _ = try measure("hideLetters(false)")
    defer { _ = try? measure("hideLetters()") }
    let written = try picture()
    _ = try measure("hideLetters(true)")
    return try faults("contrastFaults(...arguments)", written, try picture())
  }

  /// Elements with animations or transitions.
  package func motionFaults() throws -> [String] { try faults("motionFaults()") }

  /// Controls that are not reachable by keyboard: neither by Tab, nor by arrow keys from a Tab
  /// stop.
  package func keyboardFaults() throws -> [String] {
    _ = try measure("noteFocus()")
    try typeWhileFocusMoves(String(repeating: Self.tab, count: 20))
    while try measure("enterGroup()") as? Bool == true {
      // Back and forth, row by row.
      try typeWhileFocusMoves(
        [Self.right, Self.left].map { String(repeating: $0, count: 12) + Self.down }.joined())
    }
    return try faults("keyboardFaults()")
  }

  private func typeWhileFocusMoves(_ keys: String) throws {
    var (before, count) = (-1, 0)
    while count > before {
      before = count
      try type(keys)
      count = try measure("focusCount()") as? Int ?? 0
    }
  }

  private static let tab = "\u{E004}"
  private static let (left, right, down) = ("\u{E012}", "\u{E014}", "\u{E015}")

  /// A screen reader's description of a focusable element.
  package struct Spoken: Hashable, Sendable, CustomStringConvertible {
    /// Its role and name.
    package let role: String, name: String
    /// The name of its group, if it is one of several options.
    package let group: String

    package var description: String { "\(group.isEmpty ? "" : "\(group): ")\(role) \(name)" }
  }

  /// Screen reader descriptions of all focusable elements.
  package func spoken() throws -> [Spoken] {
    func value(_ entry: Any?) -> Any? { (entry as? [String: Any])?["value"] }
    func text(_ node: [String: Any]?, _ key: String) -> String {
      value(node?[key]) as? String ?? ""
    }
    let tree = try command("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
    let byID = Dictionary(tree.map { ($0["nodeId"] as? String ?? "", $0) }) { one, _ in one }
    func group(_ node: [String: Any]) -> String {
      var parent = byID[node["parentId"] as? String ?? ""]
      while let one = parent, text(one, "role") != "radiogroup" {
        parent = byID[one["parentId"] as? String ?? ""]
      }
      return text(parent, "name")
    }
    return tree.compactMap { node in
      let isFocusable = (node["properties"] as? [[String: Any]] ?? []).contains {
        $0["name"] as? String == "focusable" && value($0["value"]) as? Bool == true
      }
      let role = text(node, "role")
      guard node["ignored"] as? Bool != true, isFocusable, role != "RootWebArea",
        !role.lowercased().hasSuffix("option")
      else { return nil }
      return Spoken(
        role: role, name: text(node, "name"), group: role == "radio" ? group(node) : "")
    }
  }
}
