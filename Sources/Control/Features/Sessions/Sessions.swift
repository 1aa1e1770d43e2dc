internal import Engine
internal import OSC
internal import Posix

/// Sessions: recordings of all ports at once, for a DAW.
package final class Sessions: Feature {
  // The poll interval during a session, and while one is being finished, in milliseconds.
  private static let runningMilliseconds = 50
  private static let endingMilliseconds = 5
  private static let watchingMilliseconds = 250
  private static let mostMarkBytes = 200
  // The delay before the last minutes are kept again after an error.
  static let retryMicroseconds = 10e6

  struct Entry {
    let run: SessionRun
    // The requests that started and ended it, whose senders receive the result.
    var starter: Request?
    var ender: Request?
    var isFaultReported = false
    var isDelayReported = false
    var isSpaceReported = false
    var isLossReported = false
    // Whether it was ended because of an error.
    var isStopped = false
    // Whether another session continues it at another sample rate.
    var isFollowed = false
  }

  let context: Context
  let worker = Worker("session-repair")
  private(set) var entries: [Entry] = []
  // Whether a session is running, counting accepted commands as done, and how many of these are pending.
  private(set) var isOn = false
  private var underWay = 0
  // The state of the last session that has ended.
  private var past: (seconds: Double, folder: String) = (0, "")
  private(set) var isFine = false
  var last = LastMinutes()
  private var nextMark = 0

  init(_ context: Context) { self.context = context }

  var isWriting: Bool { !entries.isEmpty || last.length.seconds == 0 && !last.runs.isEmpty }
  var engine: Engine { context.engine }
  var workers: [Worker] { [worker] }

  /// Repairs interrupted sessions on the worker, and passes a message for each to `say`.
  package func open(_ say: @escaping (String) -> Void) {
    guard let home = context[Takes.self].home else { return }
    // Before a new session can begin, which would look interrupted.
    let finding = SessionRecovery.find(home: home)
    if finding.isEmpty { return }
    worker.run { () throws(Refusal) in
      SessionRecovery.complete(finding, home: home)
    } then: { outcome in
      guard case .success(let lines) = outcome else { return }
      for line in lines { say(line) }
    }
  }

  private var running: SessionRun? { entries.last { $0.run.ring.state == .running }?.run }

  // MARK: - Requests

  private func commandToBegin(for request: Request?) throws(Refusal) -> PlannedCommand {
    guard let home = context[Takes.self].home else {
      throw Refusal(.state, "sessions need a data directory")
    }
    guard entries.count < 2 else {
      throw Refusal(.busy, "the last session is still being written; try again later")
    }
    let engine = context.engine
    let wake = try refusing("can't start the session: ") { () throws(SystemError) in try Signal() }
    let ring = SessionRing(rate: engine.shared.sampleRate, loops: context.shared.loops.count)
    let isFine = isFine
    return command(.session(ring.pointer), on: true) { sessions in
      guard ring.state != .waiting else { return }
      let run = SessionRun(ring, home: home, isFine: isFine, engine: engine, wake: wake)
      sessions.entries.append(Entry(run: run, starter: request))
      run.start()
    }
  }

  private func commandToEnd(for request: Request?) -> PlannedCommand {
    command(.session(nil), on: false) { $0.noteEnd(for: request) }
  }

  private func noteEnd(for request: Request?) {
    for index in entries.indices where entries[index].run.ring.hasEnded {
      if entries[index].ender == nil { entries[index].ender = request }
      entries[index].run.noteEnd()
    }
  }

  private func command(
    _ action: Command.Action, on isOn: Bool, _ done: @escaping (Sessions) -> Void
  ) -> PlannedCommand {
    var isTaken = false
    return PlannedCommand(action: action) { [weak self] in
      guard let self else { return }
      if isTaken { underWay -= 1 }
      done(self)
      reportChange()
    } whenTaken: { [unowned self] in
      isTaken = true
      underWay += 1
      self.isOn = isOn
    }
  }

  /// Ends the running session.
  ///
  /// Returns false if the command queue is full.
  @discardableResult
  private func end() -> Bool { (try? context.submit([commandToEnd(for: nil)])) != nil }

  /// Ends the running session, and the recording of the last minutes.
  package func endAll() {
    end()
    endLast()
  }

  private func reportChange() {
    // Pending commands take precedence.
    if underWay == 0 { isOn = running != nil }
    context.changed(Self.record, Self.state)
  }

  /// Returns the command that places a marker at its frame, or nil if nothing is being recorded.
  func mark(_ name: String) -> PlannedCommand? {
    let run = isOn ? running ?? entries.last?.run : nil
    if run == nil, last.runs.isEmpty { return nil }
    let number = nextMark
    nextMark = (nextMark + 1) & 0xFF_FFFF
    let line = String(name.map { $0.isNewline ? " " : $0 })
    run?.marks.withLock { $0[number] = line }
    last.runs.last?.marks.withLock { $0[number] = line }
    return PlannedCommand(action: .markSession(UInt32(number))) {}
  }

  private func commandToMark(_ request: Request) throws(Refusal) -> PlannedCommand {
    let name = request.text(0) ?? ""
    guard !name.isEmpty, name.utf8.count <= Self.mostMarkBytes else {
      throw Refusal(.range, "a marker has a name of up to \(Self.mostMarkBytes) bytes")
    }
    guard let command = mark(name) else {
      throw Refusal(.state, "no session is being recorded; /session/record 1 starts one")
    }
    return command
  }

  // MARK: - Polling

  /// Reports results, and follows the sample rate of the server.
  func poll(_ now: Double) -> Int? {
    for index in entries.indices { look(at: index) }
    followRate()
    followLast(now)
    // A failed session can be done while the audio thread still writes to its ring.
    let over = entries.filter { $0.run.ring.isReleased && $0.run.account.withLock { $0.isDone } }
    for entry in over { reportEnd(of: entry) }
    entries.removeAll { entry in over.contains { $0.run === entry.run } }
    guard isWriting else { return last.length.seconds > 0 ? Self.watchingMilliseconds : nil }
    return running == nil ? Self.endingMilliseconds : Self.runningMilliseconds
  }

  private func look(at index: Int) {
    let entry = entries[index]
    let ring = entry.run.ring
    let account = entry.run.account.withLock { $0 }
    var fault = account.fault
    if ring.state == .overrun {
      fault =
        fault
        ?? Refusal(
          .io,
          "the disk was too \(account.delay == nil ? "slow" : "full") for \(SessionRing.seconds) s; the "
            + "session ended, and all files end at the same frame")
    }
    if let delay = account.delay, fault == nil {
      if !entry.isDelayReported {
        report(
          Refusal(
            .io, "\(delay.message); the session waits for up to \(SessionRing.seconds) s"),
          of: entry)
      }
      entries[index].isDelayReported = true
    } else if account.delay == nil {
      entries[index].isDelayReported = false
    }
    if let left = account.secondsLeft, fault == nil {
      if !entry.isSpaceReported {
        report(
          Refusal(
            .io, "the disk has room for \(left) s more of this session; delete something or end it"),
          of: entry)
      }
      entries[index].isSpaceReported = true
    }
    if ring.lostEvents > 0, !entry.isLossReported {
      entries[index].isLossReported = true
      report(
        Refusal(
          .io,
          "the disk was too slow for some MIDI messages, beats or markers of the session; the sound is complete"
        ),
        of: entry)
    }
    guard let fault else { return }
    // Stops the audio thread from filling the ring.
    if !ring.hasEnded, !entry.isStopped { entries[index].isStopped = end() }
    guard !entry.isFaultReported else { return }
    entries[index].isFaultReported = true
    if ring.hasEnded { reportChange() }
    report(fault, of: entry)
  }

  private func report(_ refusal: Refusal, of entry: Entry) {
    context.report(refusal, of: Self.record, to: entry.starter?.client)
  }

  /// Continues in another session after the server returned at another sample rate.
  private func followRate() {
    guard let run = running,
      let index = entries.firstIndex(where: { $0.run === run && !$0.isFollowed })
    else { return }
    let (status, rate) = (context.soundServer.status, context.sampleRate)
    // While the server is gone the session waits, since the rate may stay the same.
    guard status.isRunning, status.rate == rate, rate != run.ring.rate else { return }
    entries[index].isFollowed = true
    do throws(Refusal) {
      let begin = try commandToBegin(for: entries[index].starter)
      try context.submit([commandToEnd(for: nil), begin], path: Self.record)
    } catch {
      end()
      report(error, of: entries[index])
    }
  }

  private func reportEnd(of entry: Entry) {
    let account = entry.run.account.withLock { $0 }
    past = (Double(account.frames) / Double(entry.run.ring.rate), account.folder)
    if let fault = account.fault, !entry.isFaultReported { report(fault, of: entry) }
    if account.frames > 0 || account.fault == nil {
      entry.ender?.done(SessionFolder(path: account.folder).name)
    } else if let ender = entry.ender, ender.client != entry.starter?.client {
      ender.refuse(Refusal(.io, "the session failed without a frame"))
    }
    context.changed(Self.state)
  }

  private var stateRow: [Argument] {
    let minutes = Double(last.length.seconds) / 60
    guard let entry = entries.last, entry.run.ring.frames > 0 || !entry.run.ring.hasEnded else {
      return Argument.row("off", past.seconds, SessionFolder(path: past.folder).name, minutes)
    }
    let ring = entry.run.ring
    return Argument.row(
      ring.state == .running ? "on" : "off", Double(ring.frames) / Double(ring.rate),
      SessionFolder(path: entry.run.account.withLock { $0.folder }).name, minutes)
  }
}

