/// A stereo echo whose time, tone and place can be played.
///
/// Each repeat passes a low-cut and a high-cut, so that repeats darken; what goes back into the
/// delay is bent smoothly below full scale, so that it may be more than all of it. *Spread* is how
/// far repeats go to the sides: at 0 each side repeats in place as it came; up to a half, what
/// goes back changes over from its own side to the other; from there on each repeat changes
/// sides, and the higher the spread the more of the input begins on the left alone, until at 1 it
/// is all of it, as mono. No spread makes a repeat louder on a side than both sides came in.
///
/// Audio thread only. It allocates when it is made. What it yields doesn't depend on how the
/// frames are cut into blocks, but for where a tail below -120 dB is cut off.
package struct Echo: ~Copyable {
  private let anchor = Anchor()
  /// The shortest time, in seconds.
  package static var shortestSeconds: Float { @_noLocks get { 0.001 } }
  /// The longest time, in seconds.
  package static var longestSeconds: Float { @_noLocks get { 10 } }
  /// The most of a repeat that goes back into the delay.
  package static var mostFeedback: Float { @_noLocks get { 1.1 } }

  // Switching off and forgetting fade the tail out; holding fades what is written.
  private static let tailSeconds: Float = 0.025
  private static let holdSeconds: Float = 0.03
  // What enters an emptied delay begins softly, or its first repeat would begin with a click.
  private static let entrySeconds: Float = 0.01

  var line: EchoLine
  var time: EchoTime
  var tone: EchoTone
  let room: EchoPiece

  var feedback: Course
  var spread: Course
  var dry: Course
  var wet: Course
  /// The gain of the input into the delay.
  var entry: Fade
  /// The gain of the repeats.
  var tail: Fade
  /// The share of the held sound in what is written.
  var hold: Fade

  var mix: Float = 0.5
  /// Whether the echo was switched on; what is heard follows in fades.
  var isOn = false
  var isToHold = false
  var isToForget = false

  /// Whether anything is done at all: not when off and faded out.
  var isRunning = false
  /// Whether there is nothing left to say.
  var isIdle = false
  /// Counts frames, for what happens in steps.
  var clock = 0
  /// How many frames since anything above -120 dB was written.
  var quietFrames = 0
  /// How many frames are repeated while holding.
  var heldFrames = 0
  /// Which of the line's sets of weights is the current place's.
  var weightSet = 0

  /// An echo that is off, at 0.3 s, 0.4 of feedback, open filters and the middle of the mix.
  package init(sampleRate: Float) {
    // A bit more, for what readers look at around a place.
    line = EchoLine(seconds: 10.1, sampleRate: sampleRate)
    room = EchoPiece()
    time = EchoTime(seconds: 0.3, sampleRate: sampleRate, values: room.row(.fade))
    tone = EchoTone(sampleRate: sampleRate, room: room)
    feedback = Course(at: 0.4, sampleRate: sampleRate, values: room.row(.feedback))
    spread = Course(at: 0, sampleRate: sampleRate, values: room.row(.spread))
    dry = Course(at: 1, sampleRate: sampleRate, values: room.row(.dry))
    wet = Course(at: 1, sampleRate: sampleRate, values: room.row(.wet))
    entry = Fade(at: 1, length: Int(Self.entrySeconds * sampleRate), values: room.row(.entry))
    tail = Fade(at: 1, length: Int(Self.tailSeconds * sampleRate), values: room.row(.tail))
    hold = Fade(at: 0, length: Int(Self.holdSeconds * sampleRate), values: room.row(.hold))
  }

  deinit { room.deallocate() }

  /// Keeps a value within its bounds; what is no number is the lower one.
  @_noLocks
  private static func bounded(_ value: Float, _ low: Float, _ high: Float) -> Float {
    if value > high { return high }
    return value > low ? value : low
  }

  /// Switches the repeats on, with an empty delay, or fades them out and leaves the input as it
  /// is.
  @_noLocks
  package mutating func setOn(_ on: Bool) {
    isOn = on
    aimMix()
  }

  /// Sets the time of a repeat: 0.001 to 10 s, but never less than 24 frames.
  @_noLocks
  package mutating func setSeconds(_ seconds: Float) {
    time.move(to: Self.bounded(seconds, Self.shortestSeconds, Self.longestSeconds))
  }

  /// Sets whether a change of time glides like a tape's, instead of crossfading.
  @_noLocks
  package mutating func setGlides(_ glides: Bool) { time.glides = glides }

  /// Sets the gain from one repeat to the next: 0 to 1.1.
  @_noLocks
  package mutating func setFeedback(_ gain: Float) {
    feedback.move(to: Self.bounded(gain, 0, Self.mostFeedback))
  }

  /// Sets the frequency below which each repeat loses 6 dB an octave: 20 to 2000 Hz.
  @_noLocks
  package mutating func setLowCut(hertz: Float) {
    tone.setLowCut(hertz: Self.bounded(hertz, 20, 2000))
  }

  /// Sets the frequency above which each repeat loses 6 dB an octave: 200 to 20 000 Hz, where the
  /// last is out of the way.
  @_noLocks
  package mutating func setHighCut(hertz: Float) {
    tone.setHighCut(hertz: Self.bounded(hertz, 200, 20_000))
  }

  /// Sets how far repeats go to the sides: 0 in place to 1 left and right in turn.
  @_noLocks
  package mutating func setSpread(_ spread: Float) {
    self.spread.move(to: Self.bounded(spread, 0, 1))
  }

  /// Sets whether what is in the delay repeats unchanged, each side in place, and nothing new
  /// enters.
  ///
  /// The time that was set last, in whole frames, is the length of what is held; a change of time
  /// while holding is heard when holding ends.
  @_noLocks
  package mutating func setHold(_ hold: Bool) { isToHold = hold }

  /// Sets the mix: 0 the input, 1 the repeats; in the middle both are there in full.
  @_noLocks
  package mutating func setMix(_ mix: Float) {
    self.mix = Self.bounded(mix, 0, 1)
    aimMix()
  }

  /// The gain of the input that the mix asks for.
  var dryGain: Float { @_noLocks get { min(1, 2 * (1 - mix)) } }

  @_noLocks
  private mutating func aimMix() {
    dry.move(to: isOn ? dryGain : 1)
    wet.move(to: min(1, 2 * mix))
  }

  /// Fades the repeats out, forgets them and goes on.
  @_noLocks
  package mutating func reset() { isToForget = true }

  /// Jumps to all targets at once, for what can't be heard at the moment.
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

  /// Empties the delay line.
  @_noLocks
  mutating func forget() {
    line.empty()
    tone.clear()
    tail.jump(to: 1)
    entry.jump(to: 0)
    entry.begin(to: 1)
    isToForget = false
    // More than any time.
    quietFrames = Int.max / 2
  }
}
