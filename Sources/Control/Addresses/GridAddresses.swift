internal import Engine
internal import Music
internal import OSC

extension Address {
  // What of a grid's place is taken; the grid itself says which there are.
  private static let anywhere = -1_000_000.0...1_000_000.0
  private static let place: [Form] = [
    .needed("row", .whole, in: anywhere), .needed("column", .whole, in: anywhere),
  ]

  /// The grid of buttons that play a scale.
  static let ofTheGrid: [Address] = [
    Address(
      "/grid/root",
      .arrangement([
        .optional("name", .text), .optional("number", .whole, in: 0...127),
      ]) { node in
        [.string(node.keyboard.rootName)]
      } make: { node, request, plan throws(Refusal) in
        let (name, number) = (request.text(0), request.whole(1))
        guard name == nil || number == nil else {
          throw Refusal(.type, "/grid/root takes one name or one number")
        }
        try node.changeGrid(request, into: &plan) { grid throws(MusicFault) in
          if let name { grid.root = try Root(name) }
          if let number { grid.root = try Root(number: number) }
        }
      },
      "On which note the scale stands: A to G, with # or b, or 0 (C) to 11 (B); A at first"),
    Address(
      "/grid/tuning",
      .arrangement([.needed("file", .text)]) { node in
        [.string(node.keyboard.tuningFile)]
      } make: { node, request, plan throws(Refusal) in
        try node.setTuning(request.text(0) ?? "", request, into: &plan)
      },
      "Tunes to a Scala file (.scl) in the home folder; an empty name to twelve equal semitones"),
    Address(
      "/grid/reference",
      .arrangement([.needed("frequency", .number, in: Keyboard.possibleReferences)]) { node in
        [.float(Float(node.keyboard.grid.tuning.referenceHz))]
      } make: { node, request, plan throws(Refusal) in
        try node.setReference(request.number(0) ?? 440, request, into: &plan)
      },
      unit: "Hz", "The frequency of A4; 440 at first"),
    Address(
      "/grid/scale",
      .arrangement([.needed("name", .text)]) { node in
        [.string(node.keyboard.grid.scale.name)]
      } make: { node, request, plan throws(Refusal) in
        let name = request.text(0) ?? ""
        try node.changeGrid(request, into: &plan) {
          [keyboard = node.keyboard] grid throws(MusicFault) in
          grid.scale = try keyboard.scale(named: name)
        }
      },
      "Which notes lie on the grid: one of /scales; chromatic at first"),
    Address(
      "/grid/size",
      .arrangement([.needed("size", .text)]) { node in
        [.string(node.keyboard.grid.size.rawValue)]
      } make: { node, request, plan throws(Refusal) in
        let word = request.text(0) ?? ""
        guard let size = Grid.Size(rawValue: word) else {
          let words = Grid.Size.allCases.map(\.rawValue).joined(separator: ", ")
          throw Refusal(.range, "/grid/size takes one of \(words); got \(quoted(word))")
        }
        try node.changeGrid(request, into: &plan) { grid in grid.size = size }
      },
      "How large a button is: small (4 octaves), medium (3 1/2, at first) or large (3)"),
    Address(
      "/grid/octaves",
      .arrangement([
        .needed("octaves", .whole, in: 0...Double(Grid.possibleOctaves.upperBound))
      ]) { node in
        [.int32(Int32(node.keyboard.grid.octaves ?? 0))]
      } make: { node, request, plan throws(Refusal) in
        let octaves = request.whole(0) ?? 0
        try node.changeGrid(request, into: &plan) { grid in
          grid.octaves = octaves == 0 ? nil : octaves
        }
      },
      unit: "octaves", "How many octaves there are; 0 has as many as the size has room for"),
    Address(
      "/grid/seed",
      .arrangement([.needed("seed", .whole, in: Keyboard.possibleSeeds)]) { node in
        [.int32(node.keyboard.seed)]
      } make: { node, request, plan throws(Refusal) in
        try node.setSeed(request.whole(0) ?? 0, request, into: &plan)
      },
      "Which random order it is: the same for each number"),
    Address(
      "/grid/order",
      .arrangement([.needed("order", .text)]) { node in
        if case .scale = node.keyboard.grid.order {
          [.string("scale")]
        } else {
          [.string("random")]
        }
      } make: { node, request, plan throws(Refusal) in
        try node.setOrder(request.text(0) ?? "", request, into: &plan)
      },
      "In what order the notes lie: scale, along the rows there and back, or random, by /grid/seed"),
    Address(
      "/grid/randomize",
      .gesture([.optional("seed", .whole, in: Keyboard.possibleSeeds)], isButton: false) {
        node, request, plan throws(Refusal) in
        // A button that was let go.
        if request.whole(0) == 0 { return }
        try node.randomize(request.whole(0), request, into: &plan)
      },
      "Lays the notes out in the random order of a seed, or of a new one; 0 does nothing"),
    Address(
      "/grid/names",
      .arrangement([.needed("on", .whole, in: 0...1)]) { node in
        [.int32(node.keyboard.showsNames ? 1 : 0)]
      } make: { node, request, _ in
        node.keyboard.showsNames = request.whole(0) == 1
        node.gridWatch.layoutChanged()
      },
      "0 leaves the names out of /grid/cell, so that the buttons have none"),
    Address(
      "/grid/sustain", .whole(.gridSustain, 0...1, initial: 0), isKept: true,
      "1 lets notes sound on when their fingers go"),
    Address(
      "/grid/layout",
      .action([], isButton: false) { node, request in
        for message in GridWatch.messages(node.keyboard) {
          node.reply(message.path, message.arguments, to: request.client)
        }
      },
      "Answers /grid/layout i:rows i:columns, then one /grid/cell each; sent to subscribers of "
        + "either when it changes"),
    Address(
      "/grid/cell", .sent(types: "iisi"),
      "Row, column, name and MIDI note of a button: see /grid/layout"),
    Address(
      "/grid/lit", .sent(types: "iif"),
      "Row, column and strength of a button that sounds, 0 when it is over: sent to subscribers"),
    Address(
      "/grid/touch",
      .gesture(
        place + [.optional("velocity", .number, in: 0...1)], isButton: false
      ) { node, request, plan throws(Refusal) in
        try node.touch(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, velocity: request.number(2),
          request, into: &plan)
      },
      "Touches the button in a row and a column, from 1: its note begins; velocity 0.8 where none "
        + "is given, 0 releases it"),
    Address(
      "/grid/release",
      .gesture(place, isButton: false) { node, request, plan in
        node.release(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, request, into: &plan)
      },
      "Releases a button; nothing where it is not touched"),
    Address(
      "/grid/slide",
      .gesture(place, isButton: false) { node, request, plan throws(Refusal) in
        try node.slide(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, request, into: &plan)
      },
      "Slides your nearest finger to a button: one note ends and the other begins at once; touches "
        + "it where you have none on the grid"),
    Address(
      "/grid/{row}/{column}",
      .gesture(
        [.optional("velocity", .number, in: 0...1)], isButton: false
      ) { node, request, plan throws(Refusal) in
        guard request.numbers.count == 2 else {
          throw Refusal(.unknown, "/grid/{row}/{column} stands for addresses such as /grid/1/3")
        }
        let (row, column) = (request.numbers[0], request.numbers[1])
        // Other than with /grid/release, what is not there can't have been meant.
        _ = try node.keyboard.cell(row: row, column: column)
        try node.touch(
          row: row, column: column, velocity: request.number(0), request, into: &plan)
      },
      "The same as /grid/touch with its velocity, and with 0 as /grid/release: one address a button, "
        + "such as /grid/1/3; no patterns"),
  ]
}
