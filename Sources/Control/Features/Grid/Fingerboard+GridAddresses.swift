internal import Engine
internal import Music
internal import OSC

extension Fingerboard {
  typealias Declared = Declaring<Fingerboard>

  typealias Form = Address.Form

  static let addresses = ofTheGrid + ofTheScales + ofTheNotes

  /// A method that plans the effects of a request.
  typealias Method = @Sendable (Fingerboard) -> (Request, inout Plan) throws(Refusal) -> Void

  /// A performance gesture, undone if its packet is refused.
  static func gesture(
    _ forms: [Form] = [], isButton: Bool = false, _ plan: @escaping Method
  ) -> Address.Kind {
    Declared.gesture(forms, isButton: isButton, undone(plan))
  }

  /// A setting that affects later gestures, undone if its packet is refused.
  static func setting<Value: ArgumentConvertible>(
    _ path: String, _ forms: Form..., property: Declared.Property<Value>,
    _ plan: @escaping Method, unit: String = "", kept: Kept = .home, _ help: String
  ) -> Address {
    Address(
      path, Declared.arrangement(forms, property, plan: undone(plan)), unit: unit, kept: kept, help)
  }

  private static func undone(_ plan: @escaping Method) -> Declared.Planner {
    { board, request, planned throws(Refusal) in
      board.registerUndo(&planned)
      try plan(board)(request, &planned)
    }
  }

  // The grid itself checks the range.
  private static let anywhere = -1_000_000.0...1_000_000.0
  private static let place: [Form] = [
    .needed("row", .whole, in: anywhere), .needed("column", .whole, in: anywhere),
  ]

  // Paths used by other types.
  static let (layoutPath, scale, tuning, seed, order) = (
    "/grid/layout", "/grid/scale", "/grid/tuning", "/grid/seed", "/grid/order"
  )
  static let cell = Event(
    "/grid/cell", "iisi",
    "Reply to /grid/layout: row, column, name and MIDI note of a button")
  static let lit = Event(
    "/grid/lit", "iif",
    "A sounding button, sent to subscribers: row, column and level, 0 when it ends")

  /// The grid of buttons that play a scale.
  static let ofTheGrid: [Address] = [
    setting(
      "/grid/root", .optional("name", .text), .optional("number", .whole, in: 0...127),
      property: \.gridState.rootName, Fingerboard.setRoot,
      "Root of the scale: A to G, with # or b, 0 (C) to 11 (B), or a MIDI note; default A"),
    setting(
      tuning, .needed("file", .text),
      property: \.gridState.tuningFile, Fingerboard.setTuning,
      "Tuning from a Scala file (.scl) in the data directory; an empty name is twelve-tone equal "
        + "semitones"),
    setting(
      "/grid/reference", .needed("frequency", .number, in: GridState.possibleReferences),
      property: \.gridState.grid.tuning.referenceHz, Fingerboard.setReference, unit: "Hz",
      "Frequency of A4; default 440"),
    setting(
      scale, .needed("name", .text), property: \.gridState.grid.scale.name, Fingerboard.setScale,
      "Scale of the grid: one of /scales; default chromatic"),
    setting(
      "/grid/size", .needed("size", .text),
      property: \.gridState.grid.size.rawValue, Fingerboard.setSize,
      "Size of the buttons: small (4 octaves), medium (3 1/2, default) or large (3)"),
    setting(
      "/grid/octaves", .needed("octaves", .whole, in: 0...Double(Grid.possibleOctaves.upperBound)),
      property: \.gridState.octaves, Fingerboard.setOctaves, unit: "octaves",
      "Number of octaves; 0 fills the size"),
    setting(
      seed, .needed("seed", .whole, in: GridState.possibleSeeds),
      property: \.gridState.seed, Fingerboard.setSeed,
      "Seed of the random order"),
    setting(
      order, .needed("order", .text), property: \.gridState.orderName, Fingerboard.setOrder,
      "Order of the notes: scale (back and forth along the rows) or random (by /grid/seed)"),
    Address(
      "/grid/randomize",
      gesture([.optional("seed", .whole, in: GridState.possibleSeeds)], Fingerboard.randomize),
      "Shuffles the notes by a seed, or by a new one; 0 does nothing"),
    setting(
      "/grid/names", .needed("on", .whole, in: 0...1),
      property: \.gridState.showsNames, Fingerboard.showNames,
      "1 includes note names in /grid/cell, 0 leaves them empty"),
    Address(
      "/grid/sustain", .whole(.notes(.sustain), 0...1), kept: .home,
      "Sustain pedal: 1 holds released notes"),
    Address(
      layoutPath, Declared.question([], Fingerboard.replyLayout),
      "Layout of the grid: replies /grid/layout i:rows i:columns, then /grid/cell for each button; sent to subscribers of "
        + "either when it changes"),
    Address(cell), Address(lit),
    Address(
      "/grid/touch",
      gesture(place + [.optional("velocity", .number, in: 0...1)], Fingerboard.touch),
      "Starts the note of the button in a row and column, from 1; velocity 0.8 if none "
        + "is given, 0 releases it"),
    Address(
      "/grid/release", gesture(place, Fingerboard.release),
      "Releases a button, if it is touched"),
    Address(
      "/grid/slide", gesture(place, Fingerboard.slide),
      "Slides the client's nearest finger to a button: one note ends and the next starts at once; touches "
        + "it if the client has none on the grid"),
    Address(
      "/grid/{row}/{column}",
      gesture([.optional("velocity", .number, in: 0...1)], Fingerboard.touchNumbered),
      extents: Declared.extents { [$0.gridState.layout.rows, $0.gridState.layout.columns] },
      "Like /grid/touch with a velocity, and like /grid/release with 0; one address per button, "
        + "such as /grid/1/3; no patterns"),
  ]
}
