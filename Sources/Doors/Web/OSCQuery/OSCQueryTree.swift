package import Control
internal import JSON
package import OSC

/// The node's addresses as OSCQuery has them: a tree in JSON, made from the table.
///
/// Some readers of it take no value from what has others below it (`/preset` beside `/preset/save`):
/// in a tree such a node tells no value, but it answers when its own attributes are asked for.
package struct OSCQueryTree: Sendable {
  /// What is asked of a node.
  package enum Attribute: String, CaseIterable, Sendable {
    case fullPath = "FULL_PATH"
    case contents = "CONTENTS"
    case type = "TYPE"
    case access = "ACCESS"
    case value = "VALUE"
    case range = "RANGE"
    /// The value at the first start, which OSCQuery has no name for.
    case initial = "DEFAULT"
    /// The law of a fader over the range, if not linear: another name of our own.
    case curve = "CURVE"
    case description = "DESCRIPTION"
    case unit = "UNIT"
    case clipmode = "CLIPMODE"
  }

  /// The answer to a question.
  package enum Reply: Equatable, Sendable {
    case json(String)
    /// The node has no such attribute.
    case nothing
    /// There is no such node.
    case missing
  }

  /// A part of the tree: what lies below, and the address that is there itself.
  private final class Node {
    var path: String
    var index: Int?
    var children: [(name: String, node: Node)] = []
    private var places: [Substring: Int] = [:]

    init(_ path: String) { self.path = path }

    func child(_ name: Substring) -> Node? { places[name].map { children[$0].node } }

    func makeChild(_ name: Substring) -> Node {
      if let child = child(name) { return child }
      let child = Node(path == "/" ? "/\(name)" : "\(path)/\(name)")
      places[name] = children.count
      children.append((String(name), child))
      return child
    }
  }

  private let table: AddressTable
  private let values: [[Argument]?]
  private let extents: [[Int]]

  /// The tree of a table's addresses with their present values, by their places in it, and with how
  /// many there are of those that stand for many.
  package init(_ table: AddressTable, values: [[Argument]?], extents: [[Int]]) {
    self.table = table
    self.values = values
    self.extents = extents
  }

  // MARK: - Questions

  /// Answers with the part of the tree at a path, or with one attribute of what is there.
  package func reply(to path: String, _ attribute: String?) -> Reply {
    let root = grown()
    var node = root
    for part in path.split(separator: "/") {
      guard let child = node.child(part) else { return .missing }
      node = child
    }
    var json = JSONText()
    guard let attribute else {
      write(node, into: &json)
      return .json(json.text)
    }
    guard let known = Attribute(rawValue: attribute) else { return .nothing }
    json.begin("{")
    guard write(known, of: node, into: &json) else { return .nothing }
    json.end("}")
    return .json(json.text)
  }

  /// The paths that an address stands for, where it stands for many.
  package static func paths(_ address: Address, extents: [Int]) -> [String] {
    var paths = [""]
    var place = 0
    for part in address.path.split(separator: "/") {
      if part.hasPrefix("{") {
        let count = extents.indices.contains(place) ? extents[place] : 0
        place += 1
        paths = paths.flatMap { path in (0..<count).map { "\(path)/\($0 + 1)" } }
      } else {
        paths = paths.map { "\($0)/\(part)" }
      }
    }
    return paths
  }

  private func grown() -> Node {
    let root = Node("/")
    for (index, address) in table.addresses.enumerated() {
      for path in Self.paths(address, extents: extents[index]) {
        var node = root
        for part in path.split(separator: "/") { node = node.makeChild(part) }
        node.index = index
      }
    }
    return root
  }

  // MARK: - JSON

  private func write(_ node: Node, named name: String? = nil, into json: inout JSONText) {
    json.begin("{", name)
    for attribute in Attribute.allCases {
      // What has others below it is one of them only when it is asked itself.
      if node.children.isEmpty || ![.value, .access].contains(attribute) {
        write(attribute, of: node, into: &json)
      } else if attribute == .access {
        json.add(attribute.rawValue, 0)
      }
    }
    json.end("}")
  }

  /// Writes an attribute; false where there is none of it.
  @discardableResult
  private func write(_ attribute: Attribute, of node: Node, into json: inout JSONText) -> Bool {
    let name = attribute.rawValue
    switch attribute {
    case .fullPath:
      json.add(name, node.path)
      return true
    case .contents:
      guard !node.children.isEmpty else { return false }
      json.begin("{", name)
      for (name, child) in node.children { write(child, named: name, into: &json) }
      json.end("}")
      return true
    default: break
    }
    guard let index = node.index else {
      if attribute == .access { json.add(name, 0) }
      // Of what only holds others nothing more is known, and nothing wrong with asking.
      return true
    }
    return write(attribute, of: table.addresses[index], values[index], into: &json)
  }

  private func write(
    _ attribute: Attribute, of address: Address, _ values: [Argument]?, into json: inout JSONText
  ) -> Bool {
    let name = attribute.rawValue
    switch attribute {
    case .fullPath, .contents: return false
    case .type: json.add(name, Self.types(address, values))
    case .access: json.add(name, Self.access(address))
    case .value:
      json.begin("[", name)
      if let values, !values.isEmpty {
        for value in values { Self.write(value, into: &json) }
      } else {
        // What is done, or happens, has no value; some readers want one for each type.
        for _ in Self.types(address, values) { json.addNull() }
      }
      json.end("]")
    case .range: return writeRange(address, into: &json)
    case .initial:
      guard let initial = address.initial else { return false }
      json.begin("[", name)
      Self.write(address.argument(for: initial), into: &json)
      json.end("]")
    case .curve:
      guard address.curve != .linear else { return false }
      json.begin("[", name)
      json.add(nil, address.curve.rawValue)
      json.end("]")
    case .description: json.add(name, address.help)
    case .unit:
      guard let unit = Self.unit(address) else { return false }
      json.begin("[", name)
      json.add(nil, unit)
      json.end("]")
    case .clipmode:
      // Nothing is clamped: what is out of range is refused.
      guard address.value?.forms.isEmpty == false else { return false }
      json.begin("[", name)
      for _ in Self.types(address, values) { json.add(nil, "none") }
      json.end("]")
    }
    return true
  }

  /// Only what can be written back without being heard has a range: some readers do so at once.
  private func writeRange(_ address: Address, into json: inout JSONText) -> Bool {
    guard let value = address.value, value.forms.count == 1, !value.isPlace, !value.isProcess,
      let form = value.forms.first, !form.isRepeated
    else { return false }
    if let words = form.words {
      json.begin("[", Attribute.range.rawValue)
      json.begin("{")
      json.begin("[", "VALS")
      for word in words { json.add(nil, word) }
      json.end("]")
    } else {
      guard form.kind != .text, form.range != Address.Form.anything else { return false }
      json.begin("[", Attribute.range.rawValue)
      json.begin("{")
      for (name, bound) in [("MIN", form.range.lowerBound), ("MAX", form.range.upperBound)] {
        if form.kind == .whole {
          json.add(name, Int(bound))
        } else {
          json.add(name, fractional: Float(bound))
        }
      }
    }
    json.end("}")
    json.end("]")
    return true
  }

  /// The type tags: those of the values that there are, else those of what it takes.
  private static func types(_ address: Address, _ values: [Argument]?) -> String {
    if let values, !values.isEmpty { return String(values.map(\.tag)) }
    if case .event = address.kind { return address.types.filter { $0 != "…" } }
    let types = String(address.forms.map(\.kind.rawValue))
    // What is pressed takes nothing.
    return types.isEmpty ? "N" : types
  }

  private static func access(_ address: Address) -> Int {
    switch address.kind {
    case .value(let value): value.forms.isEmpty ? 1 : 3
    case .act: 2
    case .event: 1
    }
  }

  /// The unit as OSCQuery calls it.
  private static func unit(_ address: Address) -> String? {
    switch address.unit {
    case "": nil
    case "dB": "gain.db-raw"
    case "s": "time.second"
    case "Hz": "time.hz"
    case "bpm": "time.bpm"
    case "degrees": "angle.degree"
    case let other: other
    }
  }

  private static func write(_ value: Argument, into json: inout JSONText) {
    switch value {
    case .int32(let number): json.add(nil, Int(number))
    case .int64(let number): json.add(nil, Int(number))
    case .float(let number): json.add(nil, fractional: number)
    case .double(let number): json.add(nil, fractional: Float(number))
    case .bool(let flag): json.add(nil, flag)
    case .timeTag(let time): json.add(nil, time.unixMicroseconds / 1e6)
    default:
      if let text = value.text { json.add(nil, text) } else { json.addNull() }
    }
  }
}
