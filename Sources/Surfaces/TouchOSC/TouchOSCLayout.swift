internal import Control

/// The generator of the TouchOSC layouts.
package enum TouchOSCLayout {
  /// The default port on which the app receives.
  package static let usualPort = 9000

  /// Writes the XML of a layout.
  ///
  /// In one line it is as the app saves it; in many it can be read and compared.
  package static func xml(
    _ screen: Screen, receivePort: Int = usualPort, inLines: Bool = false
  ) throws(SurfaceFault) -> String {
    try xml(of: .syrinx(), screen, receivePort: receivePort, inLines: inLines)
  }

  /// Writes the XML of the layout of a surface.
  package static func xml(
    of surface: Surface, _ screen: Screen, receivePort: Int = usualPort, inLines: Bool = false
  ) throws(SurfaceFault) -> String {
    let root = try LayoutBuilder(screen: screen, table: .node).root(
      of: surface, receivePort: receivePort)
    return LexmlWriter.document(root, inLines: inLines)
  }

  /// Writes the file of a layout: its XML as zlib packs it.
  package static func file(
    _ screen: Screen, receivePort: Int = usualPort
  ) throws(SurfaceFault) -> [UInt8] {
    try Deflate.packed(Array(xml(screen, receivePort: receivePort).utf8))
  }
}

/// The builder of a layout's nodes from a surface.
struct LayoutBuilder {
  let screen: Screen
  let table: AddressTable
  static let gap = 6.0
  private static let barHeight = 34.0
  private static let tabHeight = 44.0

  var lua: LuaAddresses { LuaAddresses(table: table) }

  /// Builds the root with its bar and its pages.
  func root(of surface: Surface, receivePort: Int) throws(SurfaceFault) -> LayoutNode {
    let whole = Frame(x: 0, y: 0, width: screen.size.width, height: screen.size.height)
    var root = group("Syrinx", whole, color: .background)
    root.properties["background"] = .flag(true)
    root.properties["metaCreator"] = .text("Syrinx")
    root.properties["metaComments"] = .text(
      "Made by `syrinx layout touchosc`. In Connections, OSC: send to the node's host and port "
        + "(8000), and receive on \(receivePort).")
    root.script = try RootScript(surface: surface, lua: lua).text(
      receivePort: receivePort)
    let pageFrame = Frame(
      x: 0, y: Self.tabHeight, width: whole.width,
      height: whole.height - Self.barHeight - Self.tabHeight)
    var pages: [LayoutNode] = []
    for page in surface.pages { pages.append(try self.page(page, pageFrame)) }
    var pager = LayoutNode(
      "pages", .pager,
      Frame(
        x: 0, y: Self.barHeight, width: whole.width, height: whole.height - Self.barHeight),
      color: .background)
    pager.properties.merge([
      "grabFocus": .flag(false), "tabLabels": .flag(true), "tabbar": .flag(true),
      "tabbarDoubleTap": .flag(false), "tabbarSize": .whole(Int(Self.tabHeight)),
      "textSizeOff": .whole(15), "textSizeOn": .whole(17),
    ]) { $1 }
    pager.values = [("page", "0"), ("touch", "false")]
    pager.children = pages
    root.children = [bar(whole.width), pager]
    return root
  }

  // Whether the node is there, what it has to say, and how loud it is.
  private func bar(_ width: Double) -> LayoutNode {
    let height = Self.barHeight
    var bar = group("bar", Frame(x: 0, y: 0, width: width, height: height), color: .background)
    var lamp = LayoutNode(
      "lamp", .box, Frame(x: 10, y: height / 2 - 7, width: 14, height: 14),
      color: Control.Accent.record.color)
    lamp.properties["interactive"] = .flag(false)
    lamp.properties["shape"] = .whole(2)
    let meters = Frame(x: width - 130, y: 5, width: 120, height: height - 10)
    bar.children = [
      lamp,
      label(
        "status", "not connected", Frame(x: 32, y: 0, width: width - 170, height: height),
        size: 13, align: .left),
    ]
    for (name, frame) in zip(["in", "out"], meters.rows([1, 1], gap: 4)) {
      let parts = frame.columns([1, 4], gap: 4)
      bar.children.append(label("caption-\(name)", name, parts[0], size: 9, color: .quiet))
      var meter = fader(name, parts[1], color: Control.Accent.play.color)
      meter.properties["interactive"] = .flag(false)
      meter.properties["cursor"] = .flag(false)
      bar.children.append(meter)
    }
    return bar
  }

