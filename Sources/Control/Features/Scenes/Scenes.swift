internal import Engine
internal import JSON
internal import Library
internal import OSC

/// Scenes, parts and set lists: the states of the node that a performance steps through.
final class Scenes: Feature {
  /// A switch that waits for its moment.
  private struct Queued {
    /// The name of the scene; empty for a part alone.
    let name: String
    let moment: SceneMoment
    let request: Request
    let ready: ReadyScene
    /// The position in the set list, from 0; nil if the scene was not chosen from it.
    var position: Int?
    /// The part to play; nil for that of the scene.
    var part: Int?
  }

  static let mostParts = 6

  let context: Context
  let shelf: SceneShelf
  /// The moment of a switch that names none.
  private(set) var usualMoment = SceneMoment.now
  /// The name of the scene that took effect last; empty for none.
  private(set) var current = ""
  /// The number of the part that was chosen last; 0 for none.
  private(set) var partNumber = 0
  /// The loops of each part, from 1.
  private var partLoops = [[Int]](repeating: [], count: mostParts)
  private var queued: Queued?
  /// The loops to play when their set is loaded, counted from 0.
  private var playingWhenLoaded: (set: String, loops: [Int])?
  private(set) var setListName = ""
  /// The position in the set list, from 0; -1 before its first scene.
  private(set) var position = -1

  init(_ context: Context) {
    self.context = context
    shelf = SceneShelf(context)
    shelf.whenChanged = { [unowned context] in
      context.changed(Self.scenes, Self.setLists, Self.setListScene, Self.setListScenes)
    }
  }

  var workers: [Worker] { [shelf.worker] }

  /// Forgets the present scene and set list, and withdraws a switch that waits.
  func beginSession() {
    (queued, current, partNumber, setListName, position) = (nil, "", 0, "", -1)
    playingWhenLoaded = nil
    partLoops = Array(repeating: [], count: Self.mostParts)
    context.changed(Self.scene, Self.queue, Self.part, Self.setList, Self.setListScene)
  }

  /// Starts the switch that waits when its moment is near.
  func poll(_ now: Double) -> Int? {
    shelf.start()
    guard let queued else { return nil }
    switch queued.moment.frame(context.shared) {
    case .later(let milliseconds): return milliseconds
    case .immediately: start(queued, at: nil)
    case .known(let frame): start(queued, at: frame)
    }
    return nil
  }

  // MARK: - Switching

  private func moment(_ request: Request, _ index: Int) -> SceneMoment {
    request.text(index).flatMap(SceneMoment.init(rawValue:)) ?? usualMoment
  }

