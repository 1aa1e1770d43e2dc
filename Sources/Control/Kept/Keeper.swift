internal import Engine
internal import OSC

/// The keeper of what outlives the node: of each address what its declaration says, in the state of
/// the node, in the library of the home folder, or in a session.
final class Keeper: CourierObserver {
  /// The store for what the home folder keeps; nil where there is none.
  weak var store: (any SettingsStore)?
  /// Connections of the node's ports, in a state without values.
  private(set) var links = NodeState()
  /// Whether what was kept is still on its way.
  var isOpening = false
  /// How often something of the state may have become another.
  private(set) var changes = 0
  private unowned let features: Features
  /// The way by which what was kept is set again.
  unowned var dispatcher: Dispatcher!
  private let now: () -> Double
  private let stateWriter = StateWriter()
  private let settingsWriter = SettingsWriter()
  // What was set of all that the home folder keeps, as text.
  private var settings: [String: String] = [:]
  // Not where a session has them.
  private(set) var keepsSettings = true
  // What was set in this run: what was kept of it may be on its way still, and holds no more.
  private var overtaken: Set<String> = []
  // What sessions begin with.
  private var initial: [String: String] = [:]
  // By the number of a parameter.
  private var isParameterOfHome: [Bool] = []

  init(features: Features, now: @escaping () -> Double) {
    self.features = features
    self.now = now
  }

  private var table: AddressTable { dispatcher.table }
  private var answerer: Answerer { dispatcher.answerer }

  /// Whether something is on its way to the disk.
  var isWriting: Bool { stateWriter.isWriting || settingsWriter.isWriting }

  /// Takes what all is at present for what sessions begin with.
  func begin() {
    isParameterOfHome = Array(repeating: false, count: Parameter.numbers)
    for parameter in Parameter.allCases {
      isParameterOfHome[parameter.number] = table.address(of: parameter).map(isHeldByHome) ?? false
    }
    for address in table.addresses where isHeldByHome(address) && address.parameter == nil {
      initial[address.path] = text(of: address)
    }
  }

  /// Writes what is due; returns in how many milliseconds to look again, nil for any time.
  func poll(_ now: Double) -> Int? {
    let stateDue = stateWriter.poll(now, state: { state.text }) { [self] refusal in
      answerer.report(refusal, of: "", to: nil)
    }
    let settingsDue = settingsWriter.poll(now, to: store, whenUnkept: tellUnkept)
    return [stateDue, settingsDue].compactMap { $0 }.min()
  }

  // MARK: - What changes

  /// Notes that something of the state may be other than before.
  func stateChanged() {
    changes += 1
    stateWriter.changed(now())
  }

  func somethingHappened() { stateChanged() }

  func willSet(_ parameter: Parameter) {
    guard isParameterOfHome[parameter.number], let address = table.address(of: parameter) else {
      return
    }
    overtaken.insert(address.path)
  }

  func didSet(_ parameter: Parameter, _ value: Float) {
    guard isParameterOfHome[parameter.number], let address = table.address(of: parameter) else {
      return
    }
    keep(address.path, plain(Double(value)), for: nil)
  }

  /// Notes that a setting was changed, tells of it, and keeps it.
  func settingChanged(_ address: Address, by request: Request) {
    let present = dispatcher.present(address) ?? []
    request.echo(present)
    answerer.feedback.changed(address.path)
    guard !request.isRestoring else { return }
    // Numbers as exact as they came; of a name, the one that it goes by.
    let values =
      address.types.contains("s")
      ? present.map(Self.text) : request.arguments.compactMap { $0.map(Self.text) }
    keep(address.path, values.joined(separator: " "), for: request.client)
  }

  /// Keeps the present value of an address that is set along with another one, and tells of it.
  func keep(_ path: String, for request: Request?) {
    guard let address = table[path], let text = text(of: address) else { return }
    answerer.feedback.changed(path)
    guard request?.isRestoring != true else { return }
    keep(path, text, for: request?.client)
  }

  private func keep(_ path: String, _ text: String, for client: Client?) {
    overtaken.insert(path)
    settings[path] = text
    stateChanged()
    // Without a folder it is for this time; and a session keeps it when it is told to.
    guard let store, keepsSettings else { return }
    settingsWriter.keep(path, text, for: client)
    _ = settingsWriter.poll(now(), to: store, whenUnkept: tellUnkept)
  }

  private func tellUnkept(_ refusal: Refusal, _ path: String, _ client: Client?) {
    answerer.refuse(
      Refusal(refusal.code, "\(path) is set, but not for the next start: \(refusal.message)"),
      to: Origin(path: path, client: client))
  }

  /// Notes that what was kept of an address holds no more.
  func overtakes(_ path: String) { overtaken.insert(path) }

  // MARK: - Texts

