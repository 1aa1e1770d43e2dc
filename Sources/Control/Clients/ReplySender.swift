internal import OSC

/// Output to clients: replies, updates for subscribers, and the counters of both.
final class ReplySender {
  // The maximum number of replies to one packet. A short packet can query a great number of addresses. Enough for a
  // surface that asks for all addresses and all values.
  static let mostReplies = 1100

  let notifier: ChangeNotifier
  /// The counters for `/status`.
  var counters = Counters()
  private let table: AddressTable
  // Weak references, by the number of the server.
  private var outlets: [() -> (any Outlet)?] = []
  private var repliesLeft = mostReplies
  // The maximum size of all replies to one packet, since a single reply can fill a datagram.
  private static let mostReplyBytes = 1 << 20
  private var replyBytesLeft = mostReplyBytes
  // A reply without arguments is itself a query: two nodes that send each other's replies would never end.
  // So many in a second are more than any person asks for.
  private static let mostQueryLike = 500
  private var queryLikeLeft = mostQueryLike
  private var second = 0
  // The indices of the addresses whose values were sent to new subscriptions of this packet.
  private var sentInitially: Set<Int> = []

  init(_ table: AddressTable) {
    self.table = table
    notifier = ChangeNotifier(table)
    notifier.replySender = self
  }

  /// Registers an outlet, and returns its number for use in `Client`.
  func open(_ outlet: any Outlet) -> Int {
    outlets.append { [weak outlet] in outlet }
    return outlets.count - 1
  }

  // MARK: - Replies

  /// Resets the reply budget for a new packet.
  func beginPacket(now: Double) {
    if Int(now / 1e6) != second {
      second = Int(now / 1e6)
      queryLikeLeft = Self.mostQueryLike
    }
    repliesLeft = Self.mostReplies
    replyBytesLeft = Self.mostReplyBytes
    sentInitially.removeAll(keepingCapacity: true)
  }

  /// Replies to a client.
  ///
  /// The node's own queries have no reply.
  func reply(_ path: String, _ arguments: @autoclosure () -> [Argument], to client: Client?) {
    guard let client, reserveReply(to: client) else { return }
    let arguments = arguments()
    if arguments.isEmpty && isQuery(path) {
      guard queryLikeLeft > 0 else { return }
      queryLikeLeft -= 1
    }
    answer([UInt8](address: path, arguments), to: client)
  }

  /// Whether a message without arguments is a query.
  private func isQuery(_ path: String) -> Bool {
    guard let index = table.index(of: path) else { return false }
    if case .event = table.addresses[index].kind { return false }
    return true
  }

  /// Called for errors without a client to receive them, such as those of a pedal press.
  var whenUnheard: (Refusal) -> Void = { _ in }

  /// Reports an error to a client.
  func refuse(_ refusal: Refusal, to origin: Origin) {
    counters.errors += 1
    guard let client = origin.client else { return whenUnheard(refusal) }
    guard reserveReply(to: client) else { return }
    answer(refusal.answer(to: origin.path), to: client)
  }

  /// Reports a malformed packet to a client.
  func refuseMalformed(_ refusal: Refusal, from client: Client) {
    counters.malformed += 1
    if reserveReply(to: client) { answer(refusal.answer(to: ""), to: client) }
  }

  /// Whether the reply budget of this packet is left.
  var hasRepliesLeft: Bool { repliesLeft > 0 }

  /// Takes a reply from the budget.
  ///
  /// Reports once when it is exhausted.
  private func reserveReply(to client: Client) -> Bool {
    guard repliesLeft > 0 else { return false }
    repliesLeft -= 1
    if repliesLeft == 0 || replyBytesLeft <= 0 {
      repliesLeft = 0
      counters.refused += 1
      let refusal = Refusal(
        .busy, "the packet asks for more replies than one packet may; the rest is omitted")
      answer(refusal.answer(to: ""), to: client)
    }
    return repliesLeft > 0
  }

  private func answer(_ packet: [UInt8], to client: Client) {
    for target in notifier.targets(for: client) { sendReply(packet, to: target) }
  }

  /// Sends a reply to a target, and counts its bytes.
  func sendReply(_ packet: [UInt8], to target: Client) {
    replyBytesLeft -= packet.count
    send(packet, to: target)
  }

  // MARK: - Initial values

  /// Takes an initial value from the reply budget, at most once per address and packet.
  func reserveInitialValue(_ index: Int, to client: Client) -> Bool {
    !sentInitially.contains(index) && reserveReply(to: client)
      && sentInitially.insert(index).inserted
  }

  /// Sends a new subscriber the values of an address, within the reply budget.
  func sendInitial(_ path: String, _ values: [Argument], to client: Client, at target: Client) {
    if reserveReply(to: client) { sendReply([UInt8](address: path, values), to: target) }
  }

  // MARK: - Updates

  /// Reports an error that no message caused: to a client, and to subscribers of errors or the address.
  func report(_ refusal: Refusal, of path: String, to client: Client?) {
    counters.errors += 1
    var targets = Set(client.map(notifier.targets(for:)) ?? [])
    targets.formUnion(notifier.targets(wanting: [Event.error.path, path]))
    for target in targets { send(refusal.answer(to: path), to: target) }
  }

  /// Sends an event to its subscribers.
  func announce(_ event: Event, _ values: [Argument]) { announce(event.path, values) }

  /// Sends a one-time message to the subscribers of an address.
  func announce(_ path: String, _ values: [Argument]) {
    guard notifier.subscriptions.count > 0, let index = table.index(of: path) else { return }
    let packet = [UInt8](address: path, values)
    notifier.subscriptions.forEach(wanting: index) { send(packet, to: $0) }
  }

  /// Sends a packet to a target.
  func send(_ packet: [UInt8], to target: Client) {
    guard outlets.indices.contains(target.door) else { return }
    outlets[target.door]()?.send(packet, to: target)
  }
}
