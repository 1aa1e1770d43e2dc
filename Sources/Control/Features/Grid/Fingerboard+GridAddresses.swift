internal import Engine
internal import Music
internal import OSC

extension Fingerboard {
  typealias Declared = Of<Fingerboard>

  typealias Form = Address.Form

  static let addresses = ofTheGrid + ofTheScales + ofTheNotes

  /// Something that is played, taken back where its packet is refused.
  static func gesture(
    _ forms: [Form] = [], isButton: Bool = false,
    _ plan: @escaping @Sendable (Fingerboard, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    Declared.gesture(forms, isButton: isButton) { board, request, planned throws(Refusal) in
      board.settle(&planned)
      try plan(board, request, &planned)
    }
  }

  /// A setting that decides what gestures mean, taken back where its packet is refused.
  static func arrangement(
    _ forms: [Form], read: @escaping @Sendable (Fingerboard) -> [Argument],
    plan: @escaping @Sendable (Fingerboard, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    Declared.arrangement(forms, read: read) { board, request, planned throws(Refusal) in
      board.settle(&planned)
      try plan(board, request, &planned)
    }
  }

  // What of a grid's place is taken; the grid itself says which there are.
  private static let anywhere = -1_000_000.0...1_000_000.0
  private static let place: [Form] = [
    .needed("row", .whole, in: anywhere), .needed("column", .whole, in: anywhere),
  ]

  // What others speak of.
  static let (layoutPath, scale, seed, order) = (
    "/grid/layout", "/grid/scale", "/grid/seed", "/grid/order"
  )
  static let cell = Event(
    "/grid/cell", "iisi",
    "A button of /grid/layout: row, column, name and MIDI note")
  static let lit = Event(
    "/grid/lit", "iif",
    "A button that sounds, sent to subscribers: row, column and strength, 0 when it is over")

  /// The grid of buttons that play a scale.
  static let ofTheGrid: [Address] = [
    Address(
      "/grid/root",
      arrangement([
        .optional("name", .text), .optional("number", .whole, in: 0...127),
      ]) { board in
        [.string(board.keyboard.rootName)]
      } plan: { board, request, plan throws(Refusal) in
        let (name, number) = (request.text(0), request.whole(1))
        guard name == nil || number == nil else {
          throw Refusal(.type, "/grid/root takes one name or one number")
        }
        try board.changeGrid(request, into: &plan) { grid throws(MusicFault) in
          if let name { grid.root = try Root(name) }
          if let number { grid.root = try Root(number: number) }
        }
      },
      kept: .home,
      "Root of the scale: A to G, with # or b, or 0 (C) to 11 (B); A at first"),
    Address(
      "/grid/tuning",
      arrangement([.needed("file", .text)]) { board in
        [.string(board.keyboard.tuningFile)]
      } plan: { board, request, plan throws(Refusal) in
        try board.setTuning(request.text(0) ?? "", request, into: &plan)
      },
      kept: .home,
      "Tuning, from a Scala file (.scl) in the home folder; an empty name is twelve equal "
        + "semitones"),
    Address(
      "/grid/reference",
      arrangement([.needed("frequency", .number, in: Keyboard.possibleReferences)]) { board in
        [.float(Float(board.keyboard.grid.tuning.referenceHz))]
      } plan: { board, request, plan throws(Refusal) in
        try board.setReference(request.number(0) ?? 440, request, into: &plan)
      },
      unit: "Hz", kept: .home,
      "The frequency of A4; 440 at first"),
    Address(
      scale,
      arrangement([.needed("name", .text)]) { board in
        [.string(board.keyboard.grid.scale.name)]
      } plan: { board, request, plan throws(Refusal) in
        let name = request.text(0) ?? ""
        try board.changeGrid(request, into: &plan) {
          [keyboard = board.keyboard] grid throws(MusicFault) in
          grid.scale = try keyboard.scale(named: name)
        }
      },
      kept: .home,
      "Scale of the grid: one of /scales; chromatic at first"),
    Address(
      "/grid/size",
      arrangement([.needed("size", .text)]) { board in
        [.string(board.keyboard.grid.size.rawValue)]
      } plan: { board, request, plan throws(Refusal) in
        let word = request.text(0) ?? ""
        guard let size = Grid.Size(rawValue: word) else {
          let words = Grid.Size.allCases.map(\.rawValue).joined(separator: ", ")
          throw Refusal(.range, "/grid/size takes one of \(words); got \(quoted(word))")
        }
        try board.changeGrid(request, into: &plan) { grid in grid.size = size }
      },
      kept: .home,
      "Size of the buttons: small (4 octaves), medium (3 1/2, at first) or large (3)"),
    Address(
      "/grid/octaves",
      arrangement([
        .needed("octaves", .whole, in: 0...Double(Grid.possibleOctaves.upperBound))
      ]) { board in
        [.int32(Int32(board.keyboard.grid.octaves ?? 0))]
      } plan: { board, request, plan throws(Refusal) in
        let octaves = request.whole(0) ?? 0
        try board.changeGrid(request, into: &plan) { grid in
          grid.octaves = octaves == 0 ? nil : octaves
        }
      },
      unit: "octaves", kept: .home,
      "Number of octaves; 0 is as many as the size has room for"),
    Address(
      seed,
      arrangement([.needed("seed", .whole, in: Keyboard.possibleSeeds)]) { board in
        [.int32(board.keyboard.seed)]
      } plan: { board, request, plan throws(Refusal) in
        try board.setSeed(request.whole(0) ?? 0, request, into: &plan)
      },
      kept: .home,
      "Seed of the random order: a number gives the same order each time"),
    Address(
      order,
      arrangement([.needed("order", .text)]) { board in
        if case .scale = board.keyboard.grid.order {
          [.string("scale")]
        } else {
          [.string("random")]
        }
      } plan: { board, request, plan throws(Refusal) in
        try board.setOrder(request.text(0) ?? "", request, into: &plan)
      },
      kept: .home,
      "Order of the notes: scale, along the rows there and back, or random, by /grid/seed"),
    Address(
      "/grid/randomize",
      gesture([.optional("seed", .whole, in: Keyboard.possibleSeeds)]) {
        board, request, plan throws(Refusal) in
        // A button that was let go.
        if request.whole(0) == 0 { return }
        try board.randomize(request.whole(0), request, into: &plan)
      },
      "Lays the notes out in the random order of a seed, or of a new one; 0 does nothing"),
    Address(
      "/grid/names",
      arrangement([.needed("on", .whole, in: 0...1)]) { board in
        [.int32(board.keyboard.showsNames ? 1 : 0)]
      } plan: { board, request, _ in
        board.keyboard.showsNames = request.whole(0) == 1
        board.layoutChanged()
      },
      kept: .home,
      "1 sends the names of notes in /grid/cell, 0 leaves them empty"),
    Address(
      "/grid/sustain", .whole(.notes(.sustain), 0...1), kept: .home,
      "Sustain: 1 lets notes sound on when their fingers are lifted"),
    Address(
      layoutPath,
      Declared.question { board, request in
        for message in GridNews.messages(board.keyboard) {
          request.answer(on: message.path, message.arguments)
        }
      },
      "Answers /grid/layout i:rows i:columns, then one /grid/cell each; sent to subscribers of "
        + "either when it changes"),
    Address(cell), Address(lit),
    Address(
      "/grid/touch",
      gesture(
        place + [.optional("velocity", .number, in: 0...1)], isButton: false
      ) { board, request, plan throws(Refusal) in
        try board.touch(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, velocity: request.number(2),
          request, into: &plan)
      },
      "Touches the button in a row and a column, from 1: its note begins; velocity 0.8 where none "
        + "is given, 0 releases it"),
    Address(
      "/grid/release",
      gesture(place) { board, request, plan in
        board.release(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, request, into: &plan)
      },
      "Releases a button; nothing where it is not touched"),
    Address(
      "/grid/slide",
      gesture(place) { board, request, plan throws(Refusal) in
        try board.slide(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, request, into: &plan)
      },
      "Slides your nearest finger to a button: one note ends and the other begins at once; touches "
        + "it where you have none on the grid"),
    Address(
      "/grid/{row}/{column}",
      gesture(
        [.optional("velocity", .number, in: 0...1)], isButton: false
      ) { board, request, plan throws(Refusal) in
        guard request.numbers.count == 2 else {
          throw Refusal(.unknown, "/grid/{row}/{column} stands for addresses such as /grid/1/3")
        }
        let (row, column) = (request.numbers[0], request.numbers[1])
        // Other than with /grid/release, what is not there can't have been meant.
        _ = try board.keyboard.cell(row: row, column: column)
        try board.touch(
          row: row, column: column, velocity: request.number(0), request, into: &plan)
      },
      extents: Declared.extents { [$0.keyboard.layout.rows, $0.keyboard.layout.columns] },
      "The same as /grid/touch with its velocity, and with 0 as /grid/release: one address a button, "
        + "such as /grid/1/3; no patterns"),
  ]
}