  private func isHeldByHome(_ address: Address) -> Bool {
    if case .home? = address.kept?.place { true } else { false }
  }

  private func isWrittenBySession(_ address: Address) -> Bool {
    if case .session? = address.kept?.place { table.isPersistedName(address) } else { false }
  }

  /// The text that is kept of an address now; nil where that is nothing.
  private func text(of address: Address) -> String? {
    if let read = address.kept?.read { return read(features) }
    guard let values = dispatcher.present(address) else { return nil }
    if address.parameter != nil { return values.first.map { $0.text ?? plain($0.number ?? 0) } }
    return values.map(Self.text).joined(separator: " ")
  }

  private static func text(_ argument: Argument) -> String {
    argument.text ?? argument.number.map { "\($0)" } ?? ""
  }

  // MARK: - The state

  /// The state: all that a client can have set, but for what the library of takes keeps anyway.
  var state: NodeState {
    var state = links
    state.values = table.addresses.filter(isWrittenBySession).compactMap(line)
    return state
  }

  /// The state as a session has it: with what the home folder keeps otherwise, and without the
  /// connections, which are the session manager's.
  var sessionState: NodeState {
    var state = NodeState()
    state.values = table.addresses.compactMap { address in
      // A value that the audio has is always there; all else when it was set.
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

  /// Keeps the state in a file from now on, as it changes; `say` is given a line where that fails.
  ///
  /// `written` is what the file has at present, where that is known; what is to be forgotten is
  /// written over at once.
  func keepState(
    in file: StateFile, holding written: NodeState?, forgetsFormer: Bool,
    _ say: @escaping (String) -> Void
  ) {
    stateWriter.begin(file, holding: written?.text, say: say)
    if forgetsFormer { save() }
  }

  /// Writes the state at once, where it is kept, and what the library keeps of it.
  func saveAll() {
    save()
    settingsWriter.isUrgent = true
  }

  private func save() {
    stateWriter.write(state.text) { [self] refusal in answerer.report(refusal, of: "", to: nil) }
  }

  /// The connections of the node's ports, those first that wait for the longest for their other
  /// port.
  var connections: [NodeState.Connection] {
    get { links.connections }
    set {
      guard newValue != links.connections else { return }
      links.connections = newValue
      links.connectedPorts.formUnion(newValue.map(\.own))
      stateChanged()
    }
  }

  /// The JACK server that the connections are of.
  var server: String {
    get { links.server }
    set { links.server = newValue }
  }

  // MARK: - Taking over

  /// Takes over a state; returns a line for each value that can't be followed.
  func resume(_ state: NodeState) -> [String] {
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
    else { throw Refusal(.unknown, "\(quoted(line)) is no value that this version keeps") }
    switch place {
    case .home: kept[address.path] = String(parts[1])
    case .session:
      if let restore = address.kept?.restore {
        _ = try restore(features, String(parts[1]))
        answerer.feedback.changed(address.path)
      } else {
        try dispatcher.set(line)
      }
    }
  }

  /// Takes over what the home folder kept, unless it was set since; returns a line for each that
  /// can't be followed.
  func restore(_ kept: [String: String]) -> [String] {
    var refused: [String] = []
    var again: [Address] = []
    // What a newer version kept is let be.
    for address in table.addresses where !overtaken.contains(address.path) {
      guard isHeldByHome(address), let text = kept[address.path] else { continue }
      do throws(Refusal) {
        refused += try restore(address, from: text)
      } catch {
        again.append(address)
      }
    }
    // A large tuning fits only with the few octaves that come behind it, and a scale only into that,
    // and when it is known.
    for address in again {
      do throws(Refusal) {
        refused += try restore(address, from: kept[address.path] ?? "")
      } catch {
        refused.append("\(address.path) is not as it was kept: \(error.message)")
      }
    }
    return refused
  }

  private func restore(_ address: Address, from text: String) throws(Refusal) -> [String] {
    var lines: [String] = []
    if let restore = address.kept?.restore {
      lines = try restore(features, text)
      answerer.feedback.changed(address.path)
    } else {
      try dispatcher.perform(
        address.path, try address.arguments(from: text), isRestoring: true)
    }
    settings[address.path] = text
    return lines
  }

  // MARK: - Sessions

  /// Leaves all settings to sessions from now on: none is kept in the library of takes.
  ///
  /// Everything is as it is at first then, and nothing plays.
  func beginSession() {
    keepsSettings = false
    dispatcher.courier.dropAgenda(
      because: Refusal(.state, "another session was opened before its time"))
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

  /// Follows what a session had; returns a line for each value that can't be followed.
  func resumeSession(_ state: NodeState) -> [String] {
    overtaken = []
    defer { overtakeAll() }
    return resume(state)
  }

  // What the library kept may be on its way still, and holds no more.
  private func overtakeAll() { overtaken = Set(table.addresses.map(\.path)) }
}
