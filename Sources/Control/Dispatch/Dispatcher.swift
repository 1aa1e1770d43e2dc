internal import Engine
internal import OSC
internal import Posix

/// Dispatches messages, from packets or from inside the node, to their handlers.
final class Dispatcher {
  let table: AddressTable
  let replySender: ReplySender
  let sender: CommandSender
  unowned let features: Features
  unowned let keeper: StateKeeper
  let engine: Engine
  let now: () -> Double
  private var steadyEpoch = SteadyEpoch()
  private var listeners: [(Client) -> Void] = []

  init(
    _ table: AddressTable, _ engine: Engine, features: Features, keeper: StateKeeper,
    now: @escaping () -> Double
  ) {
    self.table = table
    self.engine = engine
    self.features = features
    self.keeper = keeper
    self.now = now
    replySender = ReplySender(table)
    sender = CommandSender(table, engine, replySender)
    replySender.notifier.read = { [unowned self] in present($0) }
  }

  /// Registers a listener for the sender of each packet, and for clients that answer without one.
  func onPacket(_ listener: @escaping (Client) -> Void) { listeners.append(listener) }

  /// Renews the leases of a client.
  func renewLeases(of client: Client) {
    let notifier = replySender.notifier
    if notifier.subscriptions.count > 0 { notifier.subscriptions.renew(client, now: now()) }
    for listener in listeners { listener(client) }
  }

  /// Returns the current values of an address; nil if it has none.
  func present(_ address: Address) -> [Argument]? {
    let address = resolved(address)
    return switch address.value?.source {
    case .parameter(let parameter): [address.argument(for: sender.values[parameter])]
    case .feature(let read): read(features)
    case nil: nil
    }
  }

  /// The declaration that handles a message: that of the address, or of the selected target under the
  /// alias's path.
  private func resolved(_ address: Address) -> Address {
    guard let path = address.target?.selected?(features), let target = table[path] else {
      return address
    }
    return target.renamed(address.path)
  }

  // MARK: - Packets

  /// Handles a packet from a client.
  func receive(_ packet: UnsafeRawBufferPointer, from client: Client) {
    renewLeases(of: client)
    replySender.beginPacket(now: now())
    var planned = Plan()
    var times = TimeCache(
      present: engine.shared.clockReading.microseconds, epoch: steadyEpoch.current)
    do throws(MalformedPacket) {
      try Packet.read(packet) { message, time in
        replySender.counters.messages += 1
        guard let due = times.due(at: time) else {
          replySender.refuse(
            Refusal(.range, "the bundle's time is more than \(TimeCache.secondsAhead) s ahead"),
            to: Origin(path: message.addressText, client: client))
          return
        }
        plan(message, at: due, from: client, into: &planned)
      }
    } catch {
      replySender.refuseMalformed(Refusal(.type, "malformed OSC packet: \(error)"), from: client)
      return
    }
    commit(planned)
  }

  private func plan(
    _ message: Message, at due: Double?, from client: Client, into plan: inout Plan
  ) {
    // An error is never answered with another: two nodes would not end.
    if message.addressText == Event.error.path { return }
    do throws(Refusal) {
      if let index = table.index(of: message.address) {
        try self.plan(index, message, at: due, from: client, into: &plan)
      } else if let (index, numbers) = table.numbered(message.address) {
        let address = table.addresses[index]
        try self.plan(
          address, message.arguments, numbers, at: due,
          from: Origin(path: address.path, client: client), into: &plan)
      } else if Pattern.isPattern(message.address) {
        try planPattern(message, at: due, from: client, into: &plan)
      } else {
        throw unknown(message.addressText)
      }
    } catch {
      replySender.refuse(error, to: Origin(path: message.addressText, client: client))
    }
  }

