internal import CRealtime

/// A monophonic pitch corrector: a delay buffer, a pitch tracker and a pitch shifter.
package struct VoiceTuner: ~Copyable {
  // The tracker reads back 36 ms, the warp less than 0.1 s.
  private static var tapeSeconds: Double { @_noLocks get { 0.25 } }
  private static var warpSeconds: Double { @_noLocks get { 0.1 } }
  private static var tapeReach: Int { @_noLocks get { 16_384 } }
  // The latency of the tracker's results.
  private static var latenessSeconds: Float { @_noLocks get { 0.017 } }
  // A shift for which the delay of the engine is that of any small shift, in semitones.
  private static var usualShift: Float { @_noLocks get { 0.5 } }
  // The preceding sound that is copied at a start, in frames.
  private static var framesBefore: Int { @_noLocks get { 4096 } }

  /// The computation of the shift, with its settings.
  package var corrector = PitchCorrector()
  /// The uncorrected sound.
  package private(set) var tape: Tape
  /// The latest detected pitch, as a fractional MIDI note number; nil if unvoiced.
  package private(set) var sung: Float?
  /// The number of consecutive silent frames up to now.
  package private(set) var silentFrames: Int

  private let sampleRate: Float
  private var tracker: PitchTracker
  private var lead: PitchLead
  private var warp: Warp
  private var engine = WarpEngine.live
  // The shift changes once per cycle of the tracker.
  private let framesARound: Int
  private var framesToSlot: Int
  private var framesToRound: Int
  private let liveDelay: Int
  private let voiceDelay: Int

  /// Creates a tuner with empty history.
  package init(sampleRate: Double) {
    self.sampleRate = Float(sampleRate)
    tape = Tape(seconds: Self.tapeSeconds, reach: Self.tapeReach, sampleRate: sampleRate)
    silentFrames = tape.capacity + 1
    tracker = PitchTracker(sampleRate: sampleRate)
    warp = Warp(seconds: Self.warpSeconds, sampleRate: sampleRate)
    framesToSlot = tracker.slotFrames
    framesARound = PitchTracker.slots * tracker.slotFrames
    framesToRound = framesARound
    lead = PitchLead(
      seconds: Self.latenessSeconds, interval: Float(framesARound) / Float(sampleRate))
    warp.setPitch(semitones: Self.usualShift)
    liveDelay = warp.delay
    warp.setEngine(.voice)
    voiceDelay = warp.delay
    warp.setEngine(.live)
    warp.setPitch(semitones: 0)
    warp.settle()
  }

  /// Sets the engine: live, or voice, which preserves formants.
  @_noLocks
  package mutating func setEngine(_ value: WarpEngine) {
    engine = value
    warp.setEngine(value)
  }

  /// Applies the engine at once, before the first block.
  @_noLocks
  package mutating func settle() { warp.settle() }

  /// The delay, in frames.
  package var delay: Int {
    @_noLocks get { if case .voice = engine { voiceDelay } else { liveDelay } }
  }

  /// The number of frames until the output is valid after a start.
  package var warmUp: Int { @_noLocks get { warp.warmUp } }

  /// Whether silence stays silence.
  package var isIdle: Bool { @_noLocks get { silentFrames > tape.capacity && warp.isIdle } }

  /// Restarts after the end of another tape.
  @_noLocks
  package mutating func start(after other: borrowing Tape) {
    let first = other.head &- Int64(Self.framesBefore)
    let sound = Stereo(
      UnsafeMutablePointer(mutating: other.left(at: first)),
      UnsafeMutablePointer(mutating: other.right(at: first)))
    tape.write(sound, frames: Self.framesBefore)
    tracker.start(at: tape.head &- 1)
    corrector.reset()
    lead.reset()
    sung = nil
    // The former position is not that of this sound.
    warp.setPitch(semitones: 0)
    warp.rest(frames: Self.framesBefore)
    silentFrames = 0
  }

  /// Processes a block; nil is silence.
  ///
  /// Returns false, and writes nothing, if the result is silent.
  @_noLocks
  package mutating func process(
    _ sound: Stereo?, toward targets: PitchTargets, to out: Stereo, frames: Int
  ) -> Bool {
    silentFrames = sound == nil ? silentFrames &+ frames : 0
    var isSounding = false
    var done = 0
    while done < frames {
      let count = min(frames &- done, framesToRound)
      let result = out.advanced(by: done)
      if let sound {
        tape.write(sound.advanced(by: done), frames: count)
      } else {
        tape.writeSilence(frames: count)
      }
      track(frames: count)
      if warp.process(tape, to: result, frames: count) {
        if !isSounding { out.clear(frames: done) }
        isSounding = true
      } else if isSounding {
        result.clear(frames: count)
      }
      done &+= count
      framesToRound &-= count
      if framesToRound == 0 {
        framesToRound = framesARound
        finishRound(toward: targets)
      }
    }
    return isSounding
  }

  /// Runs the parts of the pitch analysis that are due in the frames written last.
  @_noLocks
  private mutating func track(frames: Int) {
    var left = frames
    while left >= framesToSlot {
      left &-= framesToSlot
      framesToSlot = tracker.slotFrames
      tracker.advance(tape, to: tape.head &- Int64(left) &- 1)
    }
    framesToSlot &-= left
  }

  /// Sets the shift for the next frames.
  @_noLocks
  private mutating func finishRound(toward targets: PitchTargets) {
    let seconds = Float(framesARound) / sampleRate
    if tracker.isVoiced {
      let measured = 69 + 12 * 1.442_695 * rt_log(sampleRate / (tracker.period * 440))
      sung = measured
      corrector.correct(
        lead.follow(measured), measured: measured, toward: targets, seconds: seconds)
    } else {
      sung = nil
      lead.reset()
      corrector.rest(seconds: seconds)
    }
    warp.setPitch(semitones: corrector.shift)
  }
}
