/// The counts of a thread during a time.
package struct ThreadChange: Sendable, Equatable {
  /// The time on a CPU, in microseconds.
  package var run = 0.0
  /// The time on a CPU beyond the usual, in microseconds.
  package var excess = 0.0
  /// The time without a CPU while it was ready to run, in microseconds.
  package var wait = 0.0
  /// How often it was given a CPU.
  package var turns = 0
  /// How many times fewer than usual it was given a CPU.
  package var missing = 0.0
  /// Page faults without disk access.
  package var minorFaults = 0
  /// Page faults with disk access.
  package var majorFaults = 0
  /// The time in which it waited for a disk, in microseconds.
  package var diskWait = 0.0
  /// Whether it is a real-time thread.
  package var isRealtime = false

  /// Creates a change of nothing.
  package init() {}

  /// The difference of two counts, `elapsed` microseconds apart.
  package init(
    _ before: ThreadCounters, _ after: ThreadCounters, usual: UsualRates.Rate?, elapsed: Double
  ) {
    run = after.run - before.run
    wait = after.wait - before.wait
    turns = after.turns - before.turns
    minorFaults = after.minorFaults - before.minorFaults
    majorFaults = after.majorFaults - before.majorFaults
    diskWait = after.diskWait - before.diskWait
    isRealtime = after.isRealtime
    // The use of a thread that is not known yet may be its usual one.
    guard let usual else { return }
    excess = run - usual.run * elapsed
    missing = usual.turns * elapsed - Double(turns)
  }
}
