/// The counters of the machine since its start.
package struct SystemCounters: Sendable, Equatable {
  /// The time for which the machine was suspended, in microseconds.
  package var suspended = 0.0
  /// The time that the hypervisor took from the CPUs, in microseconds.
  package var steal = 0.0
  /// The time that the CPUs spent in interrupts, in microseconds.
  package var interrupts = 0.0
  /// The number of interrupts.
  package var interruptCount = 0
  /// The time in which some program waited for a CPU, in microseconds.
  package var processorStall = 0.0
  /// The time in which some program waited for a disk, in microseconds.
  package var diskStall = 0.0
  /// The time in which some program waited for memory, in microseconds.
  package var memoryStall = 0.0
  /// The number of pages read from swap space.
  package var swappedIn = 0
  /// How often this process was continued after a stop.
  package var continues = 0
  /// How often a CPU was throttled because of heat.
  package var throttles = 0

  /// Creates counters of a machine that has just started.
  package init() {}

  /// Parses `/proc/stat`.
  package mutating func parse(stat: [UInt8], ticksPerSecond: Double) {
    for line in stat.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      // Only these two lines, of many.
      if line.starts(with: "cpu ".utf8) {
        let fields = NumberFields(line.dropFirst(4))
        guard fields.count >= 8 else { continue }
        let tick = 1e6 / ticksPerSecond
        interrupts = Double(fields[5] + fields[6]) * tick
        steal = Double(fields[7]) * tick
      } else if line.starts(with: "intr ".utf8) {
        // The sum of all comes first.
        interruptCount = NumberFields(line.dropFirst(5).prefix { $0 != UInt8(ascii: " ") })[0]
        return
      }
    }
  }

  /// Parses a file of `/proc/pressure`: the total time of its first line, in microseconds; 0 if there is
  /// none.
  package static func stall(_ pressure: [UInt8]) -> Double {
    let key = Array("total=".utf8)
    guard let line = pressure.split(separator: UInt8(ascii: "\n")).first,
      let word = line.split(separator: UInt8(ascii: " ")).first(where: { $0.starts(with: key) })
    else { return 0 }
    let fields = NumberFields(word.dropFirst(key.count))
    return fields.count > 0 ? Double(fields[0]) : 0
  }

  /// Parses `/proc/vmstat`.
  package mutating func parse(vmstat: [UInt8]) {
    for line in vmstat.split(separator: UInt8(ascii: "\n")) where line.starts(with: "pswpin ".utf8)
    {
      swappedIn = NumberFields(line.dropFirst(7))[0]
      return
    }
  }
}

extension SystemCounters {
  /// Leaves the differences from earlier counters.
  mutating func subtract(_ before: SystemCounters) {
    suspended -= before.suspended
    steal -= before.steal
    interrupts -= before.interrupts
    interruptCount -= before.interruptCount
    processorStall -= before.processorStall
    diskStall -= before.diskStall
    memoryStall -= before.memoryStall
    swappedIn -= before.swappedIn
    continues -= before.continues
    throttles -= before.throttles
  }
}
