internal import Control

extension SessionBuilder {
  /// The widget that one control becomes.
  func widget(_ control: Control, on page: Page) throws(SurfaceFault) -> Widget {
    let id = Self.id(control, on: page)
    let common: [(String, Widget.Value)] = [
      ("label", .text(control.caption)), ("expand", .number(control.width)),
      ("colorWidget", .text(css(control.accent.color))),
    ]
    switch control.kind {
    case .press(let use):
      return Widget(
        "button", id: id,
        common + osc(use) + [("mode", .text("momentary")), ("preArgs", .list([]))])
    case .choice(let use):
      guard let constant = use.constants.first else { throw SurfaceFault("\(id) chooses nothing") }
      // Its light follows what the node says, so that only one of them is lit.
      return Widget(
        "button", id: id,
        common + osc(use) + [
          ("mode", .text("tap")), ("on", Self.value(constant)), ("off", .text("")),
          ("decoupled", .flag(true)),
        ])
    case .flag(let use):
      return Widget(
        "button", id: id,
        common + osc(use) + [("mode", .text("toggle")), ("on", .number(1)), ("off", .number(0))])
    case .key(let use):
      return Widget(
        "button", id: id,
        common + osc(use) + [("mode", .text("push")), ("on", .number(1)), ("off", .number(0))])
    case .fader(let use, let curve):
      return fader(control, use, curve, id)
    case .stepper(let use):
      return Widget(
        "input", id: id, common + osc(use) + [("numeric", .flag(true)), ("validation", .text(""))])
    case .names(let list, let chosen, _, _):
      return Widget(
        "dropdown", id: id,
        common + osc(chosen) + [("values", .text("OSC{\(list.path), []}"))])
    case .text: return try text(control, id)
    case .words:
      return Widget(
        "input", id: id, common + [("address", .text("auto")), ("bypass", .flag(true))])
    case .grid(let rows, let columns): return try grid(control, rows, columns, id)
    case .take(let row): return try take(row, id)
    case .turn(let words):
      let by = words.split(separator: " ").last.map(String.init) ?? "0"
      return Widget(
        "button", id: id,
        common + [
          ("mode", .text("momentary")), ("bypass", .flag(true)),
          (
            "onValue",
            .text(
              """
              globals.offset = Math.max(0, (globals.offset || 0) + \(by) * \(Screen.tablet.takes))
              globals.wantsTakes = true
              """)
          ),
        ])
    }
  }

  private func osc(_ use: AddressUse) -> [(String, Widget.Value)] {
    let types = use.address.types
    // Where all can be left out, nothing is said of it.
    let tags = ["i", "f", "s"].contains(types) ? types : types.hasPrefix("s") ? "s" : ""
    return [("address", .text(use.path)), ("typeTags", .text(tags))]
  }

  private static func value(_ constant: AddressUse.Constant) -> Widget.Value {
    switch constant {
    case .text(let text): .text(text)
    case .number(let number): .number(Double(number))
    }
  }

  private func fader(
    _ control: Control, _ use: AddressUse, _ curve: Control.Curve, _ id: String
  ) -> Widget {
    var column = panel(id + "/panel", "vertical", part: control.width)
    let unit = use.address.unit.isEmpty ? "" : " " + use.address.unit
    let range: [(String, Widget.Value)] = [
      ("min", .number(Double(use.range.lowerBound))),
      ("max", .number(Double(use.range.upperBound))),
    ]
    column.widgets = [
      Widget(
        "text", id: id + "/caption",
        [
          ("value", .text("\(control.caption)  @{\(id)}\(unit)")), ("expand", .number(2)),
          ("address", .text("auto")), ("bypass", .flag(true)),
        ]),
      Widget(
        "fader", id: id,
        [("horizontal", .flag(true)), ("design", .text("compact")), ("expand", .number(3))]
          + osc(use) + [
            ("range", .object(range)), ("logScale", .flag(curve == .logarithmic)),
            ("decimals", .number(use.isWhole ? 0 : 3)),
          ]),
    ]
    return column
  }

  // What the node says of itself, each in the place of the same name.
  private func text(_ control: Control, _ id: String) throws(SurfaceFault) -> Widget {
    let path =
      switch control.name {
      case "state": "/player/state"
      case "phrase": "/phrase/state"
      default: "/takes/total"
      }
    return Widget(
      "text", id: id,
      [
        ("address", .text(try table.heard(path).path)), ("bypass", .flag(true)),
        ("expand", .number(control.width)), ("wrap", .flag(true)),
      ])
  }

