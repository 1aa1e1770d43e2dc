internal import DSP

/// The pitch correction of the live input, to the notes of the grid or held notes.
struct Tune: ~Copyable {
  private var tuner: VoiceTuner
  private var mix: WetMix
  private var isOn = false
  private var isBypassed = false
  // Whether the tuner's tape is contiguous with the input.
  private var isTaken = false
  private var targets: TuneTargets = .scale
  private let buffers = Buffers()
  // Equal temperament, until a key map is set.
  private let equal: UnsafeMutablePointer<Float>
  private var keys: KeyMapPointer?
  /// The notes that are held.
  var held = HeldPitches()
  // The last published pitch; nil for none.
  private var published: Float?

  init(sampleRate: Double) {
    tuner = VoiceTuner(sampleRate: sampleRate)
    mix = WetMix(sampleRate: Float(sampleRate))
    mix.move(to: 0, warmUp: 0)
    mix.settle(delay: 0)
    equal = buffers.floats(KeyMap.keys)
    for key in 0..<KeyMap.keys { equal[key] = Float(100 * key) }
  }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter.Tune, _ value: Float) {
    switch parameter {
    case .on:
      isOn = value != 0
      follow()
    case .amount: tuner.corrector.amount = value
    case .speed: tuner.corrector.speed = value * 0.001
    case .vibrato: tuner.corrector.vibrato = value
    case .scale: targets = TuneTargets(number: value)
    }
  }

  /// Applies the engine and the bypass of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    isBypassed = chain.isBypassed
    // The engine of a pitch shift keeps the formants of what it gets.
    if case .voice = chain.engine, !chain.isPitching {
      tuner.setEngine(.voice)
    } else {
      tuner.setEngine(.live)
    }
    follow()
  }

  @_noLocks
  private mutating func follow() {
    mix.move(to: isOn && !isBypassed ? 1 : 0, warmUp: tuner.warmUp)
    mix.setDelay(delay)
  }

  /// Sets the key map, whose notes are the targets.
  @_noLocks
  mutating func use(_ map: KeyMapPointer?) { keys = map }

  /// Applies all settings at once, before the first block.
  @_noLocks
  mutating func settle() {
    tuner.settle()
    mix.settle(delay: delay)
  }

  /// The delay, in frames.
  var delay: Int { @_noLocks get { mix.share == 0 ? 0 : tuner.delay } }

  /// Whether it passes the sound unchanged.
  var isOff: Bool { @_noLocks get { mix.isDry && mix.longestDelay == 0 } }

  /// Whether it is idle: silent, with no parameter moving.
  var isAtRest: Bool { @_noLocks get { isOff || tuner.isIdle && !mix.isChanging } }

  private var pitches: PitchTargets {
    @_noLocks get {
      switch targets {
      case .scale: all(keys?.snapped)
      case .chromatic: all(keys?.own)
      case .held: held.targets
      }
    }
  }

  @_noLocks
  private func all(_ cents: UnsafePointer<Float>?) -> PitchTargets {
    PitchTargets(cents: cents ?? UnsafePointer(equal), count: KeyMap.keys, inAllOctaves: false)
  }

  /// Publishes the pitches if they can have changed.
  @_noLocks
  mutating func publish(to shared: borrowing PublishedTune) {
    let sung = isOff ? nil : tuner.sung
    if sung == nil && published == nil { return }
    published = sung
    guard let sung else {
      shared.store(sung: -1, heard: -1, target: -1)
      return
    }
    let corrector = tuner.corrector
    shared.store(sung: sung, heard: sung + corrector.shift, target: corrector.target ?? -1)
  }

  // MARK: - Sound

  /// Processes a block; `tape` holds the sound before it.
  ///
  /// Returns false, and writes nothing, if the result is silent.
  @_noLocks
  mutating func process(
    _ sound: Stereo, isSilent: Bool, after tape: borrowing Tape, to out: Stereo, frames: Int
  ) -> Bool {
    if !isTaken {
      tuner.start(after: tape)
      isTaken = true
    }
    let isSounding = render(sound, isSilent: isSilent, to: out, frames: frames)
    isTaken = !isOff
    return isSounding
  }

  @_noLocks
  private mutating func render(
    _ sound: Stereo, isSilent: Bool, to out: Stereo, frames: Int
  ) -> Bool {
    if isSilent && isAtRest { return false }
    let isWet = mix.isWet
    let isWetSounding = tuner.process(
      isSilent ? nil : sound, toward: pitches, to: isWet ? out : mix.wet, frames: frames)
    if isWet { return isWetSounding }
    guard isWetSounding || tuner.silentFrames <= 2 &* mix.longestDelay &+ frames else {
      mix.skip(frames: frames)
      return false
    }
    if !isWetSounding { mix.wet.clear(frames: frames) }
    mix.render(tuner.tape, to: out, frames: frames)
    return true
  }
}

/// The target notes.
enum TuneTargets: BitwiseCopyable {
  /// The notes of the grid's scale.
  case scale
  /// All notes of the grid's tuning.
  case chromatic
  /// The notes that are held on grid and MIDI keyboards, in any octave.
  case held

  @_noLocks
  init(number: Float) { self = number == 1 ? .chromatic : number == 2 ? .held : .scale }
}
