internal import DSP

/// The dry sound, with the delay of the wet one.
///
/// A change of the delay is a crossfade to another position on the tape.
struct DelayedInput: BitwiseCopyable {
  private static var fadeSeconds: Float { @_noLocks get { 0.02 } }

  private let fadeFrames: Int
  private var delay = 0
  private var next = 0
  private var target = 0
  private var fadeLeft = 0

  @_noLocks
  init(sampleRate: Float) {
    fadeFrames = Int(Self.fadeSeconds * sampleRate)
  }

  /// The maximum audible delay, in frames.
  var longestDelay: Int {
    @_noLocks get { max(delay, max(next, target)) }
  }

  /// Whether it passes the newest sound of the tape unchanged.
  var isDirect: Bool { @_noLocks get { delay == 0 && target == 0 && fadeLeft == 0 } }

  /// Sets the delay in frames.
  @_noLocks
  mutating func setDelay(_ frames: Int) { target = frames }

  /// Sets the delay at once, before the first block.
  @_noLocks
  mutating func settle() {
    delay = target
    fadeLeft = 0
  }

  /// Reads as many frames as were written to the tape last.
  @_noLocks
  mutating func read(
    _ tape: borrowing Tape, to out: Stereo, frames: Int
  ) {
    var done = 0
    while done < frames {
      let now = tape.head &- Int64(frames &- done)
      if fadeLeft == 0 && delay != target { begin(tape, now: now) }
      let count = fadeLeft > 0 ? min(fadeLeft, frames &- done) : frames &- done
      let sound = out.advanced(by: done)
      Blocks.copy(tape.left(at: now &- Int64(delay)), to: sound.left, frames: count)
      Blocks.copy(tape.right(at: now &- Int64(delay)), to: sound.right, frames: count)
      if fadeLeft > 0 {
        let start = now &- Int64(next)
        Crossfade.mix(
          left: tape.left(at: start), right: tape.right(at: start), into: sound,
          done: fadeFrames &- fadeLeft, length: fadeFrames, frames: count)
        fadeLeft &-= count
        if fadeLeft == 0 { delay = next }
      }
      done &+= count
    }
  }

  /// Starts the crossfade to the target, or jumps if both positions are silent.
  @_noLocks
  private mutating func begin(_ tape: borrowing Tape, now: Int64) {
    next = target
    let longest = max(delay, next)
    let start = now &- Int64(longest)
    let isSilent =
      Magnitude(tape.left(at: start), frames: longest).bits == 0
      && Magnitude(tape.right(at: start), frames: longest).bits == 0
    if isSilent { delay = next } else { fadeLeft = fadeFrames }
  }
}
