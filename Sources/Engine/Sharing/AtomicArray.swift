internal import Synchronization

/// A fixed number of atomic values in memory of their own.
struct AtomicArray<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {
  let count: Int
  fileprivate let values: UnsafeMutablePointer<Atomic<Value>>

  init(repeating value: Value, count: Int) {
    self.count = count
    values = .allocate(capacity: count)
    for index in 0..<count { (values + index).initialize(to: Atomic(value)) }
  }

  deinit {
    values.deinitialize(count: count)
    values.deallocate()
  }
}

// Concrete, because the real-time check can't look into generic code of another file.

extension AtomicArray where Value == UInt8 {
  subscript(index: Int) -> Atomic<UInt8> {
    @_noLocks unsafeAddress { UnsafePointer(values + index) }
  }
}

extension AtomicArray where Value == UInt32 {
  subscript(index: Int) -> Atomic<UInt32> {
    @_noLocks unsafeAddress { UnsafePointer(values + index) }
  }
}

extension AtomicArray where Value == UInt64 {
  subscript(index: Int) -> Atomic<UInt64> {
    @_noLocks unsafeAddress { UnsafePointer(values + index) }
  }
}
