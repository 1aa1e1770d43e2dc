internal import Foundation

// What people see and hear of a page, measured by `audit.js`.
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

  /// What is wider than its window.
  package func widthFaults() throws -> [String] { try faults("widthFaults()") }

  /// Targets that lie over each other, or under something else; of what lies over all else, where that is
  /// open.
  package func overlapFaults(in layer: String = "body") throws -> [String] {
    try faults("overlapFaults(...arguments)", layer)
  }

  /// The targets that a selector finds and that are less than so many CSS pixels across or down.
  package func targets(below pixels: Double, _ selector: String = "*") throws -> [String] {
    try faults("smaller(...arguments)", pixels, selector)
  }

  /// Texts that stand out less than WCAG's AA asks from what is under their letters.
  package func contrastFaults() throws -> [String] {
    _ = try measure("hideLetters(false)")
    defer { _ = try? measure("hideLetters()") }
    let written = try picture()
    _ = try measure("hideLetters(true)")
    return try faults("contrastFaults(...arguments)", written, try picture())
  }

  /// What moves by itself, or would if it changed.
  package func motionFaults() throws -> [String] { try faults("motionFaults()") }

  /// What can be operated and is reached by no key: neither by Tab, nor by arrows from where that leads.
  package func keyboardFaults() throws -> [String] {
    _ = try measure("noteFocus()")
    try typeWhileFocusMoves(String(repeating: Self.tab, count: 20))
    while try measure("enterGroup()") as? Bool == true {
      // There and back, row by row.
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

  /// What readers of screens say of something that can have the focus.
  package struct Spoken: Hashable, Sendable, CustomStringConvertible {
    /// What it is, and what it is called.
    package let role: String, name: String
    /// What its group is called, where it is one of several to choose from.
    package let group: String

    package var description: String { "\(group.isEmpty ? "" : "\(group): ")\(role) \(name)" }
  }

  /// What readers of screens say of all that can have the focus.
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
