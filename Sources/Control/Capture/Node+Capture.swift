internal import Engine
internal import OSC
internal import Posix
internal import Takes

/// The capture: what it is asked for, and what it tells.
extension Node {
  // How often to look while one is on, and while one is being ended, in milliseconds.
  private static let lookMilliseconds = 50
  private static let endingMilliseconds = 5

  /// What begins a capture, or ends it.
  func commandToCapture(_ on: Bool, for client: Client?) throws(Refusal) -> PlannedCommand {
    on ? try commandToBegin(for: client) : commandToEnd(for: client)
  }

  private func commandToBegin(for client: Client?) throws(Refusal) -> PlannedCommand {
    let preparation = try capture.prepare(rate: engine.shared.sampleRate)
    return command(.capture(preparation.ring.pointer), on: true) { node in
      node.capture.begin(preparation, engine: node.engine, for: client)
    }
  }

  private func commandToEnd(for client: Client?) -> PlannedCommand {
    command(.capture(nil), on: false) { $0.capture.end(for: client) }
  }

  private func command(
    _ action: Command.Action, on isOn: Bool, _ done: @escaping (Node) -> Void
  ) -> PlannedCommand {
    var command = PlannedCommand(action: action)
    var isTaken = false
    command.whenTaken = { [unowned self] in
      isTaken = true
      capture.underWay += 1
      capture.isOn = isOn
    }
    command.whenDone = { [weak self] in
      guard let self else { return }
      if isTaken { capture.underWay -= 1 }
      done(self)
      captureChanged()
    }
    return command
  }

  /// Ends the capture, if one is on; false where there is no room for the command.
  @discardableResult
  package func endCapture() -> Bool {
    (try? submit([commandToEnd(for: nil)], path: "", client: nil)) != nil
  }

  private func captureChanged() {
    // What was asked for last is told until it is so.
    if capture.underWay == 0 { capture.isOn = capture.running != nil }
    feedback.changed("/capture/on")
    feedback.changed("/capture/state")
  }

  /// What `/capture/state` says.
  var captureState: [Argument] {
    let account = capture.account
    return [
      .string(account.isOn ? "on" : "off"), .float(Float(account.seconds)), .string(account.id),
    ]
  }

  /// Looks what has become of the captures; returns in how many milliseconds to look again, nil
  /// for any time.
  func lookAfterCaptures() -> Int? {
    for index in capture.entries.indices { lookForFault(index) }
    followRate()
    let done = capture.entries.filter {
      $0.run.ring.hasEnded && $0.run.outcome.withLock { $0 != nil }
    }
    for entry in done { tellEnd(of: entry) }
    if !done.isEmpty { capture.forget(done) }
    guard capture.isBusy else { return nil }
    return capture.running == nil ? Self.endingMilliseconds : Self.lookMilliseconds
  }

  private func lookForFault(_ index: Int) {
    let entry = capture.entries[index]
    let ring = entry.run.ring
    var fault = entry.run.fault.withLock { $0 }
    if ring.state == .overrun {
      fault = Refusal(
        .io, "the disk was too slow for \(ring.capacity / ring.rate) s: the capture has ended there"
      )
    }
    guard let fault else { return }
    // Otherwise the audio thread would fill the ring for nobody.
    if !ring.hasEnded, !entry.isStopped { capture.entries[index].isStopped = endCapture() }
    guard !entry.isFaultTold else { return }
    capture.entries[index].isFaultTold = true
    if ring.hasEnded { captureChanged() }
    tell(fault, of: entry)
  }

  private func tell(_ fault: Refusal, of entry: Capture.Entry) {
    counters.captureFaults += 1
    report(fault, of: "/capture/on", to: entry.starter)
  }

  /// Begins another capture where a server has come back at another rate.
  private func followRate() {
    guard let run = capture.running,
      let index = capture.entries.firstIndex(where: { $0.run === run && !$0.isFollowed })
    else { return }
    let (status, rate) = (soundServer.status, engine.shared.sampleRate)
    // Without a server it waits for one: that may have the rate of before.
    guard status.isRunning, status.rate == rate, rate != run.ring.rate else { return }
    capture.entries[index].isFollowed = true
    let starter = capture.entries[index].starter
    do throws(Refusal) {
      let begin = try commandToBegin(for: starter)
      try submit([commandToEnd(for: nil), begin], path: "/capture/on", client: starter)
    } catch {
      endCapture()
      tell(error, of: capture.entries[index])
    }
  }

  private func tellEnd(of entry: Capture.Entry) {
    guard let outcome = entry.run.outcome.withLock({ $0 }) else { return }
    if let fault = outcome.fault { tell(fault, of: entry) }
    if let take = outcome.take { tellChanged(take) }
    let failed = entry.isFaultTold || outcome.fault != nil
    if outcome.take != nil || !failed {
      // One without a single frame is no take.
      reply("/reply", [.string("/capture/on"), .string(outcome.take?.id ?? "")], to: entry.ender)
    } else if let ender = entry.ender, ender != entry.starter {
      answer(
        Refusal(.io, "the capture has failed, and left no take"), to: "/capture/on", from: ender)
    }
    feedback.changed("/capture/state")
  }
}
