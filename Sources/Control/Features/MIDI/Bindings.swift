internal import Engine
internal import OSC

/// The bindings of pedals and controllers to the addresses that they press and turn.
final class Bindings {
  /// The addresses that nothing is bound to: a hand that slips must not end the node.
  static let barred: Set = ["/quit"]
  /// The number of bindings that there can be: addresses that stand for many have no end.
  static let most = 512
  // The most that one press does on its frame; what is beyond that comes a little later.
  private static let mostDirect = 16
  // How often to look, in milliseconds: while something is turned, while something may be pressed
  // that only the control side can follow, and else.
  private static let busyMilliseconds = 5
  private static let idleMilliseconds = 20
  private static let busyMicroseconds = 1_000_000.0

  /// An address that waits for what it is to be bound to.
  struct Wish {
    let path: String
    let address: Address
    /// The arguments that a press is to send; nil where nothing was said, nor a press named.
    let sending: Binding.Sending?
    let press: Binding.Press?
    let request: Request

    // Every kind of trigger can be pressed; only a controller turns.
    fileprivate var kinds: UInt8 {
      let isForAll =
        sending != nil || address.isPressed || address.isHeld || address.ends != nil
      return isForAll ? 0b1111 : 1 << Trigger.Kind.controller.rawValue
    }

    /// The binding of the address to a trigger.
    func binding(to trigger: Trigger, channel: UInt8?) -> Binding {
      func bound(_ press: Binding.Press, _ sending: Binding.Sending) -> Binding {
        Binding(path: path, sending: sending, press: press, trigger: trigger, channel: channel)
      }
      if let sending { return bound(press ?? .short, sending) }
      if address.isPressed { return bound(.short, .nothing) }
      if address.isPedal(at: path) { return bound(.hold, .nothing) }
      if trigger.kind == .controller { return bound(.turn, .nothing) }
      return address.isHeld ? bound(.hold, .nothing) : bound(.short, .toggle)
    }
  }

  /// All of them, in the order in which they are told.
  private(set) var all: [Binding] = []
  /// The values that lights are sent.
  private(set) var values = LightValues()
  // Words of what was kept, and can't be bound now: by a newer version, or with more loops.
  private var letBe: [String] = []
  /// Whether lights are sent at all.
  var areLightsOn = true { didSet { if areLightsOn != oldValue { tellLights(again: true) } } }

  private let context: Context
  // The wish that waits for something to be pressed or moved.
  private var learning: Wish?
  // What each address was last turned to: a whole number stays the same for a while.
  private var latest: [String: Argument] = [:]
  // The addresses whose controller is still in the movement by which it was learnt.
  private var pickups: [String: Pickup] = [:]
  private var busyUntil = 0.0

  // What the audio thread has of it, and what of that is on its way there.
  private var pressMaps: [PressMap] = []
  private var lightMaps: [LightMap] = []
  // Those whose lights only the control side knows, and what they showed last.
  private var lookedAt: [Binding] = []
  private var seen: [PedalLight.Meaning?] = []
  private var areMapsBehind = false
  private var selected: Int?
  private var portChanges = 0
  // The paths of what is done on its frame, by the numbers of the actions, of this map and the last.
  private var direct: [UInt16: String] = [:]
  private var formerDirect: [UInt16: String] = [:]
  private var nextNumber: UInt16 = 0
  // Those that the control side follows itself.
  private var followed: [Trigger: [Binding]] = [:]

  init(_ context: Context) { self.context = context }

  // MARK: - Binding

  /// Waits for something that is pressed or moved, to bind it to an address.
  func learn(_ wish: Wish) {
    // What moved before doesn't count.
    follow()
    learning = wish
    tellEngine()
  }

  /// Whether one more can be bound for an address.
  func hasRoom(for path: String) -> Bool {
    all.count < Self.most || all.contains { $0.path == path }
  }

