internal import Synchronization

/// A value that one thread publishes, and any thread reads consistently: a sequence lock, in which only
/// readers retry.
struct Published<Value: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // The version, which is odd while the words change, the words, and the publishing thread's own copy of them,
  // in which padding stays 0. They share as few cache lines as possible: publishing finds them cold.
  private let memory: UnsafeMutableRawPointer
  private static var count: Int { (MemoryLayout<Value>.size + 7) / 8 }
  private static var lineBytes: Int { 64 }

  init(_ value: Value) {
    memory = .allocate(byteCount: 8 * (1 + 2 * Self.count), alignment: Self.lineBytes)
    let atomics = memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1 + Self.count)
    for index in 0...Self.count { (atomics + index).initialize(to: Atomic(0)) }
    (memory + 8 * (1 + Self.count)).bindMemory(to: UInt64.self, capacity: Self.count)
      .initialize(repeating: 0, count: Self.count)
    store(value)
  }

  deinit { memory.deallocate() }

  private var version: UnsafeMutablePointer<Atomic<UInt64>> {
    memory.assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  private var words: UnsafeMutablePointer<Atomic<UInt64>> { version + 1 }

  private var draft: UnsafeMutablePointer<UInt64> {
    (memory + 8 * (1 + Self.count)).assumingMemoryBound(to: UInt64.self)
  }

  fileprivate borrowing func store(_ value: Value) {
    UnsafeMutableRawPointer(draft).assumingMemoryBound(to: Value.self).pointee = value
    // The exchange and the releasing stores keep the words between the two versions.
    version.pointee.add(1, ordering: .acquiringAndReleasing)
    var index = 0
    while index < Self.count {
      words[index].store(draft[index], ordering: .releasing)
      index &+= 1
    }
    version.pointee.add(1, ordering: .releasing)
  }

  /// Returns the latest value; on any thread.
  borrowing func read() -> Value {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.count) { copy in
      while true {
        let before = version.pointee.load(ordering: .acquiring)
        // Acquiring, so that the version is not read again before the words.
        for index in copy.indices { copy[index] = words[index].load(ordering: .acquiring) }
        if before & 1 == 0 && version.pointee.load(ordering: .relaxed) == before { break }
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

extension Published where Value == TempoReading {
  /// Publishes a value; on one thread.
  @_noLocks
  borrowing func publish(_ value: TempoReading) { store(value) }
}

extension Published where Value == BeatReading {
  /// Publishes a value; on one thread.
  @_noLocks
  borrowing func publish(_ value: BeatReading) { store(value) }
}
