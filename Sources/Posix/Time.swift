internal import Glibc

/// The host's clocks, in microseconds.
package enum HostTime {
  /// The time on the steady clock, in microseconds, which never leaps.
  package static var steady: Double { read(CLOCK_MONOTONIC) }

  /// The steady clock's count of the wall clock's zero, 1970: what to add to a time since 1970 to
  /// get the steady time.
  ///
  /// Changes when the wall clock is set.
  package static var steadyOfUnixEpoch: Double {
    // The closest pair of a few, lest a preemption between the two readings counts.
    var best = (width: Double.infinity, offset: 0.0)
    for _ in 0..<3 {
      let before = read(CLOCK_MONOTONIC)
      let wall = read(CLOCK_REALTIME)
      let after = read(CLOCK_MONOTONIC)
      if after - before < best.width { best = (after - before, (before + after) / 2 - wall) }
    }
    return best.offset
  }

  /// The time on the wall clock, in microseconds since 1970.
  package static var wall: Double { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
