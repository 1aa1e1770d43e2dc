internal import Engine
internal import Library
internal import OSC
internal import Posix

/// The capture of what comes in or goes out, to the disk, for as long as wanted.
final class Captures: Feature {
  // How often to look while one is on, and while one is being ended, in milliseconds.
  private static let runningMilliseconds = 50
  private static let endingMilliseconds = 5

  private let context: Context
  private let runs = CaptureRuns()

  init(_ context: Context) { self.context = context }

  /// Whether a capture is on its way to the disk.
  var isWriting: Bool { runs.isBusy }

  /// The figures of the one that runs, or ran last.
  var account: CaptureRuns.Account { runs.account }

  // MARK: - What it is asked

  /// A command that begins a capture, or ends it.
  fileprivate func command(_ isOn: Bool, _ request: Request) throws(Refusal) -> PlannedCommand {
    isOn ? try commandToBegin(for: request) : commandToEnd(for: request)
  }

  private func commandToBegin(for request: Request?) throws(Refusal) -> PlannedCommand {
    let engine = context.engine
    let preparation = try runs.prepare(
      rate: engine.shared.sampleRate, home: context[Takes.self].home)
    return command(.capture(preparation.ring.pointer), on: true) { captures in
      captures.runs.begin(
        preparation, captures.surroundings, engine: engine, for: request)
    }
  }

  private var surroundings: CaptureRuns.Surroundings {
    CaptureRuns.Surroundings(
      place: context[Takes.self].place, preset: context[Presets.self].loaded)
  }

  private func commandToEnd(for request: Request?) -> PlannedCommand {
    command(.capture(nil), on: false) { $0.runs.end(for: request) }
  }

  private func command(
    _ action: Command.Action, on isOn: Bool, _ done: @escaping (Captures) -> Void
  ) -> PlannedCommand {
    var command = PlannedCommand(action: action)
    var isTaken = false
    command.whenTaken = { [unowned self] in
      isTaken = true
      runs.underWay += 1
      runs.isOn = isOn
    }
    command.whenDone = { [weak self] in
      guard let self else { return }
      if isTaken { runs.underWay -= 1 }
      done(self)
      tellChange()
    }
    return command
  }

  /// Ends the capture, if one is on; false where there is no room for the command.
  @discardableResult
  func end() -> Bool { (try? context.submit([commandToEnd(for: nil)])) != nil }

  private func tellChange() {
    // What was asked for last is told until it is so.
    if runs.underWay == 0 { runs.isOn = runs.running != nil }
    context.changed(Self.on, Self.state)
  }

  // MARK: - What happens

  /// Tells what has become of the captures, and follows the server's rate.
  func poll(_ now: Double) -> Int? {
    for index in runs.entries.indices { lookForFault(index) }
    followRate()
    let done = runs.entries.filter {
      $0.run.ring.hasEnded && $0.run.outcome.withLock { $0 != nil }
    }
    for entry in done { tellEnd(of: entry) }
    if !done.isEmpty { runs.forget(done) }
    guard runs.isBusy else { return nil }
    return runs.running == nil ? Self.endingMilliseconds : Self.runningMilliseconds
  }

  private func lookForFault(_ index: Int) {
    let entry = runs.entries[index]
    let ring = entry.run.ring
    var fault = entry.run.fault.withLock { $0 }
    if ring.state == .overrun {
      fault = Refusal(
        .io, "the disk was too slow for \(ring.capacity / ring.rate) s: the capture has ended there"
      )
    }
    guard let fault else { return }
    // Otherwise the audio thread would fill the ring for nobody.
    if !ring.hasEnded, !entry.isStopped { runs.entries[index].isStopped = end() }
    guard !entry.isFaultTold else { return }
    runs.entries[index].isFaultTold = true
    if ring.hasEnded { tellChange() }
    tell(fault, of: entry)
  }

  private func tell(_ fault: Refusal, of entry: CaptureRuns.Entry) {
    context.answerer.counters.captureFaults += 1
    context.report(fault, of: Self.on, to: entry.starter?.client)
  }

  /// Begins another capture where a server has come back at another rate.
  private func followRate() {
    guard let run = runs.running,
      let index = runs.entries.firstIndex(where: { $0.run === run && !$0.isFollowed })
    else { return }
    let (status, rate) = (context.soundServer.status, context.engine.shared.sampleRate)
    // Without a server it waits for one: that may have the rate of before.
    guard status.isRunning, status.rate == rate, rate != run.ring.rate else { return }
    runs.entries[index].isFollowed = true
    do throws(Refusal) {
      let begin = try commandToBegin(for: runs.entries[index].starter)
      try context.submit([commandToEnd(for: nil), begin], path: Self.on)
    } catch {
      end()
      tell(error, of: runs.entries[index])
    }
  }

  private func tellEnd(of entry: CaptureRuns.Entry) {
    guard let outcome = entry.run.outcome.withLock({ $0 }) else { return }
    if let fault = outcome.fault { tell(fault, of: entry) }
    if let take = outcome.take { context[Takes.self].tellChanged(take) }
    let failed = entry.isFaultTold || outcome.fault != nil
    if outcome.take != nil || !failed {
      // One without a single frame is no take.
      entry.ender?.done(outcome.take?.id ?? "")
    } else if let ender = entry.ender, ender.client != entry.starter?.client {
      ender.refuse(Refusal(.io, "the capture has failed, and left no take"))
    }
    context.changed(Self.state)
  }
}

extension Captures {
  typealias Declared = Of<Captures>

  private static let (on, state) = ("/capture/on", "/capture/state")

  static let addresses: [Address] = [
    Address(
      on,
      Declared.process { captures in
        captures.runs.isOn
      } make: { captures, isOn, request throws(Refusal) in
        try captures.command(isOn, request)
      },
      "1 captures to the disk; 0 ends that, then answers /reply with the take's id. A full or "
        + "slow disk ends it, too: the value is 0 then"),
    Address(
      "/capture/source", .choice(.capture(.source), ["in", "out"]), kept: .session,
      "Source of the capture: the input behind its gain, or the output; a change meanwhile is "
        + "crossfaded"),
    Address(
      "/capture/format", .choice(.capture(.format), ["24", "float"]), kept: .session,
      "Sample format of the next capture: integers of 24 bits, or floating point"),
    Address(
      state,
      Declared.reading(types: "sfs", isAnnounced: true) { captures in
        let account = captures.account
        return [
          .string(account.isOn ? "on" : "off"), .float(Float(account.seconds)),
          .string(account.id),
        ]
      },
      "Whether a capture is on or off, its length or that of the last one in seconds, and the id "
        + "of its take"),
  ]
}

extension Node {
  /// Ends the capture, if one is on; false where there is no room for the command.
  @discardableResult
  package func endCapture() -> Bool { context[Captures.self].end() }
}
