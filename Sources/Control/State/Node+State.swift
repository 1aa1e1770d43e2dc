internal import Engine
internal import Music
internal import OSC

/// What of the node is there again when it is started again.
extension Node {
  /// The state: all that a client can have set, but for what the library of takes keeps anyway.
  package var state: NodeState {
    var state = NodeState()
    state.values = table.addresses.compactMap { address in
      address.isKept ? nil : stateText(of: address).map { "\(address.path)=\($0)" }
    }
    state.connections = stateDesk.connections
    state.connectedPorts = stateDesk.connectedPorts
    state.server = stateDesk.server
    return state
  }

  /// The state as a session has it: with what the library keeps otherwise, and without the
  /// connections, which are the session manager's.
  package var sessionState: NodeState {
    var state = NodeState()
    state.values = table.addresses.compactMap { address in
      let text = stateText(of: address) ?? stateDesk.settings[address.path]
      return text.map { "\(address.path)=\($0)" }
    }
    return state
  }

  private func stateText(of address: Address) -> String? {
    if address.isMomentary { return nil }
    switch address.kind {
    case .number, .whole, .choice:
      return argument(for: address).map { $0.text ?? plain($0.number ?? 0) }
    case .selection(let read, _): return read(self)
    // What was asked for: a server that is away is asked again.
    case .toggle: return leadWatch.isWanted ? "1" : "0"
    default: return nil
    }
  }

  /// Is again what it was; returns a line for each value that can't be followed.
  package func resume(_ state: NodeState) -> [String] {
    var refused: [String] = []
    var settings: [String: String] = [:]
    for line in state.values {
      do throws(Refusal) {
        try resume(line, &settings)
      } catch {
        refused.append(error.message)
      }
    }
    stateDesk.connections = state.connections
    stateDesk.connectedPorts = state.connectedPorts.union(state.connections.map(\.own))
    return refused + restore(settings)
  }

  private func resume(_ line: String, _ settings: inout [String: String]) throws(Refusal) {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let address = table[String(parts[0])], !address.isMomentary else {
      throw Refusal(.unknown, "\(quoted(line)) is no value that this version keeps")
    }
    let text = String(parts[1])
    switch address.kind {
    case .number, .whole, .choice: try set(line)
    case .selection:
      presets.loaded = text
      feedback.changed(address.path)
    case .toggle: leadWatch.isWanted = text == "1"
    case .setting, .arrangement, .errand: settings[address.path] = text
    case .action where address.path == Bindings.path: settings[address.path] = text
    default: throw Refusal(.type, "\(address.path) has no value that is kept")
    }
  }

  /// Keeps the state in a file from now on, as it changes; `say` is given a line where that fails.
  ///
  /// `written` is what the file has at present, where that is known; what is to be forgotten is
  /// written over at once.
  package func keepState(
    in file: StateFile, holding written: NodeState?, forgetsFormer: Bool = false,
    _ say: @escaping (String) -> Void
  ) {
    stateDesk.begin(file, holding: written?.text, say: say)
    if forgetsFormer { stateDesk.write(self) }
  }

  /// Writes the state at once, where it is kept, and what the library keeps of it.
  package func saveState() {
    stateDesk.write(self)
    settingsDesk.isUrgent = true
  }

  /// How often something of the state may have become another.
  package var stateChanges: Int { stateDesk.changes }

  /// What the node's ports are connected with, or shall be as soon as both are there.
  package var connections: [NodeState.Connection] {
    get { stateDesk.connections }
    set {
      guard newValue != stateDesk.connections else { return }
      stateDesk.connections = newValue
      stateDesk.connectedPorts.formUnion(newValue.map(\.own))
      stateChanged()
    }
  }

  /// Those of the node's ports that had a connection at any time: what has none of them was taken
  /// away by somebody.
  package var connectedPorts: Set<String> { stateDesk.connectedPorts }

  /// The JACK server that the connections are of.
  package var server: String {
    get { stateDesk.server }
    set { stateDesk.server = newValue }
  }

  /// Notes that something of the state may be other than before.
  func stateChanged() { stateDesk.changed(now()) }

  // MARK: - Sessions

  /// Leaves all settings to sessions from now on: none is kept in the library of takes.
  ///
  /// Everything is as it is at first then, and nothing plays.
  package func beginSession() {
    stateDesk.keepsSettings = false
    dropAgenda()
    var ending = ["/note/allOff", "/player/done", "/loop/cancel"]
    if player.length > 0 { ending.append("/loop/clear") }
    for path in ending { try? perform(path, []) }
    // Also one that is opened still.
    try? songs.stop(self)
    // What the former session had is nothing to fall back on.
    instruments.present(isFallback: false)
    for address in table.addresses {
      guard let initial = address.initial else { continue }
      try? perform(address.path, [address.argument(for: initial)])
    }
    presets.loaded = ""
    feedback.changed("/preset")
    // Another link is asked from here on, and what the former one said is no answer of it.
    leadWatch = LeadWatch()
    feedback.changed("/transport/lead")
    place = nil
    feedback.changed("/location")
    bindings.forgetAll(node: self)
    changedSettings = []
    _ = restore(initialSettings)
    for name in keyboard.scales.own.map(\.name) { try? perform("/scale/delete", [.string(name)]) }
    stateDesk.settings = [InstrumentLoader.path: InstrumentLoader.initial]
    stateDesk.connections = []
    stateDesk.connectedPorts = []
    // What the library kept may be on its way still, and holds no more.
    changedSettings = Set(table.addresses.map(\.path))
  }

  // Makes no change that waits for its time any more, and says so to whoever asked for it.
  private func dropAgenda() {
    while let item = agenda.take(dueBy: .infinity) {
      answer(
        Refusal(.state, "another session was opened before its time"), to: item.path,
        from: item.client)
    }
  }

  /// Follows what a session had; returns a line for each value that can't be followed.
  package func resumeSession(_ state: NodeState) -> [String] {
    changedSettings = []
    defer { changedSettings = Set(table.addresses.map(\.path)) }
    return resume(state)
  }

  /// Goes over to the takes of another folder, when nothing is on its way to the disk.
  package func moveTakes(to home: String, _ say: @escaping (String) -> Void) {
    takes = TakeDesk(home: home)
    capture.home = home
    openLibrary(say)
  }

  /// What settings are at first, as text; but for a place, of which none is known.
  var settingsNow: [String: String] {
    var texts: [String: String] = [:]
    for address in table.addresses {
      switch address.kind {
      case .setting(_, let read, _), .arrangement(_, let read, _):
        texts[address.path] = read(self).map(Self.text).joined(separator: " ")
      default: break
      }
    }
    texts["/location"] = nil
    texts["/music/folder"] = songs.folder
    texts[InstrumentLoader.path] = InstrumentLoader.initial
    return texts
  }
}
