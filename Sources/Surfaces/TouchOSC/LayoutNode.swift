/// A node of a TouchOSC layout.
struct LayoutNode: Sendable {
  /// The kind of a node.
  enum Kind: String, Sendable {
    case box = "BOX"
    case button = "BUTTON"
    case fader = "FADER"
    case group = "GROUP"
    case label = "LABEL"
    case pager = "PAGER"
  }

  /// The value of a property, by its type in the file.
  enum Property: Sendable {
    case flag(Bool)
    case whole(Int)
    case number(Double)
    case text(String)
    case frame(Frame)
    case color(Color)
  }

  /// The name for lookups among children.
  var name: String
  var kind: Kind
  var properties: [String: Property]
  /// The initial values, in file order.
  var values: [(key: String, initial: String)]
  var messages: [LayoutMessage] = []
  var children: [LayoutNode] = []

  /// Creates a node with the common properties.
  init(_ name: String, _ kind: Kind, _ frame: Frame, color: Color) {
    self.name = name
    self.kind = kind
    properties = [
      "background": .flag(true), "color": .color(color), "cornerRadius": .number(2),
      "frame": .frame(frame), "grabFocus": .flag(true), "interactive": .flag(true),
      "locked": .flag(false), "name": .text(name), "orientation": .whole(0),
      "outline": .flag(false), "outlineStyle": .whole(1), "pointerPriority": .whole(0),
      "shape": .whole(1), "visible": .flag(true),
    ]
    values = [("touch", "false")]
  }

  /// The Lua script of the node.
  var script: String {
    get { if case .text(let text) = properties["script"] { text } else { "" } }
    set { properties["script"] = .text(newValue) }
  }
}

/// An OSC message of a node.
struct LayoutMessage: Sendable {
  /// The trigger of a message.
  enum Trigger: String, Sendable {
    case any = "ANY"
    case rise = "RISE"
  }

  /// An argument of a message.
  enum Argument: Sendable {
    /// The value x, scaled to a range.
    case x(ClosedRange<Float>, isWhole: Bool)
    case text(String)
    case number(Float)
    case whole(Int)
    /// A property of the node, as text.
    case property(String)
  }

  var path: String
  var arguments: [Argument] = []
  var trigger = Trigger.any
  var isSent = true
  var isReceived = true
}
