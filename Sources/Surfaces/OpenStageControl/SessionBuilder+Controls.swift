internal import Control

extension SurfaceControl {
  /// Whether the control has a use where all pages have tabs.
  var isNeededBesideTabs: Bool { if case .page = kind { false } else { true } }
}

extension SessionBuilder {
  /// Builds the widget of a control.
  func widget(_ control: SurfaceControl, on page: SurfacePage) throws(SurfaceFault) -> Widget {
    let id = Self.id(control, on: page)
    let unlabeled: Properties = [
      ("expand", .number(control.width)), ("colorWidget", .text(css(control.accent.color))),
    ]
    let common = [("label", .text(control.caption))] + unlabeled
    func button(_ use: AddressUse, _ mode: Widget.Value, _ more: Properties) -> Widget {
      Widget("button", id: id, common + osc(use) + [("mode", mode)] + more)
    }
    switch control.kind {
    case .press(let use): return button(use, "momentary", try light(control))
    case .send(let use):
      return button(use, "momentary", use.constants.map { ("on", Self.value($0)) })
    case .slot(let number, let use): return try slot(number, use, control, id)
    case .choice(let use):
      guard let constant = use.constants.first else { throw SurfaceFault("\(id) has no constant") }
      return button(
        use, "tap",
        [("on", Self.value(constant)), ("alphaFillOff", .text(Self.light(use, constant)))])
    case .flag(let use): return button(use, "toggle", Self.onAndOff)
    case .key(let use): return button(use, "push", Self.onAndOff)
    case .fader(let use): return fader(control, use, id)
    case .stepper(let use):
      return captioned(
        control,
        Widget("input", id: id, [("expand", 3)] + osc(use) + [("numeric", true)]))
    case .names(let list, let chosen, _, _):
      return Widget(
        "dropdown", id: id,
        // The label shows the chosen name, which can arrive before the list.
        unlabeled + osc(chosen) + [
          ("label", .text("\(control.caption): #{OSC{\(chosen.path)} || ''}")),
          ("values", .text("#{OSC{\(list.path)} || []}")),
        ])
    case .text: return try text(control, id)
    case .words:
      return captioned(
        control,
        Widget("input", id: id, [("expand", 3)] + Self.isolated))
    case .grid(let rows, let columns): return try grid(control, rows, columns, id)
    case .take(let row): return try take(row, id)
    case .post(let row): return try post(row, id)
    // Left out: all pages have tabs.
    case .page: throw SurfaceFault("\(id) is not needed beside tabs")
    case .script(let words) where words.hasPrefix("preset"):
      return scripted(id, try preset(words), unlabeled + [Self.armed(control.caption)])
    case .script(let words) where words.hasPrefix("posts"):
      return scripted(id, try posts(words), common)
    case .script(let words):
      let by = words.split(separator: " ").last.map(String.init) ?? "0"
      return scripted(
        id,
        """
        globals.offset = Math.max(0, (globals.offset || 0) + \(by) * \(SurfaceScreen.takes))
        globals.wantsTakes = true
        """, common)
    }
  }

  private static let onAndOff: Properties = [("on", 1), ("off", 0)]

  private func osc(_ use: AddressUse) -> Properties {
    let types = use.address.types
    // Optional arguments have no type tags.
    let tags = ["i", "f", "s"].contains(types) ? types : types.hasPrefix("s") ? "s" : ""
    return [("address", .text(use.path)), ("typeTags", .text(tags))]
  }

  private static func value(_ constant: AddressUse.Constant) -> Widget.Value {
    switch constant {
    case .text(let text): .text(text)
    case .number(let number): .number(Double(number))
    }
  }

  // Bright while the address has this value.
  private static func light(_ use: AddressUse, _ constant: AddressUse.Constant) -> String {
    let isAlike =
      switch constant {
      case .text(let text): "OSC{\(use.path), 0} == \"\(text)\""
      case .number(let number):
        "Math.abs(OSC{\(use.path), -1000} - \(plain(Double(number)))) < 0.0005"
      }
    return "#{\(isAlike) ? 0.9 : 0.2}"
  }

