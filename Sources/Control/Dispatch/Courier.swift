internal import Engine
internal import OSC
internal import Posix

/// The way of commands to the audio thread, and of its events back.
final class Courier {
  // What waits for its time must leave room for what is to be at once.
  private static let mostTimed = Shared.commandCapacity * 3 / 4
  // Of what waits for longer, one machine can't have so much that there is nothing left for others.
  private static let mostTimedOfOne = mostTimed * 2 / 3
  private static let planAheadMicroseconds = 500_000.0

  /// The values of all parameters, as far as the control side knows them.
  private(set) var values: Values
  private let engine: Engine
  private let answerer: Answerer
  private var agenda = Agenda()
  private var whenDone: [UInt64: () -> Void] = [:]
  private var whenRefused: [UInt64: (EngineRefusal) -> Void] = [:]
  private var answeredLate: Set<UInt64> = []
  private var timedUnderWay = 0
  /// The listener to values that are on their way, in effect, and to all else that happens.
  weak var observer: (any CourierObserver)?
  // News of pedals that nobody has taken yet.
  private var presses: [PressNews] = []
  // More than they can tell between two looks.
  private static let mostPresses = 4096

  init(_ table: AddressTable, _ engine: Engine, _ answerer: Answerer) {
    values = Values(table)
    self.engine = engine
    self.answerer = answerer
  }

  // MARK: - Out

  /// Takes commands on: all of them, or none and the reason.
  func submit(_ commands: [PlannedCommand], from origin: Origin) throws(Refusal) {
    guard !commands.isEmpty else { return }
    guard commands.count <= CommandQueue.largestBatch else {
      throw refused(
        "a bundle holds at most \(CommandQueue.largestBatch) changes; got \(commands.count), "
          + "and made none of them")
    }
    let timed = commands.count { $0.due != nil }
    let waiting = timedUnderWay + agenda.count
    guard timed == 0 || waiting + timed <= Self.mostTimed else {
      throw refused(
        "\(waiting) timed changes wait already, and \(Self.mostTimed) can; "
          + "none of these \(commands.count) was made, send them again later")
    }
    let horizon = horizon
    let waits = commands.count { $0.due ?? 0 > horizon }
    if waits > 0, let address = origin.client?.endpoint.address {
      let own = agenda.count(from: address)
      guard own + waits <= Self.mostTimedOfOne else {
        throw refused(
          "\(own) timed changes from your machine wait already, and \(Self.mostTimedOfOne) can; "
            + "none of these \(commands.count) was made, send them again later")
      }
    }
    try hand(over: commands.filter { $0.due ?? 0 <= horizon }, from: origin.client)
    // What is for later, a time at a time.
    var later = commands.filter { $0.due ?? 0 > horizon }[...]
    while let due = later.first?.due {
      let together = later.prefix { $0.due == due }
      agenda.insert(Agenda.Item(commands: Array(together), due: due, origin: origin))
      later = later.dropFirst(together.count)
    }
  }

  private func refused(_ message: String) -> Refusal {
    answerer.counters.refused += 1
    return Refusal(.busy, message)
  }

  /// The time up to which frames are fixed at present.
  private var horizon: Double {
    // Frames that run free of the clock run ahead of any plan, but their relation is exact.
    engine.shared.isFreewheeling
      ? .infinity : engine.shared.clockReading.microseconds + Self.planAheadMicroseconds
  }

