internal import Engine
internal import Posix

/// Holds on the live input: while any client has one, the live input is not heard in the mix, whatever its
/// route.
///
/// A client's hold ends with its connection, or like a subscription, when nothing comes from it any more.
final class LiveHolds: Feature {
  // A client that disappears leaves its hold behind: forged addresses must not fill the memory.
  private static let most = 64
  private static let leaseMicroseconds = Subscriptions.leaseSeconds * 1e6
  private static let retryMilliseconds = 5

  private let context: Context
  // The time of the last packet of each client with a hold.
  private var holders: [Client: Double] = [:]
  // A hold by the node itself, such as a start-up setting.
  private var isHeldByNode = false
  // Whether the command queue had no room for the end of the last hold.
  private var isEndDue = false

  init(_ context: Context) {
    self.context = context
    context.dispatcher.onPacket { [unowned self] client in renew(client) }
  }

  private var isHeld: Bool { isHeldByNode || !holders.isEmpty }

  private var command: PlannedCommand {
    PlannedCommand(action: .set(.mixer(.liveOff), isHeld ? 1 : 0))
  }

  // MARK: - Requests

  /// Adds or removes a client's hold, at once.
  private func hold(_ request: Request, into plan: inout Plan) throws(Refusal) {
    plan.takesBack(self) {
      let before = (holders, isHeldByNode)
      return { [unowned self] in (holders, isHeldByNode) = before }
    }
    let isOn = request.whole(0) == 1
    if let client = request.client {
      try hold(client, isOn)
    } else {
      isHeldByNode = isOn
    }
    plan.add(command, from: request.origin)
  }

  private func hold(_ client: Client, _ isOn: Bool) throws(Refusal) {
    guard isOn else {
      holders = holders.filter { !isOf($0.key, client) }
      return
    }
    guard holders[client] != nil || holders.count < Self.most else {
      throw Refusal(.busy, "\(Self.off): more than \(Self.most) clients")
    }
    holders[client] = context.now()
  }

  /// Whether two clients share their hold.
  private func isOf(_ holder: Client, _ client: Client) -> Bool {
    holder == client
      || !holder.isConnected && !client.isConnected && context.mayBeSame(holder, client)
  }

  // MARK: - Ends

  private func renew(_ client: Client) {
    if !holders.isEmpty, holders[client] != nil { holders[client] = context.now() }
  }

  /// Ends the holds whose lease has expired.
  func poll(_ now: Double) -> Int? {
    end { _, last in last + Self.leaseMicroseconds <= now }
    if isEndDue { submit() }
    return isEndDue ? Self.retryMilliseconds : nil
  }

  /// Ends the holds of disconnected clients.
  func clientsLeft(_ isGone: (Client) -> Bool) { end { client, _ in isGone(client) } }

  private func end(_ isOver: (Client, Double) -> Bool) {
    guard holders.contains(where: { isOver($0.key, $0.value) }) else { return }
    holders = holders.filter { !isOver($0.key, $0.value) }
    submit()
  }

  private func submit() {
    isEndDue = (try? context.submit([command], path: Self.off)) == nil
  }
}

extension LiveHolds {
  private static let off = "/live/off"

  static let addresses: [Address] = [
    Address(
      off,
      Declaring<LiveHolds>.governed(.mixer(.liveOff), [.whole(in: 0...1)]) {
        holds, request, plan throws(Refusal) in
        try holds.hold(request, into: &plan)
      },
      "1 keeps the live input out of the mix for this client, whatever its route, until 0 from it or the "
        + "end of its connection, over UDP after 60 s without messages; 1 while any client does")
  ]
}
