internal import OSC
internal import Posix

/// The subscriptions of all clients.
package struct Subscriptions {
  /// The subscription of one client.
  struct Subscription {
    /// The target of updates and replies.
    var target: Client
    var patterns: [Pattern] = []
    /// Whether each address of the table is subscribed to.
    var wanted: [Bool]
    /// The last values sent of each address; nil to send them again.
    var sent: [[Argument]?]
    /// The time of the last packet from the client; nil if the subscription never expires.
    var lastPacket: Double?
  }

  /// Time without packets after which a subscription expires, in seconds.
  static let leaseSeconds = 60.0
  private static let mostClients = 64
  private static let mostPatterns = 32

  private(set) var byClient: [Client: Subscription] = [:]
  private let table: AddressTable

  init(_ table: AddressTable) { self.table = table }

  /// The number of subscribers.
  package var count: Int { byClient.count }

  /// Adds a pattern, or all addresses, to a client's subscription.
  ///
  /// A nil `target` leaves the target unchanged. Returns the indices of the addresses that the pattern
  /// covers.
  mutating func add(
    _ pattern: Pattern?, for client: Client, target: Client?, now: Double?
  ) throws(Refusal) -> [Int] {
    var subscription = try subscription(of: client, target: target, now: now)
    let covered = table.addresses.indices.filter {
      pattern?.covers(table.addresses[$0].path) ?? true
    }
    guard !covered.isEmpty else {
      throw Refusal(.unknown, "/subscribe: no address matches the pattern; /addresses lists all")
    }
    if let pattern, !subscription.patterns.contains(pattern) {
      guard subscription.patterns.count < Self.mostPatterns else {
        throw Refusal(.busy, "/subscribe: more than \(Self.mostPatterns) patterns from one client")
      }
      subscription.patterns.append(pattern)
    }
    for index in covered { subscription.wanted[index] = true }
    if let target { subscription.target = target }
    // A permanent subscription stays permanent.
    if subscription.lastPacket != nil { subscription.lastPacket = now }
    takeOver(from: client, &subscription)
    byClient[client] = subscription
    return covered
  }

  /// Adds a single address to a client's subscription.
  mutating func add(_ index: Int, for client: Client, now: Double) throws(Refusal) {
    var subscription = try subscription(of: client, target: nil, now: now)
    subscription.wanted[index] = true
    // The caller has just read the value.
    byClient[client] = subscription
  }

  /// Removes a single address from a client's subscription.
  mutating func remove(_ index: Int, for client: Client) { byClient[client]?.wanted[index] = false }

  private func subscription(
    of client: Client, target: Client?, now: Double?
  ) throws(Refusal) -> Subscription {
    if let known = byClient[client] { return known }
    guard byClient.count < Self.mostClients else {
      throw Refusal(
        .busy, "/subscribe: more than \(Self.mostClients) clients; one must /unsubscribe first")
    }
    return Subscription(
      target: target ?? client, wanted: Array(repeating: false, count: table.addresses.count),
      sent: Array(repeating: nil, count: table.addresses.count), lastPacket: now)
  }

  /// Merges older subscriptions with the same target, such as those of a program that reconnected from
  /// another port, so that nothing is sent twice.
  private mutating func takeOver(from client: Client, _ subscription: inout Subscription) {
    for (other, older) in byClient
    where other != client && older.target == subscription.target && older.lastPacket != nil {
      for index in older.wanted.indices where older.wanted[index] {
        subscription.wanted[index] = true
      }
      subscription.patterns += older.patterns.filter { !subscription.patterns.contains($0) }
      byClient[other] = nil
    }
  }

  /// Removes a client's subscription, unless it is permanent.
  mutating func remove(_ client: Client) {
    if byClient[client]?.lastPacket != nil { byClient[client] = nil }
  }

  /// Removes subscriptions by target, unless they are permanent.
  mutating func removeTarget(where isGone: (Client) -> Bool) {
    byClient = byClient.filter { $0.value.lastPacket == nil || !isGone($0.value.target) }
  }

  /// Renews a client's lease.
  mutating func renew(_ client: Client, now: Double) {
    if byClient[client]?.lastPacket != nil { byClient[client]!.lastPacket = now }
  }

  /// Removes expired subscriptions.
  mutating func removeSilent(now: Double) {
    let limit = now - Self.leaseSeconds * 1e6
    byClient = byClient.filter { $0.value.lastPacket.map { $0 > limit } ?? true }
  }

  /// The targets of replies to a client.
  ///
  /// A client without a subscription receives them itself, and so does a permanent subscriber on the same
  /// host, which may be the only one listening.
  func targets(for client: Client) -> [Client] {
    if let subscription = byClient[client] { return [subscription.target] }
    let places = byClient.values.filter {
      $0.lastPacket == nil && $0.target.endpoint.address == client.endpoint.address
    }
    return [client] + places.map(\.target)
  }

  /// Whether any client subscribes to an address.
  func isWanted(_ index: Int) -> Bool { byClient.values.contains { $0.wanted[index] } }

  /// Calls `body` with the target of each subscriber to an address.
  func forEach(wanting index: Int, _ body: (Client) -> Void) {
    for subscription in byClient.values where subscription.wanted[index] {
      body(subscription.target)
    }
  }

  /// Sends a client the values of an address by calling `body` with its target.
  mutating func send(
    _ index: Int, _ values: [Argument], to client: Client, _ body: (Client) -> Void
  ) {
    guard let target = byClient[client]?.target else { return }
    byClient[client]!.sent[index] = values
    body(target)
  }

  /// Sends the values of an address to each subscriber that was sent different ones last.
  mutating func sendToAll(_ index: Int, _ values: [Argument], _ body: (Client) -> Void) {
    for (client, subscription) in byClient
    where subscription.wanted[index] && subscription.sent[index] != values {
      byClient[client]!.sent[index] = values
      body(subscription.target)
    }
  }

  /// Clears the last values sent to a client, unless they equal `values`.
  mutating func invalidate(_ index: Int, for client: Client, unless values: [Argument]) {
    if let sent = byClient[client]?.sent[index], sent != values {
      byClient[client]!.sent[index] = nil
    }
  }
}
