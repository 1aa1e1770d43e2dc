internal import Engine
internal import InstrumentFiles
internal import JSON
internal import Library
internal import OSC

/// The files of scenes.
extension Scenes {
  // Settings that a saved scene holds with the parameters of the engine.
  private static let settings = [
    "/grid/instrument", "/grid/root", "/grid/tuning", "/grid/reference", "/grid/scale",
    "/grid/octaves", "/piano/octave", part,
  ]
  // Belongs to the place and the hardware rather than to the music.
  private static let unsaved = [
    "/lock", "/mute", "/capture", "/tempo", "/loop/tempo", "/loop/lateness", "/settings",
  ]

  /// Saves the present state as a scene.
  func save(_ request: Request) throws(Refusal) {
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
      for limit in limits where !Scene.isKnown(limit.drop { $0 == "-" }, in: context.table) {
        throw Refusal(.unknown, "\(request.path): \(limit) names no address; /help lists them")
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

  func delete(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.deleteScene(name) { request.complete($0, name) }
  }

  /// The instrument and the song that a scene names, if they don't exist at present.
  ///
  /// The scene is not refused: they can exist when it takes effect.
  func missing(in ready: ReadyScene) -> [JSON.Fault] {
    var faults: [JSON.Fault] = []
    let known = context[Instruments.self].names.current
    if let name = ready.instrument, !known.isEmpty,
      !known.contains(where: { (try? InstrumentName($0))?.plain == name })
    {
      faults.append(
        JSON.Fault(
          ready.instrumentLine, "unknown instrument \(quoted(name)); /instruments lists all"))
    }
    if case .play(let number)? = ready.song, let list = context[Songs.self].shelf.list,
      list.song(number) == nil
    {
      faults.append(
        JSON.Fault(1, "song \(list.outOfRange(number)); /music lists all")
      )
    }
    return faults
  }

  /// Reads all files again, and replies with each fault.
  func check(_ request: Request) throws(Refusal) {
    let wanted = request.text(0)
    try shelf.reload { [weak self] outcome in
      request.complete(outcome) { _ throws(Refusal) in
        guard let self else { return }
        if let wanted { _ = try self.shelf.scene(wanted) }
        var faults: [(String, JSON.Fault)] = []
        for name in self.shelf.sceneNames where wanted == nil || wanted == name {
          guard let entry = self.shelf.scenes[name] else { continue }
          faults += (entry.faults + self.missing(in: entry.ready)).map { (name, $0) }
        }
        request.answer(faults, Self.fault, end: Self.checked) { name, fault in
          Argument.row(name, fault.line, fault.description)
        }
      }
    }
  }
}

extension Kept {
  /// Whether the value is stored in the state file of a session.
  fileprivate var isOfSession: Bool { if case .session = place { true } else { false } }
}
