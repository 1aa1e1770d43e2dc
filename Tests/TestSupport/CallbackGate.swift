internal import Synchronization

/// A gate that admits the callbacks of a JACK client until the client is closed.
///
/// libjack cancels a client's thread wherever it is. A thread canceled while it holds a lock, even
/// one of the heap's, never releases it, and the next thread in the process that needs the lock
/// waits forever.
final class CallbackGate: Sendable {
  private let isClosed = Atomic(false)
  private let countInside = Atomic(0)

  /// Runs the body of a callback.
  ///
  /// Returns false if the client is about to be closed.
  func pass(_ body: () -> Void) -> Bool {
    // Either this thread sees the closed gate, or the closing thread sees the count.
    countInside.add(1, ordering: .sequentiallyConsistent)
    defer { countInside.subtract(1, ordering: .sequentiallyConsistent) }
    guard !isClosed.load(ordering: .sequentiallyConsistent) else { return false }
    body()
    return true
  }

  /// Closes the gate, and waits until the callbacks inside have returned.
  func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    // A callback held by a test may stay inside: the test has already failed.
    try? waitUntil("no callback is running", seconds: 5, every: 0.0005) {
      countInside.load(ordering: .sequentiallyConsistent) == 0
    }
  }
}
