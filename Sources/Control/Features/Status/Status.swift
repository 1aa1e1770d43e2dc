internal import Engine
internal import OSC

/// The health of the node: `/status` and its parts.
final class Status: Feature {
  private let context: Context
  private let start: Double

  init(_ context: Context) {
    self.context = context
    start = context.now()
  }

  /// Time since the start, in seconds.
  var uptime: Double { (context.now() - start) / 1e6 }

  private var clientCount: Int { context.subscriberCount }
  private var server: SoundServerStatus { context.soundServer.status }
  private var counters: Counters { context.answerer.counters }
  private var shared: Shared { context.shared }

  static let addresses: [Address] =
    [
      Address(
        "/status",
        Declaring<Status>.reading(types: parts.map(\.type).joined(), isAnnounced: false) { status in
          parts.flatMap { $0.read(status) }
        },
        "All values below /status, in listing order")
    ] + parts.map(\.address)

  // The order of the first six is documented.
  private static let parts: [Part] = [
    Part("rate", "i", "Hz", "Sample rate") { [.int32(Int32(clamping: $0.server.rate))] },
    Part("block", "i", "frames", "Buffer size") {
      [.int32(Int32(clamping: $0.server.block))]
    },
    Part("load", "f", "%", isAnnounced: false, "DSP load of the sound server") {
      [.float($0.server.load)]
    },
    Part("xruns", "i", "", "Xruns since the start") {
      [.int32(Int32(clamping: $0.server.xruns))]
    },
    Part("uptime", "f", "s", isAnnounced: false, "Time since the start") {
      [.float(Float($0.uptime))]
    },
    Part("clients", "i", "", "Number of subscribers") { [.int32(Int32($0.clientCount))] },
    Part("server", "s", "", "State of the sound server: running or gone") {
      [.string($0.server.isRunning ? "running" : "gone")]
    },
    Part("xrun", "f", "µs", "Longest xrun") {
      [.float($0.server.longestXrun)]
    },
    Part("messages", "i", "", isAnnounced: false, "Messages received") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.messages))]
    },
    Part("errors", "i", "", "Messages answered with /error") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.errors))]
    },
    Part("malformed", "i", "", "Malformed packets") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.malformed))]
    },
    Part("refused", "i", "", "Bundles refused because too many commands were pending") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.refused))]
    },
    Part("late", "i", "", "Timed changes that arrived late") {
      [.int32(Int32(truncatingIfNeeded: $0.shared.lateCount))]
    },
    Part("denied", "i", "", "Packets and connections from addresses that are not allowed") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.denied))]
    },
    Part("dropped", "i", "", "Connections closed because of invalid input") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.dropped))]
    },
    Part("nan", "i", "samples", "NaN or infinite samples, which were silenced") {
      [.int32(Int32(truncatingIfNeeded: $0.shared.nonFiniteCount))]
    },
    Part("captureFaults", "i", "", "Captures ended by a disk error") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.captureFaults))]
    },
    Part(
      "voices", "i", "", isAnnounced: false,
      "Sounding voices of the grid, including those fading out"
    ) {
      [.int32(Int32($0.shared.voiceCount))]
    },
  ]

  /// One part of /status.
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
        "/status/\(name)",
        Declaring<Status>.reading(types: type, isAnnounced: isAnnounced, read: read),
        unit: unit, help)
    }
  }
}
