/// A stereo echo whose time, tone and width can be played.
///
/// Each repeat passes a low-cut and a high-cut filter, so repeats darken. The feedback signal
/// saturates smoothly below full scale, so the feedback gain may exceed 1. *Spread* widens the
/// repeats. At 0 each channel repeats in place. Up to a half, the feedback crosses over from its
/// own channel to the other. Beyond that every repeat changes sides, and more and more of the input
/// enters on the left only, until at 1 all of it does, as mono: a ping-pong echo. No spread makes a
/// repeat louder on one side than both input channels were.
///
/// Audio thread only, except for `init`, which allocates. The result doesn't depend on the block
/// size, except for where a tail below -120 dB is cut off.
package struct Echo: ~Copyable {
  private let anchor = Anchor()
  private let buffers = Buffers()
  /// The shortest delay time, in seconds.
  package static var shortestSeconds: Float { @_noLocks get { 0.001 } }
  /// The longest delay time, in seconds.
  package static var longestSeconds: Float { @_noLocks get { 10 } }
  /// The highest feedback gain.
  package static var mostFeedback: Float { @_noLocks get { 1.1 } }

  // Bypass and reset fade out the tail; hold crossfades the input of the delay line.
  private static let tailSeconds: Float = 0.025
  private static let holdSeconds: Float = 0.03
  // The input of an empty delay line fades in, so that its first repeat doesn't click.
  private static let entrySeconds: Float = 0.01

  var line: EchoLine
  var time: EchoTime
  var tone: EchoTone
  let room: EchoPiece

  var feedback: GlideCurve
  var spread: GlideCurve
  var dry: GlideCurve
  var wet: GlideCurve
  /// The input gain of the delay line.
  var entry: Fade
  /// The gain of the repeats.
  var tail: Fade
  /// The share of held sound in the signal that is written.
  var hold: Fade

  var mix: Float = 0.5
  /// The on/off switch.
  ///
  /// The audible state follows with fades.
  var isOn = false
  var isToHold = false
  var isToForget = false

  /// Whether the echo processes at all: false once it is off and faded out.
  var isRunning = false
  /// Whether the delay line has nothing audible left.
  var isIdle = false
  /// Frame counter for control-rate updates.
  var clock = 0
  /// The number of frames since a sample above -120 dB was written.
  var quietFrames = 0
  /// The length of the held loop, in frames.
  var heldFrames = 0
  /// Which of the line's two sets of weights belongs to the current delay.
  var weightSet = 0

  /// Creates an echo that is off, at 0.3 s, feedback 0.4, filters open, mix 0.5.
  package init(sampleRate: Float) {
    // Margin for the interpolator's taps.
    line = EchoLine(seconds: 10.1, sampleRate: sampleRate)
    room = EchoPiece(in: buffers)
    time = EchoTime(seconds: 0.3, sampleRate: sampleRate, values: room.row(.fade))
    tone = EchoTone(sampleRate: sampleRate, room: room)
    feedback = GlideCurve(at: 0.4, sampleRate: sampleRate, values: room.row(.feedback))
    spread = GlideCurve(at: 0, sampleRate: sampleRate, values: room.row(.spread))
    dry = GlideCurve(at: 1, sampleRate: sampleRate, values: room.row(.dry))
    wet = GlideCurve(at: 1, sampleRate: sampleRate, values: room.row(.wet))
    entry = Fade(at: 1, length: Int(Self.entrySeconds * sampleRate), values: room.row(.entry))
    tail = Fade(at: 1, length: Int(Self.tailSeconds * sampleRate), values: room.row(.tail))
    hold = Fade(at: 0, length: Int(Self.holdSeconds * sampleRate), values: room.row(.hold))
  }

  /// Clamps a value to a range; NaN becomes the lower bound.
  @_noLocks
  private static func bounded(_ value: Float, _ low: Float, _ high: Float) -> Float {
    if value > high { return high }
    return value > low ? value : low
  }

  /// Turns the echo on with an empty delay line, or off by fading out the repeats and passing the
  /// input through.
  @_noLocks
  package mutating func setOn(_ on: Bool) {
    isOn = on
    aimMix()
  }

  /// Sets the delay time: 0.001 to 10 s, but at least 24 frames.
  @_noLocks
  package mutating func setSeconds(_ seconds: Float) {
    time.move(to: Self.bounded(seconds, Self.shortestSeconds, Self.longestSeconds))
  }

  /// Sets whether changes of the delay time glide like a tape delay's instead of crossfading.
  @_noLocks
  package mutating func setGlides(_ glides: Bool) { time.glides = glides }

  /// Sets the feedback gain: 0 to 1.1.
  @_noLocks
  package mutating func setFeedback(_ gain: Float) {
    feedback.move(to: Self.bounded(gain, 0, Self.mostFeedback))
  }

  /// Sets the corner of the 6 dB/octave low-cut in the feedback path: 20 to 2000 Hz.
  @_noLocks
  package mutating func setLowCut(hertz: Float) {
    tone.setLowCut(hertz: Self.bounded(hertz, 20, 2000))
  }

  /// Sets the corner of the 6 dB/octave high-cut in the feedback path: 200 to 20 000 Hz, where
  /// 20 000 bypasses it.
  @_noLocks
  package mutating func setHighCut(hertz: Float) {
    tone.setHighCut(hertz: Self.bounded(hertz, 200, 20_000))
  }

  /// Sets the spread: 0 repeats in place, 1 alternates between left and right.
  @_noLocks
  package mutating func setSpread(_ spread: Float) {
    self.spread.move(to: Self.bounded(spread, 0, 1))
  }

  /// Freezes the delay line: it loops unchanged, each channel in place, and no input enters.
  ///
  /// The loop length is the last delay time set, in whole frames. A change of the delay time during
  /// hold takes effect when hold ends.
  @_noLocks
  package mutating func setHold(_ hold: Bool) { isToHold = hold }

  /// Sets the mix: 0 is dry, 1 is wet, and 0.5 has both at full level.
  @_noLocks
  package mutating func setMix(_ mix: Float) {
    self.mix = Self.bounded(mix, 0, 1)
    aimMix()
  }

  /// The dry gain for the current mix.
  var dryGain: Float { @_noLocks get { min(1, 2 * (1 - mix)) } }

  @_noLocks
  private mutating func aimMix() {
    dry.move(to: isOn ? dryGain : 1)
    wet.move(to: min(1, 2 * mix))
  }

  /// Fades out the repeats, clears the delay line and continues.
  @_noLocks
  package mutating func reset() { isToForget = true }

  /// Jumps to all targets at once.
  ///
  /// For use while the echo is inaudible.
  @_noLocks
  package mutating func settle() {
    time.settle()
    tone.settle()
    feedback.settle()
    spread.settle()
    dry.settle()
    wet.settle()
    if !tail.rests(at: 1) || isToForget || isRunning != isOn { forget() }
    entry.jump(to: 1)
    isRunning = isOn
    if isToHold && !hold.rests(at: 1) { heldFrames = time.wholeTarget }
    hold.jump(to: isToHold ? 1 : 0)
  }

  /// Clears the delay line.
  @_noLocks
  mutating func forget() {
    line.empty()
    tone.clear()
    tail.jump(to: 1)
    entry.jump(to: 0)
    entry.begin(to: 1)
    isToForget = false
    // Longer than any delay time.
    quietFrames = Int.max / 2
  }
}
