internal import Control
internal import Looks

/// The script of a layout's root, which concerns more than one control.
struct RootScript {
  let surface: Surface
  let scripts: LayoutScripts

  private typealias Fields = [(key: String, value: LuaValue)]

  // In this order: each uses what those before it declare.
  private static let files = [
    "ground", "choices", "connection", "meters", "player", "loops", "grid", "names", "presets",
    "scenes", "songs", "takes", "posts", "presses", "entry",
  ]

  /// Returns the complete script.
  func text(receivePort: Int) throws(SurfaceFault) -> String {
    let values: Fields =
      try [
        ("receivePort", .number(Double(receivePort))),
        ("white", .color(.text)), ("quiet", .color(.quiet)), ("off", .color(.off)),
        ("bright", accents(\.self)), ("dim", accents(\.dimmed)), ("ink", accents(\.ink)),
        ("tabs", .list(tabs())),
        ("choices", .table(choices.map { ($0.path, .list($0.entries)) })),
      ] + player() + loops() + [
        ("grid", grid()), ("lists", .table(lists)), ("steppers", .list(steppers())),
        ("ownPresets", .list(SurfaceControl.ownPresets.map { .text($0) })),
        ("words", words()), ("takes", .number(Double(SurfaceScreen.takes))),
        ("posts", .number(Double(SurfaceScreen.posts))),
      ]
    let text = try scripts.script(values, Self.files.map { "root/" + $0 })
    try checkHandlers(text)
    return text
  }

  // Of two handlers that are assigned to one address, only the later one would run.
  private func checkHandlers(_ text: String) throws(SurfaceFault) {
    var handled = Set(choices.map(\.path))
    for match in text.matches(of: /handlers\['([^']+)'\] =/) {
      guard handled.insert(String(match.1)).inserted else {
        throw SurfaceFault("two parts of the surface show \(match.1)")
      }
    }
  }

  // The number of the tab that is lit for each page.
  private func tabs() throws(SurfaceFault) -> [LuaValue] {
    try surface.pages.map { page throws(SurfaceFault) in
      let name = page.parent ?? page.name
      guard let tab = surface.pagesWithTabs.firstIndex(where: { $0.name == name }) else {
        throw SurfaceFault("\(page.name) is below \(name), which has no tab")
      }
      return .number(Double(tab + 1))
    }
  }

  private func accents(_ color: (Color) -> Color) -> LuaValue {
    .table(SurfaceControl.Accent.allCases.map { ("\($0)", .color(color($0.color))) })
  }

  /// The buttons that are lit while an address has their value, by address.
  private var choices: [(path: String, entries: [LuaValue])] {
    var byPath: [(path: String, entries: [LuaValue])] = []
    for (page, control) in surface.controls {
      guard case .choice(let use) = control.kind, let constant = use.constants.first else {
        continue
      }
      let value: LuaValue =
        switch constant {
        case .text(let text): .text(text)
        case .number(let number): .number(Double(number))
        }
      let entry = LuaValue.list([.text(page.name), .text(control.name), value])
      if let index = byPath.firstIndex(where: { $0.path == use.path }) {
        byPath[index].entries.append(entry)
      } else {
        byPath.append((use.path, [entry]))
      }
    }
    return byPath
  }

  private func player() throws(SurfaceFault) -> Fields {
    var places: [String: LuaValue] = [:]
    for (page, control) in surface.controls {
      guard let light = PlayerLight.name(of: control) else { continue }
      places[light] = .table([("page", .text(page.name)), ("name", .text(control.name))])
    }
    let transport = PlayerControls.names.compactMap { places[$0] }
    let others = ["pause", "overdub", "undo", "clear", "save"].compactMap { name in
      places[name].map { (key: name, value: $0) }
    }
    guard transport.count == PlayerControls.names.count, others.count == 5 else {
      throw SurfaceFault("the surface lacks one of the player's buttons")
    }
    return [("transport", .list(transport)), ("player", .table(others))]
  }

  private func loops() throws(SurfaceFault) -> Fields {
    let slots = surface.controls.compactMap { (page, control) -> (Int, Fields)? in
      guard case .slot(let number, _) = control.kind else { return nil }
      return (
        number,
        [
          ("page", .text(page.name)), ("name", .text(control.name)),
          ("state", .text("/loop/\(number)/state")), ("next", .text("/loop/\(number)/next")),
        ]
      )
    }
    guard slots.map(\.0) == Array(1...slots.count) else {
      throw SurfaceFault("the surface lacks the button of a loop")
    }
    let looks = LoopLook.all.map { look -> (key: String, value: LuaValue) in
      (
        look.state,
        .table([
          ("word", .text(look.word)), ("face", .color(look.face)), ("text", .color(look.text)),
          ("runs", .flag(look.isRunning)),
        ])
      )
    }
    let buttons = LoopLook.addingButtons.map { state, button -> LuaValue in
      .table([("page", .text("More")), ("name", .text(button)), ("state", .text(state))])
    }
    return [
      ("looks", .table(looks)), ("slots", .list(slots.map { .table($0.1) })),
      ("chosenButtons", .list(buttons)),
      ("blink", .number(Double(LoopLook.blinkPeriod / 2))),
    ]
  }

  private func grid() throws(SurfaceFault) -> LuaValue {
    for (_, control) in surface.controls {
      guard case .grid(let rows, let columns) = control.kind else { continue }
      return .table([
        ("rows", .number(Double(rows))), ("columns", .number(Double(columns))),
        ("gap", .number(LayoutBuilder.gap)),
      ])
    }
    throw SurfaceFault("the surface has no grid")
  }

  private var lists: Fields {
    surface.controls.compactMap { page, control in
      guard case .names(let list, let chosen, let rows, let columns) = control.kind else {
        return nil
      }
      let fields: Fields = [
        ("page", .text(page.name)), ("caption", .text(control.caption)),
        ("accent", .text("\(control.accent)")), ("slots", .number(Double(rows * columns))),
        ("list", .text(list.path)), ("choice", .text(chosen.path)),
      ]
      return (control.name, .table(fields))
    }
  }

  private func steppers() throws(SurfaceFault) -> [LuaValue] {
    var steppers: [LuaValue] = []
    for (page, control) in surface.controls {
      guard case .stepper(let use) = control.kind else { continue }
      steppers.append(
        .table([
          ("path", .text(use.path)), ("page", .text(page.name)), ("name", .text(control.name)),
          ("least", .number(Double(use.range.lowerBound))),
          ("greatest", .number(Double(use.range.upperBound))),
          ("send", try scripts.sending(use.path, ("value", .whole))),
        ]))
    }
    return steppers
  }

  private func words() throws(SurfaceFault) -> LuaValue {
    for (_, control) in surface.controls {
      if case .words(let words) = control.kind { return .list(words.map { .text($0) }) }
    }
    throw SurfaceFault("the surface has no words for titles")
  }
}
