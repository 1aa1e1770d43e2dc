internal import DSP

/// The chain of effects for all sources that are routed through it.
///
/// Pitch and stretch are applied to each source on its own. The echo and then the reverb are applied to their
/// sum.
struct Chain: ~Copyable {
  var input: LiveInput
  private var echo: Echo
  private var reverb: Reverb
  private var echoEnd: RingOut
  private var reverbEnd: RingOut
  /// Whether an echo and a reverb that are turned off ring out.
  var ringsOut = false
  /// The settings of pitch and stretch, which apply to every source that is routed through the chain.
  private(set) var warp: ChainWarp
  private var isEchoOn = false
  private var isReverbOn = false
  private var echoSeconds: Float = 0
  private var echoBeats: Float = 0
  private var beatsPerMinute: Float = 120
  private var feedback: Float = 0
  private var isHeld = false
  // Echoes with more feedback take too long to ring out.
  private static var mostFeedback: Float { @_noLocks get { 0.95 } }

  init(sampleRate: Double, warp: ChainWarp = ChainWarp()) {
    self.warp = warp
    input = LiveInput(sampleRate: sampleRate)
    echo = Echo(sampleRate: Float(sampleRate))
    reverb = Reverb(sampleRate: Float(sampleRate))
    echoEnd = RingOut(sampleRate: sampleRate)
    reverbEnd = RingOut(sampleRate: sampleRate)
  }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter.Warp, _ value: Float) {
    warp.set(parameter, value)
    input.follow(warp)
  }

  @_noLocks
  mutating func set(_ parameter: Parameter.Echo, _ value: Float) {
    switch parameter {
    case .on:
      let ends = isEchoOn && value == 0 && ringsOut && !isHeld && feedback <= Self.mostFeedback
      isEchoOn = value != 0
      echoEnd.set(ends)
      switchUnits()
    case .time:
      echoSeconds = value
      setEchoTime()
    case .beats:
      echoBeats = value
      setEchoTime()
    case .feedback:
      feedback = value
      echo.setFeedback(value)
    case .tone: echo.setHighCut(hertz: value)
    case .lowcut: echo.setLowCut(hertz: value)
    case .spread: echo.setSpread(value)
    case .glide: echo.setGlides(value != 0)
    case .hold:
      isHeld = value != 0
      echo.setHold(isHeld)
    case .mix: echo.setMix(value)
    }
  }

  @_noLocks
  mutating func set(_ parameter: Parameter.Reverb, _ value: Float) {
    switch parameter {
    case .on:
      let ends = isReverbOn && value == 0 && ringsOut
      isReverbOn = value != 0
      reverbEnd.set(ends)
      switchUnits()
    case .decay: reverb.setDecay(seconds: value)
    case .size: reverb.setSize(value)
    case .damping: reverb.setDamping(hertz: value)
    case .predelay: reverb.setPredelay(seconds: value)
    case .mix: reverb.setMix(value)
    }
  }

  /// Sets the tempo, in beats per minute, for an echo whose time is in beats.
  @_noLocks
  mutating func setTempo(_ value: Float) {
    beatsPerMinute = value
    setEchoTime()
  }

  /// Ignores the rate for the input, which arrives stretched.
  mutating func expectStretchedInput() {
    input.isStretched = true
    input.follow(warp)
  }

  /// Bypasses the effects, each with its own fade.
  @_noLocks
  mutating func setBypassed(_ value: Bool) {
    warp.isBypassed = value
    input.follow(warp)
    switchUnits()
  }

  @_noLocks
  private mutating func switchUnits() {
    if warp.isBypassed {
      echoEnd.set(false)
      reverbEnd.set(false)
    }
    echo.setOn((isEchoOn || echoEnd.isWanted) && !warp.isBypassed)
    reverb.setOn((isReverbOn || reverbEnd.isWanted) && !warp.isBypassed)
  }

  /// Sets the time of the echo, from beats if it has any.
  @_noLocks
  private mutating func setEchoTime() {
    guard echoBeats > 0 else {
      echo.setSeconds(echoSeconds)
      return
    }
    var seconds = echoBeats * 60 / beatsPerMinute
    // A time that is too long is halved, so that it stays on the beat.
    while seconds > Echo.longestSeconds { seconds /= 2 }
    echo.setSeconds(max(seconds, 0.001))
  }

  /// Applies all settings at once, without glides, before the first block.
  @_noLocks
  mutating func settle() {
    input.settle()
    echo.settle()
    reverb.settle()
  }

  /// Clears all memory of past sound.
  @_noLocks
  mutating func reset() {
    input.reset()
    echo.reset()
    reverb.reset()
  }

  /// Whether the chain is idle: silent, with no parameter moving, so that silence needs no
  /// processing.
  var isAtRest: Bool {
    @_noLocks get { input.isAtRest && echo.isAtRest && reverb.isAtRest }
  }

  /// Whether the effects pass the sum of the sources unchanged.
  var areEffectsOff: Bool {
    @_noLocks get { echo.isOff && reverb.isOff && echoEnd.isAtRest && reverbEnd.isAtRest }
  }

  /// Advances the chain while it is idle.
  @_noLocks
  mutating func rest(frames: Int) {
    input.rest(frames: frames)
    reverb.rest(frames: frames)
  }

  /// Applies the effects to the sum of the sources, in place.
  ///
  /// Returns false if the result is silent.
  @_noLocks
  mutating func process(_ bus: Stereo, isSilent: Bool, frames: Int) -> Bool {
    let isEchoing = processEcho(bus, isSilent: isSilent, frames: frames)
    return processReverb(bus, isSilent: !isEchoing, frames: frames)
  }

  @_noLocks
  private mutating func processEcho(_ bus: Stereo, isSilent: Bool, frames: Int) -> Bool {
    if echoEnd.isAtRest { return echo.process(bus, frames: frames, isSilent: isSilent) }
    let isClosed = echoEnd.isClosed
    echoEnd.split(bus, frames: frames)
    let isEchoing = echo.process(bus, frames: frames, isSilent: isClosed || isSilent)
    echoEnd.join(bus, frames: frames)
    if isClosed && !isEchoing {
      // It has rung out, and passes the input from now on.
      echoEnd.end()
      echo.setOn(false)
      echo.settle()
    }
    return isEchoing || !isSilent
  }

  @_noLocks
  private mutating func processReverb(_ bus: Stereo, isSilent: Bool, frames: Int) -> Bool {
    if reverbEnd.isAtRest { return reverb.process(bus, frames: frames, isSilent: isSilent) }
    let isClosed = reverbEnd.isClosed
    reverbEnd.split(bus, frames: frames)
    let isRinging = reverb.process(bus, frames: frames, isSilent: isClosed || isSilent)
    reverbEnd.join(bus, frames: frames)
    if isClosed && !isRinging {
      reverbEnd.end()
      reverb.setOn(false)
      reverb.settle()
    }
    return isRinging || !isSilent
  }
}
