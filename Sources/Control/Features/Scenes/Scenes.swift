internal import Engine
internal import JSON
internal import Library
internal import OSC

/// Scenes, parts and set lists: the states of the node that a performance steps through.
final class Scenes: Feature {
  /// A switch that waits for its moment, or for its loop set.
  struct Queued {
    /// The name of the scene; empty for a part alone.
    let name: String
    let moment: SceneMoment
    let request: Request
    let ready: ReadyScene
    /// The position in the set list, from 0; nil if the scene was not chosen from it.
    var position: Int?
    /// The part to play; nil for that of the scene.
    var part: Int?
    /// The time of the request, in microseconds of the host's steady clock.
    let since: Double

    var chosenPart: Int? { part ?? ready.part }
  }

  static let mostParts = 6
  private static let mostDated = 64

  let context: Context
  let shelf: SceneShelf
  let sets: ReadAhead<ReadyLoopSet>
  let songs: ReadAhead<SongPlayback.Opened>
  private(set) lazy var instruments = Self.instruments(context) { [unowned self] in
    queued != nil || !dated.isEmpty
  }
  /// The moment of a switch that names none.
  var usualMoment = SceneMoment.now
  /// The name of the scene that took effect last; empty for none.
  private(set) var current = ""
  /// The number of the part that was chosen last; 0 for none.
  private(set) var partNumber = 0
  /// The loops of each part, from 1.
  var partLoops = [[Int]](repeating: [], count: mostParts)
  private(set) var queued: Queued?
  /// The switches from bundles with a time, in order of time.
  private(set) var dated: [Queued] = []
  var setListName = ""
  /// The position in the set list, from 0; -1 before its first scene.
  var position = -1
  /// The position of a switch that was sent, but is not in effect yet.
  private(set) var heading: Int?
  // Whether the change handlers of preloaded resources are installed.
  private var isWatching = false
  private var (isPolling, isPollDue) = (false, false)
  // The number of switches that were sent, but are not in effect yet.
  private var switches = 0

  init(_ context: Context) {
    self.context = context
    shelf = SceneShelf(context)
    sets = Self.sets(context)
    songs = Self.songs(context)
    shelf.whenChanged = { [unowned self] in
      self.context.changed(Self.scenes, Self.setLists, Self.setListScene, Self.setListScenes)
      readAhead()
    }
    shelf.whenRead = { [unowned self] in
      sets.forgetAll()
      instruments.forgetAll()
    }
    let look = { [unowned self] in _ = poll(self.context.now()) }
    (sets.whenRead, instruments.whenRead, songs.whenRead) = (look, look, look)
    // Completes finished switches first, so that a client's next message sees the grid of the scene.
    context.dispatcher.onPacket { [unowned self] _ in
      if switches > 0 { self.context.sender.takeEvents() }
    }
  }

  var workers: [Worker] { [shelf.worker] }

  /// Forgets the present scene and set list, and withdraws a switch that waits.
  func beginSession() {
    (queued, dated, current, partNumber, setListName, position) = (nil, [], "", 0, "", -1)
    heading = nil
    partLoops = Array(repeating: [], count: Self.mostParts)
    context.changed(Self.scene, Self.queue, Self.part, Self.setList, Self.setListScene)
  }

  /// Starts the switch that waits when its moment is near.
  func poll(_ now: Double) -> Int? {
    if !isWatching {
      isWatching = true
      watchChanges()
    }
    shelf.start()
    // A nested poll, as when a song turns out to be missing, must not start a switch twice.
    guard !isPolling else {
      isPollDue = true
      return nil
    }
    (isPolling, isPollDue) = (true, false)
    defer { isPolling = false }
    let delay = [pollReading(), pollDated(now), pollQueued(now)].compactMap { $0 }.min()
    return isPollDue ? 1 : delay
  }

  private func pollQueued(_ now: Double) -> Int? {
    guard let queued else { return nil }
    if let delay = delay(of: queued, now) { return delay }
    switch queued.moment.frame(
      context.shared, block: context.soundServer.status.block)
    {
    case .later(let milliseconds): return milliseconds
    case .immediately: start(queued, at: nil)
    case .known(let frame): start(queued, at: frame)
    }
    return nil
  }

  private func pollDated(_ now: Double) -> Int? {
    while let next = dated.first, let due = next.request.due {
      let left = due - context.clock.microseconds - SceneMoment.lead * 1e6
      if left > 0 { return Int(left / 1000) + 1 }
      if let delay = delay(of: next, now) { return delay }
      start(next, at: nil, due: due)
    }
    return nil
  }

  // MARK: - Switching

  func moment(_ request: Request, _ index: Int) -> SceneMoment {
    request.text(index).flatMap(SceneMoment.init(rawValue:)) ?? usualMoment
  }

  /// Switches to a scene by name.
  func load(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    guard shelf.scenes[name] == nil, context.setup.home != nil else {
      return try queue(name, at: moment(request, 1), nil, request)
    }
    // It may have been written by hand since.
    try shelf.reload { [weak self] outcome in
      request.complete(outcome) { _ throws(Refusal) in
        guard let self else { return }
        try self.queue(name, at: self.moment(request, 1), nil, request)
      }
    }
  }

