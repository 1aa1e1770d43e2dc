internal import Engine
internal import Library
internal import OSC

/// Keyboards, synthesizers and pedals: what their keys sound, what their controllers turn, and what is
/// pressed by foot.
final class MIDI: Feature {
  /// The pitches of a keyboard's keys that the audio thread has, and those on their way to it.
  private(set) var keyMaps: [KeyMap] = []
  let context: Context
  let bindings: Bindings

  init(_ context: Context) {
    self.context = context
    bindings = Bindings(context)
  }

  /// Follows the controllers and the pedals.
  func poll(_ now: Double) -> Int? { bindings.poll(now) }

  /// Lets all controllers and pedals go.
  func beginSession() { bindings.forgetAll() }

  // MARK: - Keys

  /// Lets the keys of a keyboard sound at other pitches from now on, in cents above MIDI key 0: one
  /// for each of the 128 keys where they snap to the scale, and one where they don't.
  ///
  /// A key that is held goes on as it began.
  func setKeyMap(snapped: [Float], own: [Float]) throws(Refusal) {
    let map = KeyMap(snapped: snapped, own: own)
    let command = PlannedCommand(
      action: .keyMap(map.pointer),
      whenDone: { [weak self] in
        // The audio thread has let all go that came before.
        guard let self, let place = keyMaps.firstIndex(where: { $0 === map }) else { return }
        keyMaps.removeFirst(place)
      })
    keyMaps.append(map)
    do throws(Refusal) {
      try context.submit([command])
    } catch {
      keyMaps.removeLast()
      throw error
    }
  }

  // MARK: - Binding

  /// Waits for a trigger, to bind it to an address; or binds a controller at once.
  fileprivate func learn(_ request: Request) throws(Refusal) {
    var arguments = request.arguments.dropFirst().compactMap { $0 }
    if arguments.count == 1, let controller = Self.controller(arguments[0]) {
      let wish = try wish(request.text(0) ?? "", [], nil, request)
      guard 0...127 ~= controller, let trigger = Trigger(.controller, Int(controller)) else {
        throw Refusal(
          .range,
          "\(request.path) takes a whole number from 0 to 127 as its controller; got \(controller)")
      }
      bindings.bind(wish.binding(to: trigger, channel: nil), for: request)
      return
    }
    let press = Self.takePress(&arguments)
    bindings.learn(try wish(request.text(0) ?? "", arguments, press, request))
  }

  /// The number of a controller that is meant by a single argument: a whole number, and no other.
  private static func controller(_ argument: Argument) -> Int64? {
    switch argument {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    default: nil
    }
  }

  private static func takePress(_ arguments: inout [Argument]) -> Binding.Press? {
    guard let word = arguments.last?.text, let press = Binding.Press(rawValue: word),
      Binding.Press.words.contains(press)
    else { return nil }
    arguments.removeLast()
    return press
  }

  /// What is to be bound to an address, or why it can't be.
  private func wish(
    _ wanted: String, _ arguments: [Argument], _ press: Binding.Press?, _ request: Request
  ) throws(Refusal) -> Bindings.Wish {
    let (address, path) = try resolve(wanted)
    if Bindings.barred.contains(path) {
      throw Refusal(
        .denied, "\(path) can't be learnt: a controller touched by chance would end the node")
    }
    guard bindings.hasRoom(for: path) else {
      throw Refusal(
        .busy, "\(Bindings.most) addresses are bound already, as many as can; /midi/forget one")
    }
    var sending: Binding.Sending?
    if press != nil || !arguments.isEmpty {
      sending = try address.sending(arguments, at: path, list: Bindings.lists[path])
    } else {
      guard address.argument(turnedTo: 0) != nil || address.isPressed else {
        throw Refusal(
          .type,
          "\(path) takes \(address.usage), and can't be turned by a controller; name the argument "
            + "that a press sends, behind the address")
      }
    }
    return Bindings.Wish(
      path: path, address: address, sending: sending, press: press, request: request)
  }

  private func resolve(_ wanted: String) throws(Refusal) -> (address: Address, path: String) {
    guard let (address, path) = context.table.bindable(wanted) else {
      guard context.table[wanted] != nil else { throw context.unknown(wanted) }
      throw Refusal(.type, "\(wanted) stands for many addresses; name one of them, as /grid/1/3")
    }
    return (address, path)
  }

  /// Binds a trigger that is named to an address.
  fileprivate func bind(_ request: Request) throws(Refusal) {
    let (trigger, channel) = try Self.trigger(request.text(0) ?? "")
    var arguments = request.arguments.dropFirst(2).compactMap { $0 }
    let press = Self.takePress(&arguments)
    let wish = try wish(request.text(1) ?? "", arguments, press, request)
    bindings.bind(
      try Self.binding(wish, to: trigger, channel), besideOthers: true, for: request)
  }

  private static func trigger(
    _ text: String
  ) throws(Refusal) -> (trigger: Trigger, channel: UInt8?) {
    guard let found = Trigger.parse(text) else {
      throw Refusal(.type, "\(quoted(text)) is no trigger; one is \(Trigger.usage)")
    }
    return found
  }

