internal import Engine
internal import Library
internal import OSC

/// Presets: named sets of values, set together.
package final class Presets: Feature {
  private let context: Context
  private let shelf: PresetShelf
  /// The name of the preset loaded last; empty for none.
  private(set) var loaded = ""

  init(_ context: Context) {
    self.context = context
    shelf = PresetShelf(context.setup.presets)
  }

  var workers: [Worker] { [shelf.worker] }

  /// Clears the last loaded preset.
  func beginSession() { setLoaded("") }

  private func setLoaded(_ name: String) {
    loaded = name
    context.changed(Self.preset)
  }

  // MARK: - Loading

  /// Loads a preset by name.
  ///
  /// A name with a slash is the path of a file, which only the command line may use.
  package func load(_ name: String) throws(Refusal) {
    guard name.contains("/") else {
      try context.perform(Self.preset, [.string(name)])
      return
    }
    let found = try refusing { () throws(PresetFault) in try PresetLibrary.read(path: name) }
    let file = name.split(separator: "/").last ?? ""
    let title = file.hasSuffix(".json") ? file.dropLast(5) : file
    try context.submit(try commands(of: found, named: String(title), for: nil), path: Self.preset)
  }

  /// The commands that set all values of a preset.
  ///
  /// Throws for the first invalid one.
  private func commands(_ request: Request) throws(Refusal) -> [PlannedCommand] {
    let name = request.text(0) ?? ""
    return try commands(of: try shelf.read(name), named: name, for: request)
  }

  private func commands(
    of found: PresetLibrary.Found, named name: String, for request: Request?
  ) throws(Refusal) -> [PlannedCommand] {
    let commands = try found.preset.settings.map { setting throws(Refusal) in
      try refusing("\(found.path):\(setting.line): ") { () throws(Refusal) in
        PlannedCommand(action: try action(of: setting))
      }
    }
    // The last command, done when all values are in effect.
    var isSent = false
    let last = PlannedCommand(action: .sync(0)) { [weak self] in
      guard let self else { return }
      setLoaded(isSent ? loaded : name)
      request?.done(name)
    } whenTaken: { [unowned self] in
      loaded = name
      isSent = true
    }
    return commands + [last]
  }

  private func action(of setting: Preset.Setting) throws(Refusal) -> Command.Action {
    guard let address = context.table[setting.address] else {
      throw context.dispatcher.unknown(setting.address)
    }
    guard let parameter = address.parameter else {
      throw Refusal(.type, "\(setting.address): no value that can be set")
    }
    let argument: Argument =
      switch setting.value {
      case .number(let number): .double(number)
      case .flag(let flag): .bool(flag)
      case .text(let text): .string(text)
      }
    return .set(parameter, try address.value(from: argument))
  }

  // MARK: - Persistence

  /// The current sound as a preset.
  private var present: Preset {
    Preset(
      settings: context.table.addresses.filter(\.belongsToPreset).compactMap { address in
        guard let parameter = address.parameter else { return nil }
        let value = address.argument(for: context[parameter])
        return Preset.Setting(
          address: address.path, value: value.text.map { .text($0) } ?? .number(value.number ?? 0))
      })
  }

  /// Saves the current sound as a preset.
  private func save(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    if context[.mixer(.lock)] != 0, shelf.ownNames.contains(name) {
      throw Refusal(
        .denied,
        "\(request.path): the lock is on, and a preset with this name exists; /lock 0 unlocks"
      )
    }
    try shelf.save(present, as: name) { [weak self] outcome in
      self?.complete(request, with: outcome, name)
    }
  }

  /// Deletes a user's preset.
  private func delete(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.delete(name) { [weak self] outcome in self?.complete(request, with: outcome, name) }
  }

  private func complete(_ request: Request, with outcome: Result<Void, Refusal>, _ name: String) {
    context.changed(Self.presets, Self.own)
    request.complete(outcome, name)
  }
}

extension Presets {
  typealias Declared = Declaring<Presets>

  private static let (preset, presets, own) = ("/preset", "/presets", "/presets/own")

  static let addresses: [Address] = [
    Address(
      preset,
      Declared.selection(\.loaded, make: Presets.commands),
      // Only the name is restored, since each value is persisted itself.
      kept: Declared.kept(.session) {
        $0.loaded
      } restore: { presets, name in
        presets.loaded = name
        return []
      },
      "Loads a preset, all values together, then replies /reply; without a name, "
        + "replies with the one loaded last"),
    Address(
      "/preset/save", Declared.task([.needed("name", .text)], Presets.save),
      "Saves the current effects as a preset, then replies /reply"),
    Address(
      "/preset/delete", Declared.task([.needed("name", .text)], Presets.delete),
      "Deletes a saved preset, then replies /reply; a shipped preset of the same name is "
        + "available again"
    ).losing(),
    Address(presets, Declared.reading(\.shelf.names), "Names of all presets, in order"),
    Address(
      own, Declared.reading(\.shelf.ownNames),
      "Names of the saved presets, which can be deleted"),
  ]
}
