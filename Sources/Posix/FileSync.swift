internal import Glibc

/// Makes written files durable on a thread of its own, once per period at most: a sync can take long, and
/// each one wears a memory card.
package final class FileSync: Sendable {
  private struct State {
    var wanted: [(file: Descriptor, path: String)] = []
    var synced: [Descriptor] = []
    var fault: SystemError?
    var isEnding = false
    var isEnded = false
  }

  private let state = Monitor(State())
  private let period: Int
  private let pause: Signal

  /// Starts the thread, with nothing to do.
  package init(thread name: String, periodMilliseconds period: Int) throws(SystemError) {
    self.period = period
    pause = try Signal()
    try Thread.start(name) { [self] in work() }
  }

  /// Requests that everything written to a file until now becomes durable.
  ///
  /// Errors name the path.
  package func request(_ file: Descriptor, path: String) {
    state.change(waking: .all) { state in
      if !state.wanted.contains(where: { $0.file === file }) { state.wanted.append((file, path)) }
    }
  }

  /// Returns the files that have become durable since the last call, or throws the fault that came up.
  package func nextSynced() throws(SystemError) -> [Descriptor] {
    let (synced, fault) = state.change(waking: .nobody) { state in
      defer { (state.synced, state.fault) = ([], nil) }
      return (state.synced, state.fault)
    }
    if let fault { throw fault }
    return synced
  }

  /// Ends the thread when all requests are done, and waits for that for at most `seconds`.
  package func end(seconds: Double = 0) {
    state.change { $0.isEnding = true }
    pause.set()
    if seconds > 0 { _ = state.wait(seconds: seconds) { $0.isEnded ? true : nil } }
  }

  private func work() {
    while let requests = next() {
      let start = HostTime.steady
      for (file, path) in requests {
        do throws(SystemError) {
          try Files.keep(file, path: path)
          state.change(waking: .nobody) { $0.synced.append(file) }
        } catch {
          state.change(waking: .nobody) { $0.fault = error }
        }
      }
      // A slow sync doesn't delay the next one further.
      let left = period - Int((HostTime.steady - start) / 1000)
      if left > 0 { pause.wait(milliseconds: left) }
    }
    state.change { $0.isEnded = true }
  }

  private func next() -> [(file: Descriptor, path: String)]? {
    state.wait { state -> [(file: Descriptor, path: String)]?? in
      if state.wanted.isEmpty { return state.isEnding ? .some(nil) : nil }
      defer { state.wanted = [] }
      return .some(state.wanted)
    } ?? nil
  }
}
