internal import Engine
internal import OSC
internal import Posix

/// The health of the node: `/status` and its parts.
final class Status: Feature {
  private let context: Context
  private let start: Double

  init(_ context: Context) {
    self.context = context
    start = context.now()
  }

  /// Time since the start, in seconds.
  private var uptime: Float { Float((context.now() - start) / 1e6) }
  private var server: SoundServerStatus { context.soundServer.status }
  private var counters: Counters { context.replySender.counters }
  private var saving: String {
    let isWritable = context[Takes.self].home.map(Files.isWritable) == true
    return isWritable && !context[LoopPersistence.self].isFailing ? "on" : "off"
  }
  private var losses: Int { context.soundServer.lostBlocks.last?.number ?? 0 }
  private var clockError: Float { HostTime.wallError.map { Float($0 / 1e3) } ?? -1 }
  private var serverState: String { server.isRunning ? "running" : "gone" }

  static let addresses: [Address] =
    [
      Address(
        "/status",
        Declaring<Status>.reading(parts.map(\.address.types).joined(), isAnnounced: false) {
          status in
          parts.flatMap { $0.read(status) }
        },
        "All values below /status, in listing order")
    ] + parts.map(\.address)

  // The order of the first six is documented.
  private static let parts: [Part] = [
    Part("rate", \.server.rate, unit: "Hz", "Sample rate"),
    Part("block", \.server.block, unit: "frames", "Buffer size"),
    Part("load", \.server.load, unit: "%", isAnnounced: false, "DSP load of the sound server"),
    Part("xruns", \.server.xruns, "Xruns since the start"),
    Part("uptime", \.uptime, unit: "s", isAnnounced: false, "Time since the start"),
    Part("clients", \.context.notifier.subscriptions.count, "Number of subscribers"),
    Part("server", \.serverState, "State of the sound server: running or gone"),
    Part("xrun", \.server.longestXrun, unit: "µs", "Longest xrun"),
    Part("messages", \.counters.messages, isAnnounced: false, "Messages received"),
    Part("errors", \.counters.errors, "Messages answered with /error"),
    Part("malformed", \.counters.malformed, "Malformed packets"),
    Part(
      "refused", \.counters.refused,
      "Bundles refused because too many commands were pending"),
    Part("late", \.context.shared.lateCount, "Timed changes that arrived late"),
    Part(
      "denied", \.counters.denied,
      "Packets and connections from addresses that are not allowed"),
    Part("dropped", \.counters.dropped, "Connections closed because of invalid input"),
    Part(
      "nan", \.context.shared.nonFiniteCount, unit: "samples",
      "NaN or infinite samples, which were silenced"),
    Part("captureFaults", \.counters.captureFaults, "Captures ended by a disk error"),
    Part(
      "voices", \.context.shared.voiceCount, isAnnounced: false,
      "Sounding voices of the grid, including those fading out"),
    Part(
      "flooded", \.counters.flooded, isAnnounced: false,
      "UDP packets dropped because their sender sent more than the node could handle"),
    Part(
      "saving", \.saving,
      "on, or off while the data directory or the loops can't be written"),
    Part(
      "card", \.server.card,
      "Sound card that the node is connected to, or was before the server went"),
    Part("losses", \.losses, "Number of times sound was lost since the start"),
    Part(
      "clock", \.clockError, unit: "ms", isAnnounced: false,
      "Maximum error of the system clock, as reported by the kernel; -1 if it is not synchronized"
    ),
  ]

  /// One part of /status.
  private struct Part: Sendable {
    let address: Address
    let read: @Sendable (Status) -> [Argument]

    init<Value: ArgumentConvertible>(
      _ name: String, _ property: any KeyPath<Status, Value> & Sendable, unit: String = "",
      isAnnounced: Bool = true, _ help: String
    ) {
      read = { $0[keyPath: property].arguments }
      address = Address(
        "/status/\(name)",
        Declaring<Status>.reading(Value.types, isAnnounced: isAnnounced, read: read),
        unit: unit, help)
    }
  }
}
