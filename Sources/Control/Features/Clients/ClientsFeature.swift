internal import Engine
internal import OSC
internal import Posix

/// Messages between the node and its clients: identity, subscriptions, meters and quit.
final class ClientsFeature: Feature {
  typealias Declared = Declaring<ClientsFeature>

  // 30 times per second, as documented.
  private static let meterPeriod = 1e6 / 30

  /// A random number that differs at each start.
  let engineID = Int32.random(in: 1...Int32.max)
  /// Whether the node received /quit.
  private(set) var isQuitting = false
  /// Peak meters for several readers.
  let levels = LevelReaders()
  let context: Context
  private var nextMeter = 0.0

  init(_ context: Context) { self.context = context }

  /// Sends the meters when due.
  func poll(_ now: Double) -> Int? {
    guard context.isWanted(Self.meter.path) else { return nil }
    if now >= nextMeter {
      // A multiple of the period, so that late polls don't accumulate.
      nextMeter = max(nextMeter + Self.meterPeriod, now)
      let peaks = levels.collect(for: .subscribers, context.engine)
      context.announce(Self.meter, peaks.map { .float($0) })
    }
    return max(0, Int(((nextMeter - now) / 1000).rounded(.up)))
  }

  // MARK: - Clients

  /// Subscribes a client, and sends the initial values.
  func subscribe(
    _ client: Client, to pattern: Pattern?, port: UInt16?, isPermanent: Bool
  ) throws(Refusal) {
    let covered = try context.notifier.subscribe(
      client, to: pattern, port: port, now: isPermanent ? nil : context.now())
    guard let snapshot = context.snapshot(for: client, covering: covered) else { return }
    for feature in context.allFeatures { feature.sendInitialState(snapshot) }
  }

  /// Removes a client that can no longer be reached.
  func forget(_ client: Client) {
    let notifier = context.notifier
    for feature in context.allFeatures {
      feature.clientsLeft {
        $0 == client || notifier.subscriptions.byClient[$0]?.target == client
      }
    }
    notifier.subscriptions.removeTarget { $0 == client }
  }

  // MARK: - Requests

  fileprivate func ping(_ request: Request) {
    request.answer(
      Self.pong, Argument.row(request.whole(0) ?? 0, context.name, Version.text, engineID))
  }

  fileprivate func subscribe(_ request: Request) throws(Refusal) {
    guard let client = request.client else { return }
    if request.whole(1) != nil, client.isConnected {
      throw Refusal(.type, "/subscribe: a port is only accepted over UDP")
    }
    try subscribe(
      client, to: request.text(0).map { Pattern($0) }, port: request.whole(1).map(UInt16.init),
      isPermanent: false)
  }

  fileprivate func listAddresses(_ request: Request) {
    // Many queries in a packet must not cost more than their replies.
    guard context.replySender.hasRepliesLeft else { return }
    let pattern = request.text(0).map { Pattern($0) }
    let addresses = context.table.addresses.filter { pattern?.covers($0.path) ?? true }
    request.answer(addresses, Self.address, end: Self.endOfAddresses) { address in
      Argument.row(
        address.path, address.types, address.unit, address.range.least, address.range.greatest,
        address.help)
    }
  }

  fileprivate var clock: [Argument] {
    let clock = context.clock
    return [
      .int64(clock.frame),
      .timeTag(TimeTag(unixMicroseconds: clock.microseconds - HostTime.steadyOfUnixEpoch)),
      .double(clock.microsecondsPerFrame > 0 ? 1e6 / clock.microsecondsPerFrame : 0),
    ]
  }

  fileprivate func quit(_ request: Request) throws(Refusal) {
    if let client = request.client, !client.isOnThisMachine {
      throw Refusal(.denied, "/quit: only accepted from the same machine, at 127.0.0.1 or ::1")
    }
    isQuitting = true
  }
}

extension ClientsFeature {
  private static let pong = Event("/pong", "issi", "Reply to /ping")
  private static let synced = Event("/synced", "i", "Reply to /sync")
  private static let address = Event("/address", "sssffs", "Reply to /addresses")
  private static let endOfAddresses = Event(
    "/addresses/end", "i", "End of the replies to /addresses: number of addresses")
  private static let meter = Event(
    "/meter", String(repeating: "f", count: Meters.Channel.allCases.count), unit: "dB",
    "Peak levels, sent to subscribers 30 times per second: in_1 in_2 live_1 live_2 loop_1 loop_2 "
      + "grid_1 grid_2 out_1 out_2, and the limiter's gain reduction")

  /// Addresses for all clients.
  static let addresses: [Address] = [
    Address(
      "/ping",
      Declared.question([.optional("token", .whole)], ClientsFeature.ping),
      "Replies /pong i:token s:name s:version i:engine; engine differs at each start"),
    Address(
      "/sync",
      Declared.command([.needed("token", .whole)]) { _, request in
        let token = Int32(request.whole(0) ?? 0)
        return PlannedCommand(
          action: .sync(UInt32(bitPattern: token)),
          whenDone: { request.answer(synced, [.int32(token)]) })
      },
      "Replies /synced i:token once all earlier messages have taken effect in the audio"),
    Address(
      "/subscribe",
      Declared.action(
        [.optional("pattern", .text), .optional("port", .whole, in: 1...65535)],
        ClientsFeature.subscribe),
      "Sends the values of all addresses that match the pattern or lie below it, or of all, and then each "
        + "change, to this port if one is given; expires after 60 s without messages"),
    Address(
      "/unsubscribe",
      Declared.action(isButton: true) { presence, request in
        guard let client = request.client else { return }
        presence.context.notifier.subscriptions.remove(client)
      },
      "Ends all subscriptions of the client"),
    Address(
      "/addresses",
      Declared.question([.optional("pattern", .text)], ClientsFeature.listAddresses),
      "Lists addresses: replies /address s:address s:types s:unit f:min f:max s:help for each that matches the "
        + "pattern or lies below it, then /addresses/end i:count"),
    Address(
      "/clock", Declared.reading("htd", isAnnounced: false) { $0.clock },
      "Clock of the audio: h:frame t:time d:rate, the frame that starts at that time, whose low 32 bits are "
        + "JACK's, and the measured sample rate"),
    Address(
      "/quit", Declared.action(isButton: true, ClientsFeature.quit),
      "Fades out and ends the node; only from the same machine"),
    Address(meter), Address(pong), Address(synced), Address(address), Address(endOfAddresses),
    Address(.reply), Address(.error),
  ]
}
