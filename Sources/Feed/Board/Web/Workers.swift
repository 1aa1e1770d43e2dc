internal import Posix

/// A thread pool for blocking and long work.
///
/// It starts threads on demand, up to a limit.
///
/// Any thread.
final class Workers: Sendable {
  typealias Work = @Sendable () -> Void

  /// The cost of a piece of work.
  enum Weight {
    case light
    /// Memory and CPU time. Only a few run in parallel.
    case heavy
  }

  private struct State {
    var light: [Work] = []
    var heavy: [Work] = []
    var heavyNow = 0
    var busy = 0
    var threads = 0
    var isClosed = false

    /// Takes the next piece of work that may run now.
    mutating func next(mostHeavy: Int) -> (Work, Weight)? {
      if !light.isEmpty {
        busy += 1
        return (light.removeFirst(), .light)
      }
      guard !heavy.isEmpty, heavyNow < mostHeavy else { return nil }
      busy += 1
      heavyNow += 1
      return (heavy.removeFirst(), .heavy)
    }
  }

  private let name: String
  private let mostThreads: Int
  private let mostHeavy: Int
  private let mostWaiting: Int
  private let state = Monitor(State())

  init(_ name: String, threads: Int, heavy: Int, waiting: Int) {
    self.name = name
    mostThreads = threads
    mostHeavy = heavy
    mostWaiting = waiting
  }

  /// Queues work.
  ///
  /// Returns false if the queue is full or closed.
  ///
  /// Work that continues accepted work is always accepted.
  func leave(_ weight: Weight, goesOn: Bool = false, _ work: @escaping Work) -> Bool {
    let (isTaken, needsThread) = state.change(waking: .one) { state -> (Bool, Bool) in
      let waiting = state.light.count + state.heavy.count
      guard goesOn || (!state.isClosed && waiting < mostWaiting) else { return (false, false) }
      if weight == .light { state.light.append(work) } else { state.heavy.append(work) }
      let needsThread = state.threads - state.busy <= waiting && state.threads < mostThreads
      if needsThread { state.threads += 1 }
      return (true, needsThread)
    }
    if needsThread {
      do throws(SystemError) {
        try Thread.start(name) { [self] in run() }
      } catch {
        // The existing threads do it later. If there are none, it runs here.
        if state.change({ state in
          state.threads -= 1
          return state.threads == 0
        }) {
          while let (work, weight) = state.change({ $0.next(mostHeavy: mostHeavy) }) {
            finish(work, weight)
          }
        }
      }
    }
    return isTaken
  }

  /// The number of queued pieces of work.
  var waiting: Int { state.change(waking: .nobody) { $0.light.count + $0.heavy.count } }

  /// Closes the queue and waits until all work is done.
  func close() {
    state.change { $0.isClosed = true }
    _ = state.wait { $0.threads == 0 ? true : nil }
  }

  private func run() {
    while let (work, weight) = take() { finish(work, weight) }
    state.change { $0.threads -= 1 }
  }

  private func finish(_ work: Work, _ weight: Weight) {
    work()
    // This thread takes more work itself. Only at the end may others be waiting for it.
    let isClosed = state.change(waking: .nobody) { state in
      state.busy -= 1
      if weight == .heavy { state.heavyNow -= 1 }
      return state.isClosed
    }
    if isClosed { state.change { _ in } }
  }

  private func take() -> (Work, Weight)? {
    state.wait { [mostHeavy] state -> (Work, Weight)?? in
      if let next = state.next(mostHeavy: mostHeavy) { return .some(next) }
      // Running work may still queue more.
      return state.isClosed && state.heavy.isEmpty && state.heavyNow == 0 ? .some(nil) : nil
    } ?? nil
  }
}
