internal import Engine
internal import OSC

/// All loops by their numbers, of which the first is the player's, and the one that is chosen.
final class Loops: Feature {
  let context: Context
  /// The sets of loops that are kept.
  private(set) lazy var sets = LoopSets(context)
  // The one that `/loop/selected` stands for, from 0.
  private(set) var chosen = 0
  private var watches: [LoopWatch]
  // The values of the chosen one that were told last.
  private var told: [Float] = []

  init(_ context: Context) {
    self.context = context
    watches = (0..<context.engine.shared.loops.count).map(LoopWatch.init)
  }

  var workers: [Worker] { [sets.worker] }

  /// How many there are.
  var count: Int { watches.count }

  fileprivate var size: [Argument] {
    let shared = context.engine.shared
    let setup = LoopSetup(
      count: count, seconds: shared.loops.seconds, keptSeconds: shared.loops.keptSeconds)
    let bytes = setup.bytes(sampleRate: Double(shared.sampleRate))
    return [
      .int32(Int32(count)), .float(Float(setup.seconds)), .float(Float(bytes) / 1_000_000),
    ]
  }

  /// The telling of one's present state, counted from 0.
  func telling(_ index: Int) -> LoopTelling {
    LoopTelling(
      reading: context.engine.shared.loops[index].state.read(),
      rate: context.soundServer.status.rate)
  }

  /// The peaks of one's clip.
  func peaks(_ index: Int) -> [Argument] {
    var news = LoopWatch.News()
    let former = watches[index].peaks
    watches[index].followPeaks(context.engine.shared, context.now())
    news.isPicture = watches[index].peaks != former
    tell(news, of: index)
    return watches[index].peaks.map(Argument.float)
  }

  // MARK: - What happens by itself

  /// Tells of what the loops do.
  func poll(_ now: Double) -> Int? {
    var due: Int?
    for index in watches.indices {
      let news = watches[index].look(context.engine.shared, now)
      tell(news, of: index)
      due = [due, news.due].compactMap(\.self).min()
    }
    followChosen()
    return due
  }

  /// Tells news of one by all of its names.
  private func tell(_ news: LoopWatch.News, of index: Int) {
    tell(news, under: "/loop/\(index + 1)")
    if index == 0 { context[Player.self].tell(news) }
    if index == chosen { tell(news, under: Self.selected) }
  }

  private func tell(_ news: LoopWatch.News, under path: String) {
    if news.isState {
      context.changed("\(path)/state", "\(path)/history", "\(path)/next")
    }
    if news.isPosition { context.changed("\(path)/state", "\(path)/position") }
    if news.isPicture { context.changed("\(path)/peaks") }
  }

  private func followChosen() {
    let values = Parameter.Loop.allCases.map { context[.loop($0, UInt8(chosen))] }
    guard values != told else { return }
    told = values
    for value in LoopValue.all { context.changed("\(Self.selected)/\(value.name)") }
  }

  /// Chooses the one that `/loop/selected` stands for.
  fileprivate func choose(_ request: Request) throws(Refusal) {
    let number = request.whole(0) ?? 1
    guard 1...count ~= number else {
      throw Refusal(.range, "there are \(count) loops; `syrinx run --loops` gives up to 16")
    }
    chosen = number - 1
    context.changed("/loop/select")
    for name in ["state", "history", "next", "position", "peaks"] {
      context.changed("\(Self.selected)/\(name)")
    }
  }

  // MARK: - What it is asked for

  /// A command for one of them, whose refusal is answered.
  func command(_ action: Command.Action, of index: Int, _ request: Request) -> PlannedCommand {
    PlannedCommand(
      action: action,
      whenRefused: { [weak self] refusal in
        guard let self else { return }
        request.refuse(self.refusal(refusal, to: request.path, of: index))
      })
  }

  /// A refusal of one of them, in words.
  func refusal(_ refusal: EngineRefusal, to path: String, of index: Int) -> Refusal {
    let isPlayer = index == 0 && !path.hasPrefix("/loop/1/")
    return Refusal(
      refusal, to: path, of: isPlayer ? "the player" : "loop \(index + 1)",
      telling(index).reading, seconds: context.engine.shared.loops.seconds)
  }

