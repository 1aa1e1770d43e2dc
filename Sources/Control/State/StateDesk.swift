/// The node's state on its way to the disk: written as it changes, a few times a second at the most
/// and less often while that goes on and on, on a thread that waits for the disk.
final class StateDesk {
  // From a change to its writing, in microseconds: what comes meanwhile is written with it.
  private static let delay = 240_000.0
  // A memory card wears out by what is written: changes that go on for longer than the first are
  // written only so often.
  private static let (longRun, longDelay) = (2_000_000.0, 1_750_000.0)
  // What comes within it after a write goes on.
  private static let pause = 500_000.0
  private static let busyMilliseconds = 2

  /// What the node's ports are connected with, or shall be.
  var connections: [NodeState.Connection] = []
  /// The node's ports that had one at any time.
  var connectedPorts: Set<String> = []
  /// The JACK server that they are of; empty where that is not known.
  var server = ""
  /// What the settings were set to that the library of takes keeps, as text.
  var settings: [String: String] = [:]
  /// Whether settings are kept in the library of takes: not where a session has them.
  var keepsSettings = true
  /// How often something may have become another.
  private(set) var changes = 0

  private var file: StateFile?
  private var say: ((String) -> Void)?
  private let errands = Errands("state")
  private var due: Double?
  // Since when it changes without a pause, and when it was written last.
  private var runningSince = -Double.infinity
  private var wroteAt = -Double.infinity
  // What the disk has, as far as is known.
  private var written: String?
  private var isFaultTold = false

  /// Whether something is on its way to the disk.
  var isWriting: Bool { errands.count > 0 }

  /// Keeps the state in a file from now on, which has this at present.
  func begin(_ file: StateFile, holding written: String?, say: @escaping (String) -> Void) {
    self.file = file
    self.written = written
    self.say = say
  }

  /// Notes that something may be other than before.
  func changed(_ now: Double) {
    changes += 1
    guard file != nil, due == nil else { return }
    if now - wroteAt > Self.pause { runningSince = now }
    due = now + (now - runningSince > Self.longRun ? Self.longDelay : Self.delay)
  }

  /// Writes what is due; returns in how many milliseconds to look again, nil for any time.
  func look(_ now: Double, node: Node) -> Int? {
    errands.deliver()
    if let due, now >= due, !isWriting {
      wroteAt = now
      write(node)
    }
    if isWriting { return Self.busyMilliseconds }
    return due.map { max(1, Int(($0 - now) / 1000)) }
  }

  /// Writes the state as it is now, unless the disk has it.
  func write(_ node: Node) {
    due = nil
    guard let file else { return }
    let text = node.state.text
    guard isWriting || text != written else { return }
    errands.run { () throws(Refusal) in
      try file.write(text)
    } then: { [unowned self, weak node] outcome in
      switch outcome {
      case .success:
        written = text
        isFaultTold = false
      case .failure(let refusal): tell(refusal, node)
      }
    }
  }

  private func tell(_ refusal: Refusal, _ node: Node?) {
    // It is tried again when something changes, and said no more until it was mended.
    guard !isFaultTold else { return }
    isFaultTold = true
    say?(refusal.message)
    node?.report(refusal, of: "", to: nil)
  }
}
