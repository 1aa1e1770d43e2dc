internal import Glibc

/// A value behind a lock, which one thread at a time can touch.
///
/// The lock is the system's: the thread sanitizer knows it, and takes the one of Swift's `Mutex`,
/// which it can't see, for none.
package final class Guarded<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  /// A value with its lock free.
  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Does something with the value while nobody else can; may block.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