  private func planPattern(
    _ message: Message, at due: Double?, from client: Client, into plan: inout Plan
  ) throws(Refusal) {
    let pattern = Pattern(message.address)
    // Patterns do not reach commands in general, so that `/*` can't quit the node.
    let sets = !message.arguments.isEmpty
    // The reply budget is exhausted.
    guard sets || plan.asked < ReplySender.mostReplies else { return }
    let pressed = Self.lastPart(message.addressText)
    let matching = table.addresses.indices.filter { index in
      let address = table.addresses[index]
      if case .selected? = address.family { return false }
      let isMeant =
        address.hasValue && !(sets && address.isProcess)
        || address.isReachedByPatterns && address.path.hasSuffix(pressed)
      return isMeant && pattern.matches(address.path)
    }
    guard !matching.isEmpty else {
      throw Refusal(.unknown, "\(quoted(message.addressText)) matches no address with a value")
    }
    if !sets { plan.asked += matching.count }
    let arguments = message.arguments
    for index in matching {
      let address = table.addresses[index]
      let origin = Origin(path: address.path, client: client, isOfPattern: true)
      do throws(Refusal) {
        try self.plan(address, arguments, at: due, from: origin, into: &plan)
      } catch {
        replySender.refuse(error, to: origin)
      }
    }
  }

  /// The last part of a pattern with its slash.
  ///
  /// If that part is a pattern itself, a string that no address ends with.
  private static func lastPart(_ pattern: String) -> String {
    let last = pattern.split(separator: "/").last ?? ""
    return last.contains { "*?[]{}".contains($0) } ? "/*" : "/\(last)"
  }

  private func plan(
    _ index: Int, _ message: Message, at due: Double?, from client: Client, into plan: inout Plan
  ) throws(Refusal) {
    let address = table.addresses[index]
    let origin = Origin(path: address.path, client: client)
    // Fast path: one number for a parameter.
    if let (parameter, range) = table.number(at: index), let number = message.onlyNumber {
      let value = try address.value(of: number, in: range)
      plan.add(PlannedCommand(action: .set(parameter, value), due: due), from: origin)
      return
    }
    try self.plan(address, message.arguments, at: due, from: origin, into: &plan)
  }

  /// Applies all effects of a plan, or none, and replies to its queries.
  private func commit(_ plan: Plan) {
    do throws(Refusal) {
      try sender.submit(plan.commands, from: plan.origin ?? .node)
    } catch {
      plan.takeBack()
      replySender.refuse(error, to: plan.origin ?? .node)
      plan.answerQuestions()
      return
    }
    plan.carryOut()
  }

  // MARK: - Internal messages

  /// Handles an internally generated message, immediately or at a time in microseconds of the engine's
  /// clock.
  ///
  /// The lock applies to one that a pedal or key has caused. `client` is told of refusals that come later.
  func perform(
    _ path: String, _ arguments: [Argument], at due: Double? = nil, isRestoring: Bool = false,
    isPressed: Bool = false, for client: Client? = nil
  ) throws(Refusal) {
    guard let (address, numbers) = table.declared(path) else { throw unknown(path) }
    if isPressed { try refuseIfLocked(resolved(address)) }
    var plan = Plan()
    let origin = Origin(path: path, client: client, tellsOnlyRefusals: true)
    try self.plan(
      address, arguments, numbers, at: due, from: origin, isRestoring: isRestoring, into: &plan)
    do throws(Refusal) {
      try sender.submit(plan.commands, from: origin)
    } catch {
      plan.takeBack()
      throw error
    }
    plan.carryOut()
  }

  /// Returns the commands that an internal message would send now; nil if it is refused or has other
  /// effects.
  func planned(_ path: String, _ arguments: [Argument]) -> [PlannedCommand]? {
    preview([(path, arguments)]) { plan, areAccepted in
      areAccepted && plan.hasOnlyCommands ? plan.commands : nil
    }
  }

  /// Plans internal messages as one packet, returns the value of `read` in that state, and rolls back.
  ///
  /// Messages that are refused change nothing; `read` learns whether all are accepted.
  func preview<Value>(
    _ messages: [(path: String, arguments: [Argument])], _ read: (Plan, Bool) -> Value
  ) -> Value {
    var plan = Plan()
    defer { plan.takeBack() }
    var areAccepted = true
    for (path, arguments) in messages {
      do throws(Refusal) {
        guard let (address, numbers) = table.declared(path) else { throw unknown(path) }
        try self.plan(
          address, arguments, numbers, at: nil, from: Origin(path: path, client: nil), into: &plan)
      } catch {
        areAccepted = false
      }
    }
    return read(plan, areAccepted)
  }

