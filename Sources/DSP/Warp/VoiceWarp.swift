/// The pitch shifter for a single voice, with its pitch tracker: formants stay in place or shift independently.
///
/// The latency is the same at every pitch.
package struct VoiceWarp: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  private var tracker: PitchTracker
  private var overlap: VoiceOverlap
  private var framesToSlot = 0

  /// Creates an engine with empty history.
  package init(sampleRate: Double) {
    tracker = PitchTracker(sampleRate: sampleRate)
    overlap = VoiceOverlap(sampleRate: sampleRate)
  }

  /// Returns the latency in frames at rate 1, the same at any pitch.
  @_noLocks
  package func delay(pitch: Float) -> Int { overlap.delayFrames }

  /// The lag of the output behind the position, in frames of tape, 32.32 fixed-point.
  var lag: Int64 { @_noLocks get { overlap.lag } }

  /// The number of frames after a start until the voice is tracked and shifted.
  package var warmUp: Int {
    @_noLocks get { overlap.delayFrames / 2 &* 3 }
  }

  /// Resets the state; the next step starts at `place`.
  @_noLocks
  package mutating func start(at place: Int64) {
    overlap.start()
    framesToSlot = 0
    tracker.start(at: place >> 32)
    tracker.assumeUnvoiced()
  }

  /// Renders the next frames, at most `WarpStep.longest`.
  @_noLocks
  package mutating func process(
    _ tape: borrowing Tape, _ step: WarpStep, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    if step.isLeap && !overlap.isFresh { tracker.start(at: step.place >> 32) }
    var step = step
    var done = 0
    while done < frames {
      if framesToSlot == 0 {
        tracker.advance(tape, to: step.place >> 32)
        framesToSlot = tracker.slotFrames
      }
      let count = min(frames &- done, framesToSlot)
      overlap.process(
        tape, step, tracker.pitch, bank: bank, to: out.advanced(by: done), frames: count)
      framesToSlot &-= count
      done &+= count
      step.place = step.place(ofFrame: count)
      step.isLeap = false
    }
  }
}