  /// Binds a trigger to an address, in the place of the one that sent the same there unless that
  /// stays beside it, and tells of it.
  func bind(_ binding: Binding, besideOthers: Bool = false, for request: Request) {
    follow()
    if learning?.path == binding.path { learning = nil }
    add(binding, besideOthers: besideOthers)
    changed(by: request)
    let values = Self.row(binding)
    context.announce(MIDI.learnt, values)
    guard let client = request.client, !context.isSubscribed(client) else { return }
    request.answer(MIDI.learnt, values)
  }

  private func add(_ binding: Binding, besideOthers: Bool) {
    all.removeAll { other in
      guard other.path == binding.path else { return false }
      if other.trigger == binding.trigger && other.press == binding.press { return true }
      return !besideOthers && (other.isFor(binding) || binding.isPlain && other.isPlain)
    }
    all.insert(binding, at: all.firstIndex { binding.isBefore($0) } ?? all.count)
    latest[binding.path] = nil
    pickups[binding.path] = nil
  }

  /// Binds all of a pedal, in the place of what was bound to its triggers, and takes its values for
  /// lights.
  func load(_ bindings: [Binding], values: LightValues, for request: Request) {
    follow()
    let triggers = Set(bindings.map(\.trigger))
    all.removeAll { triggers.contains($0.trigger) }
    for binding in bindings where all.count < Self.most { add(binding, besideOthers: true) }
    self.values = values
    changed(by: request)
  }

  /// Lets an address go, or one press of it; false where nothing was bound, or waited for that.
  func forget(_ path: String, _ press: Binding.Press?, for request: Request) -> Bool {
    let wasLearning = learning?.path == path && press == nil
    if wasLearning {
      learning = nil
      tellEngine()
    }
    pickups[path] = nil
    let count = all.count
    all.removeAll { $0.path == path && (press == nil || $0.press == press) }
    letBe.removeAll { $0.hasPrefix("\(path)=") && press == nil }
    guard all.count < count else { return wasLearning }
    changed(by: request)
    return true
  }

  /// Lets all go.
  func forgetAll() {
    all = []
    letBe = []
    values = LightValues()
    learning = nil
    latest = [:]
    pickups = [:]
    tellEngine()
  }

  private func changed(by request: Request) {
    tellEngine()
    context.keep(MIDI.bindings, for: request)
  }

  /// A binding as it is told: its address, its trigger's number and kind, its press, what it sends,
  /// and its trigger's name.
  static func row(_ binding: Binding) -> [Argument] {
    [
      .string(binding.path), .int32(Int32(binding.trigger.number)),
      .string(binding.trigger.word), .string(binding.press.rawValue),
      .string(binding.sending.text), .string(binding.trigger.text(channel: binding.channel)),
    ]
  }

  // MARK: - The audio thread

  private func tellEngine() {
    let kinds = learning?.kinds ?? 0
    let controllers = all.filter { $0.trigger.kind == .controller && $0.press != .light }
    context.engine.shared.controllers.bind(
      Set(controllers.map(\.trigger.number)),
      isLearning: kinds >> Trigger.Kind.controller.rawValue & 1 == 1)
    let map = makePressMap()
    pressMaps.append(map)
    let presses = PlannedCommand(
      action: .presses(map.pointer),
      whenDone: { [weak self] in
        // The audio thread has let all go that came before.
        guard let self, let place = pressMaps.firstIndex(where: { $0 === map }) else { return }
        pressMaps.removeFirst(place)
      })
    do throws(Refusal) {
      try context.submit([presses, PlannedCommand(action: .learn(kinds))], path: MIDI.bindings)
      areMapsBehind = false
    } catch {
      // Where too much is under way it is tried again.
      pressMaps.removeLast()
      areMapsBehind = true
    }
    tellLights(again: false)
  }

  /// All of them, each for one address.
  private var single: [Binding] {
    all.flatMap { binding in context.table.members(binding.path).map(binding.at) }
  }

  /// Makes the map of all presses: what one comes to is done on its frame, where it is one command.
  private func makePressMap() -> PressMap {
    var entries: [Trigger: PressMap.Entry] = [:]
    formerDirect = direct
    direct = [:]
    followed = [:]
    for binding in single where binding.press.bits != 0 {
      var entry = entries[binding.trigger] ?? PressMap.Entry(binding.trigger)
      entry.presses |= binding.press.bits
      if !addDirectly(binding, to: &entry) {
        entry.told |= binding.press.bits
        followed[binding.trigger, default: []].append(binding)
      }
      entries[binding.trigger] = entry
    }
    selected = PedalLightTable(context).selected
    return PressMap(Array(entries.values))
  }