  /// The refusal of a number that no loop has.
  func refusal(ofUnknown path: String) -> Refusal? {
    let parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "loop", let number = Int(parts[1]), !(1...count ~= number)
    else { return nil }
    return Refusal(
      .unknown,
      "there is no loop \(number), but those from 1 to \(count); `syrinx run --loops` gives up to "
        + "\(Parameter.mostLoops)")
  }

  /// Presses the pedal of one of them, or lets it go; without a number, both.
  fileprivate func press(_ index: Int, _ request: Request, _ plan: inout Plan) {
    let loop = UInt8(index)
    let down = request.number(0)
    if down != 0 {
      plan.add(command(.loop(.press, loop: loop), of: index, request), for: request)
    }
    if down ?? 0 == 0 {
      plan.add(command(.loop(.release, loop: loop), of: index, request), for: request)
    }
  }

  /// Sets a value of the one that is chosen.
  fileprivate func set(
    _ parameter: Parameter.Loop, _ request: Request, _ plan: inout Plan
  ) throws(Refusal) {
    let parameter = Parameter.loop(parameter, UInt8(chosen))
    guard let address = context.table.address(of: parameter), let argument = request.arguments[0]
    else { return }
    let value = try address.value(from: argument)
    plan.add(PlannedCommand(action: .set(parameter, value)), for: request)
  }

  fileprivate func value(_ parameter: Parameter.Loop) -> [Argument] {
    let parameter = Parameter.loop(parameter, UInt8(chosen))
    guard let address = context.table.address(of: parameter) else { return [] }
    return [address.argument(for: context[parameter])]
  }

  /// Ends what all but the player do, and empties them.
  func beginSession() {
    for index in 1..<max(1, count) {
      var ending = ["stop", "cancel"]
      if context.engine.shared.loops[index].state.read().length > 0 { ending.append("clear") }
      for name in ending { try? context.perform("/loop/\(index + 1)/\(name)", []) }
    }
  }
}

/// A value that each loop has.
struct LoopValue: Sendable {
  /// The last part of its address.
  let name: String
  /// Its parameter.
  let parameter: Parameter.Loop
  /// The kind of its address, of one of the loops.
  let kind: @Sendable (Parameter) -> Address.Kind
  var unit = ""
  var allowsZero = true
  let help: String

  /// All that there are.
  static let all: [LoopValue] = [
    LoopValue(
      name: "gain", parameter: .gain, kind: { .number($0, -90...24) }, unit: "dB",
      help: "Gain of the loop in the mix and on its stem; -90 is silence"),
    LoopValue(
      name: "pan", parameter: .pan, kind: { .number($0, -1...1) },
      help: "Place of the loop between left, -1, and right, 1"),
    LoopValue(
      name: "mute", parameter: .mute, kind: { .whole($0, 0...1) },
      help: "1 lets the loop go on unheard"),
    LoopValue(
      name: "route", parameter: .route, kind: { .choice($0, ["chain", "direct", "off"]) },
      help: "Where the loop goes: through the effects, past them, or nowhere but to its stem"),
    LoopValue(
      name: "semitones", parameter: .semitones, kind: { .number($0, -24...24) },
      unit: "semitones", help: "Pitch shift of the loop"),
    LoopValue(
      name: "rate", parameter: .rate, kind: { .number($0, 0.25...4) },
      help: "Speed of the loop, at the same pitch"),
    LoopValue(
      name: "engine", parameter: .engine, kind: { .choice($0, ["live", "voice", "studio"]) },
      help: "Engine for the loop's pitch and speed; see /pitch/engine"),
    LoopValue(
      name: "direction", parameter: .direction, kind: { .whole($0, -1...1) }, allowsZero: false,
      help: "Direction: 1 is forwards, -1 is backwards"),
    LoopValue(
      name: "loop", parameter: .loop, kind: { .whole($0, 0...1) },
      help: "1 loops the clip, 0 plays it once"),
    LoopValue(
      name: "source", parameter: .source, kind: { .choice($0, ["live", "grid", "mix"]) },
      help: "Source of a recording: the live input without effects, the grid, or all that is heard"),
    LoopValue(
      name: "quantize", parameter: .quantize,
      kind: { .choice($0, ["off", "beat", "bar", "loop"]) },
      help:
        "Quantizes the start and the end of recording, playing and adding to a beat, a bar, or a "
        + "round of the first loop that plays"),
    LoopValue(
      name: "beats", parameter: .beats, kind: { .number($0, 0...64) }, unit: "beats",
      help: "Length of a recording; 0 records until it is ended"),
    LoopValue(
      name: "threshold", parameter: .threshold, kind: { .number($0, -90...0) }, unit: "dB",
      help: "Input level at which a recording starts; -90 starts at once"),
    LoopValue(
      name: "feedback", parameter: .feedback, kind: { .number($0, 0...1) },
      help: "Feedback: how much of the loop is left under an overdub, each time round"),
    LoopValue(
      name: "after", parameter: .after, kind: { .choice($0, ["play", "overdub", "stop"]) },
      help: "What follows a recording that record or the pedal ends"),
    LoopValue(
      name: "pedal/long", parameter: .long, kind: { .choice($0, meanings) },
      help:
        "Meaning of the pedal when it is held for three quarters of a second; stop is clear where "
        + "the loop was stopped"),
    LoopValue(
      name: "pedal/double", parameter: .double, kind: { .choice($0, meanings) },
      help: "Meaning of the pedal when it is pressed twice within a third of a second"),
  ]