  /// Gives commands to the audio thread: all of them, or none and the reason.
  private func hand(over commands: [PlannedCommand], from client: Client?) throws(Refusal) {
    guard !commands.isEmpty else { return }
    let clock = engine.shared.clockReading
    let batch = commands.map { command in
      Command(command.action, at: command.due.map(clock.frame(at:)) ?? Command.now)
    }
    if engine.shared.commands.free < batch.count { takeEvents() }
    guard let first = engine.shared.commands.submit(batch) else {
      throw refused(
        "too much is under way (\(engine.shared.commands.underWay) changes); "
          + "none of these \(batch.count) was made, send them again later")
    }
    let clips = batch.count { $0.action.fillsClip }
    if clips > 0 { engine.expectClips(clips) }
    for (index, command) in commands.enumerated() {
      let number = first + UInt64(index)
      if let done = command.whenDone { whenDone[number] = done }
      if let refused = command.whenRefused { whenRefused[number] = refused }
      if command.isAnsweredLate { answeredLate.insert(number) }
      let isTimed = batch[index].frame != Command.now
      if isTimed { timedUnderWay += 1 } else { command.whenTaken?() }
      guard case .set(let parameter, let value) = command.action else { continue }
      observer?.willSet(parameter)
      if !isTimed { values.accept(parameter, value, command: number) }
      if let client { answerer.feedback.heard(parameter, value, from: client) }
    }
  }

  // MARK: - Back

  /// Takes what the audio thread has to say.
  func takeEvents() {
    var count = 0
    var pressCount = takeNews()
    while let event = engine.shared.nextEvent() {
      count += 1
      if event.wasTimed { timedUnderWay -= 1 }
      answeredLate.remove(event.command)
      switch event.kind {
      case .applied(let parameter, let value):
        values.apply(parameter, value, command: event.command)
        answerer.feedback.changed(parameter)
        observer?.didSet(parameter, value)
      case .synced, .done, .faded:
        whenRefused[event.command] = nil
        whenDone.removeValue(forKey: event.command)?()
      case .refused(let refusal):
        whenDone[event.command] = nil
        whenRefused.removeValue(forKey: event.command)?(refusal)
      }
      pressCount += takeNews()
    }
    if count > 0 { engine.shared.commands.returnCredits(count) }
    if count + pressCount > 0 { observer?.somethingHappened() }
  }

  /// Takes what pedals have told by now, between the events of commands, and returns how much that
  /// is: what a press has set is set.
  private func takeNews() -> Int {
    var count = 0
    while let news = engine.shared.nextPress() {
      count += 1
      if case .answered(_, .applied(let parameter, let value)) = news.kind {
        observer?.willSet(parameter)
        values.take(parameter, value)
        answerer.feedback.changed(parameter)
        observer?.didSet(parameter, value)
      }
      if presses.count < Self.mostPresses { presses.append(news) }
    }
    return count
  }

  /// Takes what pedals have told since the last time.
  func takePresses() -> [PressNews] {
    takeEvents()
    defer { presses.removeAll(keepingCapacity: true) }
    return presses
  }

  // MARK: - Later

  /// Hands over what has come near enough to its time; returns in how many milliseconds to look
  /// again, nil for any time.
  func poll() -> Int? {
    takeEvents()
    // Once for all: a server can go over to running free of the clock at any moment.
    let horizon = horizon
    while let item = agenda.take(dueBy: horizon) {
      do throws(Refusal) {
        try hand(over: item.commands, from: item.origin.client)
      } catch {
        answerer.refuse(error, to: item.origin)
      }
    }
    // What waits for its time in the audio is told within a few milliseconds of it.
    let soon: Int? = timedUnderWay > 0 ? 5 : nil
    guard let due = agenda.nextDue else { return soon }
    // What has come since can lie before it, and before infinity by infinitely much.
    return min(soon ?? .max, Int(min(max((due - horizon) / 1000, 1), 1e6)))
  }

  /// Whether something is under way that the audio thread answers within its next blocks.
  var isBusy: Bool {
    engine.shared.commands.underWay > timedUnderWay + answeredLate.count
  }

  /// Makes no change any more that waits for its time, and says why to whoever asked for it.
  func dropAgenda(because refusal: Refusal) {
    while let item = agenda.take(dueBy: .infinity) { answerer.refuse(refusal, to: item.origin) }
  }
}

/// A listener to what becomes of commands.
protocol CourierObserver: AnyObject {
  /// A parameter is about to be set by a command that is on its way.
  func willSet(_ parameter: Parameter)
  /// A parameter has a value now.
  func didSet(_ parameter: Parameter, _ value: Float)
  /// The audio thread has done something.
  func somethingHappened()
}