  /// Adds what a press does on its frame; false where the control side must follow it.
  private func addDirectly(_ binding: Binding, to entry: inout PressMap.Entry) -> Bool {
    func bound(_ deed: BoundAction.Deed) -> BoundAction {
      nextNumber &+= 1
      direct[nextNumber] = binding.path
      return BoundAction(binding: nextNumber, deed)
    }
    if binding.press == .hold {
      guard entry.down.count < Self.mostDirect,
        let down = held(127, binding), let up = held(0, binding)
      else { return false }
      entry.down.append(bound(.command(down)))
      entry.up.append(bound(.command(up)))
      return true
    }
    guard let deed = deed(of: binding) else { return false }
    switch binding.press {
    case .short where entry.short.count < Self.mostDirect: entry.short.append(bound(deed))
    case .long where entry.long.count < Self.mostDirect: entry.long.append(bound(deed))
    case .double where entry.double.count < Self.mostDirect: entry.double.append(bound(deed))
    default: return false
    }
    return true
  }

  private func held(_ value: Int, _ binding: Binding) -> Command.Action? {
    guard let address = context.table.resolve(binding.path)?.address,
      address.isPedal(at: binding.path),
      let argument = address.argument(pressedBy: value, at: binding.path)
    else { return nil }
    return command(binding.path, [argument])
  }

  /// What a press does on its frame; nil where that is not one command for the audio thread.
  private func deed(of binding: Binding) -> BoundAction.Deed? {
    guard let address = context.table.resolve(binding.path)?.address else { return nil }
    switch binding.sending {
    case .toggle:
      guard let parameter = address.parameter, let ends = address.ends,
        let low = ends.low.number, let high = ends.high.number
      else { return nil }
      // What is neither goes to the higher one.
      return .toggle(parameter, Float(high), Float(low))
    case .next, .previous:
      guard let parameter = address.parameter, let words = address.words else { return nil }
      return .step(parameter, by: binding.sending == .next ? 1 : -1, of: words.count)
    case .nothing:
      return address.isHeld ? nil : command(binding.path, []).map { .command($0) }
    case .arguments(let arguments):
      return command(binding.path, arguments).map { .command($0) }
    }
  }

  private func command(_ path: String, _ arguments: [Argument]) -> Command.Action? {
    guard let planned = context.planned(path, arguments), planned.count == 1,
      planned[0].whenDone == nil, planned[0].whenTaken == nil, planned[0].action.canBeBound
    else { return nil }
    return planned[0].action
  }

  // MARK: - Lights

  private func tellLights(again: Bool) {
    let table = PedalLightTable(context)
    context[Tuner.self].isLit = areLightsOn && all.contains { $0.path == Tuner.path }
    let shown = areLightsOn ? single : []
    let lights = table.lights(of: shown)
    lookedAt = shown.filter(table.mustLook)
    seen = lookedAt.map(table.meaning)
    // Who never had any needs no map.
    if lightMaps.isEmpty, lights.isEmpty { return }
    let map = LightMap(lights, values: values)
    lightMaps.append(map)
    let command = PlannedCommand(
      action: .lights(map.pointer, sendsAgain: again),
      whenDone: { [weak self] in
        guard let self, let place = lightMaps.firstIndex(where: { $0 === map }) else { return }
        lightMaps.removeFirst(place)
      })
    do throws(Refusal) {
      try context.submit([command], path: MIDI.lights)
    } catch {
      lightMaps.removeLast()
      areMapsBehind = true
    }
  }

  /// Whether a binding can have a light.
  func hasLight(_ binding: Binding) -> Bool {
    let table = PedalLightTable(context)
    return context.table.members(binding.path).contains { table.meaning(of: binding.at($0)) != nil }
  }

  /// Sends all lights again, whatever was sent before.
  func sendLightsAgain() { if areLightsOn { tellLights(again: true) } }

