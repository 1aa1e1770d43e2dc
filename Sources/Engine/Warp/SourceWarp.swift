internal import CRealtime
internal import DSP

/// The warp of a source's tape: the source's own pitch and rate, and those of the chain while the source
/// is routed through it.
struct SourceWarp: ~Copyable {
  /// The longest stretch of a tape that an engine reads at once, rounded up: at 192 kHz, 8192 frames for the
  /// window of the studio engine, and some 8900 for the search of the live engine.
  static var reach: Int { @_noLocks get { 16_384 } }
  private static var mostSemitones: Float { @_noLocks get { 24 } }
  /// The minimum rate.
  static var slowest: Float { @_noLocks get { 0.25 } }
  /// The maximum rate.
  static var fastest: Float { @_noLocks get { 4 } }

  private var warp: Warp
  private var chain = ChainWarp()
  private(set) var isThroughChain = true
  private var semitones: Float = 0
  private var rate: Float = 1
  // Varispeed.
  private var tapeSpeed: Float = 1
  /// The ratio of the tempo to the source's own; nil if it doesn't follow.
  private(set) var following: Double?
  // Whether an engine plays at it.
  private var isStretched = false
  // nil for that of the chain.
  private var engine: WarpEngine?

  /// The resulting rate.
  private(set) var exactSpeed = 1.0
  /// The resulting rate, rounded.
  var speed: Float { @_noLocks get { Float(exactSpeed) } }
  /// The rate that is set, apart from that of a followed tempo.
  private(set) var ownSpeed: Float = 1
  /// Whether pitch and rate are those of a tape at another speed.
  private(set) var isVarispeed = true
  /// Whether the source plays at another rate than its own, apart from a drift.
  private(set) var isMoved = false
  /// Whether it may follow a tempo by interpolation alone.
  private(set) var drifts = true
  /// By how much the pitch shortens the tape's sounds, at least 1.
  private(set) var shortening = 1.0
  /// Whether the tape plays unchanged.
  private(set) var isPlain = true

  /// A warp for a tape of `seconds`, with an engine of its own or that of the chain.
  init(seconds: Double, sampleRate: Double, engine: WarpEngine? = nil) {
    warp = Warp(seconds: seconds, sampleRate: sampleRate)
    self.engine = engine
  }

  // MARK: - Parameters

  /// Sets the source's own pitch.
  @_noLocks
  mutating func setSemitones(_ value: Float) {
    semitones = value
    apply()
  }

  /// Sets the source's own rate.
  @_noLocks
  mutating func setRate(_ value: Float) {
    rate = value
    apply()
  }

  /// Sets the source's varispeed: half speed is an octave lower.
  @_noLocks
  mutating func setTapeSpeed(_ value: Float) {
    tapeSpeed = value
    apply()
  }

  /// Sets the rate at which the source follows a tempo, stretched by an engine or drifting; nil if it doesn't.
  ///
  /// A source that follows is read ahead: the latency of its engine is not heard.
  @_noLocks
  mutating func follow(_ ratio: Double?, isStretched: Bool = false) {
    if ratio == following && isStretched == self.isStretched { return }
    following = ratio
    self.isStretched = isStretched
    apply()
  }

  /// Sets the source's own engine.
  @_noLocks
  mutating func setEngine(_ engine: WarpEngine) {
    self.engine = engine
    apply()
  }

