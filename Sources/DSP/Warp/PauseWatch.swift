/// Watches a tape for its last silence, and for where the sound that ends it sets in.
struct PauseWatch: BitwiseCopyable {
  // What is below it is taken for silence.
  private let floor: Float
  // A click that was resampled, or comes through a filter, is not there at its first sample.
  private static var shareOfPeak: Float { @_noLocks get { 0.25 } }
  // A silence may last for longer than places are numbered.
  private static var longest: Int64 { @_noLocks get { 1 << 20 } }

  /// The silence's first frame on the tape.
  private(set) var start: Int64 = 0
  /// The frame behind its last one; where it began, if there was none.
  private(set) var end: Int64 = 0
  /// Whether a sound has ended it.
  private(set) var hasEnded = true
  /// The place of the attack.
  private(set) var attack: Int64 = 0

  /// A watch that takes for silence what is below `floor`.
  @_noLocks
  init(floor: Float) { self.floor = floor }

  /// Knows of no silence.
  @_noLocks
  mutating func forget() {
    end = start
    hasEnded = true
  }

  /// Measures once the `frames` frames before a place.
  @_noLocks
  mutating func listen(_ tape: borrowing Tape, before place: Int64, frames: Int) {
    forget()
    let first = place &- Int64(frames)
    guard Self.peak(tape, at: first, frames: frames) < floor else { return }
    (start, end, hasEnded) = (first, place, false)
  }

  /// Goes on to the place `now`, in front of which an onset watch has just looked at a chunk.
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

  @_noLocks
  private static func peak(_ tape: borrowing Tape, at start: Int64, frames: Int) -> Float {
    max(
      Magnitude(tape.left(at: start), frames: frames).peak,
      Magnitude(tape.right(at: start), frames: frames).peak)
  }

  /// The first frame that is louder on either side; the last one if there is none.
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
