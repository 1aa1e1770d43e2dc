internal import Engine
internal import Library
internal import OSC
internal import Posix

/// Captures: recordings of the input or output to disk, of any length.
package final class Captures: Feature {
  // The poll interval during a capture, and while one is being finished, in milliseconds.
  private static let runningMilliseconds = 50
  private static let endingMilliseconds = 5

  private let context: Context
  private let runs = CaptureRuns()

  init(_ context: Context) { self.context = context }

  /// Whether a write is in progress.
  var isWriting: Bool { runs.isBusy }

  /// The state of the running capture, or else the last one.
  var account: CaptureRuns.Account { runs.account }

  // MARK: - Requests

  private func commandToBegin(
    for request: Request?, after former: CaptureRun? = nil
  ) throws(Refusal) -> PlannedCommand {
    let engine = context.engine
    let preparation = try runs.prepare(
      rate: engine.shared.sampleRate, home: context[Takes.self].home)
    return command(.capture(preparation.ring.pointer), on: true) { captures in
      captures.runs.start(
        preparation,
        at: former.map { $0.place.withLock { $0 } } ?? captures.context[Takes.self].place,
        preset: captures.context[Presets.self].loaded, engine: engine, for: request)
    }
  }

  private func commandToEnd(for request: Request?) -> PlannedCommand {
    command(.capture(nil), on: false) { $0.runs.noteEnd(for: request) }
  }

  private func command(
    _ action: Command.Action, on isOn: Bool, _ done: @escaping (Captures) -> Void
  ) -> PlannedCommand {
    var isTaken = false
    return PlannedCommand(action: action) { [weak self] in
      guard let self else { return }
      if isTaken { runs.underWay -= 1 }
      done(self)
      reportChange()
    } whenTaken: { [unowned self] in
      isTaken = true
      runs.underWay += 1
      runs.isOn = isOn
    }
  }

  /// Ends the running capture.
  ///
  /// Returns false if the command queue is full.
  @discardableResult
  package func end() -> Bool { (try? context.submit([commandToEnd(for: nil)])) != nil }

  private func reportChange() {
    // Pending commands take precedence.
    if runs.underWay == 0 { runs.isOn = runs.running != nil }
    runs.settlePlace()
    context.changed(Self.on, Self.state, Self.location)
  }

  /// Sets the location of the running capture, or else of the last one.
  private func setPlace(_ place: Place, _ request: Request) throws(Refusal) {
    if let id = try runs.setPlace(place) {
      try context[Takes.self].setPlace(place, of: id, request)
    }
    request.echo(Place.row(place))
    context.changed(Self.location)
  }

  // MARK: - Polling

  /// Reports results, and follows the sample rate of the server.
  func poll(_ now: Double) -> Int? {
    for index in runs.entries.indices { lookForFault(index) }
    followRate()
    let done = runs.entries.filter {
      $0.run.ring.hasEnded && $0.run.outcome.withLock { $0 != nil }
    }
    for entry in done { reportEnd(of: entry) }
    if !done.isEmpty { runs.forget(done) }
    guard runs.isBusy else { return nil }
    return runs.running == nil ? Self.endingMilliseconds : Self.runningMilliseconds
  }

  private func lookForFault(_ index: Int) {
    let entry = runs.entries[index]
    let ring = entry.run.ring
    var fault = entry.run.fault.withLock { $0 }
    let seconds = ring.capacity / ring.rate
    let delay = entry.run.delay.withLock { $0 }
    if ring.state == .overrun {
      fault = Refusal(
        .io,
        "the disk was too \(delay == nil ? "slow" : "full") for \(seconds) s; the capture ended"
      )
    }
    if let delay {
      if fault == nil, !entry.isDelayReported {
        runs.entries[index].isDelayReported = true
        context.report(
          Refusal(.io, "\(delay.message); the capture waits for up to \(seconds) s"), of: Self.on,
          to: entry.starter?.client)
      }
    } else {
      runs.entries[index].isDelayReported = false
    }
    guard let fault else { return }
    // Stops the audio thread from filling the ring.
    if !ring.hasEnded, !entry.isStopped { runs.entries[index].isStopped = end() }
    guard !entry.isFaultReported else { return }
    runs.entries[index].isFaultReported = true
    if ring.hasEnded { reportChange() }
    report(fault, of: entry)
  }

  private func report(_ fault: Refusal, of entry: CaptureRuns.Entry) {
    context.replySender.counters.captureFaults += 1
    context.report(fault, of: Self.on, to: entry.starter?.client)
  }

  /// Continues a capture after the server returned at another sample rate.
  private func followRate() {
    guard let run = runs.running,
      let index = runs.entries.firstIndex(where: { $0.run === run && !$0.isFollowed })
    else { return }
    let (status, rate) = (context.soundServer.status, context.sampleRate)
    // Without a server it waits, since the rate may stay the same.
    guard status.isRunning, status.rate == rate, rate != run.ring.rate else { return }
    runs.entries[index].isFollowed = true
    do throws(Refusal) {
      let begin = try commandToBegin(for: runs.entries[index].starter, after: run)
      try context.submit([commandToEnd(for: nil), begin], path: Self.on)
    } catch {
      end()
      report(error, of: runs.entries[index])
    }
  }

  private func reportEnd(of entry: CaptureRuns.Entry) {
    guard let outcome = entry.run.outcome.withLock({ $0 }) else { return }
    if let fault = outcome.fault { report(fault, of: entry) }
    if let take = outcome.take {
      context[Takes.self].announce(take)
      context[Speech.self].tellTake(take.seconds)
      // A location that arrived while the file was being finished.
      if let place = entry.run.place.withLock({ $0 }), place != take.place {
        try? context[Takes.self].setPlace(place, of: take.id, nil)
      }
    }
    let failed = entry.isFaultReported || outcome.fault != nil
    if outcome.take != nil || !failed {
      // A capture without a frame is not a take.
      entry.ender?.done(outcome.take?.id ?? "")
    } else if let ender = entry.ender, ender.client != entry.starter?.client {
      ender.refuse(Refusal(.io, "the capture failed without a take"))
    }
    context.changed(Self.state)
  }
}

