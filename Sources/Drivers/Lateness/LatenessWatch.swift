internal import Dropouts
internal import Engine
internal import Posix
internal import Synchronization

/// Watches the node's buffers and the machine's counters, and finds the cause of each late buffer.
final class LatenessWatch: @unchecked Sendable {
  private static let usualMilliseconds = 250
  private static let closeMilliseconds = 50
  // So many late buffers are kept.
  private static let most = 100
  // Joining a server causes xruns of its own; in microseconds.
  private static let joiningMicroseconds = 500_000.0
  // A sample that covers the time before the first sign, in microseconds.
  private static let lead = 20_000.0
  private static let mostSamples = 4
  // Clients come and go in groups.
  private static let clientsMicroseconds = 1e6

  private let facts: ServerFacts
  private let report: @Sendable (String) -> Void
  private let noted: @Sendable () -> Void
  private let entries = Guarded<[LostBlock]>([])
  private let isEnding = Atomic<Bool>(false)

  // The watch's own thread only.
  private let reader = CounterReader()
  private let machine = MachineReader()
  private var tracker = LatenessTracker()
  private var usual = UsualRates()
  // The latest samples, oldest first.
  private var samples: [Sample] = []
  private var memberships = 0
  private var joined = 0.0
  private var server: Int32?
  private var hasCard = false
  private var wanted: Set<String> = []
  private var clients: [Int32: String] = [:]
  private var clientsDue = 0.0
  private var lastGraph = -Double.infinity
  private var reportedXruns = 0
  private var reports = GrowingDistance()

  /// Creates a watch.
  ///
  /// `report` receives lines for people. `noted` is called when `lost` has changed.
  init(
    _ facts: ServerFacts, report: @escaping @Sendable (String) -> Void,
    noted: @escaping @Sendable () -> Void
  ) {
    (self.facts, self.report, self.noted) = (facts, report, noted)
  }

  /// The latest late buffers, oldest first; any thread.
  var lost: [LostBlock] { entries.withLock { $0 } }

  /// Records an absence of the JACK server that ends now, with its length; any thread.
  func noteAbsence(seconds: Double) {
    note(
      at: HostTime.wall - seconds * 1e6, milliseconds: seconds * 1e3,
      Verdict(
        .server, "the JACK server ended, and was back after \((seconds * 10).rounded() / 10) s"))
  }

  private func note(at time: Double, milliseconds: Double, _ verdict: Verdict) {
    entries.withLock { entries in
      entries.append(
        LostBlock(
          number: (entries.last?.number ?? 0) + 1, time: time, milliseconds: milliseconds,
          cause: verdict.cause.rawValue, detail: verdict.detail))
      if entries.count > Self.most { entries.removeFirst() }
    }
    noted()
  }

  /// Starts watching.
  ///
  /// Without another thread, no cause is found.
  func start() {
    Continues.count()
    try? Thread.start("lateness") { [self] in
      while !isEnding.load(ordering: .relaxed) {
        look()
        let pause = tracker.signs == nil ? Self.usualMilliseconds : Self.closeMilliseconds
        facts.blocks.wake?.wait(milliseconds: pause)
      }
    }
  }

  /// Stops watching.
  func end() {
    isEnding.store(true, ordering: .relaxed)
    facts.blocks.wake?.set()
  }

  // MARK: - Own thread

  private func look() {
    let now = HostTime.steady
    followMembership(now)
    let thread = facts.blocks.audioThread.load(ordering: .relaxed)
    guard facts.isRunning.load(ordering: .relaxed), thread != 0,
      !facts.isFreewheeling.load(ordering: .relaxed)
    else {
      while facts.blocks.next() != nil {}
      _ = facts.blocks.takeDelay()
      tracker.forget()
      samples.removeAll()
      return
    }
    drain(now)
    if tracker.signs == nil {
      guard now >= (samples.last?.time ?? 0) + Double(Self.usualMilliseconds) * 900 else { return }
      findProcesses(now)
      take(thread)
    } else if tracker.isOver(now: now) {
      judge(thread)
    }
  }

  /// Starts again with another server.
  private func followMembership(_ now: Double) {
    let current = facts.blocks.memberships.load(ordering: .relaxed)
    guard current != memberships else { return }
    memberships = current
    joined = now
    server = nil
    (wanted, clients, clientsDue) = ([], [:], 0)
    tracker.forget()
    samples.removeAll()
    usual = UsualRates()
  }

  private func drain(_ now: Double) {
    let counts = now > joined + Self.joiningMicroseconds
    let difference = Double(bitPattern: facts.clockDifference.load(ordering: .relaxed))
    while let timing = facts.blocks.next() {
      tracker.follow(timing, at: Double(timing.start) + difference, counts: counts)
    }
    tracker.follow(
      xruns: facts.blocks.xruns.load(ordering: .relaxed), now: now, counts: counts)
  }

  /// Finds the processes of the server and of its clients.
  private func findProcesses(_ now: Double) {
    if server == nil {
      server = ProcessFinder.server()
      hasCard = server.map(ProcessFinder.hasCard) ?? false
    }
    let names = facts.otherClients.withLock { $0 }
    if names != wanted {
      (wanted, lastGraph) = (names, now)
      clientsDue = now + Self.clientsMicroseconds
    }
    if now >= clientsDue {
      clientsDue = .infinity
      clients = wanted.isEmpty ? [:] : ProcessFinder.clients(named: wanted)
      // Clients in the node's own process, as in tests, and in the server are not others.
      clients[Environment.processID] = nil
      if let server { clients[server] = nil }
    }
  }

  /// Takes a sample while all is well.
  private func take(_ thread: Int32) {
    let sample = reader.sample(audioThread: thread, server: server, clients: clients)
    if let before = samples.last { usual.learn(from: before, to: sample) }
    samples.append(sample)
    if samples.count > Self.mostSamples { samples.removeFirst() }
  }

  /// Finds the cause of an episode that has ended.
  private func judge(_ thread: Int32) {
    guard let signs = tracker.signs else { return }
    let delay = facts.blocks.takeDelay()
    let after = reader.sample(audioThread: thread, server: server, clients: clients)
    // The counters must be older than the cause.
    let cause = signs.first - delay - Self.lead
    let before = samples.last { $0.time < cause } ?? samples.first ?? after
    let rate = Double(facts.rate.load(ordering: .relaxed))
    guard var episode = tracker.take(since: before.time, rate: rate) else { return }
    episode.serverDelay = delay
    episode.compare(before, after, usual: usual)
    episode.clientCount = wanted.count
    episode.hasCard = hasCard
    episode.isGraphChanged = lastGraph > before.time
    let state = machine.state()
    episode.frequency = state.frequency
    episode.isUndervolted = state.isUndervolted
    let verdict = episode.verdict
    note(
      at: HostTime.wall - (HostTime.steady - signs.first), milliseconds: episode.milliseconds,
      verdict)
    samples = [after]
    tell(verdict, after.time)
  }

  private func tell(_ verdict: Verdict, _ now: Double) {
    let xruns = facts.xruns.load(ordering: .relaxed)
    guard xruns > reportedXruns, reports.isDue(now / 1e6) else { return }
    let longest = Float(bitPattern: facts.longestXrun.load(ordering: .relaxed))
    report(
      "\(xruns - reportedXruns) xrun\(xruns - reportedXruns == 1 ? "" : "s"), "
        + "\(xruns) since the start; the longest delay was \(Int(longest)) µs; \(verdict.detail)")
    reportedXruns = xruns
  }
}
