internal import Engine
internal import OSC

/// Updates for subscribers: changed values, coalesced, at a limited rate per address.
final class ChangeNotifier {
  // The same address at most 100 times per second.
  private static let changePeriod = 10_000.0
  private static let readingPeriod = 500_000.0
  private static let leasePeriod = 1e6

  var subscriptions: Subscriptions
  /// The output to clients.
  weak var replySender: ReplySender?
  /// Reads the current values of an address; nil if it has none.
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
      table.addresses[$0].value?.isPolled ?? false
    }
  }

  /// The targets of replies to a client.
  func targets(for client: Client) -> [Client] { subscriptions.targets(for: client) }

  /// Notes that a client set a value, so that it receives the result unless it was sent the same value
  /// last.
  ///
  /// The exception prevents endless echo between two nodes subscribed to each other.
  func echo(_ parameter: Parameter, _ value: Float, to client: Client) {
    guard isSubscribed(client) else { return }
    for index in table.indices(of: parameter) {
      subscriptions.invalidate(
        index, for: client, unless: [table.addresses[index].argument(for: value)])
    }
  }

  /// Notes that a client set an address without a parameter.
  func echo(_ path: String, _ values: [Argument], to client: Client) {
    guard isSubscribed(client), let index = table.index(of: path) else { return }
    subscriptions.invalidate(index, for: client, unless: values)
  }

  /// Whether a client has subscriptions.
  func isSubscribed(_ client: Client) -> Bool { subscriptions.byClient[client] != nil }

  /// Whether the subscriptions of a client cover an address.
  func isSubscribed(_ client: Client, to path: String) -> Bool {
    guard let index = table.index(of: path) else { return false }
    return subscriptions.byClient[client]?.wanted[index] ?? false
  }

  /// Marks a parameter as changed.
  func changed(_ parameter: Parameter) {
    guard subscriptions.count > 0 else { return }
    dirty.formUnion(table.indices(of: parameter))
  }

  /// Marks the values of an address without a parameter as changed, under all of its names.
  func changed(_ path: String) {
    guard subscriptions.count > 0, let index = table.index(of: path) else { return }
    dirty.formUnion(table.names(of: index))
  }

  /// Subscribes a client and sends the current values.
  ///
  /// Returns the indices of the addresses covered.
  func subscribe(
    _ client: Client, to pattern: Pattern?, port: UInt16?, now: Double?
  ) throws(Refusal) -> [Int] {
    let covered = try subscriptions.add(
      pattern, for: client, target: port.map(client.at(port:)), now: now)
    for index in covered {
      let address = table.addresses[index]
      guard address.value?.isAnnounced ?? false, let values = read(address),
        replySender?.reserveInitialValue(index, to: client) ?? false
      else { continue }
      subscriptions.send(index, values, to: client) {
        replySender?.sendReply([UInt8](address: address.path, values), to: $0)
      }
    }
    return covered
  }

  /// The targets of all subscribers to any of some addresses.
  func targets(wanting paths: [String]) -> Set<Client> {
    var targets: Set<Client> = []
    guard subscriptions.count > 0 else { return targets }
    for path in paths {
      guard let index = table.index(of: path) else { continue }
      subscriptions.forEach(wanting: index) { targets.insert($0) }
    }
    return targets
  }

  /// Whether any client subscribes to an address.
  func isWanted(_ path: String) -> Bool {
    subscriptions.count > 0 && table.index(of: path).map(subscriptions.isWanted) ?? false
  }

  /// Sends pending updates.
  ///
  /// Returns the delay until the next poll in milliseconds.
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
      subscriptions.sendToAll(index, values) { replySender?.send(packet, to: $0) }
    }
    dirty.removeAll(keepingCapacity: true)
  }
}
