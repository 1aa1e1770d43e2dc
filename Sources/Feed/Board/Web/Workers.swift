internal import Posix

/// The threads that do what waits for a database, or takes its time: none more than are needed, and
/// never very many.
///
/// Any thread.
final class Workers: Sendable {
  typealias Work = @Sendable () -> Void

  /// How much a piece of work takes.
  enum Weight {
    case light
    /// Memory and computing: few of them go on at the same time.
    case heavy
  }

  private struct State {
    var light: [Work] = []
    var heavy: [Work] = []
    var heavyNow = 0
    var busy = 0
    var threads = 0
    var isClosed = false

    /// Takes the next piece of work that may be done now.
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

  /// Leaves something to be done; false where too much waits, or nothing is done any more.
  ///
  /// What goes on with work that was taken is always taken.
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
        // Those that are there do it later; where there is none, it is done here.
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

  /// How many pieces of work wait.
  var waiting: Int { state.change(waking: .nobody) { $0.light.count + $0.heavy.count } }

  /// Takes nothing new, and waits until all is done.
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
    // This thread looks for more by itself; only at the end may others wait for it.
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
      // What goes on elsewhere may leave more.
      return state.isClosed && state.heavy.isEmpty && state.heavyNow == 0 ? .some(nil) : nil
    } ?? nil
  }
}
