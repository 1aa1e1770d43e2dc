internal import OSC
internal import Posix

/// Subscriptions of clients: which addresses each wants to be told of.
package struct Subscriptions {
  /// One client's wishes.
  struct Subscription {
    /// Place where its feedback and answers go.
    var target: Client
    var patterns: [Pattern] = []
    /// For each address in the table, whether it is wanted.
    var wanted: [Bool]
    /// For each address, what it was told last; nil where it must be told anew.
    var told: [[Argument]?]
    /// Time at which it was last heard from; nil when it stays whatever happens.
    var lastHeard: Double?
  }

  /// Seconds of silence after which a client is forgotten.
  static let leaseSeconds = 60.0
  private static let mostClients = 64
  private static let mostPatterns = 32

  private(set) var byClient: [Client: Subscription] = [:]
  private let table: AddressTable

  init(_ table: AddressTable) { self.table = table }

  /// How many clients there are.
  package var count: Int { byClient.count }

  /// Adds a pattern, or all, to a client's wishes.
  ///
  /// `target` is nil where it stays as it is. Returns which addresses this pattern covers.
  mutating func add(
    _ pattern: Pattern?, for client: Client, target: Client?, now: Double?
  ) throws(Refusal) -> [Int] {
    var subscription = try subscription(of: client, target: target, now: now)
    let covered = table.addresses.indices.filter {
      pattern?.covers(table.addresses[$0].path) ?? true
    }
    guard !covered.isEmpty else {
      throw Refusal(.unknown, "no address matches this pattern; /addresses lists them all")
    }
    if let pattern, !subscription.patterns.contains(pattern) {
      guard subscription.patterns.count < Self.mostPatterns else {
        throw Refusal(
          .busy, "a client subscribes to \(Self.mostPatterns) patterns at most")
      }
      subscription.patterns.append(pattern)
    }
    for index in covered { subscription.wanted[index] = true }
    if let target { subscription.target = target }
    // What is to stay stays.
    if subscription.lastHeard != nil { subscription.lastHeard = now }
    takeOver(from: client, &subscription)
    byClient[client] = subscription
    return covered
  }

  /// Adds the address at a place alone to a client's wishes.
  mutating func add(_ index: Int, for client: Client, now: Double) throws(Refusal) {
    var subscription = try subscription(of: client, target: nil, now: now)
    subscription.wanted[index] = true
    // It has its value from where it heard of the address.
    byClient[client] = subscription
  }

  /// Takes the address at a place from a client's wishes.
  mutating func remove(_ index: Int, for client: Client) { byClient[client]?.wanted[index] = false }

  private func subscription(
    of client: Client, target: Client?, now: Double?
  ) throws(Refusal) -> Subscription {
    if let known = byClient[client] { return known }
    guard byClient.count < Self.mostClients else {
      throw Refusal(
        .busy, "\(Self.mostClients) clients subscribe already; one must /unsubscribe first")
    }
    return Subscription(
      target: target ?? client, wanted: Array(repeating: false, count: table.addresses.count),
      told: Array(repeating: nil, count: table.addresses.count), lastHeard: now)
  }

  /// Lets a subscription have the wishes of others with the same target: a program that comes
  /// again from another port, and must not be told everything twice.
  private mutating func takeOver(from client: Client, _ subscription: inout Subscription) {
    for (other, older) in byClient
    where other != client && older.target == subscription.target && older.lastHeard != nil {
      for index in older.wanted.indices where older.wanted[index] {
        subscription.wanted[index] = true
      }
      subscription.patterns += older.patterns.filter { !subscription.patterns.contains($0) }
      byClient[other] = nil
    }
  }

  /// Ends a client's subscriptions, unless it is to be told things whatever it says.
  mutating func remove(_ client: Client) {
    if byClient[client]?.lastHeard != nil { byClient[client] = nil }
  }

  /// Forgets whoever is told things at this place, unless it is to stay.
  mutating func removeTarget(where isGone: (Client) -> Bool) {
    byClient = byClient.filter { $0.value.lastHeard == nil || !isGone($0.value.target) }
  }

  /// Starts a client's lease anew.
  mutating func renew(_ client: Client, now: Double) {
    if byClient[client]?.lastHeard != nil { byClient[client]!.lastHeard = now }
  }

  /// Forgets those whose lease has ended.
  mutating func removeSilent(now: Double) {
    let limit = now - Self.leaseSeconds * 1e6
    byClient = byClient.filter { $0.value.lastHeard.map { $0 > limit } ?? true }
  }

  /// Places where answers for a client go.
  ///
  /// To one that does not subscribe, back to it, and also to a place on its host that is told
  /// everything: it may listen there only.
  func targets(for client: Client) -> [Client] {
    if let subscription = byClient[client] { return [subscription.target] }
    let places = byClient.values.filter {
      $0.lastHeard == nil && $0.target.endpoint.address == client.endpoint.address
    }
    return [client] + places.map(\.target)
  }

  /// Whether anybody wants an address.
  func isWanted(_ index: Int) -> Bool { byClient.values.contains { $0.wanted[index] } }

  /// Calls `body` with the place of everyone who wants an address.
  func forEach(wanting index: Int, _ body: (Client) -> Void) {
    for subscription in byClient.values where subscription.wanted[index] {
      body(subscription.target)
    }
  }

  /// Tells one client the values of an address, by calling `body` with its place.
  mutating func tell(
    _ client: Client, _ index: Int, _ values: [Argument], _ body: (Client) -> Void
  ) {
    guard let target = byClient[client]?.target else { return }
    byClient[client]!.told[index] = values
    body(target)
  }

  /// Tells everyone who wants an address and was told something else last.
  mutating func tellAll(_ index: Int, _ values: [Argument], _ body: (Client) -> Void) {
    for (client, subscription) in byClient
    where subscription.wanted[index] && subscription.told[index] != values {
      byClient[client]!.told[index] = values
      body(subscription.target)
    }
  }

  /// Lets a client be told an address anew, unless it was told just these values last.
  mutating func unsettle(_ index: Int, for client: Client, unless values: [Argument]) {
    if let told = byClient[client]?.told[index], told != values {
      byClient[client]!.told[index] = nil
    }
  }
}
