internal import Synchronization

/// The latest beat of the clock, which the audio thread writes and any thread reads: a sequence lock,
/// in which only the reader ever tries again.
package struct PublishedBeat: ~Copyable, Sendable {
  /// A beat, and when the next one comes.
  package struct Reading: BitwiseCopyable, Sendable {
    /// The frame of the beat, in the engine's time; in the block that is rendered, it may lie ahead.
    package var frame = Int64.min / 2
    /// Its number in its bar, from 1; 0 before the first.
    package var beat = 0
    /// How many beats its bar has.
    package var beatsPerBar = 0
    /// The frame at which the next one comes, unless the tempo changes.
    package var nextFrame = Int64.min / 2

    @_noLocks
    init() {}
  }

  private let version = Atomic<UInt64>(0)
  private let frame = Atomic<Int64>(Reading().frame)
  private let beats = Atomic<UInt64>(0)
  private let nextFrame = Atomic<Int64>(Reading().nextFrame)

  /// Audio thread.
  @_noLocks
  borrowing func publish(_ reading: Reading) {
    // As in `PublishedClock`: odd while the fields change.
    version.add(1, ordering: .acquiringAndReleasing)
    frame.store(reading.frame, ordering: .releasing)
    beats.store(
      UInt64(reading.beat) | UInt64(reading.beatsPerBar) << 32, ordering: .releasing)
    nextFrame.store(reading.nextFrame, ordering: .releasing)
    version.add(1, ordering: .releasing)
  }

  /// Any thread.
  package borrowing func read() -> Reading {
    while true {
      let before = version.load(ordering: .acquiring)
      var reading = Reading()
      // Acquiring, so that the second look at the version can't come before the fields.
      reading.frame = frame.load(ordering: .acquiring)
      let beats = beats.load(ordering: .acquiring)
      reading.beat = Int(beats & 0xFFFF_FFFF)
      reading.beatsPerBar = Int(beats >> 32)
      reading.nextFrame = nextFrame.load(ordering: .acquiring)
      if before & 1 == 0 && version.load(ordering: .relaxed) == before { return reading }
    }
  }
}
