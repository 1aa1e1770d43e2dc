internal import Engine
internal import Library
internal import OSC

/// Presets: many values under one name, set as one.
final class Presets: Feature {
  private let context: Context
  private let shelf: PresetShelf
  /// The name of the one that was loaded last; empty before.
  private(set) var loaded = ""

  init(_ context: Context) {
    self.context = context
    shelf = PresetShelf(context.setup.presets)
  }

  var workers: [Worker] { [shelf.worker] }

  /// Forgets which one was loaded last.
  func beginSession() { setLoaded("") }

  private func setLoaded(_ name: String) {
    loaded = name
    context.changed(Self.preset)
  }

  // MARK: - Loading

  /// Loads the preset of a name; with a slash in it, of a file anywhere, which only the command
  /// line may ask for.
  func load(_ name: String) throws(Refusal) {
    guard name.contains("/") else {
      try context.perform(Self.preset, [.string(name)])
      return
    }
    let found: PresetLibrary.Found
    do throws(PresetFault) {
      found = try PresetLibrary.read(path: name)
    } catch {
      throw Refusal(error)
    }
    let file = name.split(separator: "/").last ?? ""
    let title = file.hasSuffix(".json") ? file.dropLast(5) : file
    try context.submit(
      try commands(of: found, named: String(title), for: nil), path: Self.preset)
  }

  /// The commands that set all values of a preset, or what is wrong with the first that is.
  private func commands(_ request: Request) throws(Refusal) -> [PlannedCommand] {
    let name = request.text(0) ?? ""
    return try commands(of: try shelf.read(name), named: name, for: request)
  }

  private func commands(
    of found: PresetLibrary.Found, named name: String, for request: Request?
  ) throws(Refusal) -> [PlannedCommand] {
    var commands: [PlannedCommand] = []
    for setting in found.preset.settings {
      do throws(Refusal) {
        commands.append(PlannedCommand(action: try action(of: setting)))
      } catch {
        throw Refusal(error.code, "\(found.path):\(setting.line): \(error.message)")
      }
    }
    // After the last of them, when all are in effect.
    var last = PlannedCommand(action: .sync(0))
    var isTold = false
    last.whenTaken = { [unowned self] in
      loaded = name
      isTold = true
    }
    last.whenDone = { [weak self] in
      guard let self else { return }
      setLoaded(isTold ? loaded : name)
      request?.done(name)
    }
    return commands + [last]
  }

  private func action(of setting: Preset.Setting) throws(Refusal) -> Command.Action {
    guard let address = context.table[setting.address] else {
      throw context.unknown(setting.address)
    }
    guard let parameter = address.parameter else {
      throw Refusal(.type, "\(setting.address) has no value that could be set")
    }
    let argument: Argument =
      switch setting.value {
      case .number(let number): .double(number)
      case .flag(let flag): .bool(flag)
      case .text(let text): .string(text)
      }
    return .set(parameter, try address.value(from: argument))
  }

  // MARK: - Keeping

  /// The sound as it is at the moment.
  private var present: Preset {
    Preset(
      settings: context.table.addresses.filter(\.belongsToPreset).compactMap { address in
        guard let parameter = address.parameter else { return nil }
        let value = address.argument(for: context[parameter])
        return Preset.Setting(
          address: address.path, value: value.text.map { .text($0) } ?? .number(value.number ?? 0))
      })
  }

  /// Keeps the sound as it is at the moment under a name.
  private func save(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.save(present, as: name) { [weak self] outcome in
      self?.tell(outcome, name, request)
    }
  }

  /// Deletes one of the user's own presets.
  private func delete(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.delete(name) { [weak self] outcome in self?.tell(outcome, name, request) }
  }

  private func tell(_ outcome: Result<Void, Refusal>, _ name: String, _ request: Request) {
    context.changed(Self.presets, Self.own)
    request.tell(outcome, name)
  }
}

extension Presets {
  typealias Declared = Of<Presets>

  private static let (preset, presets, own) = ("/preset", "/presets", "/presets/own")

  static let addresses: [Address] = [
    Address(
      preset,
      Declared.selection {
        $0.loaded
      } make: { presets, request throws(Refusal) in
        try presets.commands(request)
      },
      // Its values are kept themselves.
      kept: Declared.kept(.session) {
        $0.loaded
      } restore: { presets, name in
        presets.loaded = name
        return []
      },
      "Loads the preset of this name, all values as one, then answers /reply; without a name, "
        + "answers with the one loaded last"),
    Address(
      "/preset/save",
      Declared.task([.needed("name", .text)]) { presets, request throws(Refusal) in
        try presets.save(request)
      },
      "Saves the effects as they are as a preset of this name, then answers /reply"),
    Address(
      "/preset/delete",
      Declared.task([.needed("name", .text)]) { presets, request throws(Refusal) in
        try presets.delete(request)
      },
      "Deletes a preset that was saved, then answers /reply; a shipped one of the same name is "
        + "there again"),
    Address(
      presets,
      Declared.reading(types: "s…", isAnnounced: true) { presets in
        presets.shelf.names.map(Argument.string)
      },
      "Answers with the names of all presets, in order"),
    Address(
      own,
      Declared.reading(types: "s…", isAnnounced: true) { presets in
        presets.shelf.ownNames.map(Argument.string)
      },
      "Answers with the names of the presets that were saved here, which can be deleted"),
  ]
}

extension Node {
  /// Loads the preset of a name; with a slash in it, of a file anywhere, which only the command
  /// line may ask for.
  package func loadPreset(_ name: String) throws(Refusal) { try context[Presets.self].load(name) }
}
