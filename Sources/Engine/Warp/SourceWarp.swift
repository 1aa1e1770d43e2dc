internal import DSP

/// The warp behind a source's tape: at the pitch and rate that the source asks for itself, and the
/// chain on top of that while the source goes through it.
struct SourceWarp: ~Copyable {
  /// The most frames of a tape that an engine reads in one piece, and a little more: at 192 kHz,
  /// 8192 of the studio engine's window, and some 8900 of the live engine's search.
  static var reach: Int { @_noLocks get { 16_384 } }
  private static var mostSemitones: Float { @_noLocks get { 24 } }
  private static var slowest: Float { @_noLocks get { 0.25 } }
  /// The greatest rate.
  static var fastest: Float { @_noLocks get { 4 } }

  private var warp: Warp
  private var chain = ChainWarp()
  private(set) var isThroughChain = true
  private var semitones: Float = 0
  private var rate: Float = 1
  // That of the chain where the source has none of its own.
  private var engine: WarpEngine?

  /// The rate that all that turns it comes to.
  private(set) var speed: Float = 1
  /// Whether the sound comes as it is on the tape.
  private(set) var isPlain = true

  /// A warp for a tape that keeps `seconds`; with an engine of its own, or that of the chain.
  init(seconds: Double, sampleRate: Double, engine: WarpEngine? = nil) {
    warp = Warp(seconds: seconds, sampleRate: sampleRate)
    self.engine = engine
  }

  // MARK: - Parameters

  /// Sets the pitch that the source asks for itself.
  @_noLocks
  mutating func setSemitones(_ value: Float) {
    semitones = value
    apply()
  }

  /// Sets the rate that the source asks for itself.
  @_noLocks
  mutating func setRate(_ value: Float) {
    rate = value
    apply()
  }

  /// Sets the source's own engine.
  @_noLocks
  mutating func setEngine(_ engine: WarpEngine) {
    self.engine = engine
    apply()
  }

  /// Sets what the chain asks for.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    self.chain = chain
    apply()
  }

  /// Sets whether the source goes through the chain.
  @_noLocks
  mutating func setThroughChain(_ value: Bool) {
    isThroughChain = value
    apply()
  }

  /// Lets the warp go to what all of it comes to.
  @_noLocks
  private mutating func apply() {
    let pitch = semitones + (isThroughChain ? chain.semitones : 0)
    let formant = isThroughChain ? chain.formant : 0
    let speed = rate * (isThroughChain ? chain.rate : 1)
    self.speed = max(Self.slowest, min(speed, Self.fastest))
    isPlain = speed == 1 && pitch == 0 && formant == 0
    // Where nothing is to be changed, the sound comes as it is.
    warp.setEngine(engine ?? (isThroughChain && chain.isOn ? chain.engine : .live))
    warp.setPitch(semitones: max(-Self.mostSemitones, min(pitch, Self.mostSemitones)))
    warp.setFormant(semitones: formant)
    warp.setRate(self.speed)
  }

  /// Jumps to where pitch and rate go to, before anything is heard.
  @_noLocks
  mutating func settle() { warp.settle() }

  // MARK: - Sound

  /// By how many frames the sound is late at rate 1.
  var delay: Int { @_noLocks get { warp.delay } }
  /// How many frames after it has rested its output is whole.
  var warmUp: Int { @_noLocks get { warp.warmUp } }
  /// Whether it has nothing to say, and nothing in it moves.
  var isIdle: Bool { @_noLocks get { warp.isIdle } }

  /// Goes on by frames that nobody needs; what comes then begins anew.
  @_noLocks
  mutating func rest(frames: Int) { warp.rest(frames: frames) }

  /// Leaps to the newest sound of a tape that is being written.
  @_noLocks
  mutating func returnToNow() { warp.returnToNow() }

  /// Renders as many frames as were written to the tape last; false when that is silent, and not
  /// written.
  @_noLocks
  mutating func process(_ tape: borrowing Tape, to out: Stereo, frames: Int) -> Bool {
    warp.process(tape, to: out, frames: frames)
  }

  /// Renders the next frames of a loop through a gate; false, and nothing written, where that is
  /// closed.
  @_noLocks
  mutating func process(
    _ loop: inout LoopTape, through gate: inout Gate, to out: Stereo, frames: Int
  ) -> Bool {
    if restsBehind(gate, frames: frames) { return false }
    warp.process(&loop, to: out, frames: frames)
    gate.apply(to: out, frames: frames)
    return true
  }

  /// Renders the next frames of a song likewise.
  @_noLocks
  mutating func process(
    _ song: inout SongTape, through gate: inout Gate, to out: Stereo, frames: Int
  ) -> Bool {
    if restsBehind(gate, frames: frames) { return false }
    warp.process(&song, to: out, frames: frames)
    gate.apply(to: out, frames: frames)
    return true
  }

  @_noLocks
  private mutating func restsBehind(_ gate: Gate, frames: Int) -> Bool {
    if gate.isClosed { warp.rest(frames: frames) }
    return gate.isClosed
  }
}
