internal import Synchronization

/// Lets the callbacks of a JACK client in until the client is closed.
///
/// libjack ends a client's thread wherever it is. A thread that is ended with a lock, be it one of the
/// heap's, takes it along, and whoever wants it next in the process waits for ever.
final class CallbackGate: Sendable {
  private let isClosed = Atomic(false)
  private let countInside = Atomic(0)

  /// Does what a callback is for; false where the client is about to be closed.
  func pass(_ body: () -> Void) -> Bool {
    // Either this sees that the gate is closed, or who closes it sees this.
    countInside.add(1, ordering: .sequentiallyConsistent)
    defer { countInside.subtract(1, ordering: .sequentiallyConsistent) }
    guard !isClosed.load(ordering: .sequentiallyConsistent) else { return false }
    body()
    return true
  }

  /// Lets no callback in any more, and waits until those that are inside are out.
  func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    // One that a test holds back may stay, as it did: the test has failed by then.
    try? waitUntil("no callback runs", seconds: 5, every: 0.0005) {
      countInside.load(ordering: .sequentiallyConsistent) == 0
    }
  }
}
