internal import OSC
internal import Takes

/// Settings that are kept over a restart: in the library, under their addresses.
extension Node {
  /// Notes that a setting was changed, and keeps it.
  func settingChanged(_ address: Address, by request: Request) {
    guard case .setting(_, let read, _) = address.kind else { return }
    if let client = request.client { feedback.heard(address.path, read(self), from: client) }
    feedback.changed(address.path)
    let values = request.arguments.compactMap { $0.map(Self.text) }
    keep(address.path, values.joined(separator: " "), for: request.client)
  }

  /// Keeps what something is set to for the next start.
  func keep(_ path: String, _ text: String, for client: Client?) {
    changedSettings.insert(path)
    // Without a folder it is for this time.
    guard let takes else { return }
    do throws(Refusal) {
      try takes.list { library throws(LibraryFault) in
        try library.set(path, text)
      } then: { [weak self] outcome in
        if case .failure(let refusal) = outcome { self?.tellUnkept(refusal, path, client) }
      }
    } catch {
      tellUnkept(error, path, client)
    }
  }

  private func tellUnkept(_ refusal: Refusal, _ path: String, _ client: Client?) {
    answer(
      Refusal(refusal.code, "\(path) is set, but not for the next start: \(refusal.message)"),
      to: path, from: client)
  }

  /// Follows settings that were kept, unless they were changed since; returns a line for each that
  /// can't be followed.
  func restore(_ kept: [String: String]) -> [String] {
    var refused: [String] = []
    for (path, text) in kept.sorted(by: { $0.key < $1.key }) where !changedSettings.contains(path) {
      // What a newer version kept is let be.
      guard let address = table[path] else { continue }
      do throws(Refusal) {
        switch address.kind {
        case .setting(let forms, _, let write):
          let arguments = try address.match(Self.arguments(text, forms), to: forms)
          try write(self, Request(arguments: arguments, client: nil))
          feedback.changed(path)
        case .errand: try perform(path, [.string(text)])
        default: break
        }
      } catch {
        refused.append("\(path) is not as it was kept: \(error.message)")
      }
    }
    return refused
  }

  /// What a setting was kept as: its numbers, or its one text.
  static func arguments(_ text: String, _ forms: [Address.Form]) -> [Argument] {
    if forms.contains(where: { $0.kind == .text }) { return [.string(text)] }
    return text.split(separator: " ").map { word in
      Double(word).map { Argument.double($0) } ?? .string(String(word))
    }
  }

  private static func text(_ argument: Argument) -> String {
    argument.text ?? argument.number.map { "\($0)" } ?? ""
  }
}
