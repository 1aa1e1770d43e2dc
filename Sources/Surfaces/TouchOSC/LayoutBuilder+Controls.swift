internal import Control
internal import Looks

extension LayoutBuilder {
  /// Builds the group of nodes of a control.
  func node(of control: SurfaceControl, in frame: Frame) throws(SurfaceFault) -> LayoutNode {
    var node = group(control.name, frame)
    let area = frame.own
    node.children =
      switch control.kind {
      case .press(let use), .send(let use), .choice(let use):
        button(
          control, area,
          LayoutMessage(
            path: use.path, arguments: use.constants.map { Self.argument($0, of: use) },
            trigger: .rise, isReceived: false))
      case .slot(let number, let use): slot(number, use, area)
      case .flag(let use):
        button(
          control, area, LayoutMessage(path: use.path, arguments: [.x(use.range, isWhole: true)]),
          ["buttonType": .whole(2)])
      case .key(let use): button(control, area, .touch(use), ["grabFocus": .flag(false)])
      case .page(let name): try pageButton(control, name, area)
      case .script(let words):
        pressed("button", "caption", control.caption, area, control.accent, words)
      case .fader(let use): try fader(control, use, area)
      case .stepper(let use): stepper(control, use, area)
      case .names(_, let chosen, let rows, let columns):
        names(control, chosen, rows: rows, columns: columns, area)
      case .text: [label("value", "", area, size: 14, color: .quiet)]
      case .words(let words): self.words(control, words, area)
      case .grid(let rows, let columns): try grid(rows: rows, columns: columns, area)
      case .take(let row): try take(row, area)
      case .post(let row): post(row, area)
      }
    node.properties["tag"] = .text("\(control.accent)")
    return node
  }

  private static func argument(
    _ constant: AddressUse.Constant, of use: AddressUse
  ) -> LayoutMessage.Argument {
    switch constant {
    case .text(let text): .text(text)
    case .number(let number): use.isWhole ? .whole(Int(number)) : .number(number)
    }
  }

  /// Builds a button whose press calls the root's script with these words.
  func pressed(
    _ name: String, _ face: String, _ caption: String, _ frame: Frame,
    _ accent: SurfaceControl.Accent, rim: Double = 2, _ words: String
  ) -> [LayoutNode] {
    var nodes = faced(name, face, caption, frame, accent, rim: rim)
    nodes[0].properties["tag"] = .text(words)
    nodes[0].script = LayoutScripts.press
    return nodes
  }

  // A button that sends a message, and lights its own face unless the root does.
  private func button(
    _ control: SurfaceControl, _ area: Frame, _ message: LayoutMessage,
    _ properties: [String: LayoutNode.Property] = [:]
  ) -> [LayoutNode] {
    var nodes = faced("button", "caption", control.caption, area, control.accent)
    nodes[0].messages = [message]
    nodes[0].properties.merge(properties) { $1 }
    if !PlayerLight.isLitByRoot(control) { nodes[0].script = LayoutScripts.face(control.accent) }
    return nodes
  }

  private func pageButton(
    _ control: SurfaceControl, _ name: String, _ area: Frame
  ) throws(SurfaceFault) -> [LayoutNode] {
    guard let number = surface.number(ofPage: name) else {
      throw SurfaceFault("\(control.name) opens an unknown page \(name)")
    }
    return pressed("button", "caption", control.caption, area, control.accent, "page \(number)")
  }

  // A row's nodes are hidden until the row has an item.
  private func hidden(_ nodes: [LayoutNode]) -> [LayoutNode] {
    nodes.map { node in
      var node = node
      node.properties["visible"] = .flag(false)
      return node
    }
  }

  private func fader(
    _ control: SurfaceControl, _ use: AddressUse, _ area: Frame
  ) throws(SurfaceFault) -> [LayoutNode] {
    // As high as a touch target, with its texts on top.
    let words = Frame(x: 8, y: 0, width: area.width - 16, height: area.height)
    let parts = words.columns([1, 1], gap: 0)
    var fader = self.fader("fader", area, color: control.accent.color.faded)
    // Messages scale linearly, so that the script sends any other curve.
    fader.messages = [
      LayoutMessage(
        path: use.path, arguments: [.x(use.range, isWhole: use.isWhole)],
        isSent: use.address.curve == .linear)
    ]
    fader.script = try scripts.fader(use)
    if use.range.lowerBound == -use.range.upperBound { fader.properties["centered"] = .flag(true) }
    return [
      fader, label("caption", control.caption, parts[0], size: 14, align: .left),
      label("value", "", parts[1], size: 14, align: .right),
    ]
  }

  // The face has the state's color, with the playhead as a bar along its lower edge.
  private func slot(_ number: Int, _ use: AddressUse, _ area: Frame) -> [LayoutNode] {
    let inner = area.inset(by: 3)
    let bar = min(16, inner.height * 0.16)
    let lines = Frame(
      x: inner.x, y: inner.y, width: inner.width, height: inner.height - bar
    ).rows([3, 2], gap: 0)
    var button = self.button("button", area, .play)
    button.messages = [.touch(use)]
    let look = LoopLook.all[0]
    let round = meter(
      "round",
      Frame(x: inner.x, y: inner.y + inner.height - bar, width: inner.width, height: bar),
      color: .text)
    let words = "\(number)  \(look.word)"
    return [
      button, label("face", "", inner, size: 9, face: look.face),
      label("caption", words, lines[0], size: min(32, lines[0].width / 6.3, lines[0].height * 0.6)),
      label("details", "", lines[1], size: min(18, lines[1].width / 8.3, lines[1].height * 0.7)),
      round,
    ]
  }

