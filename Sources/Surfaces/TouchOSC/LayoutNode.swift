/// One node of a layout, as TouchOSC's files have them.
struct LayoutNode: Sendable {
  /// What it is.
  enum Kind: String, Sendable {
    case box = "BOX"
    case button = "BUTTON"
    case fader = "FADER"
    case group = "GROUP"
    case label = "LABEL"
    case pager = "PAGER"
  }

  /// A property's value, by its type in the file.
  enum Property: Sendable {
    case flag(Bool)
    case whole(Int)
    case number(Double)
    case text(String)
    case frame(Frame)
    case color(Color)
  }

  /// What it is called; a child is found by it.
  var name: String
  var kind: Kind
  var properties: [String: Property]
  /// The values that it begins with, in the order of the files.
  var values: [(key: String, initial: String)]
  var messages: [LayoutMessage] = []
  var children: [LayoutNode] = []

  /// A node with what all nodes have.
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

  /// The script that it runs.
  var script: String {
    get { if case .text(let text) = properties["script"] { text } else { "" } }
    set { properties["script"] = .text(newValue) }
  }
}

/// One OSC message of a node.
struct LayoutMessage: Sendable {
  /// When it is sent.
  enum Trigger: String, Sendable {
    case any = "ANY"
    case rise = "RISE"
  }

  /// One argument of it.
  enum Argument: Sendable {
    /// The value x, taken to a range.
    case x(ClosedRange<Float>, isWhole: Bool)
    case text(String)
    case number(Float)
    /// A property of the node, as text.
    case property(String)
  }

  var path: String
  var arguments: [Argument] = []
  var trigger = Trigger.any
  var isSent = true
  var isReceived = true
}
