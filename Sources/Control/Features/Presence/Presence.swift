internal import Engine
internal import OSC
internal import Posix

/// The node towards its clients: who it is, who is told what, and when it ends.
final class Presence: Feature {
  typealias Declared = Of<Presence>

  // The contract's 30 a second.
  private static let meterPeriod = 1e6 / 30

  /// A number that is new at each start.
  let engineID = Int32.random(in: 1...Int32.max)
  /// Whether the node was told to quit.
  private(set) var isQuitting = false
  /// The peaks, for each who reads them.
  let levels = LevelReaders()
  let context: Context
  private var nextMeter = 0.0

  init(_ context: Context) { self.context = context }

  /// Sends the meters where they are due.
  func poll(_ now: Double) -> Int? {
    guard context.isWanted(Self.meter.path) else { return nil }
    if now >= nextMeter {
      // On the grid of its period, so that a late turn doesn't slow it down.
      nextMeter = max(nextMeter + Self.meterPeriod, now)
      let peaks = levels.take(for: .subscribers, context.engine)
      context.announce(Self.meter, peaks.map { .float($0) })
    }
    return max(0, Int(((nextMeter - now) / 1000).rounded(.up)))
  }

  // MARK: - Clients

  /// Subscribes a client, and tells it how all is that it asked for.
  func subscribe(
    _ client: Client, to pattern: Pattern?, port: UInt16?, isPermanent: Bool
  ) throws(Refusal) {
    let feedback = context.answerer.feedback
    let covered = try feedback.subscribe(
      client, to: pattern, port: port, now: isPermanent ? nil : context.now())
    guard let target = feedback.subscriptions.byClient[client]?.target else { return }
    let newcomer = Newcomer(
      client: client, target: target, covered: covered, table: context.table,
      answerer: context.answerer)
    for feature in context.allFeatures { feature.welcome(newcomer) }
  }

  /// Forgets a client that can't be reached any more.
  func forget(_ client: Client) {
    let feedback = context.answerer.feedback
    for feature in context.allFeatures {
      feature.clientsLeft {
        $0 == client || feedback.subscriptions.byClient[$0]?.target == client
      }
    }
    feedback.subscriptions.removeTarget { $0 == client }
  }

  // MARK: - What it is asked

  fileprivate func tellAddresses(_ request: Request) {
    // Of very many questions in a packet, the last ones cost nothing.
    guard context.answerer.hasAnswersLeft else { return }
    let pattern = request.text(0).map { Pattern($0) }
    var count: Int32 = 0
    for address in context.table.addresses where pattern?.covers(address.path) ?? true {
      let (least, greatest) = address.range
      request.answer(
        Self.address,
        [
          .string(address.path), .string(address.types), .string(address.unit), .float(least),
          .float(greatest), .string(address.help),
        ])
      count += 1
    }
    request.answer(Self.endOfAddresses, [.int32(count)])
  }

  fileprivate var clock: [Argument] {
    let clock = context.engine.shared.clockReading
    return [
      .int64(clock.frame),
      .timeTag(TimeTag(unixMicroseconds: clock.microseconds - HostTime.steadyOfUnixEpoch)),
      .double(clock.microsecondsPerFrame > 0 ? 1e6 / clock.microsecondsPerFrame : 0),
    ]
  }

  fileprivate func quit(_ request: Request) throws(Refusal) {
    if let client = request.client, !client.isOnThisMachine {
      throw Refusal(
        .denied, "/quit is taken from the node's own machine only: send it to 127.0.0.1 or ::1")
    }
    isQuitting = true
  }
}

extension Presence {
  private static let pong = Event("/pong", "issi", "The answer to /ping")
  private static let synced = Event("/synced", "i", "The answer to /sync")
  private static let address = Event("/address", "sssffs", "One of the answers to /addresses")
  private static let endOfAddresses = Event(
    "/addresses/end", "i", "The end of the answer to /addresses")
  private static let meter = Event(
    "/meter", String(repeating: "f", count: Meters.Channel.allCases.count), unit: "dB",
    "Sent to subscribers 30 times a second: peak levels of in_1 in_2 live_1 live_2 loop_1 loop_2 "
      + "grid_1 grid_2 out_1 out_2, and the limiter's gain reduction")

  /// The addresses that every client needs, whatever it plays.
  static let addresses: [Address] = [
    Address(
      "/ping",
      Declared.question([.optional("token", .whole)]) { presence, request in
        request.answer(
          pong,
          [
            .int32(Int32(request.whole(0) ?? 0)), .string(presence.context.name),
            .string(Version.text), .int32(presence.engineID),
          ])
      },
      "Answers /pong i:token s:name s:version i:engine; engine is new at each start"),
    Address(
      "/sync",
      Declared.command([.needed("token", .whole)]) { _, request in
        let token = Int32(request.whole(0) ?? 0)
        return PlannedCommand(
          action: .sync(UInt32(bitPattern: token)),
          whenDone: { request.answer(synced, [.int32(token)]) })
      },
      "Answers /synced i:token once all that was sent before is in effect in the audio"),
    Address(
      "/subscribe",
      Declared.action([
        .optional("pattern", .text), .optional("port", .whole, in: 1...65535),
      ]) { presence, request throws(Refusal) in
        guard let client = request.client else { return }
        if request.whole(1) != nil, client.isConnected {
          throw Refusal(.type, "over TCP the answers come on the connection; leave out the port")
        }
        try presence.subscribe(
          client, to: request.text(0).map { Pattern($0) },
          port: request.whole(1).map(UInt16.init), isPermanent: false)
      },
      "Sends the values that match the pattern, or lie below it, or all, and from then on each "
        + "change; to this port, where one is given. Ends after 60 s of silence"),
    Address(
      "/unsubscribe",
      Declared.action(isButton: true) { presence, request in
        guard let client = request.client else { return }
        presence.context.answerer.feedback.subscriptions.remove(client)
      },
      "Ends all subscriptions of the client"),
    Address(
      "/addresses",
      Declared.question([.optional("pattern", .text)]) { presence, request in
        presence.tellAddresses(request)
      },
      "Answers /address s:address s:types s:unit f:min f:max s:help for each that matches the "
        + "pattern, or lies below it, then /addresses/end i:count"),
    Address(
      "/clock", Declared.reading(types: "htd", isAnnounced: false) { $0.clock },
      "Answers h:frame t:time d:rate: the frame that began at that time, whose low 32 bits are "
        + "JACK's, and the frames a second from there on"),
    Address(
      "/quit",
      Declared.action(isButton: true) { presence, request throws(Refusal) in
        try presence.quit(request)
      },
      "Fades out and ends the node; from its own machine only"),
    Address(meter), Address(pong), Address(synced), Address(address), Address(endOfAddresses),
    Address(.reply), Address(.error),
  ]
}
