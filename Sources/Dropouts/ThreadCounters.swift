/// The kernel's counters for a thread since its start.
package struct ThreadCounters: Sendable, Equatable {
  /// The time on a CPU, in microseconds.
  package var run = 0.0
  /// The time in which it was ready to run and had no CPU, in microseconds.
  package var wait = 0.0
  /// How often it was given a CPU.
  package var turns = 0
  /// Page faults without disk access.
  package var minorFaults = 0
  /// Page faults with disk access.
  package var majorFaults = 0
  /// The time in which it waited for a disk, in microseconds; 0 if the kernel doesn't count it.
  package var diskWait = 0.0
  /// Whether it has a real-time scheduling policy.
  package var isRealtime = false

  /// Creates counters of a new thread.
  package init() {}

  /// Parses `schedstat` and `stat` of a thread; nil if the first is not valid.
  ///
  /// The second may be empty.
  package init?(schedstat: [UInt8], stat: [UInt8], ticksPerSecond: Double) {
    let times = NumberFields(schedstat)
    guard times.count >= 3 else { return nil }
    (run, wait, turns) = (Double(times[0]) / 1e3, Double(times[1]) / 1e3, times[2])
    // The name, in parentheses, may contain spaces and parentheses.
    guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return }
    // From the third field on, which is a letter.
    let fields = NumberFields(stat[(end + 1)...])
    guard fields.count > 39 else { return }
    minorFaults = fields[7]
    majorFaults = fields[9]
    isRealtime = fields[38] == 1 || fields[38] == 2
    diskWait = Double(fields[39]) * 1e6 / ticksPerSecond
  }
}