  private func page(_ page: Page, _ frame: Frame) throws(SurfaceFault) -> LayoutNode {
    var node = group(page.name, frame, color: .background)
    node.properties["background"] = .flag(true)
    node.properties.merge([
      "tabColorOff": .color(.panel), "tabColorOn": .color(Control.Accent.plain.color.dimmed),
      "tabLabel": .text(page.name), "textColorOff": .color(.quiet),
      "textColorOn": .color(.text),
    ]) { $1 }
    let area = Frame(
      x: Self.gap, y: Self.gap, width: frame.width - 2 * Self.gap,
      height: frame.height - 2 * Self.gap)
    let places = page.places(in: area, gap: Self.gap, isWide: screen.isWide)
    for (control, place) in zip(page.controls, places) {
      node.children.append(try self.node(of: control, in: place))
    }
    return node
  }

  // MARK: - Parts

  func group(_ name: String, _ frame: Frame, color: Color = .clear) -> LayoutNode {
    var node = LayoutNode(name, .group, frame, color: color)
    node.properties["background"] = .flag(color != .clear)
    node.properties["grabFocus"] = .flag(false)
    node.properties["interactive"] = .flag(false)
    return node
  }

  enum Alignment: Int { case left = 1, center, right }

  /// Builds a label, which lets touches through.
  func label(
    _ name: String, _ text: String, _ frame: Frame, size: Double, align: Alignment = .center,
    color: Color = .text, face: Color? = nil
  ) -> LayoutNode {
    var node = LayoutNode(name, .label, frame, color: face ?? .clear)
    node.properties.merge([
      "background": .flag(face != nil), "font": .whole(0), "grabFocus": .flag(false),
      "interactive": .flag(false), "textAlignH": .whole(align.rawValue), "textAlignV": .whole(2),
      "textClip": .flag(true), "textColor": .color(color), "textLength": .whole(0),
      "textSize": .whole(Int(size)),
    ]) { $1 }
    node.values = [("text", text), ("touch", "false")]
    return node
  }

  /// Builds a button without text: a label over it has its words and shows its state.
  func button(_ name: String, _ frame: Frame, _ accent: Control.Accent) -> LayoutNode {
    var node = LayoutNode(name, .button, frame, color: accent.color)
    node.properties.merge([
      "buttonType": .whole(0), "press": .flag(true), "release": .flag(true),
      "valuePosition": .flag(false),
    ]) { $1 }
    node.values = [("x", "0"), ("touch", "false")]
    return node
  }

  func fader(_ name: String, _ frame: Frame, color: Color) -> LayoutNode {
    var node = LayoutNode(name, .fader, frame, color: color)
    node.properties.merge([
      "bar": .flag(true), "barDisplay": .whole(0), "centered": .flag(false),
      "cursor": .flag(true), "cursorDisplay": .whole(0), "grid": .flag(false),
      "gridColor": .color(Color(0, 0, 0, 0.25)), "gridSteps": .whole(10),
      // To the right.
      "orientation": .whole(1), "response": .whole(0), "responseFactor": .whole(100),
    ]) { $1 }
    node.values = [("x", "0"), ("touch", "false")]
    return node
  }

  /// Builds a button, and the face over it, which leaves a rim on which the finger is seen.
  func faced(
    _ name: String, _ face: String, _ caption: String, _ frame: Frame, _ accent: Control.Accent,
    rim: Double = 2
  ) -> [LayoutNode] {
    let inner = Frame(
      x: frame.x + rim, y: frame.y + rim, width: frame.width - 2 * rim,
      height: frame.height - 2 * rim)
    return [
      button(name, frame, accent),
      label(
        face, caption, inner, size: Self.textSize(caption, inner), face: accent.color.dimmed),
    ]
  }

  /// Returns the greatest size of a text in a frame, in points.
  static func textSize(_ text: String, _ frame: Frame) -> Double {
    let byWidth = frame.width / (Double(max(3, text.count)) * 0.68)
    return max(9, min(26, min(byWidth, frame.height * 0.5))).rounded(.down)
  }
}