  /// Applies the pitch and stretch of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    self.chain = chain
    apply()
  }

  /// Sets whether the source is routed through the chain.
  @_noLocks
  mutating func setThroughChain(_ value: Bool) {
    isThroughChain = value
    apply()
  }

  /// Applies the resulting settings to the warp.
  @_noLocks
  private mutating func apply() {
    let octaves = tapeSpeed == 1 ? 0 : rt_log(tapeSpeed) * 1.442_695
    let pitch = semitones + 12 * octaves + (isThroughChain ? chain.semitones : 0)
    // The formants move with the pitch of a tape.
    let formant = 12 * octaves + (isThroughChain ? chain.formant : 0)
    let own = rate * tapeSpeed * (isThroughChain ? chain.rate : 1)
    ownSpeed = own
    isVarispeed = own == tapeSpeed
    let ratio = following ?? 1
    exactSpeed = max(Double(Self.slowest), min(Double(own) * ratio, Double(Self.fastest)))
    shortening = Double(max(1, Semitones.ratio(pitch)))
    isPlain = own == 1 && pitch == 0 && formant == 0
    let isNear = !isStretched && abs(ratio - 1) <= DriftWarp.most
    let isTape = own == tapeSpeed && pitch == 12 * octaves && formant == 12 * octaves
    drifts = isTape && isNear
    isVarispeed = own == tapeSpeed && isNear
    isMoved = exactSpeed != 1 && !(drifts && own == 1)
    warp.setReadsAhead(following != nil)
    warp.setDrift(drifts && (following != nil || exactSpeed != 1) ? exactSpeed : nil)
    // Without a change, the live engine plays the tape unchanged.
    warp.setEngine(usedEngine)
    warp.setPitch(semitones: max(-Self.mostSemitones, min(pitch, Self.mostSemitones)))
    warp.setFormant(semitones: formant)
    warp.setRate(exactly: exactSpeed)
  }

  /// Applies all settings at once, before the first block.
  @_noLocks
  mutating func settle() { warp.settle() }

  // MARK: - Sound

  /// The delay at rate 1, in frames.
  var delay: Int { @_noLocks get { warp.readsAhead ? 0 : warp.delay } }
  /// The frames of tape before the first one that must be silent, and more than an engine reads ahead.
  var framesAround: Int { @_noLocks get { 4 &* warp.delay &+ 1024 } }
  /// The engine that plays the source.
  var usedEngine: WarpEngine {
    @_noLocks get {
      if let engine { return engine }
      let isChanged =
        isThroughChain && (chain.semitones != 0 || chain.formant != 0 || chain.rate != 1)
      // Only songs follow a tempo without an engine of their own, and songs are polyphonic.
      if isMoved && !isChanged { return .studio }
      return isThroughChain && chain.isOn ? chain.engine : .live
    }
  }
  /// How far the sound is behind the tape's position, in frames of the tape.
  var lag: Double { @_noLocks get { warp.readsAhead ? 0 : warp.lag } }
  /// The number of frames until the output is complete after a rest.
  var warmUp: Int { @_noLocks get { warp.warmUp } }
  /// Whether no engine hands over to another one, which may move the position.
  var isSettled: Bool { @_noLocks get { warp.isSettled } }
  /// Whether it plays a loop unchanged until a parameter is set.
  var isSteady: Bool { @_noLocks get { exactSpeed == 1 && warp.isSteady } }
  /// Whether it passes the newest sound of a tape unchanged until a parameter is set.
  @_noLocks
  func isSteady(on tape: borrowing Tape) -> Bool { warp.isSteady(on: tape) }
  /// Whether it is idle: silent, with no parameter moving.
  var isIdle: Bool { @_noLocks get { warp.isIdle } }

  /// Skips frames that are not needed.
  ///
  /// The next ones start from a reset state.
  @_noLocks
  mutating func rest(frames: Int) { warp.rest(frames: frames) }

  /// Jumps to the end of a tape that is being written.
  @_noLocks
  mutating func returnToNow() { warp.returnToNow() }

  /// Renders as many frames as were written to the tape last.
  ///
  /// Returns false, and writes nothing, if they are silent.
  @_noLocks
  mutating func process(_ tape: borrowing Tape, to out: Stereo, frames: Int) -> Bool {
    warp.process(tape, to: out, frames: frames)
  }

  /// Renders the next frames of a loop through a gate.
  ///
  /// Returns false, and writes nothing, if the gate is closed.
  @_noLocks
  mutating func process(
    _ loop: inout LoopTape, through gate: inout Gate, to out: Stereo, frames: Int
  ) -> Bool {
    if restsBehind(gate, frames: frames) { return false }
    warp.process(&loop, to: out, frames: frames)
    gate.apply(to: out, frames: frames)
    return true
  }

  /// Renders the next frames of a song in the same way.
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
