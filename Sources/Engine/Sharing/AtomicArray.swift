internal import DSP
internal import Synchronization

/// A fixed number of atomic values in memory of their own.
struct AtomicArray<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {
  private let buffers = Buffers()
  fileprivate let values: UnsafeMutablePointer<Atomic<Value>>

  init(repeating value: Value, count: Int) {
    values = buffers.made(count: count) { _ in Atomic(value) }
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
