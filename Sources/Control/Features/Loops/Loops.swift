internal import Engine
internal import OSC

/// All loops by their numbers, of which the first is the player's, and the one that is selected.
final class Loops: Feature {
  let context: Context
  /// The sets of loops that are kept.
  private(set) lazy var sets = LoopSets(context)
  // The one that `/loop/selected` stands for, from 0.
  private(set) var selected = 0
  private var watches: [LoopWatch]
  // The values of the selected one that were told last.
  private var told: [Float] = []

  // The memory of the loops as it was announced, in bytes.
  private var announcedBytes = 0

  init(_ context: Context) {
    self.context = context
    announcedBytes = context.engine.memoryUsage.all
    watches = (0..<context.engine.shared.loops.count).map(LoopWatch.init)
  }

  var workers: [Worker] { [sets.worker] }

  /// How many there are.
  var count: Int { watches.count }

  var size: [Argument] {
    [
      .int32(Int32(count)), .float(Float(context.engine.shared.loops.seconds)),
      .float(Float(context.engine.memoryUsage.all) / 1_000_000),
    ]
  }

  /// Tends the memory of the loops, and announces its size when it changes by a megabyte or more.
  ///
  /// Returns the delay until the next call in milliseconds, or nil if a second is soon enough.
  private func tendMemory(_ now: Double) -> Int? {
    let due = context.engine.tendMemory(now)
    let bytes = context.engine.memoryUsage.all
    if abs(bytes - announcedBytes) >= 1_000_000 {
      announcedBytes = bytes
      context.changed("/loops/size")
    }
    return due
  }

  /// The telling of one's present state, counted from 0.
  func telling(_ index: Int) -> LoopTelling {
    LoopTelling(
      reading: context.engine.shared.loops[index].state.read(),
      rate: context.soundServer.status.rate)
  }

  /// The peaks of one's clip.
  func peaks(_ index: Int) -> [Argument] {
    var news = LoopWatch.News()
    let former = watches[index].peaks
    watches[index].followPeaks(context.engine.shared, context.now())
    news.isPicture = watches[index].peaks != former
    tell(news, of: index)
    return watches[index].peaks.map(Argument.float)
  }

  // MARK: - What happens by itself

  /// Tells of what the loops do.
  func poll(_ now: Double) -> Int? {
    var due = tendMemory(now)
    for index in watches.indices {
      let news = watches[index].look(context.engine.shared, now)
      tell(news, of: index)
      due = [due, news.due].compactMap(\.self).min()
    }
    followSelected()
    return due
  }

  /// Tells news of one by all of its names.
  private func tell(_ news: LoopWatch.News, of index: Int) {
    tell(news, under: "/loop/\(index + 1)")
    if index == 0 { context[Player.self].report(news) }
    if index == selected { tell(news, under: Self.selectedPath) }
  }

  private func tell(_ news: LoopWatch.News, under path: String) {
    if news.isState {
      context.changed("\(path)/state", "\(path)/history", "\(path)/next")
    }
    if news.isPosition { context.changed("\(path)/state", "\(path)/position") }
    if news.isPicture { context.changed("\(path)/peaks") }
  }

  private func followSelected() {
    let values = Parameter.Loop.allCases.map { context[.loop($0, UInt8(selected))] }
    guard values != told else { return }
    told = values
    for value in LoopValue.all { context.changed("\(Self.selectedPath)/\(value.name)") }
  }

  /// Selects the loop that `/loop/selected/…` refers to, for all that follows in the same packet.
  func select(_ request: Request, _ plan: inout Plan) throws(Refusal) {
    let number = request.whole(0) ?? 1
    guard 1...count ~= number else {
      throw Refusal(
        .range,
        "\(request.path): \(number) is out of range (1 to \(count)); --loops sets the number")
    }
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

  // MARK: - What it is asked for

  /// A command for one of them, whose refusal is answered.
  func command(_ action: Command.Action, of index: Int, _ request: Request) -> PlannedCommand {
    PlannedCommand(
      action: action,
      whenRefused: { [weak self] refusal in
        guard let self else { return }
        request.refuse(self.refusal(refusal, to: request.path, of: index))
      })
  }

  /// A refusal of one of them, in words.
  func refusal(_ refusal: EngineRefusal, to path: String, of index: Int) -> Refusal {
    let isPlayer = index == 0 && !path.hasPrefix("/loop/1/")
    return Refusal(
      refusal, to: path, of: isPlayer ? "the player" : "loop \(index + 1)",
      telling(index).reading, seconds: context.engine.shared.loops.seconds)
  }

  /// The refusal of a number that no loop has.
  func refusal(ofUnknown path: String) -> Refusal? {
    let parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "loop", let number = Int(parts[1]), !(1...count ~= number)
    else { return nil }
    return Refusal(
      .unknown,
      "there is no loop \(number), but those from 1 to \(count); `syrinx run --loops` gives up to "
        + "\(Parameter.mostLoops)")
  }

  /// Presses the pedal of one of them, or lets it go; without a number, both.
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

  /// Ends what all but the player do, and empties them.
  func beginSession() {
    for index in 1..<max(1, count) {
      var ending = ["stop", "cancel"]
      if context.engine.shared.loops[index].state.read().length > 0 { ending.append("clear") }
      for name in ending { try? context.perform("/loop/\(index + 1)/\(name)", []) }
    }
  }
}
