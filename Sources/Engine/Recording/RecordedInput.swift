internal import DSP

/// A recording in place of the live input: played from its first frame to its last at the rate of the chain,
/// and shifted to its pitch like the live input.
///
/// With pitch correction it is only played at the rate: the live input's correction and pitch shift come after it.
///
/// Its driver has no deadline: before each block, it waits until the ring holds all the data that the
/// block can need.
struct RecordedInput: ~Copyable {
  // More than the delay of any engine.
  private static var drySeconds: Double { @_noLocks get { 0.2 } }
  // The tail of an engine after the last frame: its delay, and the drag of a low pitch or of a harmony.
  private static var dragSeconds: Double { @_noLocks get { 0.25 } }

  private var tape: SongTape
  // At the rate alone: the dry sound, and the sound that bypasses the chain.
  private var plain: Warp
  // At the pitch as well.
  private var pitched: Warp
  private var dryTape: Tape
  private var mix: WetMix
  private var framesAtEnd = 0
  private let recording: SongPointer
  /// Whether the pitch correction applies to it.
  let isTuned: Bool
  private let dragFrames: Int
  private var chain = ChainWarp()
  private var isThroughChain = true

  /// Plays the recording of a ring, at a rate in Hz.
  init(_ recording: SongPointer, isTuned: Bool, sampleRate: Double) {
    self.isTuned = isTuned
    tape = SongTape(reach: SourceWarp.reach, sampleRate: sampleRate)
    plain = Warp(seconds: 0.1, sampleRate: sampleRate)
    pitched = Warp(seconds: 0.1, sampleRate: sampleRate)
    dryTape = Tape(seconds: Self.drySeconds, reach: SourceWarp.reach, sampleRate: sampleRate)
    mix = WetMix(sampleRate: Float(sampleRate))
    self.recording = recording
    dragFrames = Int(Self.dragSeconds * sampleRate)
    // As much leading silence as fits: an engine reads back into it.
    tape.begin(recording, silence: .max)
  }

  // MARK: - Parameters

  /// Applies the pitch and stretch of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    self.chain = chain
    apply()
  }

  /// Sets whether the recording is routed through the chain.
  ///
  /// If not, it plays at its own rate.
  @_noLocks
  mutating func setThroughChain(_ value: Bool) {
    isThroughChain = value
    apply()
  }

  /// Applies chain and route to both warps.
  @_noLocks
  private mutating func apply() {
    let speed = isThroughChain ? chain.rate : 1
    // At its own rate the dry sound is bit-exact.
    plain.setEngine(speed == 1 ? .live : chain.engine)
    plain.setRate(speed)
    pitched.setEngine(chain.engine)
    pitched.setRate(speed)
    pitched.setPitch(semitones: chain.semitones)
    pitched.setFormant(semitones: chain.formant)
    mix.move(
      to: isThroughChain && chain.isPitching && !isTuned ? chain.mix : 0, warmUp: pitched.warmUp)
  }

  /// Applies all settings at once, before the first block.
  @_noLocks
  mutating func settle() {
    plain.settle()
    pitched.settle()
    mix.settle(delay: dryDelay)
  }

  /// The delay of the sound, in frames.
  var delay: Int { @_noLocks get { mix.share == 0 ? plain.delay : pitched.delay } }

  /// The delay of the dry sound that matches the wet one, in frames.
  private var dryDelay: Int { @_noLocks get { max(0, delay &- plain.delay) } }

  /// Whether everything was played, including the tails of the engines.
  var isOver: Bool {
    @_noLocks get { framesAtEnd > dragFrames &+ 4 &* delay && !mix.isMoving }
  }

  // MARK: - Sound

  /// Renders the next frames at the rate alone; after the end, silence.
  @_noLocks
  mutating func render(plain sound: Stereo, frames: Int) {
    if isOver { return sound.clear(frames: frames) }
    plain.process(&tape, to: sound, frames: frames)
    pitched.rest(frames: frames)
    notePlace(frames: frames)
  }

  @_noLocks
  private mutating func notePlace(frames: Int) {
    if tape.isAtEnd { framesAtEnd &+= frames }
    recording.tell(framesHeard: tape.framesGone)
  }

  /// Renders the next frames at the rate alone, and those for the chain at the pitch as well.
  @_noLocks
  mutating func render(plain sound: Stereo, chain out: Stereo, frames: Int) {
    let isDry = mix.isDry
    if isDry {
      render(plain: sound, frames: frames)
    } else {
      plain.process(&tape, to: sound, beside: &pitched, to: mix.wet, frames: frames)
      notePlace(frames: frames)
    }
    dryTape.write(sound, frames: frames)
    mix.setDelay(dryDelay)
    if isDry {
      mix.renderDry(dryTape, to: out, frames: frames)
    } else {
      mix.render(dryTape, to: out, frames: frames)
    }
  }
}
