/// The writer of the node's state to the disk: as it changes, a few times a second at the most
/// and less often while that goes on and on, on a thread that waits for the disk.
final class StateWriter {
  // From a change to its writing, in microseconds: what comes meanwhile is written with it.
  private static let delay = 240_000.0
  // A memory card wears out by what is written: changes that go on for longer than the first are
  // written only so often.
  private static let (longRun, longDelay) = (2_000_000.0, 1_750_000.0)
  // What comes within it after a write goes on.
  private static let pause = 500_000.0
  private static let busyMilliseconds = 2

  private var file: StateFile?
  private var say: ((String) -> Void)?
  private let worker = Worker("state")
  private var due: Double?
  // Since when it changes without a pause, and when it was written last.
  private var runningSince = -Double.infinity
  private var wroteAt = -Double.infinity
  // What the disk has, as far as is known.
  private var written: String?
  private var isFaultTold = false

  /// Whether something is on its way to the disk.
  var isWriting: Bool { worker.count > 0 }

  /// Keeps the state in a file from now on, which has this at present.
  func begin(_ file: StateFile, holding written: String?, say: @escaping (String) -> Void) {
    self.file = file
    self.written = written
    self.say = say
  }

  /// Notes that something may be other than before.
  func changed(_ now: Double) {
    guard file != nil, due == nil else { return }
    if now - wroteAt > Self.pause { runningSince = now }
    due = now + (now - runningSince > Self.longRun ? Self.longDelay : Self.delay)
  }

  /// Writes the state where it is due; returns in how many milliseconds to look again, nil for any
  /// time.
  ///
  /// `report` is given the first of several faults.
  func poll(
    _ now: Double, state: () -> String, report: @escaping (Refusal) -> Void
  ) -> Int? {
    worker.deliver()
    if let due, now >= due, !isWriting {
      wroteAt = now
      write(state(), report: report)
    }
    if isWriting { return Self.busyMilliseconds }
    return due.map { max(1, Int(($0 - now) / 1000)) }
  }

  /// Writes a state, unless the disk has it.
  func write(_ text: String, report: @escaping (Refusal) -> Void) {
    due = nil
    guard let file else { return }
    guard isWriting || text != written else { return }
    worker.run { () throws(Refusal) in
      try file.write(text)
    } then: { [unowned self] outcome in
      switch outcome {
      case .success:
        written = text
        isFaultTold = false
      case .failure(let refusal):
        // It is tried again when something changes, and said no more until it was mended.
        guard !isFaultTold else { return }
        isFaultTold = true
        say?(refusal.message)
        report(refusal)
      }
    }
  }
}