  private func followLights() {
    let changes = context.soundServer.status.portChanges
    if changes != portChanges {
      portChanges = changes
      // A pedal that was plugged in anew knows nothing.
      let out = context.soundServer.ports.first { $0.name == "midi_out" }
      if let out, !out.connections.isEmpty { sendLightsAgain() }
    }
    let table = PedalLightTable(context)
    if table.selected != selected {
      tellEngine()
    } else if !lookedAt.isEmpty, lookedAt.map(table.meaning) != seen {
      tellLights(again: false)
    }
  }

  // MARK: - What is kept

  /// All of them as text, with the values of lights.
  var text: String {
    var words = all.map(\.word).sorted() + letBe
    if values != LightValues() { words.append("lights=\(values.text)") }
    return words.joined(separator: " ")
  }

  /// Takes over what was kept as text.
  func restore(_ text: String) {
    for word in text.split(separator: " ") {
      if word.hasPrefix("lights=") {
        values = LightValues(text: String(word.dropFirst(7))) ?? values
        continue
      }
      guard let kept = Binding(word: String(word)), all.count < Self.most,
        let (address, path) = context.table.bindable(kept.path), !Self.barred.contains(path),
        let binding = Self.present(kept, of: address, at: path)
      else {
        if letBe.count < Self.most { letBe.append(String(word)) }
        continue
      }
      add(binding, besideOthers: true)
    }
    tellEngine()
  }

  /// A kept binding as it is bound now; nil where its address takes no such thing any more.
  private static func present(
    _ kept: Binding, of address: Address, at path: String
  ) -> Binding? {
    var (press, sending) = (kept.press, kept.sending)
    switch press {
    case .turn:
      // Buttons were turned, before they were pressed.
      if address.isPressed { press = .short }
      if press == .turn, address.argument(turnedTo: 0) == nil { return nil }
    case .hold: if !address.isHeld { return nil }
    case .short, .long, .double:
      if case .arguments(let arguments) = sending {
        guard let now = try? address.sending(arguments, at: path, list: lists[path]) else {
          return nil
        }
        sending = now
      }
    case .light: break
    }
    return Binding(
      path: path, sending: sending, press: press, trigger: kept.trigger, channel: kept.channel)
  }

  // MARK: - What happens

  /// Follows what was turned and pressed; returns in how many milliseconds to look again, nil for any
  /// time.
  func poll(_ now: Double) -> Int? {
    if areMapsBehind { tellEngine() }
    guard learning != nil || !all.isEmpty else {
      // What was bound before may have said something still.
      _ = context.takePresses()
      return nil
    }
    if follow() { busyUntil = now + Self.busyMicroseconds }
    followLights()
    return now < busyUntil || !followed.isEmpty ? Self.busyMilliseconds : Self.idleMilliseconds
  }

  /// Follows what was turned and pressed; false where nothing was.
  @discardableResult
  private func follow() -> Bool {
    // In this order: what was learnt from a movement is known when that is seen.
    let moved = context.engine.shared.controllers.takeMoved()
    let news = context.takePresses()
    var learnt: (controller: Int, value: Int)?
    for item in news {
      switch item.kind {
      case .learnt(let trigger, let value, let channel):
        guard let wish = learning else { continue }
        learning = nil
        bind(
          wish.binding(to: trigger, channel: channel < 16 ? channel : nil), for: wish.request)
        guard trigger.kind == .controller else { continue }
        learnt = (trigger.number, Int(value))
        // The press, or the movement, that it is learnt from is for nothing else.
        for path in turned(by: trigger.number) { pickups[path] = Pickup(learntAt: Int(value)) }
      case .pressed(let trigger, let presses, let value):
        for binding in followed[trigger] ?? [] { press(binding, presses, Int(value)) }
      case .answered(let number, let kind):
        guard case .refused(let refusal) = kind,
          let path = direct[number] ?? formerDirect[number]
        else { continue }
        context.report(
          context[Loops.self].refusal(refusal, to: path, of: loop(of: path)), of: path)
      }
    }
    for (controller, value) in moved {
      if let learnt, learnt == (controller, value) { continue }
      for path in turned(by: controller) { turn(path, to: value) }
    }
    return !moved.isEmpty || !news.isEmpty
  }