extension Sessions {
  typealias Declared = Declaring<Sessions>

  private static let (record, state) = ("/session/record", "/session/state")
  static let keep = "/session/keep"

  static let addresses: [Address] = [
    Address(
      record,
      Declared.process(\.isOn) { sessions, isOn, request throws(Refusal) in
        isOn ? try sessions.commandToBegin(for: request) : sessions.commandToEnd(for: request)
      },
      "1 records input, output, all stems, click and MIDI to a folder of sessions/ in the data directory, 0 ends "
        + "the session and replies /reply with the name of the folder"),
    Address(
      "/session/mark",
      Declared.command([.needed("name", .text)]) { sessions, request throws(Refusal) in
        try sessions.commandToMark(request)
      },
      "Marks this moment of the session; scenes and loops mark themselves"),
    Address(
      keep,
      Declared.command(end: Event.reply.path) { sessions, request throws(Refusal) in
        try sessions.commandToKeep(request)
      },
      "Makes a session of the last minutes, which the node keeps with --session-ring MINUTES, then replies /reply "
        + "with the name of its folder"),
    Address(
      "/session/format",
      Declared.setting(
        [.word(of: ["24", "float"])],
        read: { [.string($0.isFine ? "float" : "24")] },
        write: { sessions, request in sessions.isFine = request.text(0) == "float" }),
      kept: Declared.kept(
        .session, read: { $0.isFine ? "float" : nil },
        restore: { sessions, text in
          sessions.isFine = text == "float"
          return []
        }),
      "Sample format of the next session: 24-bit integer or 32-bit float"),
    Address(
      state, Declared.reading("sfsf") { $0.stateRow },
      "State of the session (on, off), length of this or the last one in seconds, its folder in sessions/, and "
        + "the length of --session-ring in minutes, 0 without it"
    ),
  ]
}
