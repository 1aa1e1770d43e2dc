internal import Engine
internal import OSC

extension Address {
  /// `/status` and each of its values by itself.
  static let ofTheStatus: [Address] =
    [
      Address(
        "/status",
        .reading(types: String(parts.flatMap(\.types)), isAnnounced: false) { node in
          parts.flatMap { part -> [Argument] in
            guard case .reading(_, _, let read) = part.kind else { return [] }
            return read(node)
          }
        },
        "Answers with all values below /status, in the order in which they are listed")
    ] + parts

  // The contract names the first six, in this order.
  private static let parts: [Address] = [
    part("rate", "i", "Hz", "Sample rate") {
      [.int32(Int32(clamping: $0.soundServer.status.rate))]
    },
    part("block", "i", "frames", "Frames a block") {
      [.int32(Int32(clamping: $0.soundServer.status.block))]
    },
    part("load", "f", "%", isAnnounced: false, "Load of the sound server") {
      [.float($0.soundServer.status.load)]
    },
    part("xruns", "i", "", "Blocks lost since the start") {
      [.int32(Int32(clamping: $0.soundServer.status.xruns))]
    },
    part("uptime", "f", "s", isAnnounced: false, "Time since the start") {
      [.float(Float($0.uptime))]
    },
    part("clients", "i", "", "Clients that subscribe") { [.int32(Int32($0.clientCount))] },
    part("server", "s", "", "Whether the sound server is there: running or gone") {
      [.string($0.soundServer.status.isRunning ? "running" : "gone")]
    },
    part("xrun", "f", "µs", "The longest delay of a lost block") {
      [.float($0.soundServer.status.longestXrun)]
    },
    part("messages", "i", "", isAnnounced: false, "Messages that came") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.messages))]
    },
    part("errors", "i", "", "Instructions answered by /error") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.errors))]
    },
    part("malformed", "i", "", "Packets that were no OSC") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.malformed))]
    },
    part("refused", "i", "", "Bundles refused because too much was under way") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.refused))]
    },
    part("late", "i", "", "Changes that came after the time in their bundle") {
      [.int32(Int32(truncatingIfNeeded: $0.engine.shared.lateCount))]
    },
    part("denied", "i", "", "Packets and connections from addresses that are not allowed") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.denied))]
    },
    part("dropped", "i", "", "Connections that the node ended because of what came on them") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.dropped))]
    },
    part("nan", "i", "samples", "Samples that were no number and were silenced") {
      [.int32(Int32(truncatingIfNeeded: $0.engine.shared.nonFiniteCount))]
    },
    part("captureFaults", "i", "", "Captures that the disk has ended") {
      [.int32(Int32(truncatingIfNeeded: $0.counters.captureFaults))]
    },
    part(
      "voices", "i", "", isAnnounced: false,
      "Voices of the grid that sound, those that fade out among them"
    ) {
      [.int32(Int32($0.engine.shared.voiceCount))]
    },
  ]

  private static func part(
    _ name: String, _ type: String, _ unit: String, isAnnounced: Bool = true, _ help: String,
    _ read: @escaping @Sendable (Node) -> [Argument]
  ) -> Address {
    Address(
      "/status/\(name)", .reading(types: type, isAnnounced: isAnnounced, read: read), unit: unit,
      help)
  }
}