extension Captures {
  typealias Declared = Declaring<Captures>

  private static let (on, state) = ("/capture/on", "/capture/state")
  private static let location = "/capture/location"

  static let addresses: [Address] = [
    Address(
      on,
      Declared.process(\.runs.isOn) { captures, isOn, request throws(Refusal) in
        isOn ? try captures.commandToBegin(for: request) : captures.commandToEnd(for: request)
      },
      "1 captures to disk, 0 ends the capture and replies /reply with the id of the take; a disk that is "
        + "full or slow for ten seconds ends it, too, and sets 0"),
    Address(
      "/capture/source", .choice(.capture(.source), ["in", "out"]), kept: .session,
      "Source of the capture: the input after its gain, or the output; a change during a capture is "
        + "crossfaded"),
    Address(
      "/capture/format", .choice(.capture(.format), ["24", "float"]), kept: .session,
      "Sample format of the next capture: 24-bit integer or 32-bit float"),
    Address(
      state,
      Declared.reading("sfs") { captures in
        let account = captures.account
        return Argument.row(account.isOn ? "on" : "off", account.seconds, account.id)
      },
      "State of the capture (on, off), length of this or the last one in seconds, and the id "
        + "of its take"),
    Address(
      location,
      Declared.setting(Place.forms) { captures in
        Place.row(captures.account.place)
      } write: { captures, request throws(Refusal) in
        guard let place = Place(request) else { return }
        try captures.setPlace(place, request)
      },
      unit: "degrees",
      "Location of the take of this or the last capture, north and east; initially /location"),
  ]
}
