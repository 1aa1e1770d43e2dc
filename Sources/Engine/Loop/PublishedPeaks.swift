internal import Synchronization

/// The peaks of the clip in equal parts, published by the audio thread.
package struct PublishedPeaks: ~Copyable, @unchecked Sendable {
  /// The number of parts.
  package static var parts: Int { @_noLocks get { 256 } }
  private static var nothing: Float { @_noLocks get { -1 } }

  // Double-buffered: one is readable while the next is computed. Without a clip, the first peak is negative.
  private let peaks = AtomicArray<UInt32>(
    repeating: Self.nothing.bitPattern, count: 2 * Self.parts)
  // The number of updates. Its parity selects the buffer of the latest.
  private let latest = Atomic<UInt64>(0)
  // Whether an update is due. Relaxed, because readers poll it.
  private let behind = Atomic<Bool>(false)

  // MARK: - Audio thread

  /// Sets the peak of a part in the next update.
  @_noLocks
  borrowing func set(_ part: Int, to peak: Float) {
    let next = latest.load(ordering: .relaxed) &+ 1
    // Releasing: a reader of this value also sees the update before.
    peaks[Int(truncatingIfNeeded: next & 1) &* Self.parts &+ part]
      .store(peak.bitPattern, ordering: .releasing)
  }

  /// Publishes the peaks that were set, or none without a clip.
  @_noLocks
  borrowing func publish(hasClip: Bool) {
    if !hasClip { set(0, to: Self.nothing) }
    latest.add(1, ordering: .releasing)  // publishes its parts
  }

  /// Sets whether an update is due.
  @_noLocks
  borrowing func setBehind(_ isBehind: Bool) { behind.store(isBehind, ordering: .relaxed) }

  // MARK: - Any thread

  /// The number of updates.
  package var count: UInt64 { latest.load(ordering: .relaxed) }

  /// Whether an update is due.
  package var isBehind: Bool { behind.load(ordering: .relaxed) }

  /// The latest peaks, from 0 to 1, or none without a clip.
  package borrowing func read() -> [Float] {
    while true {
      let count = latest.load(ordering: .acquiring)
      let first = Int(count & 1) * Self.parts
      // Acquiring, so that the second load of the count can't precede those of the parts.
      let result = (0..<Self.parts).map {
        Float(bitPattern: peaks[first + $0].load(ordering: .acquiring))
      }
      if latest.load(ordering: .relaxed) == count { return result[0] < 0 ? [] : result }
    }
  }
}
