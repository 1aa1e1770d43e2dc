internal import Engine
internal import OSC

/// All loops, and the selected one.
final class Loops: Feature {
  let context: Context
  /// The saved loop sets.
  private(set) lazy var sets = LoopSets(context)
  // The loop that `/loop/selected` refers to, from 0.
  private(set) var selected = 0
  var selectedNumber: Int { selected + 1 }
  private var watches: [LoopWatch]
  // The values of the selected loop that were sent last.
  private var sent: [Float] = []

  // The memory of the loops as it was announced, in bytes.
  private var announcedBytes = 0
  // Whether dropped undo steps were reported.
  private var hasReportedDrops = false

  init(_ context: Context) {
    self.context = context
    announcedBytes = context.engine.memoryUsage.all
    watches = (0..<context.loopCount).map(LoopWatch.init)
  }

  var workers: [Worker] { sets.workers }

  /// The number of loops.
  var count: Int { watches.count }

  var size: [Argument] {
    Argument.row(
      count, context.loopSeconds, Float(context.engine.memoryUsage.all) / 1_000_000)
  }

  /// Tends the memory of the loops, announces its size when it changes by a megabyte or more, and reports once
  /// that it is too small for all undo steps.
  ///
  /// Returns the delay until the next call in milliseconds, or nil if a second is soon enough.
  private func tendMemory(_ now: Double) -> Int? {
    let due = context.engine.tendMemory(now)
    let usage = context.engine.memoryUsage
    if abs(usage.all - announcedBytes) >= 1_000_000 {
      announcedBytes = usage.all
      context.changed("/loops/size")
    }
    if usage.droppedSteps > 0 && !hasReportedDrops {
      hasReportedDrops = true
      context.report(
        Refusal(.busy, "the loops' memory is full: the oldest undo steps are dropped for new ones"),
        of: "/loops/size")
    }
    return due
  }

  /// Reports queued commands, recordings and layers that a change of the sound server ended.
  private func reportInterrupted() {
    let interrupted = context.shared.nextInterrupted()
    for index in interrupted.dropped {
      let path = "/loop/\(index + 1)/next"
      context.report(
        Refusal(
          .state,
          "loop \(index + 1): the queued command was dropped because the sound server ended or returned"
        ),
        of: path)
    }
    for index in interrupted.ended {
      context.report(
        Refusal(
          .state,
          "loop \(index + 1): recording ended because the sound server ended; the sound up to then is kept"
        ),
        of: "/loop/\(index + 1)/state")
    }
  }

  /// The state of a loop, counted from 0.
  func status(of index: Int) -> LoopStatus {
    LoopStatus(reading: context.loop(index), rate: context.sampleRate)
  }

  /// The peaks of a loop.
  func peaks(_ index: Int) -> [Argument] {
    report(watches[index].followPeaks(context.shared, context.now()), of: index)
    return watches[index].peaks.map(Argument.float)
  }

  // MARK: - Polling

  /// Sends changes of the loops to subscribers, and tidies the sets.
  func poll(_ now: Double) -> Int? {
    sets.tidy(now)
    reportInterrupted()
    var due = tendMemory(now)
    for index in watches.indices {
      let changes = watches[index].poll(context.shared, now)
      report(changes, of: index)
      due = [due, changes.due].compactMap(\.self).min()
    }
    followSelected()
    return due
  }

  /// Marks the changed addresses of a loop, under all of its names.
  private func report(_ changes: LoopWatch.Changes, of index: Int) {
    report(changes, under: "/loop/\(index + 1)")
    if index == 0 { context[Player.self].report(changes) }
    if index == selected { report(changes, under: Self.selectedPath) }
  }

  private func report(_ changes: LoopWatch.Changes, under path: String) {
    if changes.isState {
      context.changed("\(path)/state", "\(path)/history", "\(path)/next")
    }
    if changes.isPosition { context.changed("\(path)/state", "\(path)/position") }
    if changes.isPicture { context.changed("\(path)/peaks") }
  }

  private func followSelected() {
    let values = Parameter.Loop.allCases.map { context[.loop($0, UInt8(selected))] }
    guard values != sent else { return }
    sent = values
    for value in LoopValue.all { context.changed("\(Self.selectedPath)/\(value.name)") }
  }

  /// The number of a loop in a request, from 1.
  func loopNumber(_ request: Request) throws(Refusal) -> Int {
    let number = request.whole(0) ?? 1
    guard 1...count ~= number else {
      throw Refusal(
        .range,
        "\(request.path): \(number) is out of range (1 to \(count)); --loops sets the number")
    }
    return number
  }

  /// Selects the loop that `/loop/selected/…` refers to, for all that follows in the same packet.
  func select(_ request: Request, _ plan: inout Plan) throws(Refusal) {
    let number = try loopNumber(request)
    plan.takesBack(self) {
      let former = selected
      return { [unowned self] in selected = former }
    }
    selected = number - 1
    plan.afterwards { [context] in
      context.changed("/loop/select")
      for name in ["state", "history", "next", "position", "peaks"] {
        context.changed("\(Self.selectedPath)/\(name)")
      }
    }
  }

  // MARK: - Requests

  /// A command for a loop that reports a refusal to the sender.
  func command(_ action: Command.Action, of index: Int, _ request: Request) -> PlannedCommand {
    PlannedCommand(
      action: action,
      whenRefused: { [weak self] refusal in
        guard let self else { return }
        // A pattern such as `/loop/*/play` is for the loops that there are to play, `/loop/*/stop` for those that do.
        let isMeant = context.loop(index).activity != .empty && !action.isStop
        if request.origin.isOfPattern, !isMeant, refusal.isOfNoUse { return }
        request.refuse(self.refusal(refusal, to: request.path, of: index))
      })
  }

  /// The refusal of a command, in words.
  func refusal(_ refusal: EngineRefusal, to path: String, of index: Int) -> Refusal {
    let isPlayer = index == 0 && !path.hasPrefix("/loop/1/")
    return Refusal(
      refusal, to: path, of: isPlayer ? "the player" : "loop \(index + 1)",
      status(of: index).reading, seconds: context.loopSeconds)
  }

  /// The refusal of an unknown loop number.
  func refusal(ofUnknown path: String) -> Refusal? {
    let parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "loop", let number = Int(parts[1]), !(1...count ~= number)
    else { return nil }
    return Refusal(
      .unknown,
      "unknown loop \(number); loops are numbered 1 to \(count) (--loops sets up to "
        + "\(Parameter.mostLoops))")
  }

  /// Presses or releases the pedal of a loop; without a number, both.
  func press(_ index: Int, _ request: Request, _ plan: inout Plan) {
    let loop = UInt8(index)
    let down = request.number(0)
    if down != 0 {
      plan.add(command(.loop(.press, loop: loop), of: index, request), for: request)
    }
    if down ?? 0 == 0 {
      plan.add(command(.loop(.release, loop: loop), of: index, request), for: request)
    }
  }

  /// Stops and clears all loops except that of the player.
  func beginSession() {
    sets.forgetLoaded()
    for index in 1..<max(1, count) {
      var ending = ["stop", "cancel"]
      if context.loop(index).length > 0 { ending.append("clear") }
      for name in ending { try? context.perform("/loop/\(index + 1)/\(name)", []) }
    }
  }
}

extension Command.Action {
  /// Whether it stops a loop.
  fileprivate var isStop: Bool { if case .loop(.stop, _) = self { true } else { false } }
}
