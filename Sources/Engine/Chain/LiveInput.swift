internal import DSP

/// The live input before the chain: its pitch correction, the tape of its last seconds, the warp that plays it, and
/// the mix with the dry sound.
struct LiveInput: ~Copyable {
  private static var tapeSeconds: Double { @_noLocks get { 10 } }

  var tune: Tune
  var harmonies: Harmonies
  private let tuned: Stereo
  private let buffers = Buffers()
  private var tape: Tape
  private var warp: SourceWarp
  private var mix: WetMix
  private var silentFrames: Int
  /// Whether the input arrives stretched.
  var isStretched = false

  init(sampleRate: Double) {
    tune = Tune(sampleRate: sampleRate)
    harmonies = Harmonies(sampleRate: sampleRate)
    tuned = buffers.stereo(SegmentMemory.longest)
    // A little more than documented, for the crossfades of jumps.
    tape = Tape(seconds: Self.tapeSeconds + 0.2, reach: SourceWarp.reach, sampleRate: sampleRate)
    // Silence is not written to an empty tape.
    silentFrames = tape.capacity + 1
    warp = SourceWarp(seconds: Self.tapeSeconds, sampleRate: sampleRate)
    mix = WetMix(sampleRate: Float(sampleRate))
  }

  // MARK: - Parameters

  /// Sets a parameter of the pitch correction.
  @_noLocks
  mutating func set(_ parameter: Parameter.Tune, _ value: Float) { tune.set(parameter, value) }

  /// Sets a parameter of a harmony voice, counted from 0.
  @_noLocks
  mutating func set(_ parameter: Parameter.Harmony, ofVoice index: Int, _ value: Float) {
    harmonies.set(parameter, ofVoice: index, value)
  }

  /// Sets the input whose chords the harmonies follow.
  @_noLocks
  mutating func setChordInput(_ value: Float) {
    let input = ChordInput(number: value)
    harmonies.setChordInput(input)
    tune.setChordInput(input)
  }

  /// Applies the pitch and stretch of the chain.
  @_noLocks
  mutating func follow(_ settings: ChainWarp) {
    let chain = isStretched ? settings.withoutStretch : settings
    tune.follow(chain)
    harmonies.setBypassed(chain.isBypassed)
    // During its fade-out the warp keeps its settings.
    if chain.isOn { warp.follow(chain) }
    mix.move(to: !chain.isOn ? 0 : chain.isPitching ? chain.mix : 1, warmUp: warp.warmUp)
  }

  /// The delay, in frames.
  var delay: Int { @_noLocks get { tune.delay &+ delayOfWarp } }

  private var delayOfWarp: Int { @_noLocks get { mix.share == 0 ? 0 : warp.delay } }

  /// The number of frames until the output is complete after a pause.
  var warmUp: Int {
    @_noLocks get { mix.share == 0 ? 0 : warp.warmUp }
  }

  /// Applies all settings at once, without glides, before the first block.
  @_noLocks
  mutating func settle() {
    tune.settle()
    harmonies.settle()
    warp.settle()
    mix.settle(delay: delayOfWarp)
  }

  /// Returns to the present, and drops the sound in the warp.
  @_noLocks
  mutating func reset() { warp.returnToNow() }

  /// Whether the input is idle: the tape is silent, and no parameter moves.
  var isAtRest: Bool {
    @_noLocks get {
      silentFrames > tape.capacity && warp.isIdle && !mix.isChanging && tune.isAtRest
        && (harmonies.isOff || tune.isVoiceSilent)
    }
  }

  /// Whether it passes sound unchanged, and silence as silence, until a parameter is set.
  ///
  /// If it is not needed, it has no sound.
  @_noLocks
  func isSteady(sounds: Bool, isNeeded: Bool) -> Bool {
    guard tune.isOff, harmonies.isOff, !harmonies.isSounding, !mix.isChanging else { return false }
    if !isNeeded { return true }
    if mix.isWet { return sounds ? warp.isSteady(on: tape) : warp.isIdle }
    // The dry sound of a delay would end later.
    return mix.isDirect && (sounds || silentFrames > SegmentMemory.longest)
  }

  /// Advances the input while it is idle.
  @_noLocks
  mutating func rest(frames: Int) { warp.rest(frames: frames) }

  // MARK: - Sound

  /// Renders the harmonies of another sound than the live input, which is not corrected.
  @_noLocks
  mutating func renderHarmonies(of sound: Stereo, frames: Int) {
    harmonies.begin()
    if harmonies.isOff { return }
    harmonies.hear(sound, frames: frames)
    tune.renderHarmonies(of: sound, after: tape, beside: &harmonies, to: tuned, frames: frames)
  }

  /// Writes a block to the tape, and renders the sound for the chain if that is needed.
  ///
  /// Only a voice is corrected, and has harmonies.
  /// Returns false, and writes nothing, if it is silent or not needed.
  @_noLocks
  mutating func process(
    _ input: Stereo, isSilent isInputSilent: Bool, isVoice: Bool = true, isNeeded: Bool,
    to out: Stereo, frames: Int
  ) -> Bool {
    var (sound, isSilent) = (input, isInputSilent)
    harmonies.begin()
    let isTuned = isVoice && !tune.isOff
    if isVoice && (isTuned || !harmonies.isOff) {
      harmonies.hear(input, frames: frames)
      let isSounding = tune.process(
        input, isSilent: isInputSilent, after: tape, beside: &harmonies, to: tuned, frames: frames)
      if isTuned { (sound, isSilent) = (tuned, !isSounding) }
    }
    // Silence is not written to a silent tape.
    let isEmpty = isSilent && silentFrames > tape.capacity
    if !isSilent {
      silentFrames = 0
      tape.write(sound, frames: frames)
    } else if !isEmpty {
      silentFrames &+= frames
      tape.writeSilence(frames: frames)
    }
    if isEmpty || !isNeeded {
      mix.skip(frames: frames)
      warp.rest(frames: frames)
      return false
    }
    mix.setDelay(delayOfWarp)
    if mix.isWet {
      if !isSilent || !warp.isIdle { return warp.process(tape, to: out, frames: frames) }
      warp.rest(frames: frames)
      return false
    }
    let isDrySounding = silentFrames <= 2 &* mix.longestDelay &+ frames
    if mix.isDry {
      warp.rest(frames: frames)
      if isDrySounding { mix.renderDry(tape, to: out, frames: frames) }
      return isDrySounding
    }
    let isWetSounding = warp.process(tape, to: mix.wet, frames: frames)
    guard isWetSounding || isDrySounding else {
      mix.skip(frames: frames)
      return false
    }
    if !isWetSounding { mix.wet.clear(frames: frames) }
    mix.render(tape, to: out, frames: frames)
    return true
  }
}
