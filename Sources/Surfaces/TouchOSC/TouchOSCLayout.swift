package import Control

/// The generator of the TouchOSC layouts.
package enum TouchOSCLayout {
  /// The app's default receive port.
  package static let usualPort = 9000

  /// Writes the XML of a layout.
  ///
  /// In one line, as the app saves it, or in lines to read and compare.
  package static func xml(
    _ screen: SurfaceScreen, loops: Int = Surface.usualLoops,
    seconds: Double = Surface.usualSeconds, receivePort: Int = usualPort, inLines: Bool = false
  ) throws(SurfaceFault) -> String {
    let table = AddressTable.widest(seconds: seconds)
    return try xml(
      of: .syrinx(loops: loops, table), screen, in: table, receivePort: receivePort,
      inLines: inLines)
  }

  /// Writes the XML of the layout of a surface.
  package static func xml(
    of surface: Surface, _ screen: SurfaceScreen, in table: AddressTable = .widest,
    receivePort: Int = usualPort, inLines: Bool = false
  ) throws(SurfaceFault) -> String {
    let root = try LayoutBuilder(screen: screen, table: table, surface: surface).root(
      receivePort: receivePort)
    return LexmlWriter.document(root, inLines: inLines)
  }

  /// Writes the file of a layout: its XML, compressed by zlib.
  package static func file(
    _ screen: SurfaceScreen, loops: Int = Surface.usualLoops,
    seconds: Double = Surface.usualSeconds, receivePort: Int = usualPort
  ) throws(SurfaceFault) -> [UInt8] {
    try Deflate.packed(
      Array(xml(screen, loops: loops, seconds: seconds, receivePort: receivePort).utf8))
  }
}

/// The builder of a layout's nodes.
struct LayoutBuilder {
  let screen: SurfaceScreen
  let table: AddressTable
  let surface: Surface
  static let gap = 6.0
  // Narrow, so that six tabs on a phone are touch targets.
  private static let tabGap = 2.0

  var scripts: LayoutScripts { LayoutScripts(table: table) }

  /// Builds the root with bar, tabs and pages.
  func root(receivePort: Int) throws(SurfaceFault) -> LayoutNode {
    let whole = Frame(x: 0, y: 0, width: screen.size.width, height: screen.size.height)
    var root = group("Syrinx", whole, color: .background)
    root.properties["background"] = .flag(true)
    root.properties["metaCreator"] = .text("Syrinx")
    root.properties["metaComments"] = .text(
      "Made by `syrinx layout touchosc`. In Connections, OSC: send to the node's host and port "
        + "(8000), and receive on \(receivePort).")
    root.script = try RootScript(surface: surface, scripts: scripts).text(
      receivePort: receivePort)
    let tabs = tabs(Frame(x: 0, y: barHeight, width: whole.width, height: 0))
    guard case .frame(let tabFrame)? = tabs.properties["frame"] else {
      throw SurfaceFault("the tabs have no frame")
    }
    let top = tabFrame.y + tabFrame.height
    let pageFrame = Frame(x: 0, y: 0, width: whole.width, height: whole.height - top)
    var pages: [LayoutNode] = []
    for page in surface.pages { pages.append(try self.page(page, pageFrame)) }
    var pager = LayoutNode(
      "pages", .pager,
      Frame(x: 0, y: top, width: whole.width, height: whole.height - top), color: .background)
    pager.properties.merge([
      "grabFocus": .flag(false), "tabLabels": .flag(true), "tabbar": .flag(false),
      "tabbarDoubleTap": .flag(false), "tabbarSize": .whole(0),
      "textSizeOff": .whole(15), "textSizeOn": .whole(17),
    ]) { $1 }
    pager.values = [("page", "0"), ("touch", "false")]
    pager.children = pages
    root.children = [try bar(whole.width), tabs, pager]
    return root
  }

  // A touch target, since it holds mute.
  private var barHeight: Double { screen.finger + Self.gap }

