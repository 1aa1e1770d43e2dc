internal import Engine
internal import Posix

/// Holds on the live input: while any client has one, the live input is not heard in the mix, whatever its
/// route.
///
/// A client's hold ends soon after its connection, or like a subscription, when nothing comes from it any more.
final class LiveHolds: Feature {
  // A client that disappears leaves its hold behind: forged addresses must not fill the memory.
  private static let most = 64
  private static let leaseMicroseconds = Subscriptions.leaseSeconds * 1e6
  // A page that reloads has its hold again sooner.
  private static let graceMicroseconds = 1.5e6
  private static let retryMilliseconds = 5

  private let context: Context
  // The time at which the hold of each client ends if nothing comes from it.
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
    holders[client] = context.now() + Self.leaseMicroseconds
  }

  /// Whether two clients share their hold.
  private func isOf(_ holder: Client, _ client: Client) -> Bool {
    holder == client
      || !holder.isConnected && !client.isConnected && context.mayBeSame(holder, client)
  }

  // MARK: - Ends

  private func renew(_ client: Client) {
    guard !holders.isEmpty, holders[client] != nil else { return }
    holders[client] = context.now() + Self.leaseMicroseconds
  }

  /// Ends the holds whose time is over.
  func poll(_ now: Double) -> Int? {
    if holders.contains(where: { $0.value <= now }) {
      holders = holders.filter { $0.value > now }
      submit()
    }
    if isEndDue {
      submit()
      if isEndDue { return Self.retryMilliseconds }
    }
    return holders.values.min().map { max(1, Int((($0 - now) / 1000).rounded(.up))) }
  }

  /// Lets the holds of disconnected clients end soon.
  func clientsLeft(_ isGone: (Client) -> Bool) {
    let end = context.now() + Self.graceMicroseconds
    for (client, last) in holders where last > end && isGone(client) { holders[client] = end }
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
      "1 removes the live input from the mix, whatever its route, until this client sends 0, 1.5 s after it "
        + "disconnects, or, over UDP, after 60 s without a message; reads 1 while any client holds it off"
    )
  ]
}
