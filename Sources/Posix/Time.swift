internal import CPosix
internal import Glibc

/// The host's clocks, in microseconds.
package enum HostTime {
  /// The monotonic time in microseconds.
  package static var steady: Double { read(CLOCK_MONOTONIC) }

  /// The monotonic time of the Unix epoch: the offset from Unix time to monotonic time.
  ///
  /// Changes when the wall clock is set.
  package static var steadyOfUnixEpoch: Double { steadyLead(over: CLOCK_REALTIME) }

  /// The lead of the monotonic time over that of the same clock without corrections by NTP.
  package static var steadyLeadOverRaw: Double { steadyLead(over: CLOCK_MONOTONIC_RAW) }

  private static func steadyLead(over clock: clockid_t) -> Double {
    // The best of a few readings, to exclude a preemption between the clocks.
    var best = (width: Double.infinity, offset: 0.0)
    for _ in 0..<3 {
      let before = read(CLOCK_MONOTONIC)
      let other = read(clock)
      let after = read(CLOCK_MONOTONIC)
      if after - before < best.width { best = (after - before, (before + after) / 2 - other) }
    }
    return best.offset
  }

  /// The time for which the machine has been suspended since its start, in microseconds.
  package static var suspended: Double { -steadyLead(over: CLOCK_BOOTTIME) }

  /// The Unix time in microseconds.
  package static var wall: Double { read(CLOCK_REALTIME) }

  /// The maximum error of the wall clock in microseconds, as reported by the kernel; nil if it is not
  /// synchronized.
  package static var wallError: Double? {
    let error = px_clock_error()
    return error < 0 ? nil : Double(error)
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
