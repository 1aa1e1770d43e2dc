/// The clip that is being recorded.
struct ClipRecording: BitwiseCopyable {
  /// The version being recorded, or nil.
  private(set) var version: Int?
  /// The frames recorded so far, without pauses.
  private(set) var frames = 0
  /// The length in frames at which the recording ends on its own.
  private(set) var limit = 0
  /// The frame on which it started.
  private(set) var start: Int64 = 0
  // The time that `start` was rounded from, in frames; negative if neither a grid nor sound set it.
  private var exactStart = -1.0
  /// Whether the sound itself started it, so that there is no latency to compensate.
  private(set) var isTriggered = false
  /// Whether `after` applies at its end.
  var continues = false

  /// Starts recording a version, which ends on its own after `limit` frames.
  @_noLocks
  mutating func begin(_ version: Int, at frame: Int64, limit: Int, moment: Moment) {
    self = ClipRecording()
    self.version = version
    self.limit = limit
    start = frame &- Int64(moment.late)
    frames = moment.late
    // Sound starts off the grid, and the grid of the clip starts with it.
    exactStart = moment.isTriggered ? Double(frame) : moment.exact
    isTriggered = moment.isTriggered
  }

  /// Ends the recording.
  ///
  /// Returns its version, or nil if nothing was being recorded. `frames` and the times stay.
  @_noLocks
  mutating func end() -> Int? {
    defer { version = nil }
    return version
  }

  /// Moves its start by a number of frames that were lost.
  @_noLocks
  mutating func delay(by frames: Int64) {
    start &+= frames
    if exactStart >= 0 { exactStart += Double(frames) }
  }

  /// Counts frames that were recorded.
  @_noLocks
  mutating func advance(frames count: Int) { frames &+= count }

  /// Whether the recording has reached its maximum or requested length.
  var isFull: Bool { @_noLocks get { frames >= limit } }

  /// Returns the exact time at which it has this length, in frames; negative if it did not start on
  /// a grid or with sound.
  @_noLocks
  func exactEnd(after length: Double) -> Double { exactStart < 0 ? -1 : exactStart + length }

  /// Returns the exact length of a cycle if the recording ends at a time; negative if either was not on a
  /// grid, or if a pause or a new tempo came between.
  @_noLocks
  func cycle(endingAt exact: Double) -> Double {
    if exactStart < 0 || exact < 0 { return -1 }
    let cycle = exact - exactStart
    if abs(cycle - Double(frames)) >= 1 { return -1 }
    // Times that another sample rate has rounded would make a cycle of whole frames a frame longer, all but none of
    // which is played.
    let whole = Double(Int64(cycle + 0.5))
    return abs(cycle - whole) < 1e-6 ? whole : cycle
  }
}

/// The time of the action that is being performed.
struct Moment: BitwiseCopyable {
  /// The time that its frame was rounded from, in frames; negative if no grid set it.
  var exact = -1.0
  /// Whether the input started it by being loud enough.
  var isTriggered = false
  /// How many frames ago that time was, for a press that came late.
  var late = 0
}