  // Unlike the app's own tabs, these have several rows.
  private func tabs(_ place: Frame) -> LayoutNode {
    let pages = surface.pagesWithTabs
    // More than two rows would take too much from the pages.
    let rows = min(2, (pages.count + screen.tabs - 1) / screen.tabs)
    let inRow = (pages.count + rows - 1) / rows
    let height = Double(rows) * (screen.finger + Self.tabGap)
    let frame = Frame(x: place.x, y: place.y, width: place.width, height: height)
    var tabs = group("tabs", frame)
    let lines = frame.own.rows(Array(repeating: 1, count: rows), gap: Self.tabGap)
    let places = lines.flatMap { $0.columns(Array(repeating: 1, count: inRow), gap: Self.tabGap) }
    for (index, (page, place)) in zip(pages, places).enumerated() {
      var tab = pressed(
        "tab-\(index + 1)", "name-\(index + 1)", page.name, place, .plain, rim: 0,
        "page \(surface.number(ofPage: page.name) ?? 1)")
      tab[1].properties["textSize"] = .whole(15)
      if index == 0 {
        tab[1].properties["color"] = .color(SurfaceControl.Accent.plain.color)
        tab[1].properties["textColor"] = .color(SurfaceControl.Accent.plain.color.ink)
      }
      tabs.children += tab
    }
    return tabs
  }

  // Connection, notices, levels and mute.
  private func bar(_ width: Double) throws(SurfaceFault) -> LayoutNode {
    let height = barHeight
    let muteWidth = max(84, screen.finger)
    var bar = group("bar", Frame(x: 0, y: 0, width: width, height: height), color: .background)
    var lamp = LayoutNode(
      "lamp", .box, Frame(x: 10, y: height / 2 - 7, width: 14, height: 14),
      color: SurfaceControl.Accent.record.color)
    lamp.properties["interactive"] = .flag(false)
    lamp.properties["shape"] = .whole(2)
    let meters = Frame(
      x: width - muteWidth - 114, y: height / 2 - 12, width: 104, height: 24)
    let mute = SurfaceControl("mute", "Mute", .flag(try table.flag("/mute")), accent: .danger)
    bar.children = [
      lamp,
      label(
        "status", "not connected",
        Frame(x: 32, y: 0, width: meters.x - 40, height: height), size: 13, align: .left),
      try node(
        of: mute,
        in: Frame(x: width - muteWidth, y: 0, width: muteWidth, height: screen.finger)),
    ]
    for (name, frame) in zip(["in", "out"], meters.rows([1, 1], gap: 4)) {
      let parts = frame.columns([1, 4], gap: 4)
      bar.children.append(label("caption-\(name)", name, parts[0], size: 9, color: .quiet))
      bar.children.append(meter(name, parts[1], color: SurfaceControl.Accent.play.color))
    }
    return bar
  }

  private func page(_ page: SurfacePage, _ frame: Frame) throws(SurfaceFault) -> LayoutNode {
    var node = group(page.name, frame, color: .background)
    node.properties["background"] = .flag(true)
    node.properties.merge([
      "tabColorOff": .color(.panel), "tabColorOn": .color(SurfaceControl.Accent.plain.color.dimmed),
      "tabLabel": .text(page.name), "textColorOff": .color(.quiet),
      "textColorOn": .color(.text),
    ]) { $1 }
    let places = page.places(
      in: frame.own.inset(by: Self.gap), gap: Self.gap, isWide: screen.isWide)
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

  /// Builds a label, which passes touches through.
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

  /// Builds a button without text: a label on top shows text and state.
  func button(_ name: String, _ frame: Frame, _ accent: SurfaceControl.Accent) -> LayoutNode {
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
      // East.
      "orientation": .whole(1), "response": .whole(0), "responseFactor": .whole(100),
    ]) { $1 }
    node.values = [("x", "0"), ("touch", "false")]
    return node
  }

  /// Builds a fader that only shows a value.
  func meter(_ name: String, _ frame: Frame, color: Color) -> LayoutNode {
    var node = fader(name, frame, color: color)
    node.properties["interactive"] = .flag(false)
    node.properties["cursor"] = .flag(false)
    return node
  }

  /// Builds a button with a face on top, whose rim shows touches.
  func faced(
    _ name: String, _ face: String, _ caption: String, _ frame: Frame,
    _ accent: SurfaceControl.Accent,
    rim: Double = 2
  ) -> [LayoutNode] {
    let inner = frame.inset(by: rim)
    return [
      button(name, frame, accent),
      label(
        face, caption, inner, size: Self.textSize(caption, inner), face: accent.color.dimmed),
    ]
  }

  /// The largest text size that fits a frame, in points.
  static func textSize(_ text: String, _ frame: Frame) -> Double {
    let byWidth = frame.width / (Double(max(3, text.count)) * 0.68)
    // Short texts on small buttons match their neighbors.
    let most = frame.width < 150 ? 18.0 : 26
    return max(9, min(most, min(byWidth, frame.height * 0.5))).rounded(.down)
  }
}
