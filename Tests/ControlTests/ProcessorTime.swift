import Foundation

/// What work costs the processor, whatever else it does meanwhile.
enum ProcessorTime {
  /// The least seconds that some work takes, of a few times.
  static func least(of times: Int = 5, _ work: () -> Void) -> Double {
    func used() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    return (0..<times).map { _ in
      let start = used()
      work()
      return used() - start
    }.min() ?? 0
  }
}