  /// Switches to a scene by name.
  fileprivate func load(_ request: Request) throws(Refusal) {
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

  private func queue(
    _ name: String, at moment: SceneMoment, _ position: Int?, _ request: Request
  ) throws(Refusal) {
    let entry = try shelf.scene(name)
    let refusals = SceneShelf.refusals(entry.faults, of: entry.path)
    if let last = refusals.last {
      for refusal in refusals.dropLast() { request.refuse(refusal) }
      throw last
    }
    queue(
      Queued(
        name: name, moment: moment, request: request, ready: entry.ready, position: position))
  }

  /// Queues a switch in place of the one that waits.
  private func queue(_ new: Queued) {
    if let due = new.request.due { return start(new, at: nil, due: due) }
    queued = new
    context.changed(Self.queue)
    _ = poll(context.now())
  }

  /// Withdraws the switch that waits.
  fileprivate func cancel(_ request: Request) throws(Refusal) {
    guard queued != nil else { throw Refusal(.state, "\(request.path): no scene waits") }
    queued = nil
    context.changed(Self.queue)
  }

  /// Sends the commands of a switch to the engine, for a frame or for its next block.
  private func start(_ queued: Queued, at frame: Int64?, due time: Double? = nil) {
    self.queued = nil
    context.changed(Self.queue)
    let ready = queued.ready
    var actions = ready.actions
    let part = queued.part ?? ready.part
    if let part { actions += partActions(part) }
    if ready.loopSet.isEmpty || isLoaded(ready) { actions += loopActions(ready) }
    let due = time ?? frame.map { context.clock.microseconds(at: $0) }
    var commands = actions.map { PlannedCommand(action: $0, due: due, frame: frame) }
    commands.append(
      PlannedCommand(
        action: .sync(0), due: due, frame: frame,
        whenDone: { [weak self] in self?.finish(queued, part: part) }))
    queued.request.attempt { () throws(Refusal) in
      try context.submit(commands, for: queued.request)
    }
  }

  private func finish(_ queued: Queued, part: Int?) {
    if let part {
      partNumber = part
      context.changed(Self.part)
    }
    guard !queued.name.isEmpty else { return queued.request.done("\(partNumber)") }
    current = queued.name
    if let position = queued.position { self.position = position }
    context.changed(Self.scene, Self.setListScene)
    for message in queued.ready.messages {
      queued.request.attempt { () throws(Refusal) in
        try context.perform(message.path, message.arguments, isPressed: true)
      }
    }
    loadSet(queued)
    queued.request.done(queued.name)
  }

  // MARK: - Loops

  private func isLoaded(_ ready: ReadyScene) -> Bool {
    context[Loops.self].sets.loaded == ready.loopSet
  }

  private func loopActions(_ ready: ReadyScene) -> [Command.Action] {
    ready.stopped.compactMap(stop) + ready.playing.compactMap(play)
  }

  /// The command that plays a loop, counted from 0; nil if it plays or has no clip.
  private func play(_ index: Int) -> Command.Action? {
    let reading = context.loop(index)
    let isNeeded = reading.state.isRecording || reading.length > 0 && !reading.state.isPlaying
    return isNeeded ? .loop(.play, loop: UInt8(index)) : nil
  }

  /// The command that stops a loop, counted from 0; nil if it is stopped.
  private func stop(_ index: Int) -> Command.Action? {
    let state = context.loop(index).state
    return state.isPlaying || state.isRecording || state.isPaused
      ? .loop(.stop, loop: UInt8(index)) : nil
  }

  /// Loads the loop set of a scene, unless it is the one loaded last.
  private func loadSet(_ queued: Queued) {
    let ready = queued.ready
    guard !ready.loopSet.isEmpty, !isLoaded(ready) else { return }
    let sets = context[Loops.self].sets
    playingWhenLoaded = (ready.loopSet, ready.playing)
    sets.whenLoaded = { [weak self] name in self?.setIsLoaded(name) }
    queued.request.attempt { () throws(Refusal) in
      try context.perform("/loops/load", [.string(ready.loopSet)], isPressed: true)
    }
  }

  private func setIsLoaded(_ name: String) {
    guard let waiting = playingWhenLoaded, waiting.set == name else { return }
    playingWhenLoaded = nil
    let actions = waiting.loops.compactMap(play)
    try? context.submit(actions.map { PlannedCommand(action: $0) }, path: Self.scene)
  }

  // MARK: - Parts

  /// The commands that play a part, and stop the loops of all others.
  private func partActions(_ number: Int) -> [Command.Action] {
    let meant = number > 0 ? partLoops[number - 1] : []
    let others = Set(partLoops.joined()).subtracting(meant).sorted()
    func known(_ loops: [Int]) -> [Int] {
      loops.filter { $0 <= context.loopCount }.map { $0 - 1 }
    }
    return known(others).compactMap(stop) + known(meant).compactMap(play)
  }

  /// Switches to a part.
  fileprivate func choosePart(_ request: Request) throws(Refusal) {
    let number = request.whole(0) ?? 0
    guard number == 0 || !partLoops[number - 1].isEmpty else {
      throw Refusal(
        .state, "part \(number) has no loops; \(Self.part)/\(number)/loops sets them")
    }
    var faults: [JSON.Fault] = []
    let nothing = ReadyScene(Scene(), preset: [], context, &faults)
    queue(
      Queued(
        name: "", moment: moment(request, 1), request: request, ready: nothing, part: number))
  }

  func loops(ofPart index: Int) -> [Int] { partLoops[index] }

  /// Sets the loops of a part; 0 for none.
  fileprivate func setLoops(ofPart index: Int, _ request: Request) {
    partLoops[index] = request.arguments.indices.compactMap { request.whole($0) }
      .filter { $0 > 0 }
    context.changed("\(Self.part)/\(index + 1)/loops")
  }

  // MARK: - Persistence

  // Settings that a saved scene holds with the parameters of the engine.
  private static let settings = [
    "/instrument", "/grid/scale", "/grid/octaves", "/piano/octave", part,
  ]
  // Belongs to the place and the hardware rather than to the music.
  private static let unsaved = [
    "/lock", "/mute", "/capture", "/tempo", "/loop/tempo", "/loop/lateness", "/settings",
  ]

  /// Saves the present state as a scene.
  fileprivate func save(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    let former = shelf.scenes[name]
    if context[.mixer(.lock)] != 0, former != nil {
      throw Refusal(
        .denied,
        "\(request.path): the lock is on, and a scene with this name exists; /lock 0 unlocks")
    }
    if let former, !former.faults.isEmpty {
      throw Refusal(
        .state,
        "the file of \(quoted(name)) has faults; /scene/check lists them, "
          + "/scene/delete deletes it")
    }
    var scene = former?.scene ?? Scene()
    let limits = request.arguments.dropFirst().compactMap { $0?.text }
    if !limits.isEmpty {
      scene.only = limits.filter { $0.hasPrefix("/") }
      scene.but = limits.filter { $0.hasPrefix("-/") }.map { String($0.dropFirst()) }
      if scene.only.count + scene.but.count < limits.count {
        throw Refusal(
          .type, "\(request.path): limits are addresses such as /echo, or -/loop to leave one out")
      }
    }
    scene.preset = ""
    scene.settings = present(in: scene)
    let loops = (1...max(1, context.loopCount)).filter {
      scene.covers("/loop/\($0)/state") && context.loop($0 - 1).length > 0
    }
    scene.playing = loops.filter { context.loop($0 - 1).state.isPlaying }
    scene.stopped = loops.filter { !context.loop($0 - 1).state.isPlaying }
    if partNumber > 0, scene.settings.contains(where: { $0.address == Self.part }) {
      // The part decides about its loops.
      let own = Set(partLoops.joined())
      scene.playing.removeAll(where: own.contains)
      scene.stopped.removeAll(where: own.contains)
    }
    try shelf.save(scene, as: name) { request.complete($0, name) }
  }

  private func present(in scene: Scene) -> [Preset.Setting] {
    var excluded = Scene()
    excluded.but = Self.unsaved
    return context.table.addresses.compactMap { address in
      guard address.target == nil, excluded.covers(address.path), scene.covers(address.path)
      else { return nil }
      if let parameter = address.parameter, case .parameter? = address.value?.setting,
        address.belongsToPreset || address.kept?.isOfSession ?? false
      {
        if case .loop(_, let loop) = parameter, loop >= context.loopCount { return nil }
        return setting(address, address.argument(for: context[parameter]))
      }
      guard Self.settings.contains(address.path),
        let argument = context.values(of: address)?.first
      else { return nil }
      if address.path == Self.part, partNumber == 0 { return nil }
      return setting(address, argument)
    }
  }

  private func setting(_ address: Address, _ argument: Argument) -> Preset.Setting {
    Preset.Setting(
      address: address.path,
      value: argument.text.map { .text($0) } ?? .number(argument.number ?? 0))
  }

  fileprivate func delete(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.deleteScene(name) { request.complete($0, name) }
  }

  /// Reads all files again, and replies with each fault.
  fileprivate func check(_ request: Request) throws(Refusal) {
    let wanted = request.text(0)
    try shelf.reload { [weak self] outcome in
      request.complete(outcome) { _ throws(Refusal) in
        guard let self else { return }
        if let wanted { _ = try self.shelf.scene(wanted) }
        var faults: [(String, JSON.Fault)] = []
        for name in self.shelf.sceneNames where wanted == nil || wanted == name {
          faults += (self.shelf.scenes[name]?.faults ?? []).map { (name, $0) }
        }
        request.answer(faults, Self.fault, end: Self.checked) { name, fault in
          Argument.row(name, fault.line, fault.description)
        }
      }
    }
  }

  // MARK: - Set lists

  /// The scenes that next and previous step through.
  private var entries: [SetList.Entry] {
    setListName.isEmpty
      ? shelf.sceneNames.map { SetList.Entry(scene: $0) }
      : shelf.setLists[setListName]?.content.entries ?? []
  }

  /// Steps through the set list, from the scene that waits or else the present one.
  fileprivate func step(_ step: Int, _ request: Request) throws(Refusal) {
    let entries = entries
    guard !entries.isEmpty else {
      throw Refusal(.missing, "\(request.path): no scenes; /scene/save saves one")
    }
    let index = (queued?.position ?? place(in: entries)) + step
    guard index >= 0 else {
      throw Refusal(.state, "\(request.path): already at the first scene")
    }
    guard index < entries.count else {
      throw Refusal(.state, "\(request.path): already at the last scene")
    }
    try queue(entries[index].scene, at: moment(request, 0), index, request)
  }

  /// The position of the present scene, from 0; -1 if none is in the list.
  private func place(in entries: [SetList.Entry]) -> Int {
    if entries.indices.contains(position), entries[position].scene == current { return position }
    if !setListName.isEmpty, current.isEmpty || position >= 0 {
      return min(position, entries.count)
    }
    return entries.firstIndex { $0.scene == current } ?? -1
  }

  /// Switches to an entry of the set list.
  fileprivate func go(_ request: Request) throws(Refusal) {
    let number = request.whole(0) ?? 1
    let entries = entries
    guard entries.indices.contains(number - 1) else {
      throw Refusal(.range, "\(request.path): \(number) is out of range (1 to \(entries.count))")
    }
    try queue(entries[number - 1].scene, at: moment(request, 1), number - 1, request)
  }

  /// Reads all files again, checks the scenes of a set list, and opens it.
  fileprivate func openList(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    guard !name.isEmpty else {
      open("")
      return request.done("")
    }
    try shelf.reload { [weak self] outcome in
      request.complete(outcome) { _ throws(Refusal) in
        guard let self else { return }
        guard let list = self.shelf.setLists[name] else {
          throw SceneShelf.missing(
            "set list", name, among: self.shelf.setListNames, list: Self.setLists)
        }
        var refusals = SceneShelf.refusals(list.faults, of: list.path)
        for entry in list.content.entries where self.shelf.scenes[entry.scene] == nil {
          refusals.append(
            Refusal(.missing, "\(list.path):\(entry.line): unknown scene \(quoted(entry.scene))"))
        }
        for scene in Set(list.content.entries.map(\.scene)).sorted() {
          guard let entry = self.shelf.scenes[scene] else { continue }
          refusals += SceneShelf.refusals(entry.faults, of: entry.path)
        }
        // A concert goes on without a scene that can't be.
        for refusal in refusals { request.refuse(refusal) }
        self.open(name)
        request.done(name)
      }
    }
  }

  private func open(_ name: String) {
    setListName = name
    position = -1
    context.changed(Self.setList, Self.setListScene, Self.setListScenes)
  }

  /// Saves a set list of these scenes, or of those of the present one; titles and notes stay.
  fileprivate func saveList(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    if context[.mixer(.lock)] != 0, shelf.setLists[name] != nil {
      throw Refusal(
        .denied,
        "\(request.path): the lock is on, and a set list with this name exists; /lock 0 unlocks")
    }
    let scenes = request.arguments.dropFirst().compactMap { $0?.text }
    for scene in scenes { _ = try shelf.scene(scene) }
    let known = (shelf.setLists[name]?.content.entries ?? []) + entries
    var list = shelf.setLists[name]?.content ?? SetList()
    list.entries =
      scenes.isEmpty
      ? entries
      : scenes.map { scene in
        known.first { $0.scene == scene } ?? SetList.Entry(scene: scene)
      }
    try shelf.save(list, as: name) { request.complete($0, name) }
  }

  /// Sets the title and the notes of an entry of the open set list.
  fileprivate func note(_ request: Request) throws(Refusal) {
    guard !setListName.isEmpty, var list = shelf.setLists[setListName]?.content else {
      throw Refusal(.state, "\(request.path): no set list is open; \(Self.setList) opens one")
    }
    let number = request.whole(0) ?? 1
    guard list.entries.indices.contains(number - 1) else {
      throw Refusal(
        .range, "\(request.path): \(number) is out of range (1 to \(list.entries.count))")
    }
    let former = list.entries[number - 1]
    list.entries[number - 1] = SetList.Entry(
      scene: former.scene, title: request.text(2) ?? former.title, notes: request.text(1) ?? "")
    let name = setListName
    try shelf.save(list, as: name) { request.complete($0, name) }
  }

  fileprivate func deleteList(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.deleteSetList(name) { request.complete($0, name) }
    if setListName == name { open("") }
  }

  /// The number of the present entry, the number of entries, its title and notes, and the next title.
  fileprivate var status: [Argument] {
    let entries = entries
    let place = place(in: entries)
    let present = entries.indices.contains(place) ? entries[place] : nil
    let next = entries.indices.contains(place + 1) ? entries[place + 1] : nil
    return Argument.row(
      place + 1, entries.count, present?.shownTitle ?? current, present?.notes ?? "",
      next?.shownTitle ?? "")
  }

  fileprivate var titles: [String] { entries.map(\.shownTitle) }

  fileprivate var waiting: [Argument] {
    Argument.row(
      queued.map { $0.name.isEmpty ? "part \($0.part ?? 0)" : $0.name } ?? "",
      queued?.moment.rawValue ?? "")
  }
}

extension Kept {
  /// Whether the value is stored in the state file of a session.
  fileprivate var isOfSession: Bool { if case .session = place { true } else { false } }
}

// MARK: - Addresses

extension Scenes {
  typealias Declared = Declaring<Scenes>

