internal import Synchronization

/// A value that one thread publishes, and any thread reads whole: a sequence lock, in which only readers retry.
struct Published<Value: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // Odd while the words change.
  private let version = Atomic<UInt64>(0)
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let count: Int
  // The publishing thread's own copy of the words. Padding stays 0.
  private let draft: UnsafeMutablePointer<UInt64>

  init(_ value: Value) {
    count = (MemoryLayout<Value>.size + 7) / 8
    words = .allocate(capacity: count)
    for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    draft = .allocate(capacity: count)
    draft.initialize(repeating: 0, count: count)
    store(value)
  }

  deinit {
    words.deinitialize(count: count)
    words.deallocate()
    draft.deallocate()
  }

  fileprivate borrowing func store(_ value: Value) {
    UnsafeMutableRawPointer(draft).assumingMemoryBound(to: Value.self).pointee = value
    // The exchange and the releasing stores keep the words between the two versions.
    version.add(1, ordering: .acquiringAndReleasing)
    var index = 0
    while index < count {
      words[index].store(draft[index], ordering: .releasing)
      index &+= 1
    }
    version.add(1, ordering: .releasing)
  }

  /// Returns the latest value; on any thread.
  borrowing func read() -> Value {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { copy in
      while true {
        let before = version.load(ordering: .acquiring)
        // Acquiring, so that the version is not read again before the words.
        for index in copy.indices { copy[index] = words[index].load(ordering: .acquiring) }
        if before & 1 == 0 && version.load(ordering: .relaxed) == before { break }
      }
      return UnsafeRawPointer(copy.baseAddress!).load(as: Value.self)
    }
  }
}

// Concrete, because the real-time check can't look into generic code of another file.

extension Published where Value == ClockReading {
  /// Publishes a value; on one thread.
  @_noLocks
  borrowing func publish(_ value: ClockReading) { store(value) }
}

extension Published where Value == BeatReading {
  /// Publishes a value; on one thread.
  @_noLocks
  borrowing func publish(_ value: BeatReading) { store(value) }
}
