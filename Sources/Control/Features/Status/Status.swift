internal import Engine
internal import OSC

/// The node's health: `/status` and each of its values by itself.
final class Status: Feature {
  private let context: Context
  private let start: Double

  init(_ context: Context) {
    self.context = context
    start = context.now()
  }

  /// Seconds since the start.
  var uptime: Double { (context.now() - start) / 1e6 }

  private var clientCount: Int { context.answerer.feedback.subscriptions.count }
  private var server: SoundServerStatus { context.soundServer.status }
  private var counters: Counters { context.answerer.counters }
  private var shared: Shared { context.engine.shared }

  static let addresses: [Address] =
    [
      Address(
        "/status",
        Of<Status>.reading(types: parts.map(\.type).joined(), isAnnounced: false) { status in
          parts.flatMap { $0.read(status) }
        },
        "Answers with all values below /status, in the order in which they are listed")
    ] + parts.map(\.address)

  // The contract names the first six, in this order.
  private static let parts: [Part] = [
    Part("rate", "i", "Hz", "Sample rate") { [.int32(Int32(clamping: $0.server.rate))] },
    Part("block", "i", "frames", "Frames a block") {
      [.int32(Int32(clamping: $0.server.block))]
    },
    Part("load", "f", "%", isAnnounced: false, "Load of the sound server") {
      [.float($0.server.load)]
    },
    Part("xruns", "i", "", "Xruns: blocks lost since the start") {
      [.int32(Int32(clamping: $0.server.xruns))]
    },
    Part("uptime", "f", "s", isAnnounced: false, "Time since the start") {
      [.float(Float($0.uptime))]
    },
    Part("clients", "i", "", "Clients that subscribe") { [.int32(Int32($0.clientCount))] },
    Part("server", "s", "", "Whether the sound server is there: running or gone") {
      [.string($0.server.isRunning ? "running" : "gone")]
    },
    Part("xrun", "f", "µs", "The longest delay of a lost block") {
      [.float($0.server.longestXrun)]
    },
    Part("messages", "i", "", isAnnounced: false, "Messages that came") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.messages))]
    },
    Part("errors", "i", "", "Instructions answered by /error") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.errors))]
    },
    Part("malformed", "i", "", "Packets that were no OSC") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.malformed))]
    },
    Part("refused", "i", "", "Bundles refused because too much was under way") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.refused))]
    },
    Part("late", "i", "", "Changes that came after the time in their bundle") {
      [.int32(Int32(truncatingIfNeeded: $0.shared.lateCount))]
    },
    Part("denied", "i", "", "Packets and connections refused because of their sender's address") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.denied))]
    },
    Part("dropped", "i", "", "Connections that the node ended because of what came on them") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.dropped))]
    },
    Part("nan", "i", "samples", "Samples that were not a number, and were silenced") {
      [.int32(Int32(truncatingIfNeeded: $0.shared.nonFiniteCount))]
    },
    Part("captureFaults", "i", "", "Captures that a fault of the disk ended") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.captureFaults))]
    },
    Part(
      "voices", "i", "", isAnnounced: false,
      "Voices of the grid that sound, those that fade out included"
    ) {
      [.int32(Int32($0.shared.voiceCount))]
    },
  ]

  /// One value of it.
  private struct Part: Sendable {
    let name: String
    let type: String
    let unit: String
    let isAnnounced: Bool
    let help: String
    let read: @Sendable (Status) -> [Argument]

    init(
      _ name: String, _ type: String, _ unit: String, isAnnounced: Bool = true, _ help: String,
      _ read: @escaping @Sendable (Status) -> [Argument]
    ) {
      self.name = name
      self.type = type
      self.unit = unit
      self.isAnnounced = isAnnounced
      self.help = help
      self.read = read
    }

    var address: Address {
      Address(
        "/status/\(name)", Of<Status>.reading(types: type, isAnnounced: isAnnounced, read: read),
        unit: unit, help)
    }
  }
}