  // The cells stand where the node says: a layout hides all, and each cell shows one.
  private func grid(
    _ control: Control, _ rows: Int, _ columns: Int, _ id: String
  ) throws(SurfaceFault) -> Widget {
    var grid = panel(id, "default", part: control.width)
    grid.properties.append(("traversing", .flag(true)))
    let cell = "'\(id)/' + value[0] + '/' + value[1]"
    grid.widgets = [
      listener(
        id + "/layout", try table.heard("/grid/layout").path,
        """
        globals.gridRows = value[0]
        globals.gridColumns = value[1]
        setVar('\(id)/*/*', 'shown', false)
        """),
      listener(
        id + "/cell", try table.heard("/grid/cell").path,
        """
        var cell = \(cell)
        setVar(cell, 'left', (value[1] - 1) * 100 / globals.gridColumns + '%')
        setVar(cell, 'top', (value[0] - 1) * 100 / globals.gridRows + '%')
        setVar(cell, 'width', 100 / globals.gridColumns + '%')
        setVar(cell, 'height', 100 / globals.gridRows + '%')
        setVar(cell, 'name', value[2])
        setVar(cell, 'shown', true)
        """),
      listener(
        id + "/lit", try table.heard("/grid/lit").path,
        "setVar(\(cell), 'light', value[2] > 0 ? 0.9 : 0.2)"),
    ]
    for row in 1...rows {
      for column in 1...columns {
        let use = try table.number("/grid/\(row)/\(column)")
        grid.widgets.append(
          Widget(
            "button", id: "\(id)/\(row)/\(column)",
            [
              ("label", .text("VAR{name, ''}")), ("visible", .text("VAR{shown, false}")),
              ("left", .text("VAR{left, '0%'}")), ("top", .text("VAR{top, '0%'}")),
              ("width", .text("VAR{width, '8%'}")), ("height", .text("VAR{height, '6%'}")),
              ("alphaFillOff", .text("VAR{light, 0.2}")),
            ] + osc(use) + [("mode", .text("push")), ("on", .number(1)), ("off", .number(0))]))
      }
    }
    return grid
  }

  private func take(_ row: Int, _ id: String) throws(SurfaceFault) -> Widget {
    var line = panel(id + "/panel", "horizontal", part: 1)
    func act(_ name: String, _ caption: String, _ script: String, _ accent: Control.Accent)
      -> Widget
    {
      Widget(
        "button", id: "\(id)/\(name)",
        [
          ("label", .text(caption)), ("mode", .text("momentary")), ("bypass", .flag(true)),
          ("expand", .number(1)), ("colorWidget", .text(css(accent.color))),
          ("onValue", .text("var take = (globals.shown || [])[\(row - 1)]\n" + script)),
        ])
    }
    line.widgets = [
      Widget(
        "text", id: id,
        [("expand", .number(4)), ("address", .text("auto")), ("bypass", .flag(true))]),
      act("play", "Play", "if (take) send(\(try quoted("/take/play")), take[0])", .play),
      act(
        "name", "Title",
        "if (take && get('Takes/title')) send(\(try quoted("/take/title")), take[0], get('Takes/title'))",
        .plain),
      act(
        "delete", "VAR{word, 'Delete'}",
        """
        var now = Date.now()
        if (take && locals.armed === take[0] && now - locals.since < 3000) {
          locals.armed = undefined
          setVar('this', 'word', 'Delete')
          send(\(try quoted("/take/delete")), take[0])
        } else if (take) {
          locals.armed = take[0]
          locals.since = now
          setVar('this', 'word', 'Again?')
          setTimeout(() => { setVar('this', 'word', 'Delete') }, 3000)
        }
        """, .danger),
    ]
    if row == 1 {
      line.widgets += [
        listener(
          "heard-take", try table.heard("/take").path,
          "if (globals.rows) globals.rows.push(value)\nelse globals.wantsTakes = true"),
        listener(
          "heard-takes", try table.heard("/takes/end").path,
          """
          globals.shown = globals.rows || []
          globals.rows = undefined
          for (var row = 1; row <= \(Screen.tablet.takes); row++) {
            var take = globals.shown[row - 1]
            set('Takes/take-' + row, take ? take[1] + '  ' + take[3].slice(0, 16) : '')
          }
          """),
        listener(
          "heard-total", try table.heard("/takes/total").path,
          "globals.wantsTakes = true"),
      ]
    }
    return line
  }
}
