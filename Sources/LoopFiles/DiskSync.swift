internal import Glibc
internal import Posix

/// Makes what was written to files safe on their disk, four times a second at the most, on a thread of
/// its own: a disk can take long for that.
final class DiskSync: Sendable {
  private static let period = 250

  private struct State {
    var wanted: [Descriptor] = []
    var safe: [Descriptor] = []
    var fault: SystemError?
    var isWanted = true
    var isEnded = false
  }

  private let state = Monitor(State())
  private let pause: Signal

  /// Begins with nothing to do.
  init() throws(SystemError) {
    pause = try Signal()
    try Thread.start("loops-disk") { [self] in work() }
  }

  /// Wants what was written to a file until now to be safe.
  func want(_ file: Descriptor) {
    state.change(waking: .all) { state in
      if !state.wanted.contains(where: { $0 === file }) { state.wanted.append(file) }
    }
  }

  /// The files that have become safe since this was asked last.
  func takeSafe() throws(SystemError) -> [Descriptor] {
    let (safe, fault) = state.change(waking: .nobody) { state in
      defer { (state.safe, state.fault) = ([], nil) }
      return (state.safe, state.fault)
    }
    if let fault { throw fault }
    return safe
  }

  /// Ends it when all that was wanted is safe, and waits for that, for so many seconds at most.
  func end(seconds: Double) {
    state.change { $0.isWanted = false }
    pause.set()
    _ = state.wait(seconds: seconds) { $0.isEnded ? true : nil }
  }

  private func work() {
    while let files = next() {
      for file in files {
        let code = fdatasync(file.number) == 0 ? 0 : errno
        state.change(waking: .nobody) { state in
          // What can't be made safe, as a pipe or on a disk that has no such thing, is none of ours.
          if code == 0 || code == EINVAL {
            state.safe.append(file)
          } else {
            state.fault = SystemError("fdatasync", code: code)
          }
        }
      }
      // A memory card wears out by what is written; at the end nothing is waited for.
      pause.wait(milliseconds: Self.period)
    }
    state.change { $0.isEnded = true }
  }

  private func next() -> [Descriptor]? {
    state.wait { state -> [Descriptor]?? in
      if state.wanted.isEmpty { return state.isWanted ? nil : .some(nil) }
      defer { state.wanted = [] }
      return .some(state.wanted)
    } ?? nil
  }
}
