internal import CJack
package import Engine
internal import Posix
internal import Synchronization

/// A client of a JACK server that reconnects: it joins the server, watches it, and joins it again
/// after a restart, under the same name and with the same connections.
package final class JackLink: @unchecked Sendable {
  /// The settings by which to join.
  package struct Configuration: Sendable {
    /// The client's name.
    package var name = "syrinx"
    /// The server's name; nil for the default, which JACK_DEFAULT_SERVER can set.
    package var server: String?
    /// Whether to connect to the hardware inputs and outputs: a side that never had a connection,
    /// or whose earlier connections all wait for ports that don't appear.
    package var connectsToHardware = false
    /// The node's ports that ever had a connection.
    package var connectedPorts: Set<String> = []
    /// The connections to restore as soon as both ports exist.
    package var connections: [SoundConnection] = []

    /// Creates the default settings.
    package init() {}
  }

  // Poll interval for a dead server: the node may take a second to rejoin it.
  private static let retryMilliseconds = 200
  // A starting server refuses clients as if their names were taken. So many refusals, of about a second, are
  // not reported.
  private static let attemptsInDoubt = 5
  private static let idleMilliseconds = 250
  private static let attemptsToDescribe = 5
  // Time limit for ports from before to appear, in microseconds: after the node's start, and after the server's,
  // whose other programs have been running before.
  private static let patience = 3_000_000.0
  private static let patienceAgain = 1_000_000.0
  // How long after the last change all ports count as connected, in microseconds: a server reports
  // a connection before it makes it.
  private static let settling = 250_000.0
  // A close that hangs longer is abandoned.
  private static let closeMilliseconds = 3000
  private static let lastNotificationMilliseconds = 2000

  /// The name that the server gave the client.
  package let name: String
  private let configuration: Configuration
  private let engine: Engine
  private let facts = ServerFacts()
  private let lateness: LatenessWatch
  private let wake: Signal
  private let ended: Signal
  private let report: @Sendable (String) -> Void
  private let tellConnections: @Sendable ([SoundConnection]) -> Void
  private let tellPorts: @Sendable () -> Void
  private let currentPorts = Guarded<[SoundPort]>([])
  private let currentCard = Guarded<String?>(nil)
  private let isEnding = Atomic<Bool>(false)

  // The link's own thread only, once it runs.
  private var membership: Membership?
  private var standby: Standby?
  private var memory: ConnectionMemory
  private var toldConnections: [SoundConnection]
  // When to check whether ports from before have appeared: once after each join.
  private var patienceEnds = Double.infinity
  // The former server, and when it was lost.
  private var former: (rate: Int, block: Int, end: Double)?
  // When the connections of the last change count as made.
  private var graphSettles = Double.infinity
  private var reportedDelay = 0
  private var lastBlock: UInt32 = 0
  private var lastDelay = 0
  private var reportedMetadata = false
  private var attemptsToDescribe = 0
  // Refused attempts since the last connection, and whether one was reported.
  private var refusedAttempts = 0
  private var reportedRefusal = false

  /// Joins the server, or throws.
  ///
  /// If the server may start later, waits for it.
  ///
  /// `report` receives lines for people, on any thread. `connectionsChanged` receives all
  /// connections that exist or will be restored, on the link's own thread. `portsChanged` is called when
  /// `ports` or `lostBlocks` have changed, on any thread.
  package init(
    _ configuration: Configuration, engine: Engine, awaitsServer: Bool = false,
    report: @escaping @Sendable (String) -> Void,
    connectionsChanged: @escaping @Sendable ([SoundConnection]) -> Void = { _ in },
    portsChanged: @escaping @Sendable () -> Void = {}
  ) throws {
    self.configuration = configuration
    self.engine = engine
    self.report = report
    tellConnections = connectionsChanged
    tellPorts = portsChanged
    lateness = LatenessWatch(facts, report: report, noted: portsChanged)
    memory = ConnectionMemory(
      configuration.connections.filter { link in
        PortPlan.all(loops: engine.shared.loops.count).contains { $0.name == link.own }
      },
      connectedPorts: configuration.connectedPorts)
    toldConnections = memory.kept
    wake = try Signal()
    ended = try Signal()
    // libjack would write many lines to standard error for one fault.
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
    do throws(JackError) {
      let first = try Membership(
        name: configuration.name, server: configuration.server, mustBeExact: awaitsServer,
        engine: engine, facts: facts, wake: wake, isWanted: { true })
      name = first.name
      began(first)
      connectAgain(first)
    } catch {
      guard awaitsServer else { throw error }
      name = configuration.name
      standby = try Standby(engine)
      report("\(error); waiting for it")
    }
    lateness.start()
    do throws(SystemError) {
      try Thread.start("jack-link") { [self] in run() }
    } catch {
      lateness.end()
      membership?.leave()
      standby?.end()
      throw error
    }
  }

  /// The present status of the server; any thread.
  package var status: SoundServerStatus { facts.status }

  /// The node's ports and their connections as of the link's last update; empty without a server.
  package var ports: [SoundPort] { currentPorts.withLock { $0 } }

  /// The sound card that the node is connected to, with the server's settings; nil unless both an output
  /// and an input are connected; any thread.
  package var route: SoundRoute? {
    let status = facts.status
    return currentCard.withLock { $0 }.map {
      SoundRoute(card: $0, rate: status.rate, block: status.block)
    }
  }

  /// The latest late buffers, oldest first; any thread.
  package var lostBlocks: [LostBlock] { lateness.lost }

  /// Becomes, or ceases to be, the timebase master of the server's transport, unless another client
  /// is.
  ///
  /// The status has the result. The request is repeated to a server that starts or restarts.
  package func leadTransport(_ leads: Bool) {
    let isRunning = facts.isRunning.load(ordering: .relaxed)
    facts.transportRole.withLock { $0.want(leads, isRunning: isRunning) }
    wake.set()
  }

  /// Whether the mix is connected, as of the link's last update.
  package var isHeard: Bool { facts.isHeard.load(ordering: .relaxed) }

  /// Leaves the server for good.
  ///
  /// Blocks only for a moment.
  package func end() {
    lateness.end()
    isEnding.store(true, ordering: .relaxed)
    wake.set()
    ended.wait(milliseconds: 1000)
  }

  // MARK: - Link thread

  private func run() {
    while !isEnding.load(ordering: .relaxed) {
      supervise()
      wake.wait(
        milliseconds: membership == nil ? Self.retryMilliseconds : Self.idleMilliseconds)
    }
    engine.shared.setTransportLed(false)
    membership?.leaveInTurn()
    standby?.end()
    ended.set()
  }

  private func supervise() {
    Heap.trimIfNeeded()
    if facts.isGone.load(ordering: .relaxed) { lost() }
    if membership == nil && !isEnding.load(ordering: .relaxed) { rejoin() }
    guard let membership else { return }
    if Double(facts.rate.load(ordering: .relaxed)) != membership.rate {
      report("the server's sample rate has changed; reconnecting")
      lost()
      return
    }
    facts.compareClocks()
    facts.load.store(membership.load.bitPattern, ordering: .relaxed)
    updateConnections(membership)
    connectHardwareAfterWait(membership)
    reportBlock()
    // Not while the pitch is being turned: hosts that compensate would turn with it.
    let delay = engine.shared.chainDelayFrames
    if delay != reportedDelay && delay == lastDelay {
      reportedDelay = delay
      membership.recomputeLatency()
    }
    lastDelay = delay
    updateTransport(membership)
    describePorts()
  }

  /// Reads the present connections, and restores those whose other port exists again.
  private func updateConnections(_ membership: Membership) {
    let hasChanged = facts.graphChanged.exchange(false, ordering: .relaxed)
    if hasChanged { graphSettles = HostTime.steady + Self.settling }
    let hasSettled = HostTime.steady >= graphSettles
    guard hasChanged || hasSettled || memory.isInDoubt else { return }
    let news = facts.portNews.withLock { news in
      defer { news = PortNews() }
      return news
    }
    let links = membership.links
    let others = membership.otherClients
    facts.otherClients.withLock { $0 = others }
    facts.isHeard.store(
      links.contains { PortPlan.outputs.contains($0.own) }, ordering: .relaxed)
    if hasSettled {
      graphSettles = .infinity
      facts.setConnected(PortUse(names: links.map(\.own)))
    }
    setCard(membership.card(links))
    setPorts(SoundPort.all(links, loops: engine.shared.loops.count))
    memory.rename(news.renamed)
    memory.update(links, changed: news.changed, now: HostTime.steady, isThere: membership.hasPort)
    if hasChanged || hasSettled { memory.find(membership.devicePorts) }
    // A server that is shutting down has removed them, not the user.
    if facts.isGone.load(ordering: .relaxed) { return }
    // And once more when changes have settled: a program that has registered its ports but is not
    // active yet is refused connections.
    if hasChanged || hasSettled { for link in memory.due { membership.connect(link) } }
    tellOfConnections()
  }

  private func setCard(_ card: String?) {
    currentCard.withLock { $0 = card }
    if let card { facts.card.withLock { $0 = shortName(ofCard: card) } }
  }

  /// Reports another buffer size, like a change of the ports: the latency may be another one.
  private func reportBlock() {
    let block = facts.block.load(ordering: .relaxed)
    guard block != lastBlock else { return }
    lastBlock = block
    facts.portChanges.add(1, ordering: .relaxed)
    tellPorts()
  }

  private func setPorts(_ ports: [SoundPort]) {
    let areNew = currentPorts.withLock { current in
      defer { current = ports }
      return current != ports
    }
    guard areNew else { return }
    facts.portChanges.add(1, ordering: .relaxed)
    tellPorts()
  }

  private func tellOfConnections() {
    let kept = memory.kept
    guard kept != toldConnections else { return }
    toldConnections = kept
    tellConnections(kept)
  }

  /// Restores the earlier connections, and connects to the hardware if wanted.
  private func connectAgain(_ membership: Membership) {
    memory.find(membership.devicePorts)
    for link in memory.due { membership.connect(link) }
    if configuration.connectsToHardware {
      if !memory.hasHadConnection(of: Set(PortPlan.inputs)) { membership.connectInputs() }
      if !memory.hasHadConnection(of: Set(PortPlan.outputs)) { membership.connectOutputs() }
      let patience = patienceEnds == .infinity ? Self.patience : Self.patienceAgain
      patienceEnds = HostTime.steady + patience
    }
    engine.connectionsAreMade()
    facts.noteGraph()
  }

  /// Connects to the hardware if the ports from before don't appear: the sound card has changed.
  private func connectHardwareAfterWait(_ membership: Membership) {
    guard patienceEnds > 0, HostTime.steady >= patienceEnds else { return }
    patienceEnds = 0
    if memory.isWaiting(for: Set(PortPlan.inputs)) { membership.connectInputs() }
    if memory.isWaiting(for: Set(PortPlan.outputs)) { membership.connectOutputs() }
  }

  /// Becomes timebase master if wanted; another client may take over at any time.
  private func updateTransport(_ membership: Membership) {
    if facts.transportRole.withLock({ $0.isWanted }) {
      // Not under the lock: the server may take its time.
      let isGranted = membership.lead()
      facts.transportRole.withLock { $0.answer(isGranted: isGranted) }
    } else {
      membership.stopLeading()
    }
    engine.shared.setTransportLed(membership.isLeading)
  }

  private func began(_ membership: Membership) {
    self.membership = membership
    attemptsToDescribe = Self.attemptsToDescribe
    standby?.end()
    standby = nil
    facts.isRunning.store(true, ordering: .relaxed)
  }

  private func lost() {
    guard let membership else { return }
    let isGone = facts.isGone.load(ordering: .relaxed)
    if isGone {
      let card = facts.card.withLock { $0 }
      report(
        "lost the JACK server\(card.isEmpty ? "" : " on \(card)"); time goes on until it returns")
    }
    former = (
      Int(membership.rate), Int(facts.block.load(ordering: .relaxed)), HostTime.steady
    )
    facts.isRunning.store(false, ordering: .relaxed)
    facts.isGone.store(false, ordering: .relaxed)
    setCard(nil)
    setPorts([])
    memory.serverIsGone(now: HostTime.steady)
    facts.transportRole.withLock { $0.serverIsGone() }
    engine.shared.setTransportLed(false)
    self.membership = nil
    standby = try? Standby(engine)
    // Closing may hang if the server has died. libjack can't join a new server before its clients
    // of the old one are closed, so wait for it, but not forever.
    guard let closed = try? Signal() else { return }
    do throws(SystemError) {
      try Thread.start("jack-close") {
        if isGone {
          membership.awaitLastNotification(milliseconds: Self.lastNotificationMilliseconds)
        }
        membership.leave()
        closed.set()
      }
    } catch {
      membership.leave()
      return
    }
    if !closed.wait(milliseconds: Self.closeMilliseconds) {
      report("libjack does not release the dead server; reconnecting anyway")
    }
  }

  private func rejoin() {
    do throws(JackError) {
      let membership = try Membership(
        name: name, server: configuration.server, mustBeExact: true, engine: engine, facts: facts,
        wake: wake, isWanted: { [self] in !isEnding.load(ordering: .relaxed) })
      began(membership)
      (refusedAttempts, reportedRefusal) = (0, false)
      connectAgain(membership)
      reportReturn(membership)
      // The former driver and engine were freed.
      Heap.noteFreed()
    } catch .noServer {
      // No server yet. Starting the standby driver may have failed for want of a thread.
      if standby == nil, !isEnding.load(ordering: .relaxed) { standby = try? Standby(engine) }
    } catch {
      // Another link may own the engine by now.
      if isEnding.load(ordering: .relaxed) { return }
      refusedAttempts += 1
      var isInDoubt = false
      if case .nameTaken = error { isInDoubt = refusedAttempts <= Self.attemptsInDoubt }
      if !isInDoubt, !reportedRefusal {
        report("can't reconnect to the JACK server: \(error); retrying")
        reportedRefusal = true
      }
      if case .refused = error {
        // The attempt may have taken over the engine.
        standby?.end()
        standby = try? Standby(engine)
      }
    }
  }

  /// Reports a server that is back, with what has changed.
  private func reportReturn(_ membership: Membership) {
    let rate = Int(membership.rate)
    let block = Int(facts.block.load(ordering: .relaxed))
    var line = "reconnected to the JACK server"
    if let former {
      let seconds = (HostTime.steady - former.end) / 1e6
      lateness.noteAbsence(seconds: seconds)
      line += " after \((seconds * 10).rounded() / 10) s"
    }
    line += " at \(rate) Hz and \(block) frames"
    if let former, former.rate != rate {
      line +=
        " instead of \(former.rate) and \(former.block); loops, phrases and songs were converted"
    } else if let former, former.block != block {
      line += " instead of \(former.block)"
    }
    report(line)
  }

  /// Sets the ports' metadata; a server that has just started may not be able to store it yet.
  private func describePorts() {
    guard let membership, attemptsToDescribe > 0 else { return }
    attemptsToDescribe -= 1
    if membership.describePorts() {
      attemptsToDescribe = 0
    } else if attemptsToDescribe == 0, !reportedMetadata {
      reportedMetadata = true
      report("the JACK server can't store the ports' metadata; they have their plain names")
    }
  }
}
