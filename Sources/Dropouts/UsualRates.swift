/// The usual use of a CPU by threads, learned while no buffer is late.
package struct UsualRates: Sendable {
  /// The usual use by one thread.
  package struct Rate: Sendable, Equatable {
    /// The share of a CPU.
    var run: Double
    /// How often it is given a CPU, per microsecond.
    var turns: Double
  }

  // The weight of a new sample: about two seconds of four samples each.
  private static let weight = 0.125

  private var rates: [Int32: Rate] = [:]

  /// Creates rates that know no thread.
  package init() {}

  /// The rate of a thread; nil if it is new.
  package subscript(thread: Int32) -> Rate? { rates[thread] }

  /// Learns from two samples without a late buffer between them.
  package mutating func learn(from before: Sample, to after: Sample) {
    let elapsed = after.time - before.time
    guard elapsed > 0 else { return }
    var known: [Int32: Rate] = [:]
    for process in after.clients + [after.server].compactMap(\.self) {
      let old = before[process.id]
      for (id, now) in process.threads {
        guard let then = old?.threads[id] else { continue }
        let rate = Rate(
          run: (now.run - then.run) / elapsed, turns: Double(now.turns - then.turns) / elapsed)
        if let usual = rates[id] {
          known[id] = Rate(
            run: usual.run + Self.weight * (rate.run - usual.run),
            turns: usual.turns + Self.weight * (rate.turns - usual.turns))
        } else {
          known[id] = rate
        }
      }
    }
    rates = known
  }
}

extension Sample {
  /// The counters of another process; nil if it is not in the sample.
  subscript(process: Int32) -> ProcessCounters? {
    if server?.id == process { return server }
    return clients.first { $0.id == process }
  }
}