  /// Sets an address from text like `/live/gain=-6`, immediately or at a time in microseconds of the
  /// engine's clock.
  func set(_ assignment: String, at due: Double? = nil) throws(Refusal) {
    guard let equals = assignment.firstIndex(of: "="), assignment.hasPrefix("/") else {
      throw Refusal(.type, "\(quoted(assignment)) is not an assignment; expected /address=value")
    }
    let path = String(assignment[..<equals])
    let text = String(assignment[assignment.index(after: equals)...])
    guard let address = table[path] else {
      throw Refusal(.unknown, "unknown address \(quoted(path)); `syrinx addresses` lists all")
    }
    try perform(path, try address.arguments(from: text), at: due)
  }

  /// The refusal of an unknown address.
  func unknown(_ path: String) -> Refusal {
    if let refusal = features.all.lazy.compactMap({ $0.refusal(ofUnknown: path) }).first {
      return refusal
    }
    let hint =
      path.nearest(of: table.addresses.lazy.map(\.path)).map { "did you mean \($0)?" }
      ?? "/addresses lists all"
    return Refusal(.unknown, "unknown address \(quoted(path)); \(hint)")
  }

  // MARK: - Planning

  private func refuseIfLocked(_ address: Address) throws(Refusal) {
    guard address.loses, sender.values[.mixer(.lock)] != 0 else { return }
    throw Refusal(.denied, "\(address.path): the lock is on; /lock 0 unlocks")
  }

  private func plan(
    _ address: Address, _ arguments: [Argument], _ numbers: [Int] = [], at due: Double?,
    from origin: Origin, isRestoring: Bool = false, into plan: inout Plan
  ) throws(Refusal) {
    let address = resolved(address)
    if origin.client != nil { try refuseIfLocked(address) }
    let given: [Argument]
    let effect: Address.Effect?
    switch address.kind {
    case .event:
      // A reply of another node that has this one as a client. Replying could loop forever.
      return
    case .value(let value):
      if arguments.isEmpty {
        plan.ask { [self] in
          replySender.reply(address.path, present(address) ?? [], to: origin.client)
        }
        return
      }
      (given, effect) = (arguments, value.setting)
    case .act(let act):
      guard let pressed = act.isButton ? try address.press(arguments) : arguments else { return }
      (given, effect) = (pressed, act.effect)
    }
    guard let effect else { throw address.wrongType(got: arguments) }
    if case .parameter = effect, let parameter = address.parameter {
      guard given.count == 1 else { throw address.wrongType(got: given) }
      let value = try address.value(from: given[0])
      plan.add(PlannedCommand(action: .set(parameter, value), due: due), from: origin)
      return
    }
    let request = Request(
      origin: origin, arguments: try address.match(given, to: address.forms), due: due,
      numbers: numbers, isRestoring: isRestoring, replySender: replySender)
    try self.plan(effect, of: address, request, into: &plan)
  }

  private func plan(
    _ effect: Address.Effect, of address: Address, _ request: Request, into plan: inout Plan
  ) throws(Refusal) {
    switch effect {
    case .parameter: break
    case .planned(let make):
      try make(features, request, &plan)
      if address.isNotedWhenSet {
        plan.afterwards { [keeper] in keeper.settingChanged(address, by: request) }
      }
    case .asked(let answer):
      plan.ask { [features] in
        request.attempt { () throws(Refusal) in try answer(features, request) }
      }
    case .done(let perform):
      plan.afterwards { [features, keeper] in
        request.attempt { () throws(Refusal) in
          try perform(features, request)
          if address.isNotedWhenSet { keeper.settingChanged(address, by: request) }
        }
      }
    }
  }
}

extension Address {
  /// Whether the value is persisted when it is set, rather than on completion.
  fileprivate var isNotedWhenSet: Bool {
    if case .home? = kept?.place { hasValue && end == nil } else { false }
  }

  /// Parses the arguments of a message that sets it.
  func arguments(from text: String) throws(Refusal) -> [Argument] {
    guard hasValue || act.map({ $0.isButton && $0.isPlanned }) ?? false,
      value?.setting != nil || act != nil
    else {
      throw Refusal(.type, "\(path): no value that can be set")
    }
    if forms.contains(where: { $0.kind == .text }) { return [.string(text)] }
    guard forms.count > 1 || !(forms.first?.isOnlyValue ?? true) else {
      guard let number = Double(text) else {
        throw Refusal(.type, "\(path): got \(quoted(text)); expected \(usage)")
      }
      return [.double(number)]
    }
    return text.split(separator: " ").map { word in
      Double(word).map { Argument.double($0) } ?? .string(String(word))
    }
  }
}
