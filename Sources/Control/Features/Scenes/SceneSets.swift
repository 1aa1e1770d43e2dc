/// The loop sets of the scenes that may come next, read into memory ahead.
final class SceneSets {
  // The total length of the clips in memory, in seconds, apart from those of the first set: 115 MB at 48 kHz.
  private static let mostSeconds = 300.0

  /// How far a set is read.
  enum State {
    case unread
    case ready(ReadyLoopSet)
    case failed(Refusal)
  }

  private let context: Context
  // In the order of their use.
  private var wanted: [String] = []
  private var read: [String: State] = [:]
  // Those that don't fit beside the ones before them.
  private var skipped: Set<String> = []
  private var reading: String?
  // Whether the set that is being read has changed since.
  private var isStale = false
  /// Called when a set is read, or can't be.
  var whenRead: () -> Void = {}

  init(_ context: Context) { self.context = context }

  /// Keeps these sets in memory, as far as there is room for them in this order, and no others.
  func want(_ names: [String]) {
    if names != wanted { skipped = [] }
    wanted = names
    context[Loops.self].sets.whenChanged = { [weak self] in self?.forget($0) }
    readNext()
  }

  /// Reads a set again, because it has changed.
  func forget(_ name: String) {
    read[name] = nil
    if reading == name { isStale = true }
    readNext()
  }

  /// Reads all sets again.
  func forgetAll() {
    read = [:]
    isStale = reading != nil
    readNext()
  }

  /// How far a set is read.
  func state(of name: String) -> State {
    readNext()
    return read[name] ?? .unread
  }

  /// Drops the sets that are not needed, and reads the next one.
  private func readNext() {
    guard reading == nil else { return }
    let rate = context.sampleRate
    read = read.filter { name, state in
      guard wanted.contains(name) else { return false }
      if case .ready(let set) = state { return set.rate == rate }
      return true
    }
    var seconds = 0.0
    for (index, name) in wanted.enumerated() where !skipped.contains(name) {
      switch read[name] {
      case .ready(let set):
        if index > 0, seconds + set.seconds > Self.mostSeconds {
          read[name] = nil
          skipped.insert(name)
        } else if index > 0 {
          seconds += set.seconds
        }
      case .failed: break
      case .unread, nil:
        read(name)
        return
      }
    }
  }

  private func read(_ name: String) {
    reading = name
    isStale = false
    func end(_ outcome: Result<ReadyLoopSet, Refusal>) {
      reading = nil
      if !isStale {
        switch outcome {
        case .success(let set): read[name] = .ready(set)
        case .failure(let refusal): read[name] = .failed(refusal)
        }
      }
      whenRead()
      readNext()
    }
    completing(end) { () throws(Refusal) in
      try context[Loops.self].sets.prepare(name) { end($0) }
    }
  }
}
