internal import Glibc

/// A value behind a lock, for changes of which threads can wait.
package final class Monitor<Value>: @unchecked Sendable {
  /// Who is woken by a change.
  package enum Waking: Sendable {
    case all
    /// One of those who wait, where any of them will do: many who wake for one piece of work cost more
    /// than that.
    case one
    case nobody
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  /// A value for which nobody waits.
  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A wait must not grow when the wall clock is set.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Does something with the value while nobody else can, and wakes those who wait.
  package func change<Result>(
    waking: Waking = .all, _ body: (inout Value) -> Result
  ) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_mutex_unlock(mutex)
      switch waking {
      case .all: pthread_cond_broadcast(changed)
      case .one: pthread_cond_signal(changed)
      case .nobody: break
      }
    }
    return body(&value)
  }

  /// Looks at the value after each change until that gives something, for so many seconds at most.
  package func wait<Result>(
    seconds: Double = .infinity, _ body: (inout Value) -> Result?
  ) -> Result? {
    let end = HostTime.steady / 1e6 + min(seconds, 1e9)
    var deadline = timespec(tv_sec: Int(end), tv_nsec: Int((end - end.rounded(.down)) * 1e9))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      guard pthread_cond_timedwait(changed, mutex, &deadline) != ETIMEDOUT else { return nil }
    }
  }
}
