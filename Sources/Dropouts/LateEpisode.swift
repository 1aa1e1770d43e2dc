/// A time in which buffers were late, with what the machine did meanwhile.
package struct LateEpisode: Sendable {
  /// The length of a buffer, in microseconds.
  package var period = 0.0
  /// The number of late buffers.
  package var blocks = 0
  /// The time from the first sign of lateness to the last, in microseconds.
  package var span = 0.0
  /// The longest delay that the server reported, in microseconds; 0 if the server itself was in time.
  package var serverDelay = 0.0
  /// The longest that the node's processing took, in microseconds.
  package var took = 0.0
  /// The longest that the node's processing started after its time, in microseconds.
  package var apart = 0.0
  /// The time that the node's processing of all buffers took whose processing was too long, in microseconds.
  package var tookLong = 0.0
  /// The time that the node's processing of all other buffers took, in microseconds.
  package var tookOthers = 0.0
  /// The counts of the node's audio thread.
  package var own = ThreadChange()
  /// The counts of the sound server; nil if its process is unknown.
  package var server: ProcessChange?
  /// The counts of the other clients.
  package var clients: [ProcessChange] = []
  /// The number of other clients, also of those whose process is unknown.
  package var clientCount = 0
  /// The counts of the machine.
  package var system = SystemCounters()
  /// Whether clients or connections changed.
  package var isGraphChanged = false
  /// Whether the server plays on a sound card.
  package var hasCard = false
  /// The lowest present frequency of a CPU, as a share of its highest; nil if unknown.
  package var frequency: Double?
  /// Whether the supply voltage is too low.
  package var isUndervolted = false

  /// Creates an episode without a sign of lateness.
  package init() {}

  /// Sets the counts to the differences of two samples.
  package mutating func compare(_ before: Sample, _ after: Sample, usual: UsualRates) {
    let elapsed = after.time - before.time
    own = ThreadChange(before.own, after.own, usual: nil, elapsed: elapsed)
    if let server = after.server, let then = before[server.id] {
      self.server = ProcessChange(then, server, usual: usual, elapsed: elapsed)
    }
    clients = after.clients.compactMap { client in
      before[client.id].map { ProcessChange($0, client, usual: usual, elapsed: elapsed) }
    }
    system = after.system
    system.subtract(before.system)
  }

  /// The longest delay of a buffer that is known, in microseconds.
  package var delay: Double {
    max(serverDelay, took > period ? took - period : 0, apart)
  }

  /// The length of the gap in the sound, in milliseconds, as far as it is known.
  package var milliseconds: Double { max(delay, span + period) / 1e3 }
}
