internal import CRealtime

/// A monophonic voice: a delay buffer and its pitch.
///
/// The pitch tracker has a result per round, a fixed number of frames.
package struct SungVoice: ~Copyable {
  // The tracker reads back 36 ms, the engines less than 0.1 s.
  private static var tapeSeconds: Double { @_noLocks get { 0.25 } }
  private static var tapeReach: Int { @_noLocks get { 16_384 } }
  // The latency of the tracker's results.
  private static var latenessSeconds: Float { @_noLocks get { 0.017 } }
  // The time constant of the power, that of the tracker's window; and of the shares, in seconds.
  private static var powerSeconds: Float { @_noLocks get { 0.012 } }
  private static var sharesSeconds: Float { @_noLocks get { 0.2 } }
  // The share of the low frequencies in the power of a voice: hiss has less.
  private static var leastLow: Float { @_noLocks get { 0.03 } }
  // The preceding sound that is copied at a start, in frames.
  static var framesBefore: Int { @_noLocks get { 4096 } }

  /// The sound.
  package private(set) var tape: Tape
  /// The latest detected pitch, as a fractional MIDI note number; nil if unvoiced.
  package private(set) var pitch: Float?
  /// The result of the tracker as of the last round.
  package private(set) var tracked: VoicePitch
  /// Whether the sound is voiced: it has a pitch, and is not hiss.
  package private(set) var isVoiced = false
  /// The gains of both sides for the mono sound: a side that is silent has none.
  package private(set) var shares = SIMD2<Float>(repeating: 0.5)
  /// The detected pitch, extrapolated to the present.
  package private(set) var presentPitch: Float = 0
  /// The number of consecutive silent frames up to now.
  package private(set) var silentFrames: Int
  /// The duration of a round, in seconds.
  package let secondsARound: Float
  /// The number of frames until the next result.
  package private(set) var framesToRound: Int

  private let sampleRate: Float
  private var tracker: PitchTracker
  private var lead: PitchLead
  // The powers of both sides in this round, their means, and the sides of the voice.
  private var roundPowers = SIMD2<Float>()
  private var powers = SIMD2<Float>()
  private var slowPowers = SIMD2<Float>()
  private var sides = VoiceSides.both
  private let framesARound: Int
  private var framesToSlot: Int

  /// Creates a voice with empty history.
  package init(sampleRate: Double) {
    self.sampleRate = Float(sampleRate)
    tape = Tape(seconds: Self.tapeSeconds, reach: Self.tapeReach, sampleRate: sampleRate)
    silentFrames = tape.capacity + 1
    tracker = PitchTracker(sampleRate: sampleRate)
    tracked = tracker.pitch
    framesToSlot = tracker.slotFrames
    framesARound = PitchTracker.slots * tracker.slotFrames
    framesToRound = framesARound
    secondsARound = Float(framesARound) / Float(sampleRate)
    lead = PitchLead(seconds: Self.latenessSeconds, interval: secondsARound)
  }

  /// Sets the sides of the input that are the voice.
  @_noLocks
  package mutating func setSides(_ value: VoiceSides) {
    sides = value
    tracker.setSides(value)
  }

  /// Whether the tape is silent.
  package var isSilent: Bool { @_noLocks get { silentFrames > tape.capacity } }

  /// Restarts after the end of another tape.
  @_noLocks
  package mutating func start(after other: borrowing Tape) {
    let first = other.head &- Int64(Self.framesBefore)
    let sound = Stereo(
      UnsafeMutablePointer(mutating: other.left(at: first)),
      UnsafeMutablePointer(mutating: other.right(at: first)))
    tape.write(sound, frames: Self.framesBefore)
    tracker.start(at: tape.head &- 1)
    lead.reset()
    pitch = nil
    tracked = tracker.pitch
    silentFrames = 0
  }

  /// Appends frames, at most up to the next result; nil is silence.
  ///
  /// Returns whether there is a new result.
  @_noLocks
  package mutating func write(_ sound: Stereo?, frames: Int) -> Bool {
    if let sound {
      roundPowers += SIMD2(
        rt_product(sound.left, sound.left, frames), rt_product(sound.right, sound.right, frames))
      silentFrames = 0
      tape.write(sound, frames: frames)
    } else {
      silentFrames &+= frames
      tape.writeSilence(frames: frames)
    }
    track(frames: frames)
    framesToRound &-= frames
    if framesToRound > 0 { return false }
    framesToRound = framesARound
    tracked = tracker.pitch
    followPowers()
    isVoiced = tracker.isVoiced && tracker.lowPower > Self.leastLow * power
    if tracker.isVoiced {
      let measured = Semitones.note(hertz: sampleRate / tracker.period)
      pitch = measured
      presentPitch = lead.follow(measured)
    } else {
      pitch = nil
      lead.reset()
    }
    return true
  }

  /// The power of the voice per frame, as mixed for the tracker.
  private var power: Float {
    @_noLocks get {
      switch sides {
      // In phase, or silent on one side.
      case .both:
        let left = rt_square_root(powers.x)
        let right = rt_square_root(powers.y)
        return (left + right) * (left + right)
      case .left: return powers.x
      case .right: return powers.y
      }
    }
  }

  /// Updates the powers and shares with those of a round.
  @_noLocks
  private mutating func followPowers() {
    let now = roundPowers / Float(framesARound)
    roundPowers = SIMD2()
    // Non-finite input is replaced before, but its square can be too large.
    guard now.x < 1e30 && now.y < 1e30 else { return }
    powers += min(1, secondsARound / Self.powerSeconds) * (now - powers)
    let sum = slowPowers.x + slowPowers.y
    // After silence, the first sound counts at once.
    let share = sum < 1e-9 ? 1 : min(1, secondsARound / Self.sharesSeconds)
    slowPowers += share * (now - slowPowers)
    let total = slowPowers.x + slowPowers.y
    switch sides {
    case .both: if total > 1e-9 { shares = slowPowers / total }
    case .left: shares = SIMD2(1, 0)
    case .right: shares = SIMD2(0, 1)
    }
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
}
