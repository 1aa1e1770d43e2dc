internal import Posix

/// A background queue for blocking work on disk or network.
///
/// Runs work in order on a thread of its own, and delivers results on the control thread.
final class Worker {
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

    /// Counts queued work as done if no thread could be started.
    func giveUp() {
      state.withLock { state in
        // A finished thread leaves nothing queued, so all that is queued belongs to the thread that failed
        // to start.
        state.doneCount += state.waiting.count
        state.waiting.removeAll()
        state.hasThread = false
      }
    }
  }

  /// Whether the node waits for queued work before it exits.
  let isAwaited: Bool
  private let name: String
  private let most: Int
  private let requests: String
  private let shared = Shared()
  // In the order of the work.
  private var endings: [() -> Void] = []

  /// Creates a queue whose thread has this name.
  ///
  /// `checkRoom` refuses more than `most` items, which it calls `requests`.
  init(
    _ name: String, isAwaited: Bool = true, most: Int = .max,
    of requests: String = "requests are already queued"
  ) {
    self.name = name
    self.isAwaited = isAwaited
    self.most = most
    self.requests = requests
  }

  /// The number of items in progress.
  var count: Int { endings.count }

  /// Throws if the queue is full.
  func checkRoom() throws(Refusal) {
    guard count < most else { throw Refusal(.busy, "\(count) \(requests); try again later") }
  }

  /// Queues work.
  ///
  /// `deliver` calls `ending` when it is done.
  func run<Value: Sendable, Fault: Refusable>(
    _ work: @escaping @Sendable () throws(Fault) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) {
    let outcome = Guarded<Result<Value, Refusal>?>(nil)
    endings.append {
      guard let result = outcome.withLock({ $0 }) else {
        preconditionFailure("a finished job has a result")
      }
      ending(result)
    }
    let needsThread = shared.state.withLock { state in
      state.waiting.append {
        let result = Result { () throws(Refusal) in try refusing("", work) }
        outcome.withLock { $0 = result }
      }
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard needsThread else { return }
    do throws(SystemError) {
      try Thread.start(name) { [shared] in shared.work() }
    } catch {
      let fault = Refusal(.io, "\(error)")
      outcome.withLock { $0 = .failure(fault) }
      shared.giveUp()
    }
  }

  /// Calls the completion handlers of finished work, and `before` before each.
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
