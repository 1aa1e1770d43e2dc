internal import Engine
internal import OSC
internal import Takes

/// Presets: by the same door as any message, and as one.
extension Node {
  /// Loads the preset of a name; with a slash in it, of a file anywhere, which only the command
  /// line may ask for.
  package func loadPreset(_ name: String) throws(Refusal) {
    guard name.contains("/") else {
      try perform("/preset", [.string(name)])
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
    try submit(
      try commands(of: found, named: String(title), for: nil), path: "/preset", client: nil)
  }

  /// What setting all values of a preset comes to, or what is wrong with the first that is.
  func commands(forPreset name: String, for client: Client?) throws(Refusal) -> [PlannedCommand] {
    try commands(of: try presets.read(name), named: name, for: client)
  }

  private func commands(
    of found: PresetLibrary.Found, named name: String, for client: Client?
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
      presets.loaded = name
      isTold = true
    }
    last.whenDone = { [weak self] in
      guard let self else { return }
      if !isTold { presets.loaded = name }
      feedback.changed("/preset")
      reply("/reply", [.string("/preset"), .string(name)], to: client)
    }
    return commands + [last]
  }

  private func action(of setting: Preset.Setting) throws(Refusal) -> Command.Action {
    guard let address = table[setting.address] else { throw unknown(setting.address) }
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

  /// The sound as it is at the moment.
  private var presentPreset: Preset {
    Preset(
      settings: table.addresses.filter(\.belongsToPreset).compactMap { address in
        switch argument(for: address) {
        case .string(let word)?:
          Preset.Setting(address: address.path, value: .text(word))
        case let value?:
          Preset.Setting(address: address.path, value: .number(value.number ?? 0))
        case nil: nil
        }
      })
  }

  /// Keeps the sound as it is at the moment under a name.
  func savePreset(_ name: String, for client: Client?) throws(Refusal) {
    try presets.save(presentPreset, as: name) { [weak self] outcome in
      self?.tell(outcome, of: "/preset/save", name, to: client)
    }
  }

  /// Deletes one of the user's own presets.
  func deletePreset(_ name: String, for client: Client?) throws(Refusal) {
    try presets.delete(name) { [weak self] outcome in
      self?.tell(outcome, of: "/preset/delete", name, to: client)
    }
  }

  private func tell(
    _ outcome: Result<Void, Refusal>, of path: String, _ name: String, to client: Client?
  ) {
    feedback.changed("/presets")
    switch outcome {
    case .success: reply("/reply", [.string(path), .string(name)], to: client)
    case .failure(let refusal): answer(refusal, to: path, from: client)
    }
  }
}