  private func stepper(_ control: SurfaceControl, _ use: AddressUse, _ area: Frame) -> [LayoutNode]
  {
    let parts = area.columns([2, 3, 2], gap: Self.gap)
    let less = pressed("less", "minus", "-", parts[0], control.accent, "step \(use.path) -1")
    let more = pressed("more", "plus", "+", parts[2], control.accent, "step \(use.path) 1")
    let lines = parts[1].rows([1, 1], gap: 0)
    return less + [
      label("caption", control.caption, lines[0], size: 13, color: .quiet),
      label("value", "", lines[1], size: 17),
    ] + more
  }

  private func names(
    _ control: SurfaceControl, _ chosen: AddressUse, rows: Int, columns: Int, _ area: Frame
  ) -> [LayoutNode] {
    let lines = area.rows(Array(repeating: 1, count: rows + 1), gap: 4)
    let head = lines[0].columns([1, 3, 1], gap: Self.gap)
    var nodes =
      pressed(
        "previous", "previous-caption", "<", head[0], control.accent, "turn \(control.name) -1")
      + [label("caption", control.caption, head[1], size: 15)]
      + pressed("next", "next-caption", ">", head[2], control.accent, "turn \(control.name) 1")
    let places = lines.dropFirst().flatMap {
      $0.columns(Array(repeating: 1, count: columns), gap: 4)
    }
    for (index, place) in places.enumerated() {
      var slot = faced("slot-\(index + 1)", "name-\(index + 1)", "", place, control.accent)
      slot[0].sendTag(to: chosen)
      slot[1].properties["textSize"] = .whole(13)
      nodes += hidden(slot)
    }
    return nodes
  }

  // The app has no keyboard. An empty word stands for the node's default title.
  private func words(_ control: SurfaceControl, _ words: [String], _ area: Frame) -> [LayoutNode] {
    let places = area.columns(words.map { _ in 1 }, gap: 4)
    return zip(words, places).enumerated().flatMap { index, part in
      let (word, place) = part
      return pressed(
        "slot-\(index + 1)", "name-\(index + 1)", word.isEmpty ? "Default" : word, place,
        control.accent, "word \(control.name) \(index + 1)")
    }
  }

  private func grid(rows: Int, columns: Int, _ area: Frame) throws(SurfaceFault) -> [LayoutNode] {
    var nodes: [LayoutNode] = []
    let lines = area.rows(Array(repeating: 1, count: rows), gap: Self.gap)
    for (row, line) in lines.enumerated() {
      let places = line.columns(Array(repeating: 1, count: columns), gap: Self.gap)
      for (column, place) in places.enumerated() {
        let use = try table.number("/grid/\(row + 1)/\(column + 1)")
        var cell = faced(
          "cell \(row + 1) \(column + 1)", "name \(row + 1) \(column + 1)", "", place, .play,
          rim: 0)
        cell[0].properties["grabFocus"] = .flag(false)
        cell[0].messages = [.touch(use)]
        nodes += hidden(cell)
      }
    }
    return nodes
  }

  private func post(_ row: Int, _ area: Frame) -> [LayoutNode] {
    let parts = area.columns([3.6, 1, 1], gap: Self.gap)
    return hidden(
      item("message", parts[0])
        + pressed("play", "caption-play", "Play", parts[1], .play, "post play \(row)")
        + pressed("keep", "caption-keep", "Keep", parts[2], .plain, "post keep \(row)"))
  }

  private func take(_ row: Int, _ area: Frame) throws(SurfaceFault) -> [LayoutNode] {
    let parts = area.columns([2.6, 1, 1, 1], gap: Self.gap)
    let lines = parts[0].rows([5, 3, 3], gap: 0)
    return hidden(
      [
        label("title", "", lines[0], size: 15, align: .left),
        label("details", "", lines[1], size: 11, align: .left, color: .quiet),
        label("found", "", lines[2], size: 11, align: .left, color: .quiet),
      ] + pressed("play", "caption-play", "Play", parts[1], .play, "play \(row)")
        + pressed("name", "caption-name", "Title", parts[2], .plain, "title \(row)")
        + pressed("delete", "caption-delete", "Delete", parts[3], .danger, "delete \(row)"))
  }

  // The text of a row, with details below.
  private func item(_ name: String, _ frame: Frame) -> [LayoutNode] {
    let lines = frame.rows([3, 2], gap: 0)
    return [
      label(name, "", lines[0], size: 15, align: .left),
      label("details", "", lines[1], size: 11, align: .left, color: .quiet),
    ]
  }
}

extension LayoutMessage {
  /// The message of a button that is played: how far it is pressed, from 0 to 1.
  fileprivate static func touch(_ use: AddressUse) -> LayoutMessage {
    LayoutMessage(path: use.path, arguments: [.x(0...1, isWhole: false)], isReceived: false)
  }
}

extension LayoutNode {
  /// Makes a button send its tag, which a script sets.
  fileprivate mutating func sendTag(to use: AddressUse) {
    properties["tag"] = .text("")
    messages = [
      LayoutMessage(
        path: use.path, arguments: [.property("tag")], trigger: .rise, isReceived: false)
    ]
  }
}
