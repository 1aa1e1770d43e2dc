package import Engine
internal import OSC

/// Persists and restores the state that the address table declares: in the state file, the data directory, or
/// a session.
package final class StateKeeper {
  /// The settings store of the data directory; nil if there is none.
  weak var store: (any SettingsStore)?
  /// The connections of the node's ports, in a state without values.
  package private(set) var links = NodeState()
  /// Whether persisted settings are still being read.
  package internal(set) var isOpening = false
  /// The number of changes to the state.
  package private(set) var stateChanges = 0
  private unowned let features: Features
  /// The dispatcher that applies restored values.
  unowned var dispatcher: Dispatcher!
  private let now: () -> Double
  private let stateWriter = StateWriter()
  private let settingsWriter = SettingsWriter()
  // The values set of settings in the data directory, as text.
  private var settings: [String: String] = [:]
  // False in a session, which stores them itself.
  private(set) var keepsSettings = true
  // Addresses set in this run. A persisted value that is read later must not overwrite them.
  private var overtaken: Set<String> = []
  // The initial values of sessions.
  private var initial: [String: String] = [:]
  // Indexed by parameter number.
  private var isParameterOfHome: [Bool] = []

  init(features: Features, now: @escaping () -> Double) {
    self.features = features
    self.now = now
  }

  private var table: AddressTable { dispatcher.table }
  private var replySender: ReplySender { dispatcher.replySender }

  /// Whether a write is in progress.
  var isWriting: Bool { stateWriter.isWriting || settingsWriter.isWriting }

  /// Records the current values as the initial values of sessions.
  func recordInitialValues() {
    isParameterOfHome = Array(repeating: false, count: Parameter.numbers)
    for parameter in Parameter.allCases {
      isParameterOfHome[parameter.number] = table.address(of: parameter).map(isHeldByHome) ?? false
    }
    for address in table.addresses where isHeldByHome(address) && address.parameter == nil {
      initial[address.path] = text(of: address)
    }
  }

  /// Writes what is due.
  func poll(_ now: Double) -> Int? {
    let stateDue = stateWriter.poll(now) { state.text }
    let settingsDue = settingsWriter.poll(now, to: store, whenUnsaved: reportUnsaved)
    return [stateDue, settingsDue].compactMap { $0 }.min()
  }

  // MARK: - Changes

  /// Notes a change to the state.
  func stateChanged() {
    stateChanges += 1
    stateWriter.changed(now())
  }

  /// Notes that a command that sets a parameter was sent.
  func willSet(_ parameter: Parameter) {
    if let path = pathInHome(parameter) { overtaken.insert(path) }
  }

  /// Persists a parameter of the data directory that was set.
  func didSet(_ parameter: Parameter, _ value: Float) {
    if let path = pathInHome(parameter) { keep(path, plain(Double(value)), for: nil) }
  }

  private func pathInHome(_ parameter: Parameter) -> String? {
    isParameterOfHome[parameter.number] ? table.address(of: parameter)?.path : nil
  }

  /// Notes that a setting was changed, updates subscribers, and persists it.
  func settingChanged(_ address: Address, by request: Request) {
    let present = dispatcher.present(address) ?? []
    request.echo(present)
    replySender.notifier.changed(address.path)
    guard !request.isRestoring else { return }
    // Numbers at the precision received; names as resolved.
    let values =
      address.types.contains("s")
      ? present.map(Self.text) : request.arguments.compactMap { $0.map(Self.text) }
    keep(address.path, values.joined(separator: " "), for: request.client)
  }

  /// Persists the current value of an address that is set along with another one, and updates subscribers.
  func keep(_ path: String, for request: Request? = nil) {
    guard let address = table[path], let text = text(of: address) else { return }
    replySender.notifier.changed(path)
    guard request?.isRestoring != true else { return }
    keep(path, text, for: request?.client)
  }

  private func keep(_ path: String, _ text: String, for client: Client?) {
    overtaken.insert(path)
    settings[path] = text
    stateChanged()
    // Without a store, or in a session, the value holds for this run.
    guard let store, keepsSettings else { return }
    settingsWriter.keep(path, text, for: client)
    _ = settingsWriter.poll(now(), to: store, whenUnsaved: reportUnsaved)
  }

  private func reportUnsaved(_ refusal: Refusal, _ path: String, _ client: Client?) {
    replySender.refuse(
      Refusal(refusal.code, "\(path) is set, but not saved: \(refusal.message)"),
      to: Origin(path: path, client: client))
  }

  /// Marks the persisted value of an address as stale.
  func overtakes(_ path: String) { overtaken.insert(path) }

  // MARK: - Texts

  private func isHeldByHome(_ address: Address) -> Bool {
    if case .home? = address.kept?.place { true } else { false }
  }

  private func isWrittenBySession(_ address: Address) -> Bool {
    if case .session? = address.kept?.place { table.isPersistedName(address) } else { false }
  }

  /// The text that is stored for an address; nil if none.
  private func text(of address: Address) -> String? {
    if let read = address.kept?.read { return read(features) }
    guard let values = dispatcher.present(address) else { return nil }
    if address.parameter != nil { return values.first.map { $0.text ?? plain($0.number ?? 0) } }
    return values.map(Self.text).joined(separator: " ")
  }

  private static func text(_ argument: Argument) -> String {
    argument.text ?? argument.number.map { "\($0)" } ?? ""
  }

  // MARK: - State

  /// The state: all values that clients can set, except those stored in the library.
  package var state: NodeState {
    var state = links
    state.values = table.addresses.filter(isWrittenBySession).compactMap(line)
    return state
  }

  /// The state for a session: includes the settings of the data directory, but not the connections, which the
  /// session manager restores.
  package var sessionState: NodeState {
    var state = NodeState()
    state.values = table.addresses.compactMap { address in
      // Parameters always have a value. Other settings are included when set.
      if isWrittenBySession(address) || isHeldByHome(address) && address.parameter != nil {
        return line(address)
      }
      return settings[address.path].map { "\(address.path)=\($0)" }
    }
    return state
  }

  private func line(_ address: Address) -> String? {
    text(of: address).map { "\(address.path)=\($0)" }
  }

  /// Persists the state in a file from now on.
  ///
  /// Calls `say` with a line when writing fails.
  ///
  /// `written` is the current content of the file, if known. With `forgetsFormer` the file is overwritten
  /// immediately.
  package func keepState(
    in file: StateFile, holding written: NodeState?, forgetsFormer: Bool = false,
    _ say: @escaping (String) -> Void
  ) {
    stateWriter.start(file, holding: written?.text) { [unowned self] refusal in
      say(refusal.message)
      replySender.report(refusal, of: "", to: nil)
    }
    if forgetsFormer { stateWriter.write(state.text) }
  }

  /// Writes the state and pending settings immediately.
  package func saveState() {
    stateWriter.write(state.text)
    settingsWriter.isUrgent = true
  }

  /// The connections of the node's ports.
  ///
  /// Those waiting longest for their other port come first.
  package var connections: [SoundConnection] {
    get { links.connections }
    set {
      guard newValue != links.connections else { return }
      links.connections = newValue
      links.connectedPorts.formUnion(newValue.map(\.own))
      stateChanged()
    }
  }

  /// The JACK server of the connections.
  package var server: String {
    get { links.server }
    set { links.server = newValue }
  }

  // MARK: - Persistence

  /// Restores a state, and returns a line for each value that can't be restored.
  package func resume(_ state: NodeState) -> [String] {
    var refused: [String] = []
    var kept: [String: String] = [:]
    for line in state.values {
      do throws(Refusal) {
        try resume(line, &kept)
      } catch {
        refused.append(error.message)
      }
    }
    links.connections = state.connections
    links.connectedPorts = state.connectedPorts.union(state.connections.map(\.own))
    return refused + restore(kept)
  }

  private func resume(_ line: String, _ kept: inout [String: String]) throws(Refusal) {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let address = table[String(parts[0])], let place = address.kept?.place
    else { throw Refusal(.unknown, "\(quoted(line)) is not a value that this version saves") }
    switch place {
    case .home: kept[address.path] = String(parts[1])
    case .session:
      if let restore = address.kept?.restore {
        _ = try restore(features, String(parts[1]))
        replySender.notifier.changed(address.path)
      } else {
        try dispatcher.set(line)
      }
    }
  }

  /// Restores settings of the data directory that were not set since.
  ///
  /// Returns a line for each that can't be restored.
  func restore(_ kept: [String: String]) -> [String] {
    var refused: [String] = []
    var again: [Address] = []
    // Values of a newer version are left alone.
    for address in table.addresses where !overtaken.contains(address.path) {
      guard isHeldByHome(address), let text = kept[address.path] else { continue }
      do throws(Refusal) {
        refused += try restore(address, from: text)
      } catch {
        again.append(address)
      }
    }
    // Some values depend on others: a large tuning needs few octaves, and a scale needs its tuning.
    for address in again {
      do throws(Refusal) {
        refused += try restore(address, from: kept[address.path] ?? "")
      } catch {
        refused.append("\(address.path) is not restored: \(error.message)")
      }
    }
    return refused
  }

  private func restore(_ address: Address, from text: String) throws(Refusal) -> [String] {
    var lines: [String] = []
    if let restore = address.kept?.restore {
      lines = try restore(features, text)
      replySender.notifier.changed(address.path)
    } else {
      try dispatcher.perform(address.path, try address.arguments(from: text), isRestoring: true)
    }
    settings[address.path] = text
    return lines
  }

  // MARK: - Sessions

  /// Leaves all settings to sessions from now on, so that none is stored in the library.
  ///
  /// Resets everything to its initial value, and stops all sound.
  package func beginSession() {
    keepsSettings = false
    dispatcher.sender.dropScheduled(
      because: Refusal(.state, "another session was opened before the scheduled time"))
    for feature in features.all { feature.beginSession() }
    for address in table.addresses {
      guard let initial = address.initial else { continue }
      try? dispatcher.perform(address.path, [address.argument(for: initial)])
    }
    overtaken = []
    _ = restore(initial)
    settings = initial.filter { table[$0.key]?.kept?.isInEverySession ?? false }
    links.connections = []
    links.connectedPorts = []
    overtakeAll()
  }

  /// Restores the state of a session, and returns a line for each value that can't be restored.
  package func resumeSession(_ state: NodeState) -> [String] {
    overtaken = []
    defer { overtakeAll() }
    return resume(state)
  }

  // Values still being read from the library must not overwrite those of the session.
  private func overtakeAll() { overtaken = Set(table.addresses.map(\.path)) }
}
