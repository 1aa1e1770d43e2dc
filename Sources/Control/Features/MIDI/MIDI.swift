internal import Engine
internal import Library
internal import OSC

/// MIDI keyboards, synthesizers, controllers and pedals.
package final class MIDI: Feature {
  /// The key maps in the audio thread, and those on their way there.
  let keyMaps: Handover<KeyMap>
  let context: Context
  let bindings: Bindings

  init(_ context: Context) {
    self.context = context
    keyMaps = Handover(context)
    bindings = Bindings(context)
  }

  /// Polls controllers and pedals.
  func poll(_ now: Double) -> Int? { bindings.poll(now) }

  /// Removes all bindings.
  func beginSession() { bindings.forgetAll() }

  // MARK: - Keys

  /// Sets the pitches of keys.
  ///
  /// A held key keeps its pitch.
  func setKeyMap(_ map: KeyMap) throws(Refusal) {
    try keyMaps.send(map, by: .keyMap(map.pointer))
  }

  /// Presses or releases a key of a pedal that acts as a keyboard, by its Linux code.
  package func press(key: Int, isDown: Bool) {
    guard let number = UInt16(exactly: key), key < Trigger.keys else { return }
    // If the command queue is full, the press is lost.
    try? context.submit([PlannedCommand(action: .key(number, isDown: isDown))], path: "/midi/learn")
  }

  // MARK: - Binding

  /// Waits for a trigger to bind to an address, or binds a controller immediately.
  fileprivate func learn(_ request: Request) throws(Refusal) {
    var arguments = request.arguments.dropFirst().compactMap { $0 }
    if arguments.count == 1, let controller = Self.controller(arguments[0]) {
      let wish = try wish(request.text(0) ?? "", [], nil, request)
      guard 0...127 ~= controller, let trigger = Trigger(.controller, Int(controller)) else {
        throw Refusal(
          .range,
          "\(request.path): controller \(controller) is out of range (0 to 127)")
      }
      bindings.bind(wish.binding(to: trigger, channel: nil), for: request)
      return
    }
    let press = Self.takePress(&arguments)
    bindings.learn(try wish(request.text(0) ?? "", arguments, press, request))
  }

  /// The number of a controller, if the only argument is a whole number.
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

  /// Checks an address and arguments for a binding.
  private func wish(
    _ wanted: String, _ arguments: [Argument], _ press: Binding.Press?, _ request: Request
  ) throws(Refusal) -> Bindings.Wish {
    let (address, path) = try resolve(wanted)
    if Bindings.barred.contains(path) {
      throw Refusal(
        .denied, "\(path): can't be mapped, since an accidental press would end the node")
    }
    try bindings.checkRoom(for: path)
    var sending: Binding.Sending?
    if press != nil || !arguments.isEmpty {
      sending = try address.sending(arguments, at: path, list: PressHandler.lists[path])
    } else {
      guard address.argument(turnedTo: 0) != nil || address.isPressed else {
        throw Refusal(
          .type,
          "\(path): can't be mapped to a range; missing the argument to send on a press, "
            + "after the address; expected \(address.usage)")
      }
    }
    return Bindings.Wish(
      path: path, address: address, sending: sending, press: press, request: request)
  }

  private func resolve(_ wanted: String) throws(Refusal) -> (address: Address, path: String) {
    guard let (address, path) = context.table.bindable(wanted) else {
      guard context.table[wanted] != nil else { throw context.dispatcher.unknown(wanted) }
      throw Refusal(.type, "\(wanted) is a template; use an address such as /grid/1/3")
    }
    return (address, path)
  }

  /// Binds a named trigger to an address.
  fileprivate func bind(_ request: Request) throws(Refusal) {
    let (trigger, channel) = try Self.trigger(request.text(0) ?? "")
    var arguments = request.arguments.dropFirst(2).compactMap { $0 }
    let press = Self.takePress(&arguments)
    let wish = try wish(request.text(1) ?? "", arguments, press, request)
    bindings.bind(try Self.binding(wish, to: trigger, channel), besideOthers: true, for: request)
  }

  private static func trigger(
    _ text: String
  ) throws(Refusal) -> (trigger: Trigger, channel: UInt8?) {
    guard let found = Trigger.parse(text) else {
      throw Refusal(.type, "\(quoted(text)) is not a trigger; expected \(Trigger.usage)")
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
        "\(wish.path): missing the argument to send on a press, after the address")
    }
    if binding.sending == .toggle, wish.address.ends == nil {
      throw Refusal(.type, "\(wish.path): more than two values, so a press can't toggle it")
    }
    if binding.press == .long, trigger.kind == .program {
      throw Refusal(.type, "a program change has no release, so it can't be long")
    }
    return binding
  }

  /// Removes the bindings of an address, or those of one press.
  fileprivate func forget(_ request: Request) throws(Refusal) {
    let wanted = request.text(0) ?? ""
    let path = context.table.resolve(wanted)?.path ?? wanted
    let press = try request.text(1).map { word throws(Refusal) -> Binding.Press in
      guard let press = Binding.Press(rawValue: word) else {
        throw Refusal(
          .range,
          "\(request.path): unknown press, expected one of "
            + "\(Binding.Press.allCases.map(\.rawValue).joined(separator: ", ")); got "
            + quoted(word))
      }
      return press
    }
    guard bindings.forget(path, press, for: request) else {
      let what = press.map { "no \($0.rawValue) press" } ?? "no controller"
      throw Refusal(.missing, "\(what) is bound to \(quoted(path)); \(Self.bindings) lists all")
    }
  }

  /// Replies with all bindings, then their number.
  fileprivate func listBindings(_ request: Request) {
    request.answer(bindings.all, Self.binding, end: Self.endOfBindings, row: Bindings.row)
  }

  // MARK: - Lights

  /// Binds an address to the LED of a trigger that does not press it.
  fileprivate func light(_ request: Request) throws(Refusal) {
    var arguments = request.arguments.dropFirst().compactMap { $0 }
    guard let name = arguments.popLast()?.text else {
      throw Refusal(
        .type, "\(request.path): missing trigger after the address; expected \(Trigger.usage)")
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
      throw Refusal(.type, "a \(trigger.word) has no LED; expected a note or a controller")
    }
    try bindings.checkRoom(for: path)
    if path == Tuner.path {
      guard arguments.count == 1, PedalLightTable.tunerWords.contains(arguments[0].text ?? "")
      else {
        throw Refusal(
          .type,
          "\(path): missing the LED, expected one of \(PedalLightTable.tunerWords.joined(separator: ", "))"
        )
      }
    } else if !arguments.isEmpty {
      _ = try address.sending(arguments, at: path, list: PressHandler.lists[path])
    }
    let binding = Binding(
      path: path, sending: arguments.isEmpty ? .nothing : .arguments(arguments), press: .light,
      trigger: trigger, channel: channel)
    guard bindings.hasLight(binding) else {
      throw Refusal(.type, "\(path): missing the value at which the LED is lit")
    }
    return binding
  }

  // MARK: - Presets

  private var folders: [String] {
    [context.setup.home, context.setup.presets.shipped].compactMap { $0.map { "\($0)/pedals" } }
  }

  /// Loads all bindings of a controller preset, or none.
  fileprivate func loadPedal(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    let (file, path) = try PedalFile.read(name, in: folders)
    var bound: [Binding] = []
    // Bindings of loops beyond the current number are ignored.
    for line in file.lines
    where context.table.resolve(line.path) != nil || AddressTable.widest[line.path] == nil {
      try refusing("\(path):\(line.number): ") { () throws(Refusal) in
        if line.press == .light {
          bound.append(try light(line.path, line.arguments, line.trigger, line.channel))
        } else {
          let wish = try wish(line.path, line.arguments, line.press, request)
          bound.append(try Self.binding(wish, to: line.trigger, line.channel))
        }
      }
    }
    bindings.load(bound, values: file.values, for: request)
    request.done(name)
  }
}

