/// A loader of a layout, which passes its controls and messages to the app unchanged.
struct LayoutLoading {
  private let app: LuaApp
  private(set) var controls: [TouchControl] = []
  private var identities: Set<String> = []

  init(_ path: String, into app: LuaApp) throws {
    self.app = app
    let root = try LayoutFile.read(path)
    let nodes = root.children.filter { $0.name == "node" }
    guard root.name == "lexml", ["3", "5", "6"].contains(root.attributes["version"]),
      nodes.count == 1, nodes[0].attributes["type"] == "GROUP"
    else { throw Fault("\(path) is not a lexml document with one group") }
    try add(nodes[0], in: nil)
  }

  private mutating func add(_ node: LayoutElement, in parent: TouchControl?) throws {
    guard let type = node.attributes["type"], Self.types.contains(type) else {
      throw Fault("unknown node type: \(node.attributes)")
    }
    guard let identity = node.attributes["ID"], identities.insert(identity).inserted else {
      throw Fault("a node's ID is missing or used twice: \(node.attributes)")
    }
    var (properties, values): ([String: [String]], [String: String]) = ([:], [:])
    let id = controls.count + 1
    app.tell(["control", "\(id)", parent.map { "\($0.id)" } ?? "", type, identity])
    for property in node["properties"]?.children ?? [] {
      let (key, fields) = (try property.text("key"), try Self.fields(property))
      properties[key] = fields
      app.tell(["property", try Self.kind(property), key] + fields)
    }
    for value in node["values"]?.children ?? [] {
      let (key, initial) = (try value.text("key"), try value.text("default"))
      values[key] = initial
      app.tell(["value", key, initial, try value.text("locked")])
    }
    let messages = node["messages"]?.children ?? []
    for message in messages { try add(message) }
    let control = TouchControl(
      id: id, type: type, parent: parent, properties: properties, values: values,
      addresses: messages.compactMap(Self.address))
    controls.append(control)
    let children = node["children"]?.children ?? []
    guard children.isEmpty || ["GROUP", "GRID", "PAGER"].contains(type) else {
      throw Fault("a \(type) has children")
    }
    for child in children { try add(child, in: control) }
  }

  private func add(_ message: LayoutElement) throws {
    guard message.name == "osc" else { throw Fault("can't play <\(message.name)>") }
    // The first connection is the last digit.
    let isConnected = try message.text("connections").hasSuffix("1")
    let flags = try ["send", "receive", "feedback"].map { try message.text($0) }
    app.tell(
      ["message", isConnected ? try message.text("enabled") : "0"] + flags
        + [message["noDuplicates"]?.text ?? "0"])
    for trigger in message["triggers"]?.children ?? [] {
      let condition = try trigger.text("condition")
      guard ["ANY", "RISE", "FALL"].contains(condition) else {
        throw Fault("unknown condition: \(condition)")
      }
      app.tell(["trigger", try trigger.text("var"), condition])
    }
    for (list, command) in [("path", "path"), ("arguments", "argument")] {
      for partial in message[list]?.children ?? [] {
        let (type, conversion) = (try partial.text("type"), try partial.text("conversion"))
        guard ["CONSTANT", "PROPERTY", "VALUE", "INDEX"].contains(type),
          ["STRING", "FLOAT", "INTEGER", "BOOLEAN"].contains(conversion)
        else { throw Fault("unknown partial: \(type) \(conversion)") }
        let (least, greatest) = (try partial.text("scaleMin"), try partial.text("scaleMax"))
        guard let from = Double(least), let to = Double(greatest), from != to else {
          throw Fault("invalid scale: \(least) \(greatest)")
        }
        app.tell([command, type, conversion, try partial.text("value"), least, greatest])
      }
    }
  }

  private static func address(_ message: LayoutElement) -> String? {
    let parts = message["path"]?.children ?? []
    guard parts.allSatisfy({ $0["type"]?.text == "CONSTANT" }) else { return nil }
    return parts.compactMap { $0["value"]?.text }.joined()
  }

  private static let types: Set = [
    "BOX", "BUTTON", "LABEL", "TEXT", "FADER", "XY", "RADIAL", "ENCODER", "RADAR", "RADIO", "GROUP",
    "PAGER", "GRID",
  ]

  private static func kind(_ property: LayoutElement) throws -> String {
    guard let kind = property.attributes["type"], "sbifrc".contains(kind), kind.count == 1 else {
      throw Fault("unknown property type: \(property.attributes)")
    }
    return kind
  }

  private static func fields(_ property: LayoutElement) throws -> [String] {
    guard let value = property["value"] else { throw Fault("a property has no value") }
    switch try kind(property) {
    case "r": return try ["x", "y", "w", "h"].map { try value.text($0) }
    case "c": return try ["r", "g", "b", "a"].map { try value.text($0) }
    default: return [value.text]
    }
  }
}
