internal import Glibc

/// A value protected by a mutex, with a condition variable to wait for changes.
///
/// Uses a pthread mutex, since the thread sanitizer can't see Swift's `Mutex` and would report
/// false races.
package final class Monitor<Value>: @unchecked Sendable {
  /// The waiting threads that a change wakes.
  package enum Waking: Sendable {
    case all
    /// One waiting thread, if any of them can do the work: waking many for one job is expensive.
    case one
    case nobody
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  /// Creates a value without waiting threads.
  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Setting the wall clock must not extend a wait.
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

  /// Calls `body` with exclusive access to the value, then wakes waiting threads.
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

  /// Evaluates `body` after each change until it returns a value, for at most `seconds`.
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
