internal import Posix

/// A worker for what waits for a disk, or for another machine: done in turn on a thread of its own; the
/// control thread hears of its end.
final class Worker {
  /// The outcome of some work, for the control thread.
  private final class Outcome<Value: Sendable>: Sendable {
    let value = Guarded<Result<Value, Refusal>?>(nil)
  }

  private final class Shared: Sendable {
    struct State {
      var waiting: [@Sendable () -> Void] = []
      var doneCount = 0
      var hasThread = false
    }

    let state = Guarded(State())

    func work() {
      while true {
        let next = state.withLock { state in
          state.hasThread = !state.waiting.isEmpty
          return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        guard let next else { return }
        next()
        state.withLock { $0.doneCount += 1 }
      }
    }

    /// Counts what waits as done, where it has no thread.
    func giveUp() {
      state.withLock { state in
        // A thread leaves nothing behind: what waits is the one for which it was to begin.
        state.doneCount += state.waiting.count
        state.waiting.removeAll()
        state.hasThread = false
      }
    }
  }

  /// Whether the node that ends waits for what is under way.
  let isAwaited: Bool
  private let name: String
  private let shared = Shared()
  // In the order of the work, for it is done in it, too.
  private var endings: [() -> Void] = []

  /// A worker on a thread of this name.
  init(_ name: String, isAwaited: Bool = true) {
    self.name = name
    self.isAwaited = isAwaited
  }

  /// How many are under way.
  var count: Int { endings.count }

  /// Queues work behind all that was given before, and calls `ending` from `deliver` when it is done.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(Refusal) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) {
    let outcome = Outcome<Value>()
    endings.append {
      guard let result = outcome.value.withLock({ $0 }) else {
        preconditionFailure("what is done has an outcome")
      }
      ending(result)
    }
    let needsThread = shared.state.withLock { state in
      state.waiting.append {
        let result = Result(catching: work)
        outcome.value.withLock { $0 = result }
      }
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard needsThread else { return }
    do throws(SystemError) {
      try Thread.start(name) { [shared] in shared.work() }
    } catch {
      let fault = Refusal(.io, "\(error)")
      outcome.value.withLock { $0 = .failure(fault) }
      shared.giveUp()
    }
  }

  /// Tells of what is done; calls `before` before each.
  func deliver(_ before: () -> Void = {}) {
    guard count > 0 else { return }
    let doneCount = shared.state.withLock { state in
      defer { state.doneCount = 0 }
      return state.doneCount
    }
    for _ in 0..<doneCount {
      before()
      endings.removeFirst()()
    }
  }
}
