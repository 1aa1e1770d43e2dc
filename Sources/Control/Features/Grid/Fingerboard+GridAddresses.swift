internal import Engine
internal import Music
internal import OSC

extension Fingerboard {
  typealias Declared = Declaring<Fingerboard>

  typealias Form = Address.Form

  static let addresses = ofTheGrid + ofTheScales + ofTheNotes

  /// A performance gesture, undone if its packet is refused.
  static func gesture(
    _ forms: [Form] = [], isButton: Bool = false,
    _ plan: @escaping @Sendable (Fingerboard, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    Declared.gesture(forms, isButton: isButton) { board, request, planned throws(Refusal) in
      board.registerUndo(&planned)
      try plan(board, request, &planned)
    }
  }

  /// A setting that affects later gestures, undone if its packet is refused.
  static func arrangement(
    _ forms: [Form], read: @escaping @Sendable (Fingerboard) -> [Argument],
    plan: @escaping @Sendable (Fingerboard, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    Declared.arrangement(forms, read: read) { board, request, planned throws(Refusal) in
      board.registerUndo(&planned)
      try plan(board, request, &planned)
    }
  }

  // The grid itself checks the range.
  private static let anywhere = -1_000_000.0...1_000_000.0
  private static let place: [Form] = [
    .needed("row", .whole, in: anywhere), .needed("column", .whole, in: anywhere),
  ]

  // Paths used by other types.
  static let (layoutPath, scale, seed, order) = (
    "/grid/layout", "/grid/scale", "/grid/seed", "/grid/order"
  )
  static let cell = Event(
    "/grid/cell", "iisi",
    "Reply to /grid/layout: row, column, name and MIDI note of a button")
  static let lit = Event(
    "/grid/lit", "iif",
    "A sounding button, sent to subscribers: row, column and level, 0 when it ends")

  /// The grid of buttons that play a scale.
  static let ofTheGrid: [Address] = [
    Address(
      "/grid/root",
      arrangement([
        .optional("name", .text), .optional("number", .whole, in: 0...127),
      ]) { board in
        [.string(board.gridState.rootName)]
      } plan: { board, request, plan throws(Refusal) in
        let (name, number) = (request.text(0), request.whole(1))
        guard name == nil || number == nil else {
          throw Refusal(.type, "/grid/root: got both a name and a number; expected one of them")
        }
        try board.changeGrid(request, into: &plan) { grid throws(MusicFault) in
          if let name { grid.root = try Root(name) }
          if let number { grid.root = try Root(number: number) }
        }
      },
      kept: .home,
      "Root of the scale: A to G, with # or b, or 0 (C) to 11 (B); default A"),
    Address(
      "/grid/tuning",
      arrangement([.needed("file", .text)]) { board in
        [.string(board.gridState.tuningFile)]
      } plan: { board, request, plan throws(Refusal) in
        try board.setTuning(request.text(0) ?? "", request, into: &plan)
      },
      kept: .home,
      "Tuning from a Scala file (.scl) in the home folder; an empty name is twelve-tone equal "
        + "semitones"),
    Address(
      "/grid/reference",
      arrangement([.needed("frequency", .number, in: GridState.possibleReferences)]) { board in
        [.float(Float(board.gridState.grid.tuning.referenceHz))]
      } plan: { board, request, plan throws(Refusal) in
        try board.setReference(request.number(0) ?? 440, request, into: &plan)
      },
      unit: "Hz", kept: .home,
      "Frequency of A4; default 440"),
    Address(
      scale,
      arrangement([.needed("name", .text)]) { board in
        [.string(board.gridState.grid.scale.name)]
      } plan: { board, request, plan throws(Refusal) in
        let name = request.text(0) ?? ""
        try board.changeGrid(request, into: &plan) {
          [gridState = board.gridState] grid throws(MusicFault) in
          grid.scale = try gridState.scale(named: name)
        }
      },
      kept: .home,
      "Scale of the grid: one of /scales; default chromatic"),
    Address(
      "/grid/size",
      arrangement([.needed("size", .text)]) { board in
        [.string(board.gridState.grid.size.rawValue)]
      } plan: { board, request, plan throws(Refusal) in
        let word = request.text(0) ?? ""
        guard let size = Grid.Size(rawValue: word) else {
          let words = Grid.Size.allCases.map(\.rawValue).joined(separator: ", ")
          throw Refusal(.range, "/grid/size: \(quoted(word)) is not one of \(words)")
        }
        try board.changeGrid(request, into: &plan) { grid in grid.size = size }
      },
      kept: .home,
      "Size of the buttons: small (4 octaves), medium (3 1/2, default) or large (3)"),
    Address(
      "/grid/octaves",
      arrangement([
        .needed("octaves", .whole, in: 0...Double(Grid.possibleOctaves.upperBound))
      ]) { board in
        [.int32(Int32(board.gridState.grid.octaves ?? 0))]
      } plan: { board, request, plan throws(Refusal) in
        let octaves = request.whole(0) ?? 0
        try board.changeGrid(request, into: &plan) { grid in
          grid.octaves = octaves == 0 ? nil : octaves
        }
      },
      unit: "octaves", kept: .home,
      "Number of octaves; 0 fills the size"),
    Address(
      seed,
      arrangement([.needed("seed", .whole, in: GridState.possibleSeeds)]) { board in
        [.int32(board.gridState.seed)]
      } plan: { board, request, plan throws(Refusal) in
        try board.setSeed(request.whole(0) ?? 0, request, into: &plan)
      },
      kept: .home,
      "Seed of the random order"),
    Address(
      order,
      arrangement([.needed("order", .text)]) { board in
        if case .scale = board.gridState.grid.order {
          [.string("scale")]
        } else {
          [.string("random")]
        }
      } plan: { board, request, plan throws(Refusal) in
        try board.setOrder(request.text(0) ?? "", request, into: &plan)
      },
      kept: .home,
      "Order of the notes: scale (back and forth along the rows) or random (by /grid/seed)"),
    Address(
      "/grid/randomize",
      gesture([.optional("seed", .whole, in: GridState.possibleSeeds)]) {
        board, request, plan throws(Refusal) in
        // A released button.
        if request.whole(0) == 0 { return }
        try board.randomize(request.whole(0), request, into: &plan)
      },
      "Shuffles the notes by a seed, or by a new one; 0 does nothing"),
    Address(
      "/grid/names",
      arrangement([.needed("on", .whole, in: 0...1)]) { board in
        [.int32(board.gridState.showsNames ? 1 : 0)]
      } plan: { board, request, _ in
        board.gridState.showsNames = request.whole(0) == 1
        board.layoutChanged()
      },
      kept: .home,
      "1 includes note names in /grid/cell, 0 leaves them empty"),
    Address(
      "/grid/sustain", .whole(.notes(.sustain), 0...1), kept: .home,
      "Sustain pedal: 1 holds released notes"),
    Address(
      layoutPath,
      Declared.question { board, request in
        for message in GridNotifier.messages(board.gridState) {
          request.answer(on: message.path, message.arguments)
        }
      },
      "Layout of the grid: replies /grid/layout i:rows i:columns, then /grid/cell for each button; sent to subscribers of "
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
      "Starts the note of the button in a row and column, from 1; velocity 0.8 if none "
        + "is given, 0 releases it"),
    Address(
      "/grid/release",
      gesture(place) { board, request, plan in
        board.release(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, request, into: &plan)
      },
      "Releases a button, if it is touched"),
    Address(
      "/grid/slide",
      gesture(place) { board, request, plan throws(Refusal) in
        try board.slide(
          row: request.whole(0) ?? 0, column: request.whole(1) ?? 0, request, into: &plan)
      },
      "Slides the client's nearest finger to a button: one note ends and the next starts at once; touches "
        + "it if the client has none on the grid"),
    Address(
      "/grid/{row}/{column}",
      gesture(
        [.optional("velocity", .number, in: 0...1)], isButton: false
      ) { board, request, plan throws(Refusal) in
        guard request.numbers.count == 2 else {
          throw Refusal(
            .unknown, "/grid/{row}/{column} is a template; use an address such as /grid/1/3")
        }
        let (row, column) = (request.numbers[0], request.numbers[1])
        // Unlike with /grid/release, an unknown cell is an error.
        _ = try board.gridState.cell(row: row, column: column)
        try board.touch(
          row: row, column: column, velocity: request.number(0), request, into: &plan)
      },
      extents: Declared.extents { [$0.gridState.layout.rows, $0.gridState.layout.columns] },
      "Like /grid/touch with a velocity, and like /grid/release with 0; one address per button, "
        + "such as /grid/1/3; no patterns"),
  ]
}