  private static func binding(
    _ wish: Bindings.Wish, to trigger: Trigger, _ channel: UInt8?
  ) throws(Refusal) -> Binding {
    let binding = wish.binding(to: trigger, channel: channel)
    if binding.press == .turn, trigger.kind != .controller {
      throw Refusal(
        .type,
        "\(wish.path) is turned by a controller; for a press name the argument that it sends, behind "
          + "the address")
    }
    if binding.sending == .toggle, wish.address.ends == nil {
      throw Refusal(.type, "\(wish.path) has more than two values")
    }
    if binding.press == .long, trigger.kind == .program {
      throw Refusal(
        .type, "a program change is never long: nothing says when the foot is lifted")
    }
    return binding
  }

  /// Lets nothing press or turn an address, or not by one kind of press.
  fileprivate func forget(_ request: Request) throws(Refusal) {
    let wanted = request.text(0) ?? ""
    let path = context.table.resolve(wanted)?.path ?? wanted
    let press = try request.text(1).map { word throws(Refusal) -> Binding.Press in
      guard let press = Binding.Press(rawValue: word) else {
        throw Refusal(
          .range,
          "\(request.path) takes one of "
            + "\(Binding.Press.allCases.map(\.rawValue).joined(separator: ", ")) as its press; got "
            + quoted(word))
      }
      return press
    }
    guard bindings.forget(path, press, for: request) else {
      let what = press.map { "no \($0.rawValue) press" } ?? "no controller"
      throw Refusal(
        .missing, "\(what) is bound to \(quoted(path)); \(Self.bindings) lists all")
    }
  }

  /// Answers with all that is bound, and how much that is.
  fileprivate func tellBindings(_ request: Request) {
    for binding in bindings.all { request.answer(Self.binding, Bindings.row(binding)) }
    request.answer(Self.endOfBindings, [.int32(Int32(bindings.all.count))])
  }

  // MARK: - Lights

  /// Gives an address the light of a trigger that does not press it.
  fileprivate func light(_ request: Request) throws(Refusal) {
    var arguments = request.arguments.dropFirst().compactMap { $0 }
    guard let name = arguments.popLast()?.text else {
      throw Refusal(.type, "\(request.path) takes a trigger behind the address: \(Trigger.usage)")
    }
    let (trigger, channel) = try Self.trigger(name)
    bindings.bind(
      try light(request.text(0) ?? "", arguments, trigger, channel), besideOthers: true,
      for: request)
  }

  private func light(
    _ wanted: String, _ arguments: [Argument], _ trigger: Trigger, _ channel: UInt8?
  ) throws(Refusal) -> Binding {
    let (address, path) = try resolve(wanted)
    guard trigger.hasLight else {
      throw Refusal(.type, "a \(trigger.word) has no light; a note or a controller has")
    }
    guard bindings.hasRoom(for: path) else {
      throw Refusal(
        .busy, "\(Bindings.most) addresses are bound already, as many as can; /midi/forget one")
    }
    if path == Tuner.path {
      guard arguments.count == 1, PedalLightTable.tunerWords.contains(arguments[0].text ?? "")
      else {
        throw Refusal(
          .type, "\(path) has three lights: \(PedalLightTable.tunerWords.joined(separator: ", "))")
      }
    } else if !arguments.isEmpty {
      _ = try address.sending(arguments, at: path, list: Bindings.lists[path])
    }
    let binding = Binding(
      path: path, sending: arguments.isEmpty ? .nothing : .arguments(arguments), press: .light,
      trigger: trigger, channel: channel)
    guard bindings.hasLight(binding) else {
      throw Refusal(.type, "\(path) has no light; name the value at which it is lit")
    }
    return binding
  }

  // MARK: - Ready maps

  private var folders: [String] {
    [context.setup.home, context.setup.presets.shipped].compactMap { $0.map { "\($0)/pedals" } }
  }

  /// Binds all of a pedal that a file tells of, or nothing.
  fileprivate func loadPedal(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    let (file, path) = try PedalFile.read(name, in: folders)
    var bound: [Binding] = []
    // What is of more loops than there are now is left out.
    for line in file.lines
    where context.table.resolve(line.path) != nil || AddressTable.widest[line.path] == nil {
      do throws(Refusal) {
        if line.press == .light {
          bound.append(try light(line.path, line.arguments, line.trigger, line.channel))
        } else {
          let wish = try wish(line.path, line.arguments, line.press, request)
          bound.append(try Self.binding(wish, to: line.trigger, line.channel))
        }
      } catch {
        throw Refusal(error.code, "\(path):\(line.number): \(error.message)")
      }
    }
    bindings.load(bound, values: file.values, for: request)
    request.done(name)
  }
}

// MARK: - Addresses

extension MIDI {
  typealias Declared = Of<MIDI>

