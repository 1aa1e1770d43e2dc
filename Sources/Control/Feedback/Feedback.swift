internal import Engine
internal import OSC

/// Tells subscribers what has changed: coalesced, each at its own pace.
final class Feedback {
  // At most a hundred times a second the same address.
  private static let changePeriod = 10_000.0
  // The contract's 30 a second.
  private static let meterPeriod = 1e6 / 30
  private static let readingPeriod = 500_000.0
  private static let leasePeriod = 1e6

  var subscriptions: Subscriptions
  let levels = LevelReaders()
  private let table: AddressTable
  private let meterIndex: Int?
  private let readings: [Int]

  private var dirty: Set<Int> = []
  private var nextChange = 0.0
  private var nextMeter = 0.0
  private var nextReading = 0.0
  private var nextLease = 0.0

  init(_ table: AddressTable) {
    self.table = table
    subscriptions = Subscriptions(table)
    meterIndex = table.index(of: "/meter")
    readings = table.addresses.indices.filter {
      if case .reading(_, let isAnnounced, _) = table.addresses[$0].kind {
        isAnnounced
      } else {
        false
      }
    }
  }

  /// Where answers for a client go.
  func targets(for client: Client) -> [Client] { subscriptions.targets(for: client) }

  /// Notes that a client set a value: it shall be told what became of it, unless that is just what
  /// it was told last.
  ///
  /// Without the exception two nodes that feed each other would answer each other for ever.
  func heard(_ parameter: Parameter, _ value: Float, from client: Client) {
    guard subscriptions.byClient[client] != nil, let index = table.index(of: parameter) else {
      return
    }
    subscriptions.unsettle(
      index, for: client, unless: [table.addresses[index].argument(for: value)])
  }

  /// The same, for what is no parameter.
  func heard(_ path: String, _ values: [Argument], from client: Client) {
    guard subscriptions.byClient[client] != nil, let index = table.index(of: path) else { return }
    subscriptions.unsettle(index, for: client, unless: values)
  }

  /// Notes that a parameter was set.
  func changed(_ parameter: Parameter) {
    guard subscriptions.count > 0, let index = table.index(of: parameter) else { return }
    dirty.insert(index)
  }

  /// Notes that the values of an address that is no parameter are others.
  func changed(_ path: String) {
    guard subscriptions.count > 0, let index = table.index(of: path) else { return }
    dirty.insert(index)
  }

  /// Tells all who want an address something that happens once.
  func announce(_ path: String, _ values: [Argument], by outlet: (any Outlet)?) {
    guard subscriptions.count > 0, let index = table.index(of: path) else { return }
    let packet = [UInt8](address: path, values)
    subscriptions.forEach(wanting: index) { outlet?.send(packet, to: $0) }
  }

  /// Subscribes a client and sends it the present values of what it asked for.
  func subscribe(
    _ client: Client, to pattern: Pattern?, port: UInt16?, isPermanent: Bool, node: Node
  ) throws(Refusal) {
    let covered = try subscriptions.add(
      pattern, for: client, target: port.map(client.at(port:)),
      now: isPermanent ? nil : node.now())
    for index in covered where !node.snapshot.contains(index) {
      let address = table.addresses[index]
      guard let values = value(of: address, node: node), node.mayShow(index, to: client) else {
        continue
      }
      subscriptions.tell(client, index, values) {
        node.show([UInt8](address: address.path, values), at: $0)
      }
    }
    if let target = subscriptions.byClient[client]?.target {
      node.gridWatch.tell(target, of: covered, as: client, node: node)
    }
  }

  /// The places of all who want one of some addresses.
  func targets(wanting paths: [String]) -> Set<Client> {
    var targets: Set<Client> = []
    guard subscriptions.count > 0 else { return targets }
    for path in paths {
      guard let index = table.index(of: path) else { continue }
      subscriptions.forEach(wanting: index) { targets.insert($0) }
    }
    return targets
  }

  /// The values of an address that has some.
  func value(of address: Address, node: Node) -> [Argument]? {
    if let argument = node.argument(for: address) { return [argument] }
    switch address.kind {
    case .reading(_, true, let read), .setting(_, let read, _), .arrangement(_, let read, _):
      return read(node)
    case .selection(let read, _): return [.string(read(node))]
    case .place(_, let read, _): return [.float(read(node))]
    case .errand(_, _, let read?, _): return read(node)
    case .toggle(let read, _): return [.int32(read(node) ? 1 : 0)]
    default: return nil
    }
  }

  /// Sends what is due.
  func tick(_ now: Double, node: Node) {
    guard subscriptions.count > 0 else {
      dirty.removeAll()
      return
    }
    if now >= nextLease {
      nextLease = now + Self.leasePeriod
      subscriptions.removeSilent(now: now)
    }
    if now >= nextReading {
      nextReading = now + Self.readingPeriod
      dirty.formUnion(readings)
    }
    if !dirty.isEmpty, now >= nextChange {
      nextChange = now + Self.changePeriod
      sendChanges(node)
    }
    if let meterIndex, now >= nextMeter, subscriptions.isWanted(meterIndex) {
      // On the grid of its period, so that a late turn doesn't slow it down.
      nextMeter = max(nextMeter + Self.meterPeriod, now)
      let levels = levels.take(for: .subscribers, node.engine).map { Argument.float($0) }
      let packet = [UInt8](address: "/meter", levels)
      subscriptions.forEach(wanting: meterIndex) { node.outlet?.send(packet, to: $0) }
    }
  }

  private func sendChanges(_ node: Node) {
    for index in dirty.sorted() {
      let address = table.addresses[index]
      guard let values = value(of: address, node: node) else { continue }
      let packet = [UInt8](address: address.path, values)
      subscriptions.tellAll(index, values) { node.outlet?.send(packet, to: $0) }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  /// In how many milliseconds something will be due.
  func millisecondsUntilDue(_ now: Double) -> Int {
    guard subscriptions.count > 0 else { return 1000 }
    var due = min(nextLease, nextReading)
    if !dirty.isEmpty { due = min(due, nextChange) }
    if let meterIndex, subscriptions.isWanted(meterIndex) { due = min(due, nextMeter) }
    return max(0, min(1000, Int(((due - now) / 1000).rounded(.up))))
  }
}