  // The player's enabled buttons are bright, the others take no touches.
  private func light(_ control: SurfaceControl) throws(SurfaceFault) -> Properties {
    guard let name = PlayerLight.name(of: control) else { return [] }
    let state = "(OSC{\(try table.reported("/player/state").path)} || ['playing', '', 0, 1, 1])"
    let flag: String
    switch name {
    case "pause": flag = "\(state)[0] !== 'start'"
    case "overdub": flag = "['playing', 'recording'].includes(\(state)[0])"
    case "save", "clear": flag = "\(state)[3] > 0"
    // Undo also restores a cleared loop, which the state doesn't show: it stays enabled.
    case "undo": return [("alphaFillOff", .text("#{\(state)[4] > 0 ? 0.9 : 0.2}"))]
    default:
      guard let index = PlayerControls.names.firstIndex(of: name) else {
        throw SurfaceFault("no rule for the light of \(name)")
      }
      flag = "(OSC{\(try table.reported("/player/controls").path)} || [1, 1, 1, 1, 1, 1])[\(index)]"
    }
    return [
      ("alphaFillOff", .text("#{\(flag) ? 0.9 : 0.1}")),
      ("interaction", .text("#{\(flag) ? true : false}")),
    ]
  }

  private func captioned(_ control: SurfaceControl, _ widget: Widget, shown: String = "") -> Widget
  {
    let id = widget.id
    var column = panel(id + "/panel", "vertical", part: control.width)
    column.widgets = [
      Widget(
        "text", id: id + "/caption",
        [("value", .text(control.caption + shown)), ("expand", 2)] + Self.isolated), widget,
    ]
    return column
  }

  private func fader(
    _ control: SurfaceControl, _ use: AddressUse, _ id: String
  ) -> Widget {
    let unit = use.address.unit.isEmpty ? "" : " " + use.address.unit
    return captioned(
      control,
      Widget(
        "fader", id: id,
        [("horizontal", true), ("design", "compact"), ("expand", 3)]
          + osc(use) + [
            ("range", .object(Self.breakpoints(use))), ("decimals", .number(use.isWhole ? 0 : 3)),
          ]), shown: "  @{\(id)}\(unit)")
  }

  // The app's faders are linear between breakpoints, which follow any other curve.
  private static func breakpoints(_ use: AddressUse) -> Properties {
    let range = Double(use.range.lowerBound)...Double(use.range.upperBound)
    let steps = use.address.curve == .linear ? 1 : 20
    return (0...steps).map { step in
      let value = use.address.curve.value(at: Double(step) / Double(steps), in: range)
      let key = step == 0 ? "min" : step == steps ? "max" : "\(step * 100 / steps)%"
      return (key, .number(step % steps == 0 ? value : Double(Float(value))))
    }
  }