  func queue(
    _ name: String, at moment: SceneMoment, _ position: Int?, _ request: Request
  ) throws(Refusal) {
    let entry = try shelf.scene(name)
    let position = position ?? nextPlace(of: name)
    let refusals = SceneShelf.refusals(entry.faults, of: entry.path)
    if let last = refusals.last {
      for refusal in refusals.dropLast() { request.refuse(refusal) }
      throw last
    }
    try queue(
      Queued(
        name: name, moment: moment, request: request, ready: entry.ready, position: position,
        since: context.now()))
  }

  /// Queues a switch: one with a time is added to the timed ones, any other replaces the one that waits.
  func queue(_ new: Queued) throws(Refusal) {
    if let due = new.request.due {
      guard dated.count < Self.mostDated else {
        throw Refusal(
          .busy,
          "\(new.request.path): \(dated.count) scenes with a time are already waiting; try again later"
        )
      }
      dated.insert(new, at: dated.firstIndex { $0.request.due ?? 0 > due } ?? dated.endIndex)
    } else {
      if let queued { withdraw(queued) }
      queued = new
    }
    context.changed(Self.queue)
    readAhead()
    _ = poll(context.now())
  }

  /// Withdraws the switch that waits.
  func cancel(_ request: Request) throws(Refusal) {
    guard let waiting = queued ?? dated.first else {
      throw Refusal(.state, "\(request.path): no scene waits, or it is too late to cancel it")
    }
    if queued != nil { queued = nil } else { dated.removeFirst() }
    context.changed(Self.queue)
    withdraw(waiting)
  }

  /// Sends an error to the client that requested a scene by name, because it was canceled; steps send none.
  private func withdraw(_ former: Queued) {
    guard former.request.path == Self.scene else { return }
    former.request.refuse(
      Refusal(.state, "\(Self.scene): \(quoted(former.name)) was canceled by a later request"))
  }

  /// Sends the commands of a switch to the engine, for a frame or for its next block.
  private func start(_ queued: Queued, at frame: Int64?, due time: Double? = nil) {
    if time == nil { self.queued = nil } else { dated.removeFirst() }
    context.changed(Self.queue)
    let due = time ?? frame.map { context.clock.microseconds(at: $0) }
    let part = queued.chosenPart
    var commands = setCommands(queued)
    let exchangesLoops = !commands.isEmpty
    let exchanges = commands.count { if case .exchange = $0.action { true } else { false } }
    var actions = queued.ready.actions
    if context[Tempo.self].isFollowing {
      actions.removeAll { if case .set(.beat(.tempo), _) = $0 { true } else { false } }
    }
    if !exchangesLoops {
      if let part { actions += partActions(part) }
      actions += loopActions(stopping: queued.ready.stopped, playing: queued.ready.playing)
    }
    actions = [.ringOut(true)] + actions + [.ringOut(false)]
    commands += actions.map { PlannedCommand(action: $0) }
    let (parts, late) = partsRead(for: queued.ready)
    commands += parts.flatMap(\.commands)
    commands.append(
      PlannedCommand(
        action: .sync(0),
        whenDone: { [weak self] in self?.finish(queued, part: part, late: late) }))
    if !queued.name.isEmpty, let mark = context[Sessions.self].mark(queued.name) {
      commands.append(mark)
    }
    for index in commands.indices { (commands[index].due, commands[index].frame) = (due, frame) }
    if let due, let end = closingOfSong(parts, at: due, frame) { commands.insert(end, at: 0) }
    for index in commands.indices { commands[index].isOnBeat = frame != nil }
    queued.request.attempt { () throws(Refusal) in
      try context.submit(commands, for: queued.request)
      for part in parts { part.whenQueued() }
      switches += 1
      heading = queued.position
      context[Loops.self].sets.exchanging += exchanges
    }
  }

  private func finish(_ queued: Queued, part: Int?, late: [ReadyScene.Message]) {
    switches -= 1
    if let part {
      partNumber = part
      context.changed(Self.part)
    }
    guard !queued.name.isEmpty else { return queued.request.done("\(partNumber)") }
    current = queued.name
    if heading == queued.position { heading = nil }
    if let position = queued.position { self.position = position }
    context.changed(Self.scene, Self.setListScene)
    for message in queued.ready.layout + queued.ready.messages + late {
      queued.request.attempt { () throws(Refusal) in
        try context.perform(
          message.path, message.arguments, isPressed: true, for: queued.request.client)
      }
    }
    readAhead()
    queued.request.done(queued.name)
  }

  /// Goes on after a scene, in the form of `place`, which is not set again.
  func resume(at place: String) {
    let words = place.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, let position = Int(words[0]) else { return }
    self.position = position
    current = String(words[1])
    context.changed(Self.scene, Self.setListScene)
  }

  /// The switch that waits, and its moment.
  var waiting: [Argument] {
    guard let next = queued ?? dated.first else { return Argument.row("", "") }
    return Argument.row(
      next.name.isEmpty ? "part \(next.part ?? 0)" : next.name,
      queued == nil ? "time" : next.moment.rawValue)
  }
}
