package import Control
internal import JSON
package import OSC

/// The node's addresses as an OSCQuery tree in JSON, built from the address table.
///
/// Some clients read no value from a node that has children (`/preset` next to `/preset/save`). In
/// a tree such a node has no value, but a query for its own attributes returns them.
package struct OSCQueryTree: Sendable {
  /// An attribute of a node.
  package enum Attribute: String, CaseIterable, Sendable {
    case fullPath = "FULL_PATH"
    case contents = "CONTENTS"
    case type = "TYPE"
    case access = "ACCESS"
    case value = "VALUE"
    case range = "RANGE"
    /// The default value, for which OSCQuery has no name.
    case initial = "DEFAULT"
    /// The curve of a fader over the range, if not linear: another name of our own.
    case curve = "CURVE"
    case description = "DESCRIPTION"
    case unit = "UNIT"
    case clipmode = "CLIPMODE"
  }

  /// The reply to a query.
  package enum Reply: Equatable, Sendable {
    case json(String)
    /// The node has no such attribute.
    case nothing
    /// The node doesn't exist.
    case missing
  }

  /// A node of the tree: its children, and the address at the node itself.
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

  /// Creates the tree of a table's addresses with their present values, by their indices in the
  /// table, and with the extents of those that stand for several paths.
  package init(_ table: AddressTable, values: [[Argument]?], extents: [[Int]]) {
    self.table = table
    self.values = values
    self.extents = extents
  }

  // MARK: - Queries

  /// Returns the part of the tree at a path, or one attribute of the node there.
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

  /// The paths of an address that stands for several.
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
      // A node with children shows its value only if it is queried itself.
      if node.children.isEmpty || ![.value, .access].contains(attribute) {
        write(attribute, of: node, into: &json)
      } else if attribute == .access {
        json.add(attribute.rawValue, 0)
      }
    }
    json.end("}")
  }

  /// Writes an attribute.
  ///
  /// Returns false if the address doesn't have it.
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
      // A container has no other attributes, and a query for them is no error.
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
      // Commands and events have no value; some clients want one for each type.
      let shown = values.flatMap { $0.isEmpty ? nil : $0 }
      json.add(name, shown ?? Self.types(address, values).map { _ in Argument.nil })
    case .range: return writeRange(address, into: &json)
    case .initial:
      guard let initial = address.initial else { return false }
      json.add(name, [address.argument(for: initial)])
    case .curve:
      guard address.curve != .linear else { return false }
      json.add(name, [address.curve.rawValue])
    case .description: json.add(name, address.help)
    case .unit:
      guard let unit = Self.unit(address) else { return false }
      json.add(name, [unit])
    case .clipmode:
      // Nothing is clamped: values out of range are refused.
      guard address.value?.forms.isEmpty == false else { return false }
      json.add(name, Self.types(address, values).map { _ in "none" })
    }
    return true
  }

  /// Writes the range, but only of addresses where a write has no audible effect: some clients
  /// write the range back at once.
  private func writeRange(_ address: Address, into json: inout JSONText) -> Bool {
    guard let value = address.value, value.forms.count == 1, !value.isPlayhead, !value.isProcess,
      let form = value.forms.first, !form.isRepeated
    else { return false }
    let range: JSONText
    if let words = form.words {
      range = ["VALS": words]
    } else {
      guard form.kind != .text, form.range != Address.Form.anything else { return false }
      let (least, most) = (form.range.lowerBound, form.range.upperBound)
      range =
        form.kind == .whole
        ? ["MIN": Int(least), "MAX": Int(most)]
        : ["MIN": Argument.float(Float(least)), "MAX": Argument.float(Float(most))]
    }
    json.add(Attribute.range.rawValue, [range])
    return true
  }

  /// The type tags of the values if there are any, else of the arguments that the address accepts.
  private static func types(_ address: Address, _ values: [Argument]?) -> String {
    if let values, !values.isEmpty { return String(values.map(\.tag)) }
    if case .event = address.kind { return address.types.filter { $0 != "…" } }
    let types = String(address.forms.map(\.kind.rawValue))
    // A command without arguments.
    return types.isEmpty ? "N" : types
  }

  private static func access(_ address: Address) -> Int {
    switch address.kind {
    case .value(let value): value.forms.isEmpty ? 1 : 3
    case .act: 2
    case .event: 1
    }
  }

  /// The unit by its OSCQuery name.
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
}

extension Argument: JSONWritable {
  /// The argument in the tree; floats have a decimal point, which distinguishes them from integers.
  package var asJSON: String? {
    switch self {
    case .int32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .float(let number): number.isFinite ? "\(number)" : "null"
    case .double(let number): Argument.float(Float(number)).asJSON
    case .bool(let flag): "\(flag)"
    case .timeTag(let time): (time.unixMicroseconds / 1e6).asJSON
    default: text?.asJSON ?? "null"
    }
  }
}
