// expect: unpredictable performance
import Synchronization

final class Shared: Sendable { let value = Mutex(0) }

@_noLocks
func render(_ shared: Shared) -> Int {
  shared.value.withLock { $0 }
}