  static let bindings = "/midi/bindings"
  static let lights = "/midi/lights"
  static let learnt = Event(
    "/midi/learnt", "sissss",
    "Tells what is bound to s:address from now on: i:number and s:kind of a trigger (controller, "
      + "note, program, key), s:press (turn, hold, short, long, double, light), s:argument, "
      + "s:trigger")
  private static let binding = Event(
    "/midi/binding", "sissss", "One of the answers to /midi/bindings, as /midi/learnt")
  private static let endOfBindings = Event(
    "/midi/bindings/end", "i", "The end of the answer to /midi/bindings")

  static let addresses: [Address] = [
    Address(
      "/midi/snap", .whole(.notes(.snap), 0...1), kept: .home,
      "1 snaps a keyboard's keys to the scale: those between its notes play the nearest, the "
        + "lower of two as near; 0 plays them as they are"),
    Address(
      "/midi/bend", .number(.notes(.bend), 0...24), unit: "semitones", kept: .home,
      "Range of a keyboard's pitch wheel, either way"),
    Address(
      "/midi/channel", .whole(.notes(.channel), 1...16), kept: .home,
      "MIDI channel of the notes that go out; those that come in are taken on all"),
    Address(
      "/settings/press/long", .number(.press(.long), 0.2...2), unit: "s", kept: .home,
      "Duration of a long press"),
    Address(
      "/settings/press/double", .number(.press(.double), 0.1...1), unit: "s", kept: .home,
      "Longest time between the presses of a double press"),
    Address(
      "/midi/learn",
      Declared.task(
        [.needed("address", .text), .rest(ofAnyType: "argument")], end: learnt.path
      ) { midi, request throws(Refusal) in
        try midi.learn(request)
      },
      "Binds the address to what is pressed or turned next, with the argument to send, toggle, next "
        + "or previous, and short, long or double; a whole number alone is a controller; answers "
        + "/midi/learnt"),
    Address(
      "/midi/bind",
      Declared.task(
        [.needed("trigger", .text), .needed("address", .text), .rest(ofAnyType: "argument")],
        end: learnt.path
      ) { midi, request throws(Refusal) in
        try midi.bind(request)
      },
      "Binds a trigger, as note:60, controller:7, program:3 or key:KEY_A, to the address, with the "
        + "argument and the press as /midi/learn; answers /midi/learnt"),
    Address(
      "/midi/forget",
      Declared.action(
        [.needed("address", .text), .optional("press", .text)]
      ) { midi, request throws(Refusal) in
        try midi.forget(request)
      },
      "Unbinds the address from all that presses and turns it, or from one press alone, and stops "
        + "waiting for one"),
    Address(
      bindings,
      Declared.action { midi, request in midi.tellBindings(request) },
      kept: Declared.kept(.home) { midi in
        midi.bindings.text
      } restore: { midi, text in
        midi.bindings.restore(text)
        return []
      },
      "Answers /midi/binding for each that is bound, then /midi/bindings/end i:count"),
    Address(
      lights,
      Declared.setting([.whole(in: 0...1)]) { midi in
        [.int32(midi.bindings.areLightsOn ? 1 : 0)]
      } write: { midi, request in
        midi.bindings.areLightsOn = request.whole(0) == 1
        midi.bindings.sendLightsAgain()
      },
      kept: .home,
      "1 sends pedals their lights on midi_out: steady is, blinking will be; again, it sends all of "
        + "them anew"),
    Address(
      "/midi/light",
      Declared.task(
        [.needed("address", .text), .rest(ofAnyType: "argument")], end: learnt.path
      ) { midi, request throws(Refusal) in
        try midi.light(request)
      },
      "Shows the address by the light of the trigger that is named last; before that comes the value "
        + "at which it is lit, and flat, tune or sharp for /tuner"),
    Address(
      "/midi/pedal",
      Declared.task([.needed("name", .text)]) { midi, request throws(Refusal) in
        try midi.loadPedal(request)
      },
      "Binds all of a pedal as a ready map says, in the place of what was bound to its triggers, "
        + "then answers /reply"),
    Address(
      "/midi/pedals",
      Declared.reading(types: "s…", isAnnounced: false) { midi in
        PedalFile.names(in: midi.folders).map(Argument.string)
      },
      "Answers with the names of the ready maps for pedals, of those in the home folder's folder "
        + "pedals, too"),
    Address(learnt), Address(binding), Address(endOfBindings),
  ]
}

extension Node {
  /// Presses a key of a pedal that speaks as a keyboard, by Linux's number of it, or lets it go.
  package func press(key: Int, isDown: Bool) {
    context[MIDI.self].press(key: key, isDown: isDown)
  }
}

extension MIDI {
  /// Presses a key of a pedal that speaks as a keyboard, or lets it go.
  fileprivate func press(key: Int, isDown: Bool) {
    guard let number = UInt16(exactly: key), key < Trigger.keys else { return }
    // Where too much is under way it is as if nobody had pressed it.
    try? context.submit([PlannedCommand(action: .key(number, isDown: isDown))], path: "/midi/learn")
  }
}
