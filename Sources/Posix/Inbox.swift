/// A queue of closures for the thread of an event loop.
package final class Inbox: Sendable {
  private struct Contents {
    var waiting: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private let contents = Guarded(Contents())
  private let signal: Signal

  /// Creates an empty queue.
  package init() throws(SystemError) { signal = try Signal() }

  /// The descriptor, which is readable when work is queued.
  package var readable: Descriptor { signal.readable }

  /// Queues work.
  ///
  /// Returns false if the queue is closed.
  ///
  /// Any thread.
  package func leave(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = contents.withLock { contents in
      guard !contents.isClosed else { return false }
      contents.waiting.append(work)
      return true
    }
    if isTaken { signal.set() }
    return isTaken
  }

  /// Runs the queued work.
  package func work() {
    signal.clear()
    let waiting = contents.withLock { contents in
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for work in waiting { work() }
  }

  /// Runs the queued work and closes the queue.
  package func close() {
    contents.withLock { $0.isClosed = true }
    work()
  }
}
