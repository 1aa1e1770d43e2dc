internal import Engine
internal import OSC
internal import Posix

/// Sends commands to the audio thread, and dispatches its events.
final class CommandSender {
  // Timed commands leave room in the queue for immediate ones.
  private static let mostTimed = Shared.commandCapacity * 3 / 4
  // A single host leaves room in the schedule for others.
  private static let mostTimedOfOne = mostTimed * 2 / 3
  private static let planAheadMicroseconds = 500_000.0

  /// The current values of all parameters, including accepted commands.
  private(set) var values: Values
  private let engine: Engine
  private let replySender: ReplySender
  private var schedule = CommandSchedule()
  // The commands with callbacks, by number, until the engine reports on them.
  private var underWay: [UInt64: PlannedCommand] = [:]
  private var timedUnderWay = 0
  /// The observer of commands and events.
  weak var observer: StateKeeper?
  // Pedal events not yet collected.
  private var presses: [PressNews] = []
  // More than arrive between two polls.
  private static let mostPresses = 4096

  init(_ table: AddressTable, _ engine: Engine, _ replySender: ReplySender) {
    values = Values(table)
    self.engine = engine
    self.replySender = replySender
  }

  // MARK: - Output

  /// Queues all commands, or throws and queues none.
  func submit(_ commands: [PlannedCommand], from origin: Origin) throws(Refusal) {
    guard !commands.isEmpty else { return }
    guard commands.count <= CommandQueue.largestBatch else {
      throw refused(
        "the bundle has \(commands.count) changes, more than \(CommandQueue.largestBatch); "
          + "none was made")
    }
    let timed = commands.count { $0.due != nil }
    let waiting = timedUnderWay + schedule.count
    guard timed == 0 || waiting + timed <= Self.mostTimed else {
      throw refused(
        "\(waiting) of \(Self.mostTimed) timed changes are already scheduled; "
          + "none of these \(commands.count) was made, try again later")
    }
    let horizon = horizon
    let waits = commands.count { $0.due ?? 0 > horizon }
    if waits > 0, let address = origin.client?.endpoint.address {
      let own = schedule.count(from: address)
      guard own + waits <= Self.mostTimedOfOne else {
        throw refused(
          "\(own) of \(Self.mostTimedOfOne) timed changes per host are already scheduled; "
            + "none of these \(commands.count) was made, try again later")
      }
    }
    try enqueue(commands.filter { $0.due ?? 0 <= horizon }, from: origin.client)
    // Schedules later commands, one item per time.
    var later = commands.filter { $0.due ?? 0 > horizon }[...]
    while let due = later.first?.due {
      let together = later.prefix { $0.due == due }
      schedule.insert(CommandSchedule.Item(commands: Array(together), due: due, origin: origin))
      later = later.dropFirst(together.count)
    }
  }

  private func refused(_ message: String) -> Refusal {
    replySender.counters.refused += 1
    return Refusal(.busy, message)
  }

  /// The time up to which commands are assigned to frames.
  private var horizon: Double {
    // Freewheeling runs ahead of any schedule, but its time is exact.
    engine.shared.isFreewheeling
      ? .infinity : engine.shared.clockReading.microseconds + Self.planAheadMicroseconds
  }

  /// Writes all commands to the audio thread's queue, or throws and writes none.
  private func enqueue(_ commands: [PlannedCommand], from client: Client?) throws(Refusal) {
    guard !commands.isEmpty else { return }
    let clock = engine.shared.clockReading
    let batch = commands.map { command in
      Command(
        command.action, at: command.frame ?? command.due.map(clock.frame(at:)) ?? Command.now,
        isOnBeat: command.isOnBeat)
    }
    if engine.shared.commands.free < batch.count { takeEvents() }
    guard let first = engine.shared.commands.submit(batch) else {
      throw refused(
        "too many commands are pending (\(engine.shared.commands.underWay) changes); "
          + "none of these \(batch.count) was made, try again later")
    }
    let clips = batch.count { $0.action.fillsClip }
    if clips > 0 { engine.expectClips(clips) }
    for (index, command) in commands.enumerated() {
      let number = first + UInt64(index)
      if command.whenDone != nil || command.whenRefused != nil { underWay[number] = command }
      let isTimed = batch[index].frame != Command.now
      if isTimed { timedUnderWay += 1 } else { command.whenTaken?() }
      guard case .set(let parameter, let value) = command.action else { continue }
      observer?.willSet(parameter)
      if !isTimed { values.accept(parameter, value, command: number) }
      if let client { replySender.notifier.echo(parameter, value, to: client) }
    }
  }

  // MARK: - Events

  /// Handles events from the audio thread.
  func takeEvents() {
    var count = 0
    var pressCount = collectPresses()
    while let event = engine.shared.nextEvent() {
      count += 1
      if event.wasTimed { timedUnderWay -= 1 }
      let command = underWay.removeValue(forKey: event.command)
      switch event.kind {
      case .applied(let parameter, let value):
        values.apply(parameter, value, command: event.command)
        replySender.notifier.changed(parameter)
        observer?.didSet(parameter, value)
      case .synced, .done, .faded:
        command?.whenDone?()
      case .refused(let refusal):
        command?.whenRefused?(refusal)
      }
      pressCount += collectPresses()
    }
    if count > 0 { engine.shared.commands.returnCredits(count) }
    if count + pressCount > 0 { observer?.stateChanged() }
  }

  /// Collects pedal events between command events, applies the values they set, and returns their number.
  private func collectPresses() -> Int {
    var count = 0
    while let news = engine.shared.nextPress() {
      count += 1
      if case .answered(_, .applied(let parameter, let value)) = news.kind {
        observer?.willSet(parameter)
        values.applyPress(parameter, value)
        replySender.notifier.changed(parameter)
        observer?.didSet(parameter, value)
      }
      if presses.count < Self.mostPresses { presses.append(news) }
    }
    return count
  }

  /// Returns the pedal events since the last call.
  func takePresses() -> [PressNews] {
    takeEvents()
    defer { presses.removeAll(keepingCapacity: true) }
    return presses
  }

  // MARK: - Schedule

  /// Sends scheduled commands that are within the horizon.
  func poll() {
    takeEvents()
    // Read once, since a server can start freewheeling at any moment.
    let horizon = horizon
    while let item = schedule.popFirst(dueBy: horizon) {
      do throws(Refusal) {
        try enqueue(item.commands, from: item.origin.client)
      } catch {
        replySender.refuse(error, to: item.origin)
      }
    }
  }

  /// The delay until the next poll in milliseconds, or nil.
  var delay: Int? {
    // Timed commands in the audio thread are reported within milliseconds of their time.
    let soon: Int? = timedUnderWay > 0 ? 5 : nil
    guard let due = schedule.nextDue else { return soon }
    // A new item can lie before the horizon, infinitely far when freewheeling.
    return min(soon ?? .max, Int(min(max((due - horizon) / 1000, 1), 1e6)))
  }

  /// Whether the audio thread will report on a command within its next buffers.
  var isBusy: Bool {
    engine.shared.commands.underWay > timedUnderWay + underWay.values.count(where: \.isAnsweredLate)
  }

  /// Drops all scheduled commands and reports the refusal to their senders.
  func dropScheduled(because refusal: Refusal) {
    while let item = schedule.popFirst(dueBy: .infinity) {
      replySender.refuse(refusal, to: item.origin)
    }
  }
}
