internal import Synchronization

/// The notes that sound, by finger, published by the audio thread.
package struct PublishedNotes: ~Copyable, @unchecked Sendable {
  private let levels: UnsafeMutablePointer<Atomic<UInt32>>
  private let changed = Atomic<UInt64>(0)

  init() {
    levels = .allocate(capacity: Finger.count)
    for finger in 0..<Finger.count { (levels + finger).initialize(to: Atomic(0)) }
  }

  deinit {
    levels.deinitialize(count: Finger.count)
    levels.deallocate()
  }

  /// How often anything has changed so far: nothing else need be read while it stays.
  package var changes: UInt64 {
    // Acquiring: the levels are at least as new.
    changed.load(ordering: .acquiring)
  }

  /// How hard the note of a finger was played, above 0, up to 1, while it is held or sustained and
  /// still sounds; else 0.
  package borrowing func level(of finger: Finger) -> Float {
    Float(bitPattern: levels[Int(finger.number)].load(ordering: .relaxed))
  }

  /// Audio thread.
  @_noLocks
  borrowing func set(_ finger: Finger, to level: Float) {
    let bits = level.bitPattern
    if levels[Int(finger.number)].load(ordering: .relaxed) == bits { return }
    levels[Int(finger.number)].store(bits, ordering: .relaxed)
    changed.store(changed.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }
}
