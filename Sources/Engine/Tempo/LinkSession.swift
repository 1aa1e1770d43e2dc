/// A Link session as the node follows it: its latest beats, and since when.
struct LinkSession: BitwiseCopyable {
  /// The latest beats of the session.
  private(set) var latest = LinkReading(microseconds: 0, beat: 0, beatsPerMinute: 120)
  /// Whether the node takes part in the session.
  private(set) var isJoined = false
  /// Whether the session plays, since a bar.
  var isRunning = false
  // Whether the beats that are read next are those of another session or tempo.
  private var hasJumped = false
  // Whether its beats have been followed.
  private var wasFollowed = false

  @_noLocks
  init() {}

  /// Takes over the latest beats.
  @_noLocks
  mutating func receive(_ reading: LinkReading) {
    // A new tempo holds from before it is known here.
    if !isJoined || reading.beatsPerMinute != latest.beatsPerMinute { hasJumped = true }
    if reading.start != latest.start { isRunning = false }
    latest = reading
    isJoined = true
  }

  /// Notes that the session is gone.
  @_noLocks
  mutating func leave() {
    isJoined = false
    isRunning = false
  }

  /// Starts anew when it becomes the source of the beats.
  @_noLocks
  mutating func forget() {
    leave()
    wasFollowed = false
  }

  /// Returns the position of the beats at a time of the host's clock in microseconds, to be followed.
  ///
  /// Deviations below `leastJump`, in frames, are corrected without a jump once it has been followed.
  @_noLocks
  mutating func position(
    at microseconds: Double, microsecondsPerFrame: Double, leastJump: Double
  ) -> ClockPosition {
    let beats =
      latest.beat + (microseconds - latest.microseconds) * latest.beatsPerMinute / 60_000_000
    let position = ClockPosition(
      beats: beats, framesPerBeat: 60_000_000 / latest.beatsPerMinute / microsecondsPerFrame,
      grain: 0, isJump: hasJumped, leastJump: wasFollowed ? leastJump : 0)
    hasJumped = false
    wasFollowed = true
    return position
  }
}
