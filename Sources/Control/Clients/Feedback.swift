internal import Engine
internal import OSC

/// The news of changed values for subscribers: coalesced, each at its own pace.
final class Feedback {
  // At most a hundred times a second the same address.
  private static let changePeriod = 10_000.0
  private static let readingPeriod = 500_000.0
  private static let leasePeriod = 1e6

  var subscriptions: Subscriptions
  /// The way out.
  weak var answerer: Answerer?
  /// The present values of an address; nil where it has none.
  var read: (Address) -> [Argument]? = { _ in nil }
  private let table: AddressTable
  private let readings: [Int]
  private var dirty: Set<Int> = []
  private var nextChange = 0.0
  private var nextReading = 0.0
  private var nextLease = 0.0

  init(_ table: AddressTable) {
    self.table = table
    subscriptions = Subscriptions(table)
    readings = table.addresses.indices.filter {
      table.addresses[$0].value?.isLookedAt ?? false
    }
  }

  /// Places where answers for a client go.
  func targets(for client: Client) -> [Client] { subscriptions.targets(for: client) }

  /// Notes that a client set a value: it shall be told what became of it, unless that is just what
  /// it was told last.
  ///
  /// Without the exception two nodes that feed each other would answer each other for ever.
  func heard(_ parameter: Parameter, _ value: Float, from client: Client) {
    guard isSubscribed(client) else { return }
    for index in table.indices(of: parameter) {
      subscriptions.unsettle(
        index, for: client, unless: [table.addresses[index].argument(for: value)])
    }
  }

  /// The same, for what is no parameter.
  func heard(_ path: String, _ values: [Argument], from client: Client) {
    guard isSubscribed(client), let index = table.index(of: path) else { return }
    subscriptions.unsettle(index, for: client, unless: values)
  }

  /// Whether a client is told of changes.
  func isSubscribed(_ client: Client) -> Bool { subscriptions.byClient[client] != nil }

  /// Notes that a parameter was set.
  func changed(_ parameter: Parameter) {
    guard subscriptions.count > 0 else { return }
    dirty.formUnion(table.indices(of: parameter))
  }

  /// Notes that the values of an address without a parameter changed, under all of its names.
  func changed(_ path: String) {
    guard subscriptions.count > 0, let index = table.index(of: path) else { return }
    dirty.formUnion(table.names(of: index))
  }

  /// Subscribes a client and sends it the present values of what it asked for; returns the places of
  /// the addresses that this covers.
  func subscribe(
    _ client: Client, to pattern: Pattern?, port: UInt16?, now: Double?
  ) throws(Refusal) -> [Int] {
    let covered = try subscriptions.add(
      pattern, for: client, target: port.map(client.at(port:)), now: now)
    for index in covered {
      let address = table.addresses[index]
      guard address.value?.isAnnounced ?? false, let values = read(address),
        answerer?.mayShow(index, to: client) ?? false
      else { continue }
      subscriptions.tell(client, index, values) {
        answerer?.show([UInt8](address: address.path, values), at: $0)
      }
    }
    return covered
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

  /// Whether anybody wants an address.
  func isWanted(_ path: String) -> Bool {
    subscriptions.count > 0 && table.index(of: path).map(subscriptions.isWanted) ?? false
  }

  /// Sends what is due; returns in how many milliseconds something will be.
  func poll(_ now: Double) -> Int {
    guard subscriptions.count > 0 else {
      dirty.removeAll()
      return 1000
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
      sendChanges()
    }
    var due = min(nextLease, nextReading)
    if !dirty.isEmpty { due = min(due, nextChange) }
    return max(0, min(1000, Int(((due - now) / 1000).rounded(.up))))
  }

  private func sendChanges() {
    for index in dirty.sorted() {
      let address = table.addresses[index]
      guard address.value?.isAnnounced ?? false, let values = read(address) else { continue }
      let packet = [UInt8](address: address.path, values)
      subscriptions.tellAll(index, values) { answerer?.send(packet, to: $0) }
    }
    dirty.removeAll(keepingCapacity: true)
  }
}
