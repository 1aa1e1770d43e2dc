internal import DSP

/// The live input before the chain: the tape of its last seconds, the warp that plays it, and the mix with
/// the dry sound.
struct LiveInput: ~Copyable {
  private static var tapeSeconds: Double { @_noLocks get { 10 } }

  private var tape: Tape
  private var warp: SourceWarp
  private var mix: WetMix
  private var silentFrames: Int

  init(sampleRate: Double) {
    // A little more than documented, for the crossfades of jumps.
    tape = Tape(seconds: Self.tapeSeconds + 0.2, reach: SourceWarp.reach, sampleRate: sampleRate)
    // Silence is not written to an empty tape.
    silentFrames = tape.capacity + 1
    warp = SourceWarp(seconds: Self.tapeSeconds, sampleRate: sampleRate)
    mix = WetMix(sampleRate: Float(sampleRate))
  }

  // MARK: - Parameters

  /// Applies the pitch and stretch of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    // During its fade-out the warp keeps its settings.
    if chain.isOn { warp.follow(chain) }
    mix.move(to: !chain.isOn ? 0 : chain.isPitching ? chain.mix : 1, warmUp: warp.warmUp)
  }

  /// The delay, in frames.
  var delay: Int {
    @_noLocks get { mix.share == 0 ? 0 : warp.delay }
  }

  /// The number of frames until the output is complete after a pause.
  var warmUp: Int {
    @_noLocks get { mix.share == 0 ? 0 : warp.warmUp }
  }

  /// Applies all settings at once, without glides, before the first block.
  @_noLocks
  mutating func settle() {
    warp.settle()
    mix.settle(delay: delay)
  }

  /// Returns to the present, and drops the sound in the warp.
  @_noLocks
  mutating func reset() { warp.returnToNow() }

  /// Whether the input is idle: the tape is silent, and no parameter moves.
  var isAtRest: Bool {
    @_noLocks get { silentFrames > tape.capacity && warp.isIdle && !mix.isChanging }
  }

  /// Advances the input while it is idle.
  @_noLocks
  mutating func rest(frames: Int) { warp.rest(frames: frames) }

  // MARK: - Sound

  /// Writes a block to the tape, and renders the sound for the chain if that is needed.
  ///
  /// Returns false, and writes nothing, if it is silent or not needed.
  @_noLocks
  mutating func process(
    _ sound: Stereo, isSilent: Bool, isNeeded: Bool, to out: Stereo, frames: Int
  ) -> Bool {
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
    mix.setDelay(delay)
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
