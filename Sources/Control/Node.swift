package import Engine
package import OSC
internal import Posix

/// The control side of the node: it takes packets in, tells the engine, and answers.
///
/// One thread owns it.
package final class Node {
  /// How it is called in the JACK graph and on the network.
  package var name: String
  /// What it runs on.
  package let table: AddressTable
  /// A number that is new at each start.
  package let engineID: Int32
  /// Whether it was told to quit.
  package internal(set) var isQuitting = false
  /// What was counted so far.
  package var counters = Counters()

  let engine: Engine
  let soundServer: any SoundServer
  private(set) weak var outlet: (any Outlet)?
  private var values: Values
  private var whenDone: [UInt64: () -> Void] = [:]
  private var timedUnderWay = 0
  // What waits for its time must leave room for what is to be at once.
  private static let mostTimed = Shared.commandCapacity * 3 / 4
  let feedback: Feedback
  /// The steady time, in microseconds.
  let now: () -> Double
  private let start: Double

  /// A node that plays on an engine.
  package init(
    name: String, engine: Engine, soundServer: any SoundServer, table: AddressTable = .node,
    now: @escaping () -> Double = { HostTime.steady }
  ) {
    self.now = now
    start = now()
    self.name = name
    self.engine = engine
    self.soundServer = soundServer
    self.table = table
    engineID = Int32.random(in: 1...Int32.max)
    values = Values(table)
    feedback = Feedback(table)
  }

  /// Connects the way out.
  package func connect(to outlet: any Outlet) { self.outlet = outlet }

  /// Seconds since the start.
  package var uptime: Double { (now() - start) / 1e6 }

  /// How many subscribe at the moment.
  package var clientCount: Int { feedback.subscriptions.count }

  /// Tells a place of every change, for as long as the node runs.
  func subscribePermanently(_ client: Client) throws(Refusal) {
    try feedback.subscribe(client, to: nil, port: nil, isPermanent: true, node: self)
  }

  /// Forgets a client that can't be reached any more.
  func forget(_ client: Client) {
    feedback.subscriptions.removeTarget { $0 == client }
  }

  // MARK: - In

  /// Takes one packet from a client.
  package func receive(_ packet: UnsafeRawBufferPointer, from client: Client) {
    if clientCount > 0 { feedback.subscriptions.renew(client, now: now()) }
    var planned = Plan()
    var frames = FrameCache(engine: engine)
    do throws(MalformedPacket) {
      try Packet.read(packet) { message, time in
        counters.messages += 1
        guard let frame = frames.frame(at: time) else {
          answer(
            Refusal(
              .range,
              "a bundle's time can be \(FrameCache.secondsAhead) s ahead; this one's is further"),
            to: message.addressText, from: client)
          return
        }
        plan(message, at: frame, from: client, into: &planned)
      }
    } catch {
      counters.malformed += 1
      send(
        Refusal(.type, "this is no OSC packet: \(error)").answer(to: ""), answering: client)
      return
    }
    carryOut(planned, from: client)
  }

  /// Follows one instruction from inside the program, by the same door as all others.
  package func perform(_ path: String, _ arguments: [Argument]) throws(Refusal) {
    guard let address = table[path] else { throw unknown(path) }
    var plan = Plan()
    if let parameter = address.parameter, let argument = arguments.first, arguments.count == 1 {
      let value = try address.value(from: argument)
      plan.commands.append(PlannedCommand(action: .set(parameter, value)))
    } else {
      try self.plan(
        address, arguments, at: Command.now, from: nil, into: &plan)
    }
    plan.firstPath = path
    try submit(plan.commands)
    for action in plan.afterwards { action() }
  }

  private func unknown(_ path: String) -> Refusal {
    Refusal(.unknown, "there is no address \(quoted(path)); /addresses lists them all")
  }

  private func plan(
    _ message: Message, at frame: Int64, from client: Client, into plan: inout Plan
  ) {
    do throws(Refusal) {
      if let index = table.index(of: message.address) {
        try self.plan(table.addresses[index], message, at: frame, from: client, into: &plan)
      } else if Pattern.isPattern(message.address) {
        try planPattern(message, at: frame, from: client, into: &plan)
      } else {
        throw unknown(message.addressText)
      }
    } catch {
      answer(error, to: message.addressText, from: client)
    }
  }

  private func planPattern(
    _ message: Message, at frame: Int64, from client: Client, into plan: inout Plan
  ) throws(Refusal) {
    let pattern = Pattern(message.address)
    let matching = table.addresses.filter { pattern.matches($0.path) }
    guard !matching.isEmpty else {
      throw Refusal(.unknown, "no address matches \(quoted(message.addressText))")
    }
    for address in matching {
      do throws(Refusal) {
        try self.plan(address, message, at: frame, from: client, into: &plan)
      } catch {
        answer(error, to: address.path, from: client)
      }
    }
  }

  private func plan(
    _ address: Address, _ message: Message, at frame: Int64, from client: Client,
    into plan: inout Plan
  ) throws(Refusal) {
    // Nearly all messages are one number for a parameter.
    if case .number(let parameter, let range, _) = address.kind, let number = message.onlyNumber {
      guard number >= Double(range.lowerBound), number <= Double(range.upperBound) else {
        throw address.outOfRange(number)
      }
      if plan.commands.isEmpty { plan.firstPath = address.path }
      plan.commands.append(
        PlannedCommand(action: .set(parameter, Float(number)), frame: frame))
      return
    }
    try self.plan(address, message.arguments, at: frame, from: client, into: &plan)
  }

  private func plan(
    _ address: Address, _ arguments: [Argument], at frame: Int64, from client: Client?,
    into plan: inout Plan
  ) throws(Refusal) {
    switch address.kind {
    case .number(let parameter, _, _), .whole(let parameter, _, _),
      .choice(let parameter, _, _):
      guard let argument = arguments.first else {
        plan.afterwards.append { [self] in
          reply(address.path, [address.argument(for: values[parameter])], to: client)
        }
        return
      }
      guard arguments.count == 1 else { throw address.wrongType(got: arguments) }
      let value = try address.value(from: argument)
      if plan.commands.isEmpty { plan.firstPath = address.path }
      plan.commands.append(PlannedCommand(action: .set(parameter, value), frame: frame))
    case .reading(_, _, let read):
      guard arguments.isEmpty else { throw address.wrongType(got: arguments) }
      plan.afterwards.append { [self] in reply(address.path, read(self), to: client) }
    case .action(let forms, let isButton, let perform):
      if isButton, arguments.count == 1, let number = arguments[0].number {
        guard number.isFinite else { throw address.outOfRange(number) }
        if number == 0 { return }
      }
      // A button's number has said all that it has to say.
      let given = isButton && arguments.count == 1 && arguments[0].number != nil ? [] : arguments
      let request = Request(arguments: try address.match(given, to: forms), client: client)
      plan.afterwards.append { [self] in
        do throws(Refusal) {
          try perform(self, request)
        } catch {
          answer(error, to: address.path, from: client)
        }
      }
    case .command(let forms, let make):
      let request = Request(arguments: try address.match(arguments, to: forms), client: client)
      if plan.commands.isEmpty { plan.firstPath = address.path }
      var command = try make(self, request)
      command.frame = frame
      plan.commands.append(command)
    case .sent:
      // An answer of another node that took this one for its client. To answer it could go on
      // for ever.
      break
    }
  }

  private func carryOut(_ plan: Plan, from client: Client) {
    do throws(Refusal) {
      try submit(plan.commands)
    } catch {
      answer(error, to: plan.firstPath, from: client)
    }
    for action in plan.afterwards { action() }
  }

  /// Hands commands to the engine: all of them, or none and the reason.
  private func submit(_ commands: [PlannedCommand]) throws(Refusal) {
    guard !commands.isEmpty else { return }
    guard commands.count <= CommandQueue.largestBatch else {
      counters.refused += 1
      throw Refusal(
        .busy,
        "a bundle holds at most \(CommandQueue.largestBatch) changes; got \(commands.count), "
          + "and made none of them")
    }
    let batch = commands.map { Command($0.action, at: $0.frame) }
    let timed = batch.count { $0.frame != Command.now }
    guard timed == 0 || timedUnderWay + timed <= Self.mostTimed else {
      counters.refused += 1
      throw Refusal(
        .busy,
        "\(timedUnderWay) timed changes wait already, and \(Self.mostTimed) can; "
          + "none of these \(batch.count) was made, send them again later")
    }
    if engine.shared.commands.free < batch.count { takeEvents() }
    guard let first = engine.shared.commands.submit(batch) else {
      counters.refused += 1
      throw Refusal(
        .busy,
        "too much is under way (\(engine.shared.commands.underWay) changes); "
          + "none of these \(batch.count) was made, send them again later")
    }
    timedUnderWay += timed
    for (index, command) in commands.enumerated() {
      let number = first + UInt64(index)
      if let done = command.whenDone { whenDone[number] = done }
      if case .set(let parameter, let value) = command.action, command.frame == Command.now {
        values.accept(parameter, value, command: number)
      }
    }
  }

  // MARK: - Out

  /// Takes what the audio thread has to say.
  package func takeEvents() {
    var count = 0
    while let event = engine.shared.nextEvent() {
      count += 1
      if event.wasTimed { timedUnderWay -= 1 }
      switch event.kind {
      case .applied(let parameter, let value):
        values.apply(parameter, value, command: event.command)
        feedback.changed(parameter)
      case .synced, .faded:
        whenDone.removeValue(forKey: event.command)?()
      }
    }
    if count > 0 { engine.shared.commands.returnCredits(count) }
  }

  /// Does what is due: events, feedback, meters, leases.
  ///
  /// Returns in how many milliseconds it wants to be called again at the latest.
  package func tick() -> Int {
    takeEvents()
    let now = now()
    feedback.tick(now, node: self)
    return engine.shared.commands.underWay > 0 ? 1 : feedback.millisecondsUntilDue(now)
  }

  /// Fades out, and calls back when all is silent.
  package func leave(_ whenSilent: @escaping () -> Void) {
    try? submit([PlannedCommand(action: .leave, whenDone: whenSilent)])
  }

  /// The value of an address as an argument.
  package func argument(for address: Address) -> Argument? {
    switch address.kind {
    case .number(let parameter, _, _), .whole(let parameter, _, _),
      .choice(let parameter, _, _):
      address.argument(for: values[parameter])
    default: nil
    }
  }

  /// Answers a client, or nobody where the node asked itself.
  func reply(_ path: String, _ arguments: [Argument], to client: Client?) {
    guard let client else { return }
    send([UInt8](address: path, arguments), answering: client)
  }

  private func answer(_ refusal: Refusal, to path: String, from client: Client?) {
    counters.errors += 1
    guard let client else { return }
    send(refusal.answer(to: path), answering: client)
  }

  private func send(_ packet: [UInt8], answering client: Client) {
    outlet?.send(packet, to: feedback.target(for: client))
  }
}

/// Turns times into frames, once for each time in a packet.
private struct FrameCache {
  /// How far ahead a time can be: a tag that is wrong by years would hold its place for ever.
  static let secondsAhead = 3600

  let engine: Engine
  private var last: (time: TimeTag, frame: Int64?)?

  init(engine: Engine) { self.engine = engine }

  /// The frame of a time; nil where that is too far ahead.
  mutating func frame(at time: TimeTag) -> Int64? {
    if time == .immediately { return Command.now }
    if let last, last.time == time { return last.frame }
    let clock = engine.shared.clockReading
    let due = time.unixMicroseconds + HostTime.steadyOfUnixEpoch
    let isTooFar = due - clock.microseconds > Double(Self.secondsAhead) * 1e6
    let frame = isTooFar ? nil : clock.frame(at: due)
    last = (time, frame)
    return frame
  }
}
