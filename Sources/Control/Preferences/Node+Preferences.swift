internal import Engine
internal import OSC
internal import Takes

/// Settings that are kept over a restart: in the library, under their addresses.
extension Node {
  /// Notes that a setting was changed, and keeps it.
  func settingChanged(_ address: Address, by request: Request) {
    guard let read = address.settingReader else { return }
    if let client = request.client { feedback.heard(address.path, read(self), from: client) }
    feedback.changed(address.path)
    // Numbers as exact as they came; of a name, the one that it goes by.
    let values =
      address.types.contains("s")
      ? read(self).map(Self.text) : request.arguments.compactMap { $0.map(Self.text) }
    keep(address.path, values.joined(separator: " "), for: request.client)
  }

  /// Tells of a setting that was changed along with another one, and keeps it.
  func settingChanged(_ path: String, for client: Client?) {
    guard let read = table[path]?.settingReader else { return }
    feedback.changed(path)
    keep(path, read(self).map(Self.text).joined(separator: " "), for: client)
  }

  /// Notes that a parameter is being set: what the library kept of it may be on its way still, and
  /// holds no more.
  func noteSetting(_ parameter: Parameter) {
    guard table.isKept(parameter), let path = table.address(of: parameter)?.path else { return }
    changedSettings.insert(path)
  }

  /// Keeps the value of a parameter, where it is one that is kept.
  func keepValue(of parameter: Parameter, _ value: Float) {
    guard table.isKept(parameter), let path = table.address(of: parameter)?.path else { return }
    keep(path, plain(Double(value)), for: nil)
  }

  /// Keeps what something is set to for the next start.
  func keep(_ path: String, _ text: String, for client: Client?) {
    changedSettings.insert(path)
    stateDesk.settings[path] = text
    stateChanged()
    // Without a folder it is for this time; and a session keeps it when it is told to.
    guard takes != nil, stateDesk.keepsSettings else { return }
    settingsDesk.keep(path, text, for: client)
    _ = settingsDesk.look(now(), node: self)
  }

  func tellUnkept(_ refusal: Refusal, _ path: String, _ client: Client?) {
    answer(
      Refusal(refusal.code, "\(path) is set, but not for the next start: \(refusal.message)"),
      to: path, from: client)
  }

  /// Follows settings that were kept, unless they were changed since; returns a line for each that
  /// can't be followed.
  func restore(_ kept: [String: String]) -> [String] {
    // What a scale is comes before which one is played.
    let scales = changedSettings.contains("/scale/user") ? nil : kept["/scale/user"]
    var refused = scales.map(restoreScales) ?? []
    if let scales { stateDesk.settings["/scale/user"] = scales }
    feedback.changed("/scales")
    // In the order of the table, where what others are built on comes first. What a newer version
    // kept is let be.
    var again: [Address] = []
    for address in table.addresses where !changedSettings.contains(address.path) {
      guard let text = kept[address.path] else { continue }
      do throws(Refusal) {
        try restore(address, from: text)
      } catch {
        if case .arrangement = address.kind {
          again.append(address)
        } else {
          refused.append("\(address.path) is not as it was kept: \(error.message)")
        }
      }
    }
    // A large tuning fits only with the few octaves that come behind it, and a scale only into that.
    for address in again {
      do throws(Refusal) {
        try restore(address, from: kept[address.path] ?? "")
      } catch {
        refused.append("\(address.path) is not as it was kept: \(error.message)")
      }
    }
    return refused
  }

  private func restore(_ address: Address, from text: String) throws(Refusal) {
    let path = address.path
    switch address.kind {
    case .setting(let forms, _, let write):
      let arguments = try address.match(Self.arguments(text, forms), to: forms)
      try write(self, Request(arguments: arguments, client: nil))
      feedback.changed(path)
    case .arrangement where path == "/scale/user": return
    case .arrangement(let forms, _, let make):
      let arguments = try address.match(Self.arguments(text, forms), to: forms)
      var plan = Plan()
      try make(self, Request(arguments: arguments, client: nil), &plan)
      try submit(plan.commands, path: path, client: nil)
      feedback.changed(path)
    case .action where path == Bindings.path: bindings.restore(text, node: self)
    case .errand: try perform(path, [.string(text)])
    case .number, .whole:
      guard let number = Double(text) else { return }
      try perform(path, [.double(number)])
    default: break
    }
    stateDesk.settings[path] = text
  }

  /// What a setting was kept as: its numbers, or its one text.
  static func arguments(_ text: String, _ forms: [Address.Form]) -> [Argument] {
    if forms.contains(where: { $0.kind == .text }) { return [.string(text)] }
    return text.split(separator: " ").map { word in
      Double(word).map { Argument.double($0) } ?? .string(String(word))
    }
  }

  static func text(_ argument: Argument) -> String {
    argument.text ?? argument.number.map { "\($0)" } ?? ""
  }
}

extension Address {
  /// What is read of a setting, of whichever kind; nil where it is none.
  fileprivate var settingReader: (@Sendable (Node) -> [Argument])? {
    switch kind {
    case .setting(_, let read, _), .arrangement(_, let read, _): read
    default: nil
    }
  }
}
