internal import Synchronization

/// A picture of the clip, published by the audio thread: the peaks of as many equal parts.
package struct PublishedPeaks: ~Copyable, @unchecked Sendable {
  /// How many parts a clip has in the picture.
  package static var parts: Int { @_noLocks get { 256 } }
  private static var nothing: Float { @_noLocks get { -1 } }

  // Two pictures: while one is made, the one before can be read. Without a clip, the first of its
  // peaks is negative.
  private let peaks: UnsafeMutablePointer<Atomic<UInt32>>
  // How many pictures there were; the latest is the one with this number's parity.
  private let latest = Atomic<UInt64>(0)
  // Whether another picture is on its way: relaxed, whoever reads it looks again.
  private let behind = Atomic<Bool>(false)

  init() {
    peaks = .allocate(capacity: 2 * Self.parts)
    for index in 0..<2 * Self.parts {
      (peaks + index).initialize(to: Atomic(Self.nothing.bitPattern))
    }
  }

  deinit {
    peaks.deinitialize(count: 2 * Self.parts)
    peaks.deallocate()
  }

  // MARK: - Audio thread

  /// Sets the peak of a part in the picture that comes next.
  @_noLocks
  borrowing func set(_ part: Int, to peak: Float) {
    let next = latest.load(ordering: .relaxed) &+ 1
    // Releasing: whoever sees it sees that the picture before was made.
    peaks[Int(truncatingIfNeeded: next & 1) &* Self.parts &+ part]
      .store(peak.bitPattern, ordering: .releasing)
  }

  /// Publishes the picture whose parts were set, or that of no clip.
  @_noLocks
  borrowing func publish(hasClip: Bool) {
    if !hasClip { set(0, to: Self.nothing) }
    latest.add(1, ordering: .releasing)  // publishes its parts
  }

  /// Says whether another picture is on its way.
  @_noLocks
  borrowing func setBehind(_ isBehind: Bool) { behind.store(isBehind, ordering: .relaxed) }

  // MARK: - Any thread

  /// How many pictures there were.
  package var count: UInt64 { latest.load(ordering: .relaxed) }

  /// Whether another picture is on its way.
  package var isBehind: Bool { behind.load(ordering: .relaxed) }

  /// The peaks of the latest picture, 1 at the most; empty where there is no clip.
  package borrowing func read() -> [Float] {
    while true {
      let count = latest.load(ordering: .acquiring)
      let first = Int(count & 1) * Self.parts
      // Acquiring, so that the second look at the count can't come before the parts.
      let result = (0..<Self.parts).map {
        Float(bitPattern: peaks[first + $0].load(ordering: .acquiring))
      }
      if latest.load(ordering: .relaxed) == count { return result[0] < 0 ? [] : result }
    }
  }
}