  /// The loop that a path is of, from 0.
  private func loop(of path: String) -> Int {
    let parts = path.split(separator: "/")
    guard parts.count > 2 else { return 0 }
    return parts[1] == "selected" ? (selected ?? 1) - 1 : (Int(parts[1]) ?? 1) - 1
  }

  private func turned(by controller: Int) -> [String] {
    all.filter {
      $0.press == .turn && $0.trigger.kind == .controller && $0.trigger.number == controller
    }.flatMap { context.table.members($0.path) }
  }

  private func turn(_ path: String, to value: Int) {
    guard let address = context.table.resolve(path)?.address,
      let argument = address.argument(turnedTo: value)
    else { return }
    if var pickup = pickups[path] {
      let present = context.answerer.feedback.read(address)?.first?.number
      let isOver = pickup.isOver(at: value, for: address, at: present)
      pickups[path] = isOver ? nil : pickup
      guard isOver else { return }
    }
    guard latest[path] != argument else { return }
    latest[path] = argument
    perform(path, [argument])
  }

  // MARK: - Presses

  /// The addresses whose values are names of a list, and the address that tells that.
  static let lists = [
    "/preset": "/presets", "/grid/instrument": "/instruments", "/grid/scale": "/scales",
  ]

  private func press(_ binding: Binding, _ presses: UInt8, _ value: Int) {
    let path = binding.path
    guard let address = context.table.resolve(path)?.address else { return }
    func tell(_ value: Int) {
      if let argument = address.argument(pressedBy: value, at: path) { perform(path, [argument]) }
    }
    if binding.press == .hold {
      if presses & PressBits.down != 0 { tell(max(1, value)) }
      if presses & PressBits.up != 0 { tell(0) }
      return
    }
    guard presses & binding.press.bits != 0 else { return }
    switch binding.sending {
    case .nothing where address.isHeld:
      tell(127)
      tell(0)
    case .nothing: perform(path, [])
    case .arguments(let arguments): perform(path, arguments)
    case .toggle:
      guard let ends = address.ends else { return }
      let present = context.answerer.feedback.read(address)?.first?.number ?? 0
      perform(path, [Self.toggled(Float(present), ends)])
    case .next: step(address, path, by: 1)
    case .previous: step(address, path, by: -1)
    }
  }

  private static func toggled(_ present: Float, _ ends: (low: Argument, high: Argument)) -> Argument
  {
    guard let low = ends.low.number, let high = ends.high.number else { return ends.high }
    let value = PressValue.toggled(present, between: Float(high), and: Float(low))
    return value == Float(high) ? ends.high : ends.low
  }

  private func step(_ address: Address, _ path: String, by step: Int) {
    let list = Self.lists[path].flatMap { context.table[$0] }
    let names =
      address.words ?? list.flatMap { context.answerer.feedback.read($0) }?.compactMap(\.text)
    guard let names, !names.isEmpty else { return }
    let present = context.answerer.feedback.read(address)?.first?.text
    let place = present.flatMap { names.firstIndex(of: $0) }
    perform(path, [.string(names[PressValue.stepped(from: place, by: step, of: names.count)])])
  }

  private func perform(_ path: String, _ arguments: [Argument]) {
    do throws(Refusal) {
      try context.perform(path, arguments)
    } catch {
      context.report(error, of: path)
    }
  }
}

extension Binding {
  /// Whether it is told before another one.
  fileprivate func isBefore(_ other: Binding) -> Bool {
    if trigger != other.trigger {
      return (trigger.kind.order, trigger.number)
        < (other.trigger.kind.order, other.trigger.number)
    }
    if path != other.path { return path < other.path }
    return (press.rawValue, sending.text) < (other.press.rawValue, other.sending.text)
  }
}

extension Trigger.Kind {
  /// Its place in lists: controllers are there for longest.
  fileprivate var order: Int {
    switch self {
    case .controller: 0
    case .note: 1
    case .program: 2
    case .key: 3
    }
  }
}
