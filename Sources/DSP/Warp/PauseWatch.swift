/// A detector for the last pause on a tape and the attack that ends it.
struct PauseWatch: BitwiseCopyable {
  // Signals below this level count as silence.
  private let floor: Float
  // A click that was resampled or filtered rises before its peak.
  private static var shareOfPeak: Float { @_noLocks get { 0.25 } }
  // Bounds the pause: it may outlast the range of positions.
  private static var longest: Int64 { @_noLocks get { 1 << 20 } }

  /// The first frame of the pause.
  private(set) var start: Int64 = 0
  /// The frame after the last one; equal to `start` if there was no pause.
  private(set) var end: Int64 = 0
  /// Whether a sound has ended the pause.
  private(set) var hasEnded = true
  /// The position of the attack.
  private(set) var attack: Int64 = 0

  /// Creates a detector with a threshold.
  @_noLocks
  init(floor: Float) { self.floor = floor }

  /// Resets the state to no pause.
  @_noLocks
  mutating func forget() {
    end = start
    hasEnded = true
  }

  /// Measures the `frames` frames before a position at once.
  @_noLocks
  mutating func listen(_ tape: borrowing Tape, before place: Int64, frames: Int) {
    forget()
    let first = place &- Int64(frames)
    guard tape.peak(from: first, frames: frames) < floor else { return }
    (start, end, hasEnded) = (first, place, false)
  }

  /// Advances to the position `now`, using the chunk that the onset detector has just measured.
  @_noLocks
  mutating func advance(
    _ tape: borrowing Tape, to now: Int64, frames: Int, peak: Float, isOnset: Bool
  ) {
    let first = now &- Int64(frames)
    let isGoing = !hasEnded && end >= first && end <= now
    if peak < floor {
      if !isGoing { (start, hasEnded) = (first, false) }
      end = now
      if end &- start > Self.longest { start = end &- Self.longest }
      return
    }
    if isGoing {
      end = Self.firstFrame(tape, from: first, frames: frames, above: floor)
      hasEnded = true
    } else if !hasEnded {
      forget()
    }
    if isGoing || isOnset {
      attack = Self.firstFrame(
        tape, from: first, frames: frames, above: Self.shareOfPeak * peak)
    }
  }

  /// Returns the first frame that reaches `least` in either channel, or the last frame.
  @_noLocks
  private static func firstFrame(
    _ tape: borrowing Tape, from start: Int64, frames: Int, above least: Float
  ) -> Int64 {
    let (left, right) = (tape.left(at: start), tape.right(at: start))
    var frame = 0
    while frame < frames &- 1 && abs(left[frame]) < least && abs(right[frame]) < least {
      frame &+= 1
    }
    return start &+ Int64(frame)
  }
}
