import Foundation

/// The processor time of a piece of work.
enum ProcessorTime {
  /// The minimum time of several runs, in seconds.
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
