internal import Engine
internal import OSC
internal import Posix

/// Retroactive sessions of the last minutes of all ports, which are kept on disk.
extension Sessions {
  /// Keeps the last minutes on disk from now on.
  package func keepLast(minutes: Int) { keepLast(seconds: 60 * minutes, partSeconds: 30) }

  /// Keeps the last seconds on disk from now on, in parts of `partSeconds`.
  package func keepLast(seconds: Int, partSeconds: Int) {
    last.length = LastMinutes.Length(seconds: seconds, partSeconds: partSeconds)
    beginLast()
  }

  private func beginLast() {
    guard last.length.seconds > 0, let home = context[Takes.self].home else { return }
    do throws(Refusal) {
      let wake = try refusing("") { () throws(SystemError) in try Signal() }
      let ring = SessionRing(rate: engine.shared.sampleRate, loops: engine.shared.loops.count)
      let (engine, length, isFine) = (engine, last.length, isFine)
      last.isBeginning = true
      let begin = PlannedCommand(action: .sessionRing(ring.pointer)) { [weak self] in
        guard let self else { return }
        last.isBeginning = false
        guard ring.state != .waiting else { return }
        let run = SessionMinutes(
          ring, length, home: home, isFine: isFine, engine: engine, wake: wake)
        last.runs.append(run)
        run.start()
      }
      try context.submit([PlannedCommand(action: .sessionRing(nil)) {}, begin], path: Self.keep)
    } catch {
      last.isBeginning = false
      context.report(error, of: Self.keep)
    }
  }

  /// Stops recording the last minutes, and deletes them.
  func endLast() {
    last.length.seconds = 0
    try? context.submit([PlannedCommand(action: .sessionRing(nil)) {}])
    for run in last.runs { run.noteEnd() }
  }

  /// Reports faults and overruns, and restarts at a new sample rate, after an overrun, or a while after a
  /// fault.
  func followLast(_ now: Double) {
    for run in last.runs where run.takeOverrun() {
      context.report(
        Refusal(
          .io,
          "the disk stalled for \(SessionRing.seconds) s; the last minutes were lost, and recording starts over"
        ),
        of: Self.keep)
    }
    // The audio thread uses a ring until it has released it.
    let over = last.runs.filter { $0.isDone && $0.ring.isReleased }
    for run in over {
      if let fault = run.fault {
        context.report(
          Refusal(.io, "\(fault.message); the last minutes are not kept for now"), of: Self.keep)
        last.retry = now + Self.retryMicroseconds
      }
    }
    last.runs.removeAll { run in over.contains { $0 === run } }
    if let run = last.runs.last, run.fault != nil || run.ring.hasEnded {
      if !run.ring.hasEnded { try? context.submit([PlannedCommand(action: .sessionRing(nil)) {}]) }
      run.noteEnd()
      return
    }
    guard last.length.seconds > 0, !last.isBeginning, now >= last.retry else { return }
    guard let run = last.runs.last else { return beginLast() }
    let (status, rate) = (context.soundServer.status, context.sampleRate)
    if status.isRunning, status.rate == rate, rate != run.ring.rate { beginLast() }
  }

  /// Returns a command that saves the last minutes as a session when the audio thread has reached it, so that all
  /// earlier markers are included.
  func commandToKeep(_ request: Request) throws(Refusal) -> PlannedCommand {
    guard last.length.seconds > 0 else {
      throw Refusal(
        .state, "the last minutes are not kept; start the node with --session-ring 10")
    }
    guard last.runs.contains(where: { $0.ring.frames > 0 }) else {
      throw Refusal(.state, "nothing has been recorded yet")
    }
    guard worker.count == 0 else { throw Self.alreadyKeeping }
    return PlannedCommand(action: .sync(0)) { [weak self] in self?.keepLast(for: request) }
  }

  private static var alreadyKeeping: Refusal {
    Refusal(.busy, "the last minutes are already being kept; try again later")
  }

  private func keepLast(for request: Request) {
    guard let run = last.runs.last, last.length.seconds > 0 else {
      return request.refuse(Refusal(.state, "the last minutes are no longer kept"))
    }
    guard worker.count == 0 else { return request.refuse(Self.alreadyKeeping) }
    worker.run { () throws(Refusal) in
      try run.keep()
    } then: { outcome in
      switch outcome {
      case .success(let folder): request.done(SessionFolder(path: folder).name)
      case .failure(let refusal): request.refuse(refusal)
      }
    }
  }
}

/// The state of the recording of the last minutes.
struct LastMinutes {
  /// The length of the last minutes, and that of the parts in which they are written.
  struct Length {
    /// 0 if they are not kept.
    var seconds = 0
    var partSeconds = 30
  }

  var length = Length()
  /// The recordings that are running or ending, the latest last.
  var runs: [SessionMinutes] = []
  var isBeginning = false
  /// The time of the next attempt after a fault, in microseconds.
  var retry = 0.0
}