  // The texts of the node's state, by the control's name.
  private func text(_ control: SurfaceControl, _ id: String) throws(SurfaceFault) -> Widget {
    let script =
      switch control.name {
      case "state":
        """
        JS{
          var state = OSC{\(try table.reported("/player/state").path)} || ["", "", 0, 0, 0]
          return state[0] + "  " + Number(state[2]).toFixed(1) + " of " + Number(state[3]).toFixed(1) + " s"
        }
        """
      case "song":
        """
        JS{
          var song = OSC{\(try table.reported("/music/state").path)} || ["stopped", 0, "", "", 0, 0]
          if (song[0] === "stopped") return "No song plays"
          return song[2] + "  " + Number(song[4]).toFixed(0) + " of " + Number(song[5]).toFixed(0) + " s"
        }
        """
      case "captured":
        """
        JS{
          var capture = OSC{\(try table.reported("/capture/state").path)} || ["off", 0]
          var place = OSC{\(try table.reported("/capture/location").path)} || []
          if (capture[0] !== "on") return "No capture"
          var words = "Captured: " + Number(capture[1]).toFixed(0) + " s"
          return isNaN(place[0]) ? words : words + "  " + place[0].toFixed(3) + ", " + place[1].toFixed(3)
        }
        """
      case "phrase":
        """
        JS{
          var phrase = OSC{\(try table.reported("/phrase/state").path)} || ["", 0, 0, 0]
          return "Phrase: " + phrase[0] + "  " + Number(phrase[2]).toFixed(1) + " s, " + phrase[3] + " notes"
        }
        """
      case "scene":
        """
        JS{
          var scene = OSC{\(try table.reported("/setlist/scene").path)} || [0, 0, "", "", ""]
          var queued = OSC{\(try table.reported("/scene/queued").path)} || ["", ""]
          var words = scene[2] ? (scene[0] > 0 ? scene[0] + " of " + scene[1] + "  " : "") + scene[2] : "No scene"
          if (queued[0]) return words + "  -  waiting: " + queued[0]
          return scene[4] ? words + "  -  next: " + scene[4] : words
        }
        """
      case "notes": "#{(OSC{\(try table.reported("/setlist/scene").path)} || [0, 0, '', ''])[3]}"
      case "waiting":
        "#{OSC{\(try table.reported("/feed/waiting").path), 0} > 0 ? OSC{\(try table.reported("/feed/waiting").path), 0} + \" waiting for the feed server\" : \"\"}"
      case "pages": "#{OSC{\(try table.reported("/takes/total").path), 0} + \" takes\"}"
      case let name: throw SurfaceFault("no source for the text \(name)")
      }
    return Widget(
      "text", id: id,
      [("value", .text(script))] + Self.isolated + [
        ("expand", .number(control.width)), ("wrap", true),
      ])
  }

  // The node places the cells: a layout message hides all, and each cell message shows one.
  private func grid(
    _ control: SurfaceControl, _ rows: Int, _ columns: Int, _ id: String
  ) throws(SurfaceFault) -> Widget {
    var grid = panel(id, "default", part: control.width)
    grid.properties.append(("traversing", true))
    let cell = "'\(id)/' + value[0] + '/' + value[1]"
    grid.widgets = [
      listener(
        id + "/layout", try table.reported("/grid/layout").path,
        """
        globals.gridRows = value[0]
        globals.gridColumns = value[1]
        setVar('\(id)/*/*', 'shown', 0)
        """),
      listener(
        id + "/cell", try table.reported("/grid/cell").path,
        """
        var cell = \(cell)
        setVar(cell, 'left', (value[1] - 1) * 100 / globals.gridColumns)
        setVar(cell, 'top', (value[0] - 1) * 100 / globals.gridRows)
        setVar(cell, 'width', 100 / globals.gridColumns)
        setVar(cell, 'height', 100 / globals.gridRows)
        setVar(cell, 'name', value[2])
        setVar(cell, 'shown', 1)
        """),
      listener(
        id + "/lit", try table.reported("/grid/lit").path,
        "setVar(\(cell), 'light', value[2] > 0 ? 0.9 : 0.2)"),
    ]
    for row in 1...rows {
      for column in 1...columns {
        let use = try table.number("/grid/\(row)/\(column)")
        grid.widgets.append(
          Widget(
            "button", id: "\(id)/\(row)/\(column)",
            [
              ("label", .text("#{VAR{name, 0} || \"\"}")),
              ("visible", "#{VAR{shown, 0} == 1}"),
              ("left", .text("#{VAR{left, 0} + \"%\"}")), ("top", .text("#{VAR{top, 0} + \"%\"}")),
              ("width", .text("#{VAR{width, 8} + \"%\"}")),
              ("height", .text("#{VAR{height, 6} + \"%\"}")),
              ("alphaFillOff", "VAR{light, 0.2}"),
            ] + osc(use) + [("mode", "push")] + Self.onAndOff))
      }
    }
    return grid
  }
}
