/// The counts of another process during a time.
package struct ProcessChange: Sendable, Equatable {
  /// The name by which to report it.
  package var name: String
  /// The counts of its threads.
  package var threads: [ThreadChange]

  /// Creates a change.
  package init(name: String, threads: [ThreadChange]) {
    (self.name, self.threads) = (name, threads)
  }

  /// The difference of two counts, `elapsed` microseconds apart.
  package init(
    _ before: ProcessCounters, _ after: ProcessCounters, usual: UsualRates, elapsed: Double
  ) {
    name = after.name
    threads = after.threads.sorted { $0.key < $1.key }.compactMap { id, now in
      before.threads[id].map { ThreadChange($0, now, usual: usual[id], elapsed: elapsed) }
    }
  }

  /// Whether the process was stopped and continued.
  ///
  /// That gives each of its threads the CPU, even those that sleep for hours.
  package var wasStopped: Bool { threads.count > 1 && threads.allSatisfy { $0.turns > 0 } }

  // The real-time threads; all if it has none.
  private var audio: [ThreadChange] {
    let realtime = threads.filter(\.isRealtime)
    return realtime.isEmpty ? threads : realtime
  }

  /// The longest time that an audio thread was ready to run and had no CPU, in microseconds.
  package var wait: Double { audio.map(\.wait).max() ?? 0 }

  /// The longest time that an audio thread used a CPU beyond the usual, in microseconds.
  package var excess: Double { audio.map(\.excess).max() ?? 0 }

  /// How many times fewer than usual an audio thread was given a CPU.
  package var missing: Double { audio.map(\.missing).max() ?? 0 }

  /// The page faults with disk access of the audio threads.
  package var majorFaults: Int { audio.map(\.majorFaults).reduce(0, +) }
}
