internal import OSC

/// Who wants to be told what.
package struct Subscriptions {
  /// One client's wishes.
  struct Subscription {
    /// Where its feedback and answers go.
    var target: Client
    var patterns: [Pattern] = []
    var wantsAll = false
    /// For each address in the table, whether it is wanted.
    var wanted: [Bool]
    /// When it was last heard from; nil when it stays whatever happens.
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
    guard byClient[client] != nil || byClient.count < Self.mostClients else {
      throw Refusal(
        .busy, "\(Self.mostClients) clients subscribe already; one must /unsubscribe first")
    }
    var subscription =
      byClient[client]
      ?? Subscription(
        target: target ?? client, wanted: Array(repeating: false, count: table.addresses.count))
    let covered = table.addresses.indices.filter {
      pattern?.covers(table.addresses[$0].path) ?? true
    }
    guard !covered.isEmpty else {
      throw Refusal(.unknown, "no address matches this pattern; /addresses lists them all")
    }
    if let pattern {
      if !subscription.patterns.contains(pattern) {
        guard subscription.patterns.count < Self.mostPatterns else {
          throw Refusal(
            .busy, "a client subscribes to \(Self.mostPatterns) patterns at most")
        }
        subscription.patterns.append(pattern)
      }
    } else {
      subscription.wantsAll = true
    }
    for index in covered { subscription.wanted[index] = true }
    if let target { subscription.target = target }
    subscription.lastHeard = now
    byClient[client] = subscription
    return covered
  }

  /// Forgets a client; false when there was none.
  @discardableResult
  mutating func remove(_ client: Client) -> Bool {
    byClient.removeValue(forKey: client) != nil
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

  /// Where answers for a client go.
  func target(for client: Client) -> Client { byClient[client]?.target ?? client }

  /// Whether anybody wants an address.
  func isWanted(_ index: Int) -> Bool { byClient.values.contains { $0.wanted[index] } }

  /// Calls `body` with the place of everyone who wants an address.
  func forEach(wanting index: Int, _ body: (Client) -> Void) {
    for subscription in byClient.values where subscription.wanted[index] {
      body(subscription.target)
    }
  }
}