// MARK: - Addresses

extension MIDI {
  typealias Declared = Declaring<MIDI>

  static let bindings = "/midi/bindings"
  static let lights = "/midi/lights"
  static let learnt = Event(
    "/midi/learnt", "sissss",
    "New binding of s:address: i:number and s:kind of the trigger (controller, "
      + "note, program, key), s:press (turn, hold, short, long, double, light), s:argument, "
      + "s:trigger")
  private static let binding = Event(
    "/midi/binding", "sissss", "Reply to /midi/bindings, with the arguments of /midi/learnt")
  private static let endOfBindings = Event(
    "/midi/bindings/end", "i", "End of the replies to /midi/bindings: number of bindings")

  private static let target = Address.Form.needed("address", .text)

  static let addresses: [Address] = [
    Address(
      "/midi/snap", .whole(.notes(.snap), 0...1), kept: .home,
      "1 snaps keys to the scale: others play the nearest note, the "
        + "lower of two; 0 plays them unchanged"),
    Address(
      "/midi/bend", .number(.notes(.bend), 0...24), unit: "semitones", kept: .home,
      "Pitch bend range"),
    Address(
      "/midi/channel", .whole(.notes(.channel), 1...16), kept: .home,
      "MIDI channel of the output; the input accepts all channels"),
    Address(
      "/settings/press/long", .number(.press(.long), 0.2...2), unit: "s", kept: .home,
      "Duration of a long press"),
    Address(
      "/settings/press/double", .number(.press(.double), 0.1...1), unit: "s", kept: .home,
      "Longest time between the presses of a double press"),
    Address(
      "/midi/learn",
      Declared.task([target, .rest(ofAnyType: "argument")], end: learnt.path, MIDI.learn),
      "Binds the address to the next press or movement, with the argument to send, toggle, next "
        + "or previous, and short, long or double; a single whole number is a controller; replies "
        + "/midi/learnt"),
    Address(
      "/midi/bind",
      Declared.task(
        [.needed("trigger", .text), target, .rest(ofAnyType: "argument")], end: learnt.path,
        MIDI.bind),
      "Binds a trigger, such as note:60, controller:7, program:3 or key:KEY_A, to the address, with "
        + "argument and press like /midi/learn; replies /midi/learnt"),
    Address(
      "/midi/forget", Declared.action([target, .optional("press", .text)], MIDI.forget),
      "Removes all bindings of the address, or those of one press, and stops "
        + "waiting for a trigger"),
    Address(
      bindings,
      Declared.action([], MIDI.listBindings),
      kept: Declared.kept(.home) { midi in
        midi.bindings.text
      } restore: { midi, text in
        midi.bindings.restore(text)
        return []
      },
      "Lists all bindings: replies /midi/binding for each, then /midi/bindings/end i:count"),
    Address(
      lights,
      Declared.setting([.whole(in: 0...1)], \.bindings.areLightsOn) { midi, request in
        midi.bindings.areLightsOn = request.whole(0) == 1
        midi.bindings.sendLightsAgain()
      },
      kept: .home,
      "1 sends LEDs to pedals on midi_out (steady: active, blinking: queued); setting it again resends "
        + "all"),
    Address(
      "/midi/light",
      Declared.task([target, .rest(ofAnyType: "argument")], end: learnt.path, MIDI.light),
      "Shows the address on the LED of a trigger, the last argument; before it comes the value "
        + "at which it is lit, or flat, tune or sharp for /tuner"),
    Address(
      "/midi/pedal", Declared.task([.needed("name", .text)], MIDI.loadPedal),
      "Loads a controller preset, replacing the bindings of its triggers, then replies /reply"),
    Address(
      "/midi/pedals",
      Declared.reading("s…", isAnnounced: false) { midi in
        PedalFile.names(in: midi.folders).map(Argument.string)
      },
      "Names of the controller presets, including those in the folder pedals of the data directory"),
    Address(learnt), Address(binding), Address(endOfBindings),
  ]
}
