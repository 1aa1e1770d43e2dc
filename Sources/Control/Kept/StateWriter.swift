/// Writes the state file on a background queue, a few times per second at most, and less often during
/// continuous changes.
final class StateWriter {
  // The delay from a change to its write, in microseconds. Further changes are included.
  private static let delay = 240_000.0
  // Continuous changes are written less often after this time, which reduces wear of memory cards.
  private static let (longRun, longDelay) = (2_000_000.0, 1_750_000.0)
  // A change within this time after a write continues the run of changes.
  private static let pause = 500_000.0
  // The time between two attempts on a disk that fails.
  private static let retryPeriod = 2_000_000.0
  private static let busyMilliseconds = 2

  private var file: StateFile?
  // Called with the first error of a series.
  private var report: (Refusal) -> Void = { _ in }
  private let worker = Worker("state")
  private var due: Double?
  private var mustRetry = false
  private var retryDue: Double?
  // The start of the current run of changes, and the time of the last write.
  private var runningSince = -Double.infinity
  private var wroteAt = -Double.infinity
  // The content of the file, if known.
  private var written: String?
  private var isFaultReported = false

  /// Whether a write is in progress.
  var isWriting: Bool { worker.count > 0 }

  /// Starts persisting the state in a file with this content.
  ///
  /// Calls `report` with the first error of a series.
  func start(
    _ file: StateFile, holding written: String?, report: @escaping (Refusal) -> Void
  ) {
    self.file = file
    self.written = written
    self.report = report
  }

  /// Schedules a write.
  func changed(_ now: Double) {
    guard file != nil, due == nil else { return }
    if now - wroteAt > Self.pause { runningSince = now }
    due = now + (now - runningSince > Self.longRun ? Self.longDelay : Self.delay)
  }

  /// Writes the state when due.
  func poll(_ now: Double, state: () -> String) -> Int? {
    worker.deliver()
    if mustRetry {
      mustRetry = false
      retryDue = now + Self.retryPeriod
    }
    if let next = nextDue, now >= next, !isWriting {
      wroteAt = now
      write(state())
    }
    if isWriting { return Self.busyMilliseconds }
    return nextDue.map { max(1, Int(($0 - now) / 1000)) }
  }

  private var nextDue: Double? {
    guard let due, let retryDue else { return due ?? retryDue }
    return min(due, retryDue)
  }

  /// Writes a state, unless the file already holds it.
  func write(_ text: String) {
    due = nil
    retryDue = nil
    guard let file else { return }
    guard isWriting || text != written else { return }
    worker.run { () throws(Refusal) in
      try file.write(text)
    } then: { [unowned self] outcome in
      switch outcome {
      case .success:
        written = text
        isFaultReported = false
      case .failure(let refusal):
        mustRetry = true
        // Further errors are not reported until a write succeeds.
        guard !isFaultReported else { return }
        isFaultReported = true
        report(refusal)
      }
    }
  }
}
