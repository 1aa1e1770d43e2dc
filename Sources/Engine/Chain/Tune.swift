internal import DSP

/// The pitch correction of the live input, to the notes of the grid or held notes.
struct Tune: ~Copyable {
  private var tuner: VoiceTuner
  private var mix: WetMix
  private var isOn = false
  private var isBypassed = false
  // Whether the tuner's tape is contiguous with the input, and whether the tuner shifted the last block.
  private var isTaken = false
  private var wasShifting = false
  // Whether one input plays chords, and is not corrected; and its delay.
  private var chordInput = ChordInput.none
  private var beside: DelayedInput
  private let besideSound: Stereo
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
    beside = DelayedInput(sampleRate: Float(sampleRate))
    besideSound = buffers.stereo(SegmentMemory.longest)
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

  /// Sets the input that plays chords, and is not corrected.
  @_noLocks
  mutating func setChordInput(_ input: ChordInput) {
    chordInput = input
    tuner.setSides(input.voiceSides)
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

  /// Whether the sound that it holds is silent.
  var isVoiceSilent: Bool { @_noLocks get { tuner.voice.isSilent } }

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

  /// The settings and notes that harmonies depend on.
  private var singing: Singing {
    @_noLocks get {
      let isTuning = wasShifting && isOn && !pitches.isEmpty
      let corrector = tuner.corrector
      let own = keys?.own ?? UnsafePointer(equal)
      return Singing(
        amount: isTuning ? corrector.amount : 0, speed: corrector.speed,
        vibrato: corrector.vibrato, targets: isTuning ? pitches : all(own),
        scale: ScaleNotes(snapped: keys?.snapped ?? UnsafePointer(equal)),
        scaleTargets: all(keys?.snapped), own: own)
    }
  }

  /// Publishes the pitches if they can have changed.
  @_noLocks
  mutating func publish(to shared: borrowing PublishedTune) {
    let sung = isTaken ? tuner.voice.pitch : nil
    if sung == nil && published == nil { return }
    published = sung
    guard let sung else {
      shared.store(sung: -1, heard: -1, target: -1)
      return
    }
    let corrector = tuner.corrector
    shared.store(
      sung: sung, heard: wasShifting ? sung + corrector.shift : sung,
      target: wasShifting ? corrector.target ?? -1 : -1)
  }

  // MARK: - Sound

  /// Processes a block for the correction and the harmonies; `tape` holds the sound before it.
  ///
  /// Returns false, and writes nothing, if the correction is off or its result is silent.
  @_noLocks
  mutating func process(
    _ sound: Stereo, isSilent: Bool, after tape: borrowing Tape, beside harmonies: inout Harmonies,
    to out: Stereo, frames: Int
  ) -> Bool {
    let isShifting = !isOff
    if !isTaken {
      tuner.start(after: tape)
      isTaken = true
    } else if isShifting && !wasShifting {
      tuner.beginShift()
    }
    wasShifting = isShifting
    let isSounding = render(
      sound, isSilent: isSilent, beside: &harmonies, to: out, frames: frames)
    isTaken = !isOff || !harmonies.isOff
    return isSounding
  }

  /// Renders only the harmonies of a block.
  @_noLocks
  mutating func renderHarmonies(
    of sound: Stereo, after tape: borrowing Tape, beside harmonies: inout Harmonies,
    to unused: Stereo, frames: Int
  ) {
    if !isTaken { tuner.start(after: tape) }
    isTaken = true
    wasShifting = false
    _ = renderPieces(sound, beside: &harmonies, to: unused, frames: frames)
  }

  @_noLocks
  private mutating func render(
    _ sound: Stereo, isSilent: Bool, beside harmonies: inout Harmonies, to out: Stereo, frames: Int
  ) -> Bool {
    // Silence leaves it as it is.
    if isSilent && isAtRest && isVoiceSilent { return false }
    let isWet = mix.isWet
    let isWetSounding = renderPieces(
      isSilent ? nil : sound, beside: &harmonies, to: isWet ? out : mix.wet, frames: frames)
    if !wasShifting { return false }
    if isWetSounding { restoreChords(to: isWet ? out : mix.wet, frames: frames) }
    if isWet { return isWetSounding }
    guard isWetSounding || tuner.voice.silentFrames <= 2 &* mix.longestDelay &+ frames else {
      mix.skip(frames: frames)
      return false
    }
    if !isWetSounding { mix.wet.clear(frames: frames) }
    mix.render(tuner.voice.tape, to: out, frames: frames)
    return true
  }

  /// Processes the pieces of a block between the results of the pitch tracker.
  @_noLocks
  private mutating func renderPieces(
    _ sound: Stereo?, beside harmonies: inout Harmonies, to out: Stereo, frames: Int
  ) -> Bool {
    var isSounding = false
    var done = 0
    while done < frames {
      let untilResult = tuner.voice.framesToRound
      let count = min(frames &- done, untilResult)
      // A result applies to the frames after it.
      let tracked = tuner.voice.tracked
      let hasResult = tuner.take(sound?.advanced(by: done), frames: count)
      let piece = out.advanced(by: done)
      if wasShifting && tuner.render(to: piece, frames: count) {
        if !isSounding { out.clear(frames: done) }
        isSounding = true
      } else if isSounding {
        piece.clear(frames: count)
      }
      harmonies.render(
        tuner.voice, tracked, untilResult: untilResult, from: done, frames: count)
      if hasResult {
        if wasShifting { tuner.follow(toward: pitches) }
        harmonies.follow(tuner.voice, singing, held: held)
      }
      done &+= count
    }
    return isSounding
  }

  /// Replaces the side of the chords by the unchanged sound, with the delay of the correction.
  @_noLocks
  private mutating func restoreChords(to out: Stereo, frames: Int) {
    if case .none = chordInput { return }
    beside.setDelay(tuner.delay)
    beside.read(tuner.voice.tape, to: besideSound, frames: frames)
    if case .left = chordInput {
      Blocks.copy(besideSound.left, to: out.left, frames: frames)
    } else {
      Blocks.copy(besideSound.right, to: out.right, frames: frames)
    }
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