  private static let meanings = PedalMeaning.allCases.map { "\($0)" }
}

// MARK: - Addresses

extension Loops {
  typealias Declared = Of<Loops>

  static let selected = "/loop/selected"
  static let addresses: [Address] = addresses(LoopSetup())

  static func addresses(_ setup: LoopSetup) -> [Address] {
    let numbered = (0..<setup.count).flatMap { index in
      one(
        at: "/loop/\(index + 1)", Place(family: index == 0 ? .first : .further) { _ in index },
        seconds: Float(setup.seconds), values: values(ofLoop: index))
    }
    return numbered
      + one(
        at: selected, Place(family: .chosen) { $0.chosen }, seconds: Float(setup.seconds),
        values: valuesOfChosen) + common
  }

  /// The way to one of the loops.
  private struct Place: Sendable {
    let family: Address.Family
    let index: @Sendable (Loops) -> Int

    init(family: Address.Family, index: @escaping @Sendable (Loops) -> Int) {
      self.family = family
      self.index = index
    }
  }

  private static func values(ofLoop index: Int) -> [Address] {
    LoopValue.all.map { value in
      let parameter = Parameter.loop(value.parameter, UInt8(index))
      // An older name of the first loop is the one that its value is kept by.
      let isAlias =
        index == 0 && !["pan", "mute", "after", "pedal/long", "pedal/double"].contains(value.name)
      return Address(
        "/loop/\(index + 1)/\(value.name)", value.kind(parameter), unit: value.unit,
        allowsZero: value.allowsZero, kept: isAlias ? nil : .session,
        family: index == 0 ? .first : .further, value.help)
    }
  }

  private static var valuesOfChosen: [Address] {
    LoopValue.all.map { value in
      let parameter = value.parameter
      let forms = Address("", value.kind(.loop(parameter)), value.help).forms
      return Address(
        "\(selected)/\(value.name)",
        .value(
          Address.Value(
            forms, .feature { $0[Loops.self].value(parameter) },
            set: .planned { features, request, plan throws(Refusal) in
              try features[Loops.self].set(parameter, request, &plan)
            })),
        unit: value.unit, allowsZero: value.allowsZero, family: .chosen, value.help)
    }
  }