  fileprivate static let (scene, scenes, queue) = ("/scene", "/scenes", "/scene/queued")
  static let part = "/part"
  fileprivate static let (setList, setLists) = ("/setlist", "/setlists")
  fileprivate static let (setListScene, setListScenes) = ("/setlist/scene", "/setlist/scenes")

  fileprivate static let fault = Event(
    "/scene/fault", "sis", "Reply to /scene/check: scene, line in its file, and what is wrong")
  fileprivate static let checked = Event(
    "/scene/checked", "i", "End of the replies to /scene/check: number of faults")

  private static let moment = Address.Form.optional("moment", of: SceneMoment.words)

  static let addresses: [Address] =
    [
      Address(
        scene,
        Declared.slowSetting([.needed("scene", .text), moment], \.current, start: Scenes.load),
        "Switches to a scene, all values in one block, now or at the next beat, bar or cycle of the "
          + "leading loop, then replies /reply; without a name, replies with the one switched to last"
      ),
      Address(
        "/scene/next",
        Declared.action([moment], isButton: true) { scenes, request throws(Refusal) in
          try scenes.step(1, request)
        },
        "Switches to the next scene of the set list, or of all scenes if none is open"),
      Address(
        "/scene/previous",
        Declared.action([moment], isButton: true) { scenes, request throws(Refusal) in
          try scenes.step(-1, request)
        }, "Switches to the previous scene"),
      Address(
        "/scene/cancel", Declared.action(isButton: true, Scenes.cancel),
        "Withdraws the scene or part that waits for its moment"),
      Address(
        queue, Declared.reading("ss") { $0.waiting },
        "Scene or part that waits, and its moment; empty for none"),
      Address(
        "/scene/at",
        Declared.setting([.word(of: SceneMoment.words)]) {
          [.string($0.usualMoment.rawValue)]
        } write: { scenes, request in
          scenes.usualMoment = scenes.moment(request, 0)
          scenes.context.changed("/scene/at")
        }, kept: .session, "Moment of a switch that names none"),
      Address(
        "/scene/save",
        Declared.task([.needed("name", .text), .rest("limits", .text)], Scenes.save),
        "Saves the present state as a scene, then replies /reply; limits are the addresses that it "
          + "holds, such as /echo, or with - before them, such as -/loop, those that it leaves alone"
      ),
      Address(
        "/scene/delete", Declared.task([.needed("name", .text)], Scenes.delete),
        "Deletes a scene, then replies /reply"
      ).losing(),
      Address(
        "/scene/check", Declared.question([.optional("name", .text)], end: checked, Scenes.check),
        "Reads all scenes and set lists again, and replies /scene/fault for each fault of a scene or "
          + "of all, then /scene/checked"),
      Address(scenes, Declared.reading(\.shelf.sceneNames), "Names of all scenes, in order"),
      Address(fault), Address(checked),
      Address(
        part,
        Declared.slowSetting(
          [.needed("part", .whole, in: 0...Double(mostParts)), moment], \.partNumber,
          start: Scenes.choosePart),
        "Plays the loops of a part together, and stops those of all other parts; 0 stops all"),
    ]
    + (0..<mostParts).map { index in
      Address(
        "/part/\(index + 1)/loops",
        Declared.setting([.needed("loop", .whole, in: 0...16), .rest("more", .whole, in: 1...16)]) {
          let loops = $0.loops(ofPart: index)
          return loops.isEmpty ? [.int32(0)] : loops.arguments
        } write: { scenes, request in
          scenes.setLoops(ofPart: index, request)
        }, kept: .session, "Numbers of the loops of part \(index + 1); 0 for none")
    } + [
      Address(
        setList,
        Declared.slowSetting([.needed("name", .text)], \.setListName, start: Scenes.openList),
        kept: Declared.kept(.session) {
          $0.setListName
        } restore: { scenes, name in
          scenes.open(name)
          return []
        },
        "Opens a set list and checks its scenes, then replies /reply; an empty name closes it"),
      Address(setLists, Declared.reading(\.shelf.setListNames), "Names of all set lists, in order"),
      Address(
        "/setlist/save",
        Declared.task([.needed("name", .text), .rest("scenes", .text)], Scenes.saveList),
        "Saves a set list of these scenes, or of those of the open one, then replies /reply; titles "
          + "and notes of scenes stay"),
      Address(
        "/setlist/delete", Declared.task([.needed("name", .text)], Scenes.deleteList),
        "Deletes a set list, but not its scenes, then replies /reply"
      ).losing(),
      Address(
        "/setlist/go",
        Declared.task(
          [.needed("number", .whole, in: 1...1000), moment], Scenes.go),
        "Switches to the scene with this number in the set list, from 1"),
      Address(
        "/setlist/note",
        Declared.task(
          [
            .needed("number", .whole, in: 1...1000), .needed("notes", .text),
            .optional("title", .text),
          ], Scenes.note),
        "Sets the notes, and the title, of a scene of the open set list, then replies /reply"),
      Address(
        setListScene, Declared.reading("iisss") { $0.status },
        "Number of the present scene in the set list, 0 before the first; number of scenes; its title "
          + "and notes; title of the next"),
      Address(setListScenes, Declared.reading(\.titles), "Titles of the scenes of the set list"),
    ]
}
