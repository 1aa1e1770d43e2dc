internal import Control
internal import Looks

/// The generator of the Open Stage Control session.
package enum OpenStageControlSession {
  /// Writes the session file as JSON.
  package static func json(
    loops: Int = Surface.usualLoops, seconds: Double = Surface.usualSeconds
  ) throws(SurfaceFault) -> String {
    let table = AddressTable.widest(seconds: seconds)
    let builder = SessionBuilder(surface: try .syrinx(loops: loops, table), table: table)
    return Widget.Value.object([
      ("createdWith", "Open Stage Control"), ("version", "1.30.1"),
      ("type", "session"), ("content", try builder.root().value),
    ]).json() + "\n"
  }
}

/// The builder of a session's widgets.
struct SessionBuilder {
  let surface: Surface
  let table: AddressTable

  /// Builds the root widget, which subscribes, and again after a restart of the node or a timeout.
  func root() throws(SurfaceFault) -> Widget {
    var root = Widget(
      "root", id: "root",
      [
        ("colorBg", .text(css(.background))),
        ("colorText", .text(css(.text))),
        ("colorWidget", .text(css(SurfaceControl.Accent.plain.color))),
        ("address", "auto"),
        (
          "onCreate",
          .text(
            """
            send(\(try quoted("/subscribe")))
            globals.subscribedAt = Date.now()
            setInterval('ping', () => { send(\(try quoted("/ping"))) }, 20000)
            // A script that handles a message can't send.
            setInterval('work', () => {
              // Levels come thirty times a second, to subscribers only.
              var now = Date.now()
              var isSilent = now - Math.max(globals.receivedAt || 0, globals.subscribedAt) > 5000
              if (globals.isNewNode || isSilent) {
                globals.isNewNode = false
                globals.subscribedAt = now
                send(\(try quoted("/subscribe")))
              }
              if (globals.wantsTakes) {
                globals.wantsTakes = false
                globals.rows = []
                send(\(try quoted("/takes")), globals.offset || 0, \(SurfaceScreen.takes))
              }
              if (globals.wantsPosts) {
                globals.wantsPosts = false
                globals.arriving = []
                send(\(try quoted("/feed")), globals.before || 0, \(SurfaceScreen.posts))
              }
            }, 500)
            // Queued states blink.
            setInterval('blink', () => {
              globals.isBlinkLit = !globals.isBlinkLit
              for (var slot in globals.queued || {}) setVar(slot, 'isBlinkLit', globals.isBlinkLit ? 1 : 0)
            }, \(LoopLook.blinkPeriod / 2))
            """)
        ),
      ])
    // Replies that no control shows.
    root.widgets = [
      listener(
        "received-pong", "/pong",
        """
        if (globals.engine !== undefined && globals.engine !== value[3]) globals.isNewNode = true
        globals.engine = value[3]
        """),
      listener("received-preset", try table.reported("/preset").path, "globals.preset = value"),
      listener(
        "received-meter", try table.reported("/meter").path, "globals.receivedAt = Date.now()"),
    ]
    for page in surface.pages { root.tabs.append(try tab(page)) }
    return root
  }

  private func tab(_ page: SurfacePage) throws(SurfaceFault) -> Widget {
    var tab = Widget(
      "tab", id: page.name, [("label", .text(page.name)), ("layout", "horizontal")])
    for (index, block) in page.blocks.enumerated() {
      var column = panel("\(page.name)-\(index + 1)", "vertical", part: 1)
      for (place, row) in block.rows.enumerated() {
        var line = panel("\(page.name)-\(index + 1)-\(place + 1)", "horizontal", part: row.height)
        for control in row.controls where control.isNeededBesideTabs {
          line.widgets.append(try widget(control, on: page))
        }
        column.widgets.append(line)
      }
      tab.widgets.append(column)
    }
    // In the same place on every page.
    tab.widgets.append(
      try widget(
        SurfaceControl(
          "mute", "Mute", .flag(try table.flag("/mute")), width: 0.15, accent: .danger),
        on: page))
    return tab
  }

  // MARK: - Parts

  typealias Properties = [(String, Widget.Value)]

  /// The properties of a widget without messages of its own.
  static let isolated: Properties = [("address", "auto"), ("bypass", true)]

  /// Builds a button that runs a script when it is pressed.
  func scripted(
    _ id: String, _ script: String, _ properties: Properties, _ more: Properties = []
  ) -> Widget {
    let own: Properties = [("mode", "momentary"), ("bypass", true)]
    return Widget("button", id: id, properties + own + more + [("onValue", .text(script))])
  }

  /// The label of a button that acts on a second press.
  static func armed(_ caption: String) -> (String, Widget.Value) {
    ("label", .text("#{VAR{isArmed, 0} ? \"Again?\" : \"\(caption)\"}"))
  }

  /// The end of a script that acts on a second press within three seconds, for the same subject.
  static func onSecondPress(of subject: String, is same: String, _ act: String) -> String {
    """
    var now = Date.now()
    if (\(subject) && locals.armed === \(same) && now - locals.since < 3000) {
      locals.armed = undefined
      setVar('this', 'isArmed', 0)
      \(act)
    } else if (\(subject)) {
      locals.armed = \(same)
      locals.since = now
      setVar('this', 'isArmed', 1)
      setTimeout(() => { setVar('this', 'isArmed', 0) }, 3000)
    }
    """
  }

  func panel(_ id: String, _ layout: String, part: Double) -> Widget {
    Widget(
      "panel", id: id,
      [
        ("layout", .text(layout)), ("expand", .number(part)), ("scroll", false),
        ("innerPadding", false), ("alphaStroke", 0), ("bypass", true),
      ])
  }

  /// Builds a hidden widget that runs a script for each message to an address.
  func listener(_ id: String, _ path: String, _ script: String) -> Widget {
    Widget(
      "variable", id: id,
      [("address", .text(path)), ("bypass", true), ("onValue", .text(script))])
  }

  /// Quotes an address of the table for JavaScript.
  func quoted(_ path: String) throws(SurfaceFault) -> String {
    _ = try table.declared(path)
    return "'\(path)'"
  }

  func css(_ color: Color) -> String {
    let parts = [color.red, color.green, color.blue].map { part in
      let text = String(Int((part * 255).rounded()), radix: 16)
      return text.count < 2 ? "0" + text : text
    }
    return "#" + parts.joined()
  }

  static func id(_ control: SurfaceControl, on page: SurfacePage) -> String {
    "\(page.name)/\(control.name)"
  }
}
