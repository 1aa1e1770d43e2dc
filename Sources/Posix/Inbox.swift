/// Work that other threads leave for the one that runs a loop.
package final class Inbox: Sendable {
  private struct Contents {
    var waiting: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private let contents = Guarded(Contents())
  private let signal: Signal

  /// An empty inbox.
  package init() throws(SystemError) { signal = try Signal() }

  /// The descriptor that becomes readable when there is work.
  package var readable: Descriptor { signal.readable }

  /// Leaves work; false where nobody will do it any more.
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

  /// Does the work that is there.
  package func work() {
    signal.clear()
    let waiting = contents.withLock { contents in
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for work in waiting { work() }
  }

  /// Does what is there, and takes no more.
  package func close() {
    contents.withLock { $0.isClosed = true }
    work()
  }
}
