/// Publishes the beats of the clock, whether the metronome is on or not.
struct BeatWatch: BitwiseCopyable {
  // A beat that follows sooner is the same one, moved slightly by a new tempo; as for clicks.
  private static var leastSeconds: Double { @_noLocks get { 0.01 } }

  private var leastFrames: Int64
  private var next = Int64.min
  private var number = 0
  private var changesSeen = -1
  private var latest = BeatReading()

  @_noLocks
  init(sampleRate: Double) { leastFrames = Int64(Self.leastSeconds * sampleRate) }

  /// The frames until the next beat, before which nothing is published.
  @_noLocks
  func framesToGo(at frame: Int64, beats: BeatClock) -> Int {
    changesSeen == beats.changes ? Int(max(0, min(next &- frame, 1 << 20))) : 0
  }

  /// Publishes the last beat in a block, and the time of the next one.
  @_noLocks
  mutating func watch(
    from start: Int64, to end: Int64, beats: BeatClock,
    _ published: borrowing Published<BeatReading>
  ) {
    if changesSeen == beats.changes && next >= end { return }
    if changesSeen != beats.changes || next < start {
      changesSeen = beats.changes
      plan(from: max(start, min(latest.frame &+ leastFrames, end)), by: beats)
    }
    while next < end {
      latest.frame = next
      latest.beat = number &+ 1
      latest.beatsPerBar = beats.beatsPerBar
      plan(from: next &+ leastFrames, by: beats)
    }
    latest.nextFrame = next
    published.publish(latest)
  }

  /// Moves the latest beat when the timeline jumps.
  @_noLocks
  mutating func shift(by frames: Int64) {
    if latest.beat > 0 { latest.frame &+= frames }
  }

  /// Continues at another sample rate, around a frame that stays.
  mutating func setSampleRate(_ rate: Double, ratio: Double, around frame: Int64) {
    leastFrames = Int64(Self.leastSeconds * rate)
    if latest.beat == 0 { return }
    latest.frame = frame &+ Handover.scaled(latest.frame &- frame, by: ratio)
  }

  @_noLocks
  private mutating func plan(from frame: Int64, by beats: BeatClock) {
    (next, number) = beats.nextBeat(from: frame)
  }
}
