internal import Posix

/// Work that waits for a disk, done in turn on a thread of its own; the control thread hears of
/// its end.
final class Errands {
  typealias Work = @Sendable () throws(Refusal) -> Void
  typealias Outcome = Result<Void, Refusal>

  private final class Shared: Sendable {
    struct State {
      var waiting: [Work] = []
      var outcomes: [Outcome] = []
      var hasThread = false
    }

    let state = Guarded(State())

    func work() {
      while true {
        let next = state.withLock { state -> Work? in
          state.hasThread = !state.waiting.isEmpty
          return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        guard let next else { return }
        let outcome = Outcome(catching: next)
        state.withLock { $0.outcomes.append(outcome) }
      }
    }
  }

  private let shared = Shared()
  // In the order of the work, for their outcomes come in it, too.
  private var endings: [(Outcome) -> Void] = []

  /// How many are under way.
  var count: Int { endings.count }

  /// Does this after all that was given before, and then calls `ending` from `deliver`.
  func run(_ work: @escaping Work, then ending: @escaping (Outcome) -> Void) {
    endings.append(ending)
    let needsThread = shared.state.withLock { state in
      state.waiting.append(work)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    if needsThread { Thread.start("errands") { [shared] in shared.work() } }
  }

  /// Tells of what is done.
  func deliver() {
    guard count > 0 else { return }
    let outcomes = shared.state.withLock { state in
      defer { state.outcomes.removeAll() }
      return state.outcomes
    }
    for outcome in outcomes { endings.removeFirst()(outcome) }
  }
}
