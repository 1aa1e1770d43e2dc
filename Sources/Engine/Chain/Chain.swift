internal import DSP

/// The chain of effects, through which sound goes to the output unless its route leads past it.
///
/// The live input has its pitch and time changed on its own; then all that goes through the
/// chain meets the echo, and then the reverb.
struct Chain: ~Copyable {
  private var input: LiveInput
  private var echo: Echo
  private var reverb: Reverb
  private var isBypassed = false
  private var isEchoOn = false
  private var isReverbOn = false
  private var echoSeconds: Float = 0
  private var echoBeats: Float = 0
  private var beatsPerMinute: Float = 120

  init(sampleRate: Double) {
    input = LiveInput(sampleRate: sampleRate)
    echo = Echo(sampleRate: Float(sampleRate))
    reverb = Reverb(sampleRate: Float(sampleRate))
  }

  // MARK: - Parameters

  /// Goes by the pitch and stretch that are asked for.
  @_noLocks
  mutating func follow(_ warp: ChainWarp) { input.follow(warp) }

  @_noLocks
  mutating func set(_ parameter: Parameter.Echo, _ value: Float) {
    switch parameter {
    case .on:
      isEchoOn = value != 0
      switchUnits()
    case .time:
      echoSeconds = value
      setEchoTime()
    case .beats:
      echoBeats = value
      setEchoTime()
    case .feedback: echo.setFeedback(value)
    case .tone: echo.setHighCut(hertz: value)
    case .lowcut: echo.setLowCut(hertz: value)
    case .spread: echo.setSpread(value)
    case .glide: echo.setGlides(value != 0)
    case .hold: echo.setHold(value != 0)
    case .mix: echo.setMix(value)
    }
  }

  @_noLocks
  mutating func set(_ parameter: Parameter.Reverb, _ value: Float) {
    switch parameter {
    case .on:
      isReverbOn = value != 0
      switchUnits()
    case .decay: reverb.setDecay(seconds: value)
    case .size: reverb.setSize(value)
    case .damping: reverb.setDamping(hertz: value)
    case .predelay: reverb.setPredelay(seconds: value)
    case .mix: reverb.setMix(value)
    }
  }

  /// Sets the tempo, in beats a minute, for an echo whose time is in beats.
  @_noLocks
  mutating func setTempo(_ value: Float) {
    beatsPerMinute = value
    setEchoTime()
  }

  /// Switches the effects off for a while, each by its own fade.
  @_noLocks
  mutating func setBypassed(_ value: Bool) {
    isBypassed = value
    switchUnits()
  }

  @_noLocks
  private mutating func switchUnits() {
    echo.setOn(isEchoOn && !isBypassed)
    reverb.setOn(isReverbOn && !isBypassed)
  }

  /// Resolves the echo's time: in beats, where it is set in beats.
  @_noLocks
  private mutating func setEchoTime() {
    guard echoBeats > 0 else {
      echo.setSeconds(echoSeconds)
      return
    }
    var seconds = echoBeats * 60 / beatsPerMinute
    // What is longer than the echo can be is halved, which stays in the beat.
    while seconds > Echo.longestSeconds { seconds /= 2 }
    echo.setSeconds(max(seconds, 0.001))
  }

  /// The delay of the live input, in frames.
  var delay: Int {
    @_noLocks get { input.delay }
  }

  /// The frames that the live input, after it was not needed for a while, takes until it is whole.
  var warmUp: Int {
    @_noLocks get { input.warmUp }
  }

  /// Jumps to all settings, before anything is heard.
  @_noLocks
  mutating func settle() {
    input.settle()
    echo.settle()
    reverb.settle()
  }

  /// Silences what is still held of the past.
  @_noLocks
  mutating func reset() {
    input.reset()
    echo.reset()
    reverb.reset()
  }

  /// Whether nothing sounds and nothing moves: in silence it may be left alone.
  var isAtRest: Bool {
    @_noLocks get { input.isAtRest && echo.isAtRest && reverb.isAtRest }
  }

  /// Lets time pass while it is at rest.
  @_noLocks
  mutating func rest(frames: Int) {
    input.rest(frames: frames)
    reverb.rest(frames: frames)
  }

  /// Takes in a block of the live input, and renders what of it goes on through the chain, where
  /// that is needed; false when it is silent or not needed, and not written.
  @_noLocks
  mutating func warp(
    _ sound: Stereo, isSilent: Bool, isNeeded: Bool, to out: Stereo, frames: Int
  ) -> Bool {
    input.process(sound, isSilent: isSilent, isNeeded: isNeeded, to: out, frames: frames)
  }

  /// Takes a block of all sources through the effects, in place; false when the outcome is silent.
  @_noLocks
  mutating func process(_ bus: Stereo, isSilent: Bool, frames: Int) -> Bool {
    let isEchoing = echo.process(bus, frames: frames, isSilent: isSilent)
    return reverb.process(bus, frames: frames, isSilent: !isEchoing)
  }
}
