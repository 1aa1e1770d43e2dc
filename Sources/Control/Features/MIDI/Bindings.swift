internal import Engine
internal import OSC

/// The bindings of pedals and controllers to addresses.
final class Bindings {
  /// Addresses that can't be bound: an accidental press must not end the node.
  static let barred: Set = ["/quit"]
  /// The maximum number of bindings.
  static let most = 512
  // The poll intervals in milliseconds: while a controller moves, while the control side handles presses,
  // and otherwise.
  private static let busyMilliseconds = 5
  private static let idleMilliseconds = 20
  private static let busyMicroseconds = 1_000_000.0

  /// An address waiting to be mapped to a trigger.
  struct Wish {
    let path: String
    let address: Address
    /// The arguments of a press; nil if neither arguments nor a press were given.
    let sending: Binding.Sending?
    let press: Binding.Press?
    let request: Request

    // Every trigger can be pressed. Only controllers have a range.
    fileprivate var kinds: UInt8 {
      let isForAll = sending != nil || address.isPressed || address.isHeld || address.ends != nil
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

  /// All bindings, in listing order.
  private(set) var all: [Binding] = []
  /// The MIDI values of LED states.
  private(set) var values = LightValues()
  // Persisted bindings that can't be used now: of a newer version, or for more loops.
  private var unusable: [String] = []
  /// Whether LEDs are sent at all.
  var areLightsOn = true { didSet { if areLightsOn != oldValue { sendLights(again: true) } } }

  private let context: Context
  // The address waiting for a trigger.
  private var learning: Wish?
  private var controllers: ControllerHandler
  private let presses: PressMapSender
  private let lights: PedalLightSender
  private var busyUntil = 0.0

  private var areMapsBehind = false
  private var selected: Int?
  private var portChanges = 0
  // The ports that midi_in was connected to.
  private var sources: Set<String> = []
  private var isReleaseDue = false

  init(_ context: Context) {
    self.context = context
    controllers = ControllerHandler(context)
    presses = PressMapSender(context)
    lights = PedalLightSender(context)
  }

  // MARK: - Binding

  /// Waits for a press or movement to bind to an address.
  func learn(_ wish: Wish) {
    // Movements before this don't count.
    follow()
    learning = wish
    update()
  }

  /// Throws if there is no room for a binding of an address.
  func checkRoom(for path: String) throws(Refusal) {
    guard all.count < Self.most || all.contains(where: { $0.path == path }) else {
      throw Refusal(.busy, "more than \(Self.most) bindings; /midi/forget removes some")
    }
  }

  /// Binds a trigger to an address, replacing the binding with the same purpose unless `besideOthers` is
  /// set, and announces it.
  func bind(_ binding: Binding, besideOthers: Bool = false, for request: Request) {
    follow()
    if learning?.path == binding.path { learning = nil }
    add(binding, besideOthers: besideOthers)
    changed(by: request)
    let values = Self.row(binding)
    context.announce(MIDI.learnt, values)
    guard let client = request.client, !context.isSubscribed(client, to: MIDI.learnt.path)
    else { return }
    request.answer(MIDI.learnt, values)
  }

  private func add(_ binding: Binding, besideOthers: Bool) {
    all.removeAll { other in
      guard other.path == binding.path else { return false }
      if other.trigger == binding.trigger && other.press == binding.press { return true }
      return !besideOthers && (other.isFor(binding) || binding.isPlain && other.isPlain)
    }
    all.insert(binding, at: all.firstIndex { binding.isBefore($0) } ?? all.count)
    controllers.forget(binding.path)
  }

  /// Loads the bindings of a pedal, replacing those of its triggers, and its LED values.
  func load(_ bindings: [Binding], values: LightValues, for request: Request) {
    follow()
    let triggers = Set(bindings.map(\.trigger))
    all.removeAll { triggers.contains($0.trigger) }
    for binding in bindings where all.count < Self.most { add(binding, besideOthers: true) }
    self.values = values
    changed(by: request)
  }

  /// Removes the bindings of an address, or of one press.
  ///
  /// Returns false if there were none and none was waited for.
  func forget(_ path: String, _ press: Binding.Press?, for request: Request) -> Bool {
    let wasLearning = learning?.path == path && press == nil
    if wasLearning {
      learning = nil
      update()
    }
    controllers.endPickup(path)
    let count = all.count
    all.removeAll { $0.path == path && (press == nil || $0.press == press) }
    unusable.removeAll { $0.hasPrefix("\(path)=") && press == nil }
    guard all.count < count else { return wasLearning }
    changed(by: request)
    return true
  }

  /// Removes all bindings.
  func forgetAll() {
    all = []
    unusable = []
    values = LightValues()
    learning = nil
    controllers = ControllerHandler(context)
    update()
  }

  private func changed(by request: Request) {
    update()
    context.keeper.keep(MIDI.bindings, for: request)
  }

  /// The arguments of `/midi/binding`: address, number and kind of the trigger, press, arguments, and name
  /// of the trigger.
  static func row(_ binding: Binding) -> [Argument] {
    Argument.row(
      binding.path, binding.trigger.number, binding.trigger.word, binding.press.rawValue,
      binding.sending.text, binding.trigger.text(channel: binding.channel))
  }

  // MARK: - Audio thread

  /// Sends all maps to the audio thread.
  ///
  /// `poll` retries if the command queue is full.
  private func update() {
    let kinds = learning?.kinds ?? 0
    let controllers = all.filter { $0.trigger.kind == .controller && $0.press != .light }
    context.shared.controllers.bind(
      Set(controllers.map(\.trigger.number)),
      isLearning: kinds >> Trigger.Kind.controller.rawValue & 1 == 1)
    areMapsBehind = !presses.send(single, learning: kinds)
    selected = PedalLightTable(context).selected
    sendLights(again: false)
  }

  /// All bindings, each for a single address.
  private var single: [Binding] {
    all.flatMap { binding in context.table.members(binding.path).map(binding.at) }
  }

  // MARK: - Lights

  private func sendLights(again: Bool) {
    context[Tuner.self].isLit = areLightsOn && all.contains { $0.path == Tuner.path }
    let shown = areLightsOn ? single : []
    if !lights.send(shown, values: values, again: again) { areMapsBehind = true }
  }

  /// Whether a binding can have an LED.
  func hasLight(_ binding: Binding) -> Bool {
    let table = PedalLightTable(context)
    return context.table.members(binding.path).contains { table.meaning(of: binding.at($0)) != nil }
  }

  /// Sends all LEDs again.
  func sendLightsAgain() { if areLightsOn { sendLights(again: true) } }

  /// Sends lights again to a device that was reconnected, and releases the keys of one that is gone.
  private func followPorts() {
    let changes = context.soundServer.status.portChanges
    if changes != portChanges {
      portChanges = changes
      let ports = context.soundServer.ports
      followSources(Set(ports.first { $0.name == "midi_in" }?.connections ?? []))
      // A pedal that was reconnected has lost its LEDs.
      let out = ports.first { $0.name == "midi_out" }
      if let out, !out.connections.isEmpty, !all.isEmpty { sendLightsAgain() }
    }
    releaseKeys()
  }

  private func followLights() {
    let table = PedalLightTable(context)
    if table.selected != selected {
      update()
    } else if lights.haveChanged(table) {
      sendLights(again: false)
    }
  }

  /// Notes whether a port is gone at which keys may be held.
  private func followSources(_ present: Set<String>) {
    if !sources.isSubset(of: present) { isReleaseDue = true }
    sources = present
  }

  /// Releases the keys of a port that is gone, as soon as the command queue has room.
  private func releaseKeys() {
    guard isReleaseDue else { return }
    let command = PlannedCommand(action: .releaseMIDI)
    isReleaseDue = (try? context.submit([command], path: MIDI.bindings)) == nil
  }

  // MARK: - Persistence

  /// All bindings as text, with the LED values.
  var text: String {
    var words = all.map(\.word).sorted() + unusable
    if values != LightValues() { words.append("lights=\(values.text)") }
    return words.joined(separator: " ")
  }

  /// Restores bindings from text.
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
        if unusable.count < Self.most { unusable.append(String(word)) }
        continue
      }
      add(binding, besideOthers: true)
    }
    update()
  }

  /// A persisted binding as bound now; nil if its address no longer accepts it.
  private static func present(
    _ kept: Binding, of address: Address, at path: String
  ) -> Binding? {
    var (press, sending) = (kept.press, kept.sending)
    switch press {
    case .turn:
      // Older versions stored buttons as turned controllers.
      if address.isPressed { press = .short }
      if press == .turn, address.argument(turnedTo: 0) == nil { return nil }
    case .hold: if !address.isHeld { return nil }
    case .short, .long, .double:
      if case .arguments(let arguments) = sending {
        guard let now = try? address.sending(arguments, at: path, list: PressHandler.lists[path])
        else {
          return nil
        }
        sending = now
      }
    case .light: break
    }
    return Binding(
      path: path, sending: sending, press: press, trigger: kept.trigger, channel: kept.channel)
  }

  // MARK: - Polling

  /// Handles movements and presses.
  func poll(_ now: Double) -> Int? {
    if areMapsBehind { update() }
    followPorts()
    guard learning != nil || !all.isEmpty else {
      // Drops events of removed bindings.
      _ = context.sender.takePresses()
      return isReleaseDue ? Self.busyMilliseconds : nil
    }
    if follow() { busyUntil = now + Self.busyMicroseconds }
    followLights()
    return now < busyUntil || !presses.handled.isEmpty
      ? Self.busyMilliseconds : Self.idleMilliseconds
  }

  /// Handles movements and presses.
  ///
  /// Returns false if there were none.
  @discardableResult
  private func follow() -> Bool {
    let handler = PressHandler(context: context)
    // Movements first, so that the movement that was mapped is known.
    let moved = context.shared.controllers.takeMoved()
    let news = context.sender.takePresses()
    var learnt: (controller: Int, value: Int)?
    for item in news {
      switch item.kind {
      case .learnt(let trigger, let value, let channel):
        guard let wish = learning else { continue }
        learning = nil
        bind(wish.binding(to: trigger, channel: channel < 16 ? channel : nil), for: wish.request)
        guard trigger.kind == .controller else { continue }
        learnt = (trigger.number, Int(value))
        // The press or movement that was mapped has no other effect.
        for path in turned(by: trigger.number) { controllers.pickUp(path, from: Int(value)) }
      case .pressed(let trigger, let bits, let value):
        for binding in presses.handled[trigger] ?? [] { handler.press(binding, bits, Int(value)) }
      case .answered(let number, let kind):
        guard case .refused(let refusal) = kind,
          let path = presses.path(ofAction: number)
        else { continue }
        context.report(context[Loops.self].refusal(refusal, to: path, of: loop(of: path)), of: path)
      }
    }
    for (controller, value) in moved {
      if let learnt, learnt == (controller, value) { continue }
      for path in turned(by: controller) {
        guard let argument = controllers.argument(for: path, turnedTo: value) else { continue }
        handler.perform(path, [argument])
      }
    }
    return !moved.isEmpty || !news.isEmpty
  }

  /// The loop of a path, from 0.
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
}

extension Binding {
  /// The listing order.
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
  /// The listing order of kinds.
  ///
  /// Controllers come first, as in older versions.
  fileprivate var order: Int {
    switch self {
    case .controller: 0
    case .note: 1
    case .program: 2
    case .key: 3
    }
  }
}
