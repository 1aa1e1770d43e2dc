internal import Synchronization

/// A clock reading that the audio thread writes and any thread reads: a sequence lock, in which
/// only the reader ever tries again.
struct PublishedClock: ~Copyable, Sendable {
  private let version = Atomic<UInt64>(0)
  private let frame = Atomic<Int64>(0)
  private let microseconds = Atomic<UInt64>(0)
  private let microsecondsPerFrame = Atomic<UInt64>(0)

  /// Audio thread.
  @_noLocks
  borrowing func publish(_ reading: ClockReading) {
    // Odd while the fields change. The exchange and the releasing stores keep the fields'
    // stores between the two versions.
    version.add(1, ordering: .acquiringAndReleasing)
    frame.store(reading.frame, ordering: .releasing)
    microseconds.store(reading.microseconds.bitPattern, ordering: .releasing)
    microsecondsPerFrame.store(reading.microsecondsPerFrame.bitPattern, ordering: .releasing)
    version.add(1, ordering: .releasing)
  }

  /// Any thread.
  borrowing func read() -> ClockReading {
    while true {
      let before = version.load(ordering: .acquiring)
      // Acquiring, so that the second look at the version can't come before the fields.
      let reading = ClockReading(
        frame: frame.load(ordering: .acquiring),
        microseconds: Double(bitPattern: microseconds.load(ordering: .acquiring)),
        microsecondsPerFrame: Double(
          bitPattern: microsecondsPerFrame.load(ordering: .acquiring)))
      if before & 1 == 0 && version.load(ordering: .relaxed) == before { return reading }
    }
  }
}