  private static func one(
    at path: String, _ place: Place, seconds: Float, values: [Address]
  ) -> [Address] {
    func button(_ name: String, _ action: LoopAction, _ help: String) -> Address {
      Address(
        "\(path)/\(name)",
        Declared.command(isButton: true) { loops, request in
          let index = place.index(loops)
          return loops.command(.loop(action, loop: UInt8(index)), of: index, request)
        }, family: place.family, help)
    }
    func kept(_ name: String, _ unit: String, isBars: Bool, _ help: String) -> Address {
      Address(
        "\(path)/\(name)",
        Declared.command([.needed(unit, .number, in: isBars ? 0.25...64 : 0.05...60)]) {
          loops, request in
          let index = place.index(loops)
          let amount = Float(request.number(0) ?? 0)
          return loops.command(
            .keep(amount, isBars: isBars, loop: UInt8(index)), of: index, request)
        }, unit: unit, family: place.family, help)
    }
    func reading(
      _ name: String, _ types: String, _ help: String,
      _ read: @escaping @Sendable (Loops, Int) -> [Argument]
    ) -> Address {
      Address(
        "\(path)/\(name)",
        Declared.reading(types: types, isAnnounced: true) { read($0, place.index($0)) },
        family: place.family, help)
    }
    return [
      button(
        "record", .recordOn,
        "Starts recording, and ends it, whereupon comes what after says; resumes after a pause"),
      button("play", .play, "Plays the loop; again, it pauses; while it is recorded, that ends"),
      button("pause", .pause, "Pauses playing or recording; again, it resumes"),
      button("stop", .stop, "Stops playing or recording, and goes to the beginning"),
      button("overdub", .overdub, "Adds the source to the loop; again, it ends that"),
      button("replace", .replace, "Records the source over the loop; again, it ends that"),
      button(
        "substitute", .substitute,
        "Records the source over the loop, of which the former round is heard; again, it ends that"),
      button(
        "multiply", .multiply,
        "Repeats the loop under what is added; again, it ends with the round"),
      button(
        "insert", .insert,
        "Records the source between what was and what comes; again, the loop goes on there"),
      button("once", .once, "Plays the loop once, from its beginning to its end"),
      button("undo", .undo, "Undoes the last step"),
      button("redo", .redo, "Redoes the step that was undone last"),
      button("clear", .clear, "Clears the loop; undo brings it back"),
      button("cancel", .cancel, "Cancels what waits for its beat or for sound"),
      kept(
        "keep", "bars", isBars: true,
        "Makes a loop of the last so many bars of its source, as if they had been recorded"),
      kept(
        "keepSeconds", "s", isBars: false,
        "Makes a loop of the last so many seconds of its source"),
      Address(
        "\(path)/pedal",
        Declared.gesture([.optional("down", .number, in: 0...127)]) { loops, request, plan in
          loops.press(place.index(loops), request, &plan)
        }, family: place.family,
        "One button for all, 0 lets it go: records, plays, adds, plays, and so on; held or pressed "
          + "twice, what pedal/long and pedal/double say"),
    ] + values + [
      Address(
        "\(path)/position",
        Declared.place(in: 0...seconds) { loops in
          loops.telling(place.index(loops)).position
        } make: { loops, seconds, request in
          let index = place.index(loops)
          return loops.command(.seek(seconds, loop: UInt8(index)), of: index, request)
        },
        unit: "s", family: place.family, "Position in the clip; a number goes there"),
      reading(
        "state", "sffis",
        "State of the loop, position and length in seconds, number of overdubs, and the state that "
          + "waits for its beat or for sound; as /loop/state"
      ) { $0.telling($1).loop },
      reading("history", "ii", "Number of steps that can be undone, and redone") {
        $0.telling($1).steps
      },
      reading(
        "next", "sf",
        "What waits for its beat or for sound, and for how many seconds; -1 where that is unknown"
      ) { $0.telling($1).waiting },
      reading("peaks", "f…", "Peaks of 256 equal parts of the clip, as /loop/peaks") {
        $0.peaks($1)
      },
      Address(
        "\(path)/save",
        Declared.task([.optional("title", .text)]) { loops, request throws(Refusal) in
          try loops.context[Takes.self].save(request, loop: place.index(loops))
        }, family: place.family, "Saves the loop as a take, as /take/save does"),
      Address(
        "\(path)/load",
        Declared.task([.needed("take", .text)]) { loops, request throws(Refusal) in
          try loops.context[Takes.self].load(request, loop: place.index(loops))
        }, family: place.family, "Loads a take into the loop, as /take/load does"),
    ]
  }

  private static let common: [Address] =
    [
      Address(
        "/loop/select",
        Declared.setting([.whole(in: 1...Parameter.mostLoops)]) {
          [.int32(Int32($0.chosen + 1))]
        } write: { loops, request throws(Refusal) in
          try loops.choose(request)
        },
        "Selects the loop that /loop/selected/… stands for"),
      Address(
        "/loops/size",
        Declared.reading(types: "iff", isAnnounced: true) {
          $0.size
        },
        "Number of loops, the length of the longest clip in seconds, and the memory of all with what "
          + "was last heard in MB; --loops and --loop-seconds set them"),
    ] + LoopSets.addresses
}
