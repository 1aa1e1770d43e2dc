internal import Control
internal import Looks

extension LayoutBuilder {
  /// Builds the group of nodes of a control.
  func node(of control: SurfaceControl, in frame: Frame) throws(SurfaceFault) -> LayoutNode {
    var node = group(control.name, frame)
    let area = frame.own
    switch control.kind {
    case .press(let use):
      node.children = faced("button", "caption", control.caption, area, control.accent)
      node.children[0].messages = [
        LayoutMessage(path: use.path, trigger: .rise, isReceived: false)
      ]
      if PlayerLight.name(of: control) == nil, !PlayerLight.isOfChosenLoop(control) {
        node.children[0].script = LayoutScripts.face(control.accent)
      }
    case .send(let use):
      node.children = faced("button", "caption", control.caption, area, control.accent)
      node.children[0].messages = [
        LayoutMessage(
          path: use.path, arguments: use.constants.map { Self.argument($0, of: use) },
          trigger: .rise,
          isReceived: false)
      ]
      node.children[0].script = LayoutScripts.face(control.accent)
    case .slot(let number, let use):
      node.children = slot(number, use, area)
    case .choice(let use):
      node.children = faced("button", "caption", control.caption, area, control.accent)
      node.children[0].messages = [
        LayoutMessage(
          path: use.path, arguments: use.constants.map { Self.argument($0, of: use) },
          trigger: .rise,
          isReceived: false)
      ]
    case .flag(let use):
      node.children = faced("button", "caption", control.caption, area, control.accent)
      node.children[0].properties["buttonType"] = .whole(2)
      node.children[0].messages = [
        LayoutMessage(path: use.path, arguments: [.x(use.range, isWhole: true)])
      ]
      node.children[0].script = LayoutScripts.face(control.accent)
    case .key(let use):
      node.children = faced("button", "caption", control.caption, area, control.accent)
      node.children[0].properties["grabFocus"] = .flag(false)
      node.children[0].messages = [
        LayoutMessage(
          path: use.path, arguments: [.x(use.range, isWhole: false)], isReceived: false)
      ]
      node.children[0].script = LayoutScripts.face(control.accent)
    case .script(let words):
      node.children = faced("button", "caption", control.caption, area, control.accent)
      node.children[0] = pressing(node.children[0], words)
    case .fader(let use):
      node.children = try fader(control, use, area)
    case .stepper(let use):
      node.children = stepper(control, use, area)
    case .names(_, let chosen, let rows, let columns):
      node.children = names(control, chosen, rows: rows, columns: columns, area)
    case .text:
      node.children = [label("value", "", area, size: 14, color: .quiet)]
    case .words(let words):
      node.children = self.words(control, words, area)
    case .grid(let rows, let columns):
      node.children = try grid(rows: rows, columns: columns, area)
    case .take:
      node.children = try take(control, area)
    case .post(let row):
      node.children = post(row, area)
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

  /// Makes a button's press call the root's script with these words.
  func pressing(_ button: LayoutNode, _ words: String) -> LayoutNode {
    var button = button
    button.properties["tag"] = .text(words)
    button.script = LayoutScripts.press
    return button
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
    let rim = 3.0
    let inner = Frame(
      x: rim, y: rim, width: area.width - 2 * rim, height: area.height - 2 * rim)
    let bar = min(16, inner.height * 0.16)
    let lines = Frame(
      x: inner.x, y: inner.y, width: inner.width, height: inner.height - bar
    ).rows([3, 2], gap: 0)
    var button = self.button("button", area, .play)
    button.messages = [
      LayoutMessage(path: use.path, arguments: [.x(0...1, isWhole: false)], isReceived: false)
    ]
    let look = LoopLook.all[0]
    var round = fader(
      "round",
      Frame(x: inner.x, y: inner.y + inner.height - bar, width: inner.width, height: bar),
      color: .text)
    round.properties["interactive"] = .flag(false)
    round.properties["cursor"] = .flag(false)
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
    var less = faced("less", "minus", "-", parts[0], control.accent)
    less[0] = pressing(less[0], "step \(use.path) -1")
    var more = faced("more", "plus", "+", parts[2], control.accent)
    more[0] = pressing(more[0], "step \(use.path) 1")
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
    var previous = faced("previous", "previous-caption", "<", head[0], control.accent)
    previous[0] = pressing(previous[0], "turn \(control.name) -1")
    var next = faced("next", "next-caption", ">", head[2], control.accent)
    next[0] = pressing(next[0], "turn \(control.name) 1")
    var nodes = previous + [label("caption", control.caption, head[1], size: 15)] + next
    let places = lines.dropFirst().flatMap {
      $0.columns(Array(repeating: 1, count: columns), gap: 4)
    }
    for (index, place) in places.enumerated() {
      var slot = faced("slot-\(index + 1)", "name-\(index + 1)", "", place, control.accent)
      slot[0].messages = [
        LayoutMessage(
          path: chosen.path, arguments: [.property("tag")], trigger: .rise, isReceived: false)
      ]
      slot[0].properties["tag"] = .text("")
      slot[1].properties["textSize"] = .whole(13)
      for part in slot.indices { slot[part].properties["visible"] = .flag(false) }
      nodes += slot
    }
    return nodes
  }

  // The app has no keyboard. An empty word stands for the node's default title.
  private func words(_ control: SurfaceControl, _ words: [String], _ area: Frame) -> [LayoutNode] {
    let places = area.columns(words.map { _ in 1 }, gap: 4)
    return zip(words, places).enumerated().flatMap { index, part in
      let (word, place) = part
      var nodes = faced(
        "slot-\(index + 1)", "name-\(index + 1)", word.isEmpty ? "Default" : word, place,
        control.accent)
      nodes[0] = pressing(nodes[0], "word \(control.name) \(index + 1)")
      return nodes
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
        cell[0].messages = [
          LayoutMessage(
            path: use.path, arguments: [.x(use.range, isWhole: false)], isReceived: false)
        ]
        for part in cell.indices { cell[part].properties["visible"] = .flag(false) }
        nodes += cell
      }
    }
    return nodes
  }

  private func post(_ row: Int, _ area: Frame) -> [LayoutNode] {
    let parts = area.columns([3.6, 1, 1], gap: Self.gap)
    let lines = parts[0].rows([3, 2], gap: 0)
    var play = faced("play", "caption-play", "Play", parts[1], .play)
    play[0] = pressing(play[0], "post play \(row)")
    var keep = faced("keep", "caption-keep", "Keep", parts[2], .plain)
    keep[0] = pressing(keep[0], "post keep \(row)")
    var nodes =
      [
        label("message", "", lines[0], size: 15, align: .left),
        label("details", "", lines[1], size: 11, align: .left, color: .quiet),
      ] + play + keep
    for index in nodes.indices { nodes[index].properties["visible"] = .flag(false) }
    return nodes
  }

  private func take(_ control: SurfaceControl, _ area: Frame) throws(SurfaceFault) -> [LayoutNode] {
    guard case .take(let row) = control.kind else { return [] }
    let parts = area.columns([2.6, 1, 1, 1], gap: Self.gap)
    let lines = parts[0].rows([3, 2], gap: 0)
    var play = faced("play", "caption-play", "Play", parts[1], .play)
    play[0].properties["tag"] = .text("")
    play[0].messages = [
      LayoutMessage(
        path: try table.text("/take/play").path, arguments: [.property("tag")], trigger: .rise,
        isReceived: false)
    ]
    var title = faced("name", "caption-name", "Title", parts[2], .plain)
    title[0] = pressing(title[0], "title \(row)")
    var delete = faced("delete", "caption-delete", "Delete", parts[3], .danger)
    delete[0] = pressing(delete[0], "delete \(row)")
    var nodes =
      [
        label("title", "", lines[0], size: 15, align: .left),
        label("details", "", lines[1], size: 11, align: .left, color: .quiet),
      ] + play + title + delete
    for index in nodes.indices { nodes[index].properties["visible"] = .flag(false) }
    return nodes
  }
}
