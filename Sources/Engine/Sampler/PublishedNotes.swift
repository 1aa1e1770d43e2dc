internal import Synchronization

/// The sounding notes by finger, published by the audio thread.
package struct PublishedNotes: ~Copyable, @unchecked Sendable {
  private let levels = AtomicArray<UInt32>(repeating: 0, count: Finger.count)
  private let changed = Atomic<UInt64>(0)

  /// The number of changes so far.
  ///
  /// While it stays, nothing else need be read.
  package var changes: UInt64 {
    // Acquiring: the levels are at least as new.
    changed.load(ordering: .acquiring)
  }

  /// The velocity of a finger's note, above 0 and up to 1, while it is held or sustained and still sounds;
  /// otherwise 0.
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
