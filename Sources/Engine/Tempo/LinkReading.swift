internal import Synchronization

/// The beats of a Link session at a time, and whether it plays.
package struct LinkReading: BitwiseCopyable, Sendable {
  /// A time in microseconds of the host's steady clock.
  package var microseconds: Double
  /// The beat of the session at that time.
  package var beat: Double
  /// The tempo in beats per minute.
  package var beatsPerMinute: Double
  /// The time of the start of a session that plays, in microseconds of the host's steady clock; infinity if it is
  /// stopped.
  package var start: Double

  /// Beats at a time.
  @_noLocks
  package init(
    microseconds: Double, beat: Double, beatsPerMinute: Double, start: Double = .infinity
  ) {
    self.microseconds = microseconds
    self.beat = beat
    self.beatsPerMinute = beatsPerMinute
    self.start = start
  }
}

/// The latest beats of a Link session, from a control thread to the audio thread, which never waits for it.
package struct LinkInbox: ~Copyable, Sendable {
  // Odd while the values change; 0 without a session.
  private let version = Atomic<UInt64>(0)
  private let microseconds = Atomic<UInt64>(0)
  private let beat = Atomic<UInt64>(0)
  private let beatsPerMinute = Atomic<UInt64>(0)
  private let start = Atomic<UInt64>(0)
  private let isThere = Atomic<Bool>(false)

  /// Passes new beats on, or nil without a session; on one thread.
  package borrowing func put(_ reading: LinkReading?) {
    // As in `Published`.
    version.add(1, ordering: .acquiringAndReleasing)
    isThere.store(reading != nil, ordering: .releasing)
    if let reading {
      microseconds.store(reading.microseconds.bitPattern, ordering: .releasing)
      beat.store(reading.beat.bitPattern, ordering: .releasing)
      beatsPerMinute.store(reading.beatsPerMinute.bitPattern, ordering: .releasing)
      start.store(reading.start.bitPattern, ordering: .releasing)
    }
    version.add(1, ordering: .releasing)
  }

  /// The result of reading.
  enum Content: BitwiseCopyable {
    case nothing
    case reading(LinkReading)
    /// They are changing.
    case busy
  }

  /// The latest beats.
  @_noLocks
  borrowing func read() -> Content {
    let before = version.load(ordering: .acquiring)
    let isThere = isThere.load(ordering: .acquiring)
    let reading = LinkReading(
      microseconds: Double(bitPattern: microseconds.load(ordering: .acquiring)),
      beat: Double(bitPattern: beat.load(ordering: .acquiring)),
      beatsPerMinute: Double(bitPattern: beatsPerMinute.load(ordering: .acquiring)),
      start: Double(bitPattern: start.load(ordering: .acquiring)))
    if before & 1 == 1 || version.load(ordering: .relaxed) != before { return .busy }
    return isThere ? .reading(reading) : .nothing
  }
}
