internal import CRealtime

/// The algorithm that a warp uses for pitch and time.
package enum WarpEngine: Int, CaseIterable, Sendable, BitwiseCopyable {
  /// Lowest latency, for single voices and noises.
  case live
  /// Formant-preserving, for speech and singing.
  case voice
  /// Polyphonic, for chords and mixes.
  case studio

  /// Returns the engine for a parameter value, or nil if there is none.
  @_noLocks
  package init?(number: Float) {
    // The real-time check rejects the initializer from a raw value.
    if number == 0 {
      self = .live
    } else if number == 1 {
      self = .voice
    } else if number == 2 {
      self = .studio
    } else {
      return nil
    }
  }
}

/// A pitch shifter and time stretcher that plays a tape, live or looped, at an independent pitch
/// and rate.
///
/// On a live tape, rate 1 follows the newest sound. Below 1 the warp falls behind as far as the
/// tape reaches, and then jumps back to the present. Above 1 it goes back and catches up with the
/// present, again and again. On return to rate 1 it jumps to the present. Such jumps are called
/// leaps.
package struct Warp: ~Copyable {
  // The tape required around a leap far back or close to the present, for the crossfade.
  private static var leapRoomSeconds: Double { @_noLocks get { 0.05 } }
  // How far a rate above 1 goes back: long enough for a phrase.
  private static var wayBackSeconds: Double { @_noLocks get { 1 } }
  // How far the live engine is behind on average, at its pitch: measured with pulses at 0.8 to 1.5 times the speed.
  private static var lagOfFastSeconds: Double { @_noLocks get { 0.0022 } }
  private static var lagOfSlowSeconds: Double { @_noLocks get { 0.0055 } }
  // The deviation from rate 1 at which a tape's speed changes without a step that is heard: twice the greatest drift.
  private static var withoutGlide: Int64 { @_noLocks get { WarpStep.unity / 256 } }
  private static var engineFadeSeconds: Double { @_noLocks get { 0.02 } }
  // Of two engines that play the same frames at nearly the same speed.
  private static var shortFadeSeconds: Double { @_noLocks get { 0.002 } }
  // How far the live engine may be from the position to go on from its own without one.
  private static var farthestOffSeconds: Double { @_noLocks get { 0.008 } }
  // Fast enough for a jump of pitch or rate to be heard as one, without phase jumps.
  private static var glideSeconds: Float { @_noLocks get { 0.003 } }
  // A fifth of a cent in semitones, a seventh of a percent in octaves of rate.
  private static var imperceptible: Float { @_noLocks get { 0.002 } }

  private let anchor = Anchor()
  private let buffers = Buffers()
  private let farthest: Int64
  private let leapRoom: Int64
  private let wayBack: Int64

  private let bank: SincBank
  var live: LiveWarp
  private var voice: VoiceWarp
  private var studio: StudioWarp

  var engine = Means.live
  private var wantedEngine = WarpEngine.live
  // A change of engine: the new one runs muted until its output is valid, and is then faded in.
  private var nextEngine = Means.live
  private var warmUpLeft = 0
  private var fadeLeft = 0
  private var fadeLength = 1
  private let fadeFrames: Int
  private let shortFadeFrames: Int
  private let farthestOff: Int64
  private let lagOfFast: Double
  private let lagOfSlow: Double

  private var semitones: Glide
  private var wantedPitch: Float = 1
  private var formant: Glide
  private var octavesOfRate: Glide
  private var wantedRate = WarpStep.unity
  // The rate at which the tape drifts, in place of the engine; 0 for the engine.
  private var drift: Int64 = 0

  /// Whether the position is the one that is heard: each engine reads as far ahead of it as it is late.
  package private(set) var readsAhead = false
  // How far the present engine and the next one do, in frames of tape, 32.32 fixed-point.
  var ahead: Int64 = 0
  var nextAhead: Int64 = 0

  private(set) var step: WarpStep
  private var isGoing = false
  private var wantsNow = false
  // Older tape is ignored.
  private var earliest = Int64.min / 2
  // The rest of the current step. Steps start at multiples of their length from the warp's first
  // frame, whatever the block size.
  private var framesOfStep = 0
  private var chunkSounds = false
  private var silentFrames = 0
  private let scratch: UnsafeMutablePointer<Float>

  /// Creates a warp for tapes of `seconds`.
  package init(seconds: Double, sampleRate: Double) {
    farthest = Int64(seconds * sampleRate)
    leapRoom = Int64(Self.leapRoomSeconds * sampleRate)
    wayBack = Int64(Self.wayBackSeconds * sampleRate)
    bank = SincBank()
    live = LiveWarp(sampleRate: sampleRate)
    voice = VoiceWarp(sampleRate: sampleRate)
    studio = StudioWarp(sampleRate: sampleRate)
    fadeFrames = Int(Self.engineFadeSeconds * sampleRate)
    shortFadeFrames = Int(Self.shortFadeSeconds * sampleRate)
    farthestOff = Int64(Self.farthestOffSeconds * sampleRate) << 32
    lagOfFast = Self.lagOfFastSeconds * sampleRate
    lagOfSlow = Self.lagOfSlowSeconds * sampleRate
    let rate = Float(sampleRate)
    semitones = Glide(at: 0, sampleRate: rate, seconds: Self.glideSeconds)
    formant = Glide(at: 0, sampleRate: rate, seconds: Self.glideSeconds)
    octavesOfRate = Glide(at: 0, sampleRate: rate, seconds: Self.glideSeconds)
    step = WarpStep(place: 0, rate: WarpStep.unity, pitch: 1)
    scratch = buffers.floats(2 * WarpStep.longest)
  }

  /// What plays the tape: an engine, or interpolation for a drift.
  enum Means: BitwiseCopyable {
    case live, voice, studio, drift

    @_noLocks
    init(_ engine: WarpEngine) {
      switch engine {
      case .live: self = .live
      case .voice: self = .voice
      case .studio: self = .studio
      }
    }

    @_noLocks
    static func == (one: Means, other: Means) -> Bool {
      unsafeBitCast(one, to: UInt8.self) == unsafeBitCast(other, to: UInt8.self)
    }

    @_noLocks
    static func != (one: Means, other: Means) -> Bool {
      unsafeBitCast(one, to: UInt8.self) != unsafeBitCast(other, to: UInt8.self)
    }
  }

  private var wanted: Means {
    @_noLocks get { drift != 0 || driftsOn ? .drift : Means(wantedEngine) }
  }

  /// Whether a tape that has drifted is passed unchanged now, as the live engine would pass it.
  private var driftsOn: Bool {
    @_noLocks get {
      guard wantedRate == WarpStep.unity && wantedPitch == 1, case .live = wantedEngine else {
        return false
      }
      return readsAhead || isGoing && (engine == .drift || nextEngine == .drift)
    }
  }

  /// Sets the engine.
  ///
  /// It takes over with a crossfade once its output is valid.
  @_noLocks
  package mutating func setEngine(_ engine: WarpEngine) { wantedEngine = engine }

  /// Sets the pitch shift, in semitones.
  @_noLocks
  package mutating func setPitch(semitones value: Float) {
    if value == semitones.target { return }
    semitones.move(to: value)
    wantedPitch = Semitones.ratio(value)
  }

  /// Sets the formant shift, in semitones.
  @_noLocks
  package mutating func setFormant(semitones value: Float) { formant.move(to: value) }

  /// Sets the playback rate: 1 is the recorded speed.
  @_noLocks
  package mutating func setRate(exactly rate: Double) {
    octavesOfRate.move(to: rate == 1 ? 0 : rt_log(Float(rate)) * 1.442_695)
    wantedRate = Int64(rate * 4_294_967_296)
  }

  /// Sets the playback rate, with the precision of its type.
  @_noLocks
  package mutating func setRate(_ rate: Float) { setRate(exactly: Double(rate)) }

  /// Plays a loop's tape at the rate by interpolation, without an engine and its pitch; nil ends that.
  @_noLocks
  package mutating func setDrift(_ rate: Double?) {
    if let rate { drift = Int64(rate * 4_294_967_296) } else { drift = 0 }
  }

  /// Sets whether the position is the one that is heard.
  ///
  /// What is heard doesn't move.
  @_noLocks
  package mutating func setReadsAhead(_ value: Bool) {
    if value == readsAhead { return }
    let shift = !isGoing ? 0 : value ? Int64(lag(of: engine) * 4_294_967_296) : 0 &- ahead
    step.place = step.place &- shift
    ahead &+= shift
    nextAhead &+= shift
    readsAhead = value
  }

  /// Jumps to the target pitch and rate, before the first block.
  @_noLocks
  package mutating func settle() {
    semitones.jump(to: semitones.target)
    formant.jump(to: formant.target)
    octavesOfRate.jump(to: octavesOfRate.target)
    framesOfStep = 0
    isGoing = false
  }

  /// The latency in frames at rate 1, for the engine and pitch set last.
  package var delay: Int {
    @_noLocks get { delay(of: wanted) }
  }

  @_noLocks
  private func delay(of means: Means) -> Int {
    switch means {
    case .live: live.delay(pitch: wantedPitch, bank: bank)
    case .voice: voice.delay(pitch: wantedPitch)
    case .studio: studio.delay(pitch: wantedPitch)
    case .drift: 0
    }
  }

  /// How far the output is behind the place at the wanted rate, in frames of the tape.
  package var lag: Double { @_noLocks get { lag(of: wanted) } }

  @_noLocks
  private func lag(of means: Means) -> Double {
    let rate = Double(drift != 0 ? drift : wantedRate) / 4_294_967_296
    switch means {
    case .drift: return 0
    case .live:
      if wantedPitch != 1 || wantedRate == WarpStep.unity { return Double(delay(of: means)) * rate }
      return wantedRate > WarpStep.unity ? lagOfFast : lagOfSlow
    case .voice: return Double(delay(of: means)) * rate
    case .studio:
      // The window is that of the tape, whatever the rate.
      let window = Double(studio.framesAhead)
      return window + (Double(delay(of: means)) - window) * rate
    }
  }

  /// Whether the warp has no output and no parameter is moving: in silence it may be skipped.
  package var isIdle: Bool {
    @_noLocks get {
      !isGoing && !semitones.isMoving && !formant.isMoving && !octavesOfRate.isMoving
    }
  }

  /// Whether no engine hands over to another one.
  package var isSettled: Bool {
    @_noLocks get { !isGoing || engine == wanted && nextEngine == wanted && !isChanging }
  }

  /// Whether the output is an unchanged copy of the source, none of it read in advance.
  var isReadingPlainly: Bool {
    @_noLocks get {
      guard isGoing && engine == nextEngine else { return false }
      switch engine {
      case .live: return ahead == 0 && live.isPlain(step)
      case .drift: return true
      case .voice, .studio: return false
      }
    }
  }

  /// Whether it passes an endless source unchanged until a parameter is set.
  package var isSteady: Bool {
    @_noLocks get {
      isReadingPlainly && engine == .live && wanted == .live && !isChanging && !readsAhead
        && nextAhead == 0 && step.place & 0xFFFF_FFFF == 0 && semitones.target == 0
        && octavesOfRate.target == 0 && !semitones.isMoving && !octavesOfRate.isMoving
    }
  }

  /// Whether it passes the newest sound of a tape unchanged until a parameter is set.
  @_noLocks
  package func isSteady(on tape: borrowing Tape) -> Bool {
    isSteady && !wantsNow && step.place == tape.head << 32
  }

  /// The number of frames until the output is valid after a rest.
  package var warmUp: Int {
    @_noLocks get { warmUp(of: wanted) }
  }

  /// The longest time that sound may follow the end of the input, in frames.
  private var tail: Int64 {
    @_noLocks get {
      let longest = max(delay, max(warmUp(of: engine), warmUp(of: nextEngine)))
      return leapRoom &+ Int64(4 &* longest)
    }
  }

  @_noLocks
  private func warmUp(of means: Means) -> Int {
    switch means {
    case .live: live.warmUp
    case .voice: voice.warmUp
    case .studio: studio.warmUp
    case .drift: 0
    }
  }

  /// Starts an engine, and returns how far it reads ahead.
  @_noLocks
  private mutating func start(_ means: Means) -> Int64 {
    var ahead: Int64 = 0
    if readsAhead {
      // The live engine begins at the frame that is heard.
      if case .live = means {
        ahead = Int64(live.distanceAtStart(step, bank: bank)) << 32
      } else {
        ahead = Int64(lag(of: means) * 4_294_967_296)
      }
    }
    switch means {
    case .live: live.start()
    case .voice: voice.start(at: step.place &+ ahead)
    case .studio: studio.start(at: step.place &+ ahead)
    case .drift: break
    }
    return ahead
  }

  @_noLocks
  private mutating func run(
    _ means: Means, ahead: Int64, _ tape: borrowing Tape, to out: Stereo, frames: Int
  ) {
    var step = step
    step.place = step.place &+ ahead
    // At rate 1, the live engine would move to the position, which is ahead of what is heard.
    if means == .live && ahead != 0 && step.rate == WarpStep.unity { step.rate &+= 1 }
    switch means {
    case .live: live.process(tape, step, bank: bank, to: out, frames: frames)
    case .voice: voice.process(tape, step, bank: bank, to: out, frames: frames)
    case .studio: studio.process(tape, step, bank: bank, to: out, frames: frames)
    case .drift: DriftWarp.process(tape, step, bank: bank, to: out, frames: frames)
    }
  }

  /// Returns the value of a glide, or 0 if that is the target and the rest is imperceptible.
  @_noLocks
  private static func value(of glide: Glide) -> Float {
    glide.target == 0 && abs(glide.current) < Self.imperceptible ? 0 : glide.current
  }

  @_noLocks
  private static func rate(octaves: Float) -> Int64 {
    octaves == 0 ? WarpStep.unity : Int64(Double(rt_exp(octaves * 0.693_147_18)) * 4_294_967_296)
  }

  /// Begins the next piece of an endless source that starts at frame `head` of a tape, and returns
  /// its length, at most `frames`.
  @_noLocks
  mutating func beginPiece(from head: Int64, frames: Int) -> Int {
    // Steps start with the source: after a rest, now.
    if !isGoing { framesOfStep = 0 }
    if framesOfStep == 0 {
      beginStep()
      changeEngineWhereWanted()
      if !isGoing {
        isGoing = true
        step.place = head << 32
        begin(wanted)
        warmUpByLive()
      }
    }
    return min(framesOfStep, frames)
  }

  /// Begins the next piece at the position and rate of another warp's step.
  @_noLocks
  mutating func beginPiece(at other: WarpStep, frames: Int) -> Int {
    if !isGoing { framesOfStep = 0 }
    if framesOfStep == 0 {
      beginStep()
      changeEngineWhereWanted()
    }
    (step.place, step.rate, step.nextRate) = (other.place, other.rate, other.nextRate)
    if !isGoing {
      isGoing = true
      begin(wanted)
    }
    return min(framesOfStep, frames)
  }

  /// Renders a piece that was begun, once the tape reaches the position of its last frame.
  @_noLocks
  mutating func renderPiece(_ tape: borrowing Tape, to out: Stereo, frames: Int) {
    render(tape, to: out, frames: frames)
    framesOfStep &-= frames
  }

  /// Renders as many frames as were last written to the tape.
  ///
  /// Returns false, with nothing written, if the output is silent.
  @_noLocks
  package mutating func process(
    _ tape: borrowing Tape, to out: Stereo, frames: Int
  ) -> Bool {
    var done = 0
    var sounds = false
    while done < frames {
      let now = tape.head &- Int64(frames &- done)
      if framesOfStep == 0 { beginStep(now: now) }
      let count = min(framesOfStep, frames &- done)
      if hasSound(tape, from: now, frames: count) {
        chunkSounds = true
        silentFrames = 0
        if !isGoing { wake(tape, now: now, skipping: WarpStep.longest &- framesOfStep) }
      }
      if isGoing {
        if !sounds {
          out.clear(frames: done)
          sounds = true
        }
        render(tape, to: out.advanced(by: done), frames: count)
      } else if sounds {
        out.advanced(by: done).clear(frames: count)
      }
      framesOfStep &-= count
      if framesOfStep == 0 && !chunkSounds { silentFrames &+= WarpStep.longest }
      done &+= count
    }
    return sounds
  }

  /// Advances by `frames` frames without output; playback then starts afresh.
  @_noLocks
  package mutating func rest(frames: Int) {
    isGoing = false
    wantsNow = false
    semitones.skip(frames: frames)
    formant.skip(frames: frames)
    octavesOfRate.skip(frames: frames)
    let rest = (framesOfStep &- frames) % WarpStep.longest
    framesOfStep = rest < 0 ? rest &+ WarpStep.longest : rest
  }

  /// Leaps to the present.
  @_noLocks
  package mutating func returnToNow() { wantsNow = true }

  @_noLocks
  private func hasSound(_ tape: borrowing Tape, from frame: Int64, frames: Int) -> Bool {
    Magnitude(tape.left(at: frame), frames: frames).bits != 0
      || Magnitude(tape.right(at: frame), frames: frames).bits != 0
  }

  /// Starts the next step of the grid and advances the parameters.
  @_noLocks
  private mutating func beginStep() {
    framesOfStep = WarpStep.longest
    chunkSounds = false
    semitones.skip(frames: WarpStep.longest)
    formant.skip(frames: WarpStep.longest)
    octavesOfRate.skip(frames: WarpStep.longest)
    aim()
    if isGoing { adjustAhead() }
  }

  /// Copies the current parameter values to the step.
  @_noLocks
  private mutating func aim() {
    step.pitch = Semitones.ratio(Self.value(of: semitones))
    step.nextPitch = wantedPitch
    step.formant = Semitones.ratio(Self.value(of: formant))
    step.isLeap = false
    // A drift would change its pitch with a rate that only the next engine is to have.
    if isGoing && readsAhead && engine == .drift && nextEngine != .drift && warmUpLeft > 0 {
      return
    }
    let rate = drift != 0 ? drift : wantedRate
    let octaves = Self.value(of: octavesOfRate)
    let isNear = abs(octaves - octavesOfRate.target) < 3 * Self.imperceptible
    if wanted == .drift && isNear && abs(rate &- WarpStep.unity) <= Self.withoutGlide {
      // A glide would be less exact, and is not needed.
      step.nextRate = rate
      step.rate = DriftWarp.rate(rate, at: step.place)
      step.place = DriftWarp.settled(step.place, rate: step.rate)
    } else {
      step.nextRate = wantedRate
      step.rate = octaves == octavesOfRate.target ? wantedRate : Self.rate(octaves: octaves)
      if engine == .live && nextEngine == .live && ahead == 0 && live.isPlain(step) {
        // The whole frame that it plays.
        step.place = step.place & ~0xFFFF_FFFF
      }
    }
  }

  @_noLocks
  private mutating func changeEngineWhereWanted() {
    let wanted = wanted
    guard isGoing && warmUpLeft <= 0 && fadeLeft <= 0 && engine != wanted else { return }
    fadeLength = fadeFrames
    if readsAhead && engine == .live && wanted == .drift {
      // Goes on from the frame that is heard.
      if live.fadeLeft > 0 { return }
      let off = live.reader.position &- step.place
      if abs(off) <= farthestOff {
        step.place = step.place &+ off
        ahead &-= off
        fadeLength = shortFadeFrames
      }
    } else if readsAhead && engine == .drift && wanted == .live {
      fadeLength = shortFadeFrames
    }
    nextEngine = wanted
    nextAhead = start(nextEngine)
    warmUpLeft = warmUp(of: nextEngine)
    fadeLeft = fadeLength
  }

  /// Starts with an engine, without a crossfade.
  @_noLocks
  private mutating func begin(_ first: Means) {
    engine = first
    nextEngine = first
    (warmUpLeft, fadeLeft) = (0, 0)
    ahead = start(first)
    nextAhead = ahead
  }

  /// Lets the live engine play until the one that has just started is warm, if that one must not be late.
  @_noLocks
  private mutating func warmUpByLive() {
    guard readsAhead, warmUp(of: engine) > 0 else { return }
    ahead = start(.live)
    engine = .live
    warmUpLeft = warmUp(of: nextEngine)
    (fadeLength, fadeLeft) = (fadeFrames, fadeFrames)
  }

  /// Starts the next step of the grid on a tape at frame `now`.
  @_noLocks
  private mutating func beginStep(now: Int64) {
    beginStep()
    changeEngineWhereWanted()
    guard isGoing else {
      place(at: now)
      return
    }
    follow(now: now)
    // The tail is only evaluated when there is no input.
    let isOver =
      silentFrames > 0 && Int64(silentFrames) > framesBehind(now) &+ tail
    if isOver { isGoing = false }
  }

  /// Sets the initial position: at frame `now`, or on the way to it.
  @_noLocks
  private mutating func place(at now: Int64) {
    step.place = (step.rate > WarpStep.unity ? now &- wayBack : now) << 32
  }

  /// Returns the distance of the position behind frame `now`.
  ///
  /// Positions wrap around after half a day, so only differences are meaningful.
  @_noLocks
  private func framesBehind(_ now: Int64) -> Int64 { ((now << 32) &- step.place) >> 32 }

  /// Keeps the position within the tape and not past the present.
  @_noLocks
  private mutating func follow(now: Int64) {
    let behind = framesBehind(now)
    if wantsNow {
      wantsNow = false
      earliest = now
    }
    if step.rate > WarpStep.unity && now &- earliest < 4 &* leapRoom {
      // There is nothing to go back to yet.
      step.rate = WarpStep.unity
    }
    if behind > now &- earliest && behind > 0 {
      leap(to: now)
      return
    }
    if step.rate == WarpStep.unity {
      if step.place != now << 32 { leap(to: now) }
    } else if step.rate > WarpStep.unity {
      if behind < leapRoom { leap(to: max(now &- wayBack, earliest)) }
    } else if behind > farthest {
      leap(to: now)
    }
  }

  @_noLocks
  private mutating func leap(to frame: Int64) {
    step.place = frame << 32
    step.isLeap = true
  }

  /// Starts rendering in the middle of a step that was silent so far.
  @_noLocks
  private mutating func wake(_ tape: borrowing Tape, now: Int64, skipping frames: Int) {
    isGoing = true
    aim()
    place(at: now &- Int64(frames))
    begin(wanted)
    // Renders the skipped part of the step.
    if frames > 0 {
      let nowhere = Stereo(scratch, scratch + WarpStep.longest)
      render(tape, to: nowhere, frames: frames)
    }
  }

  @_noLocks
  private mutating func render(_ tape: borrowing Tape, to out: Stereo, frames: Int) {
    run(engine, ahead: ahead, tape, to: out, frames: frames)
    if warmUpLeft > 0 || fadeLeft > 0 { changeEngine(tape, to: out, frames: frames) }
    step.place = step.place &+ Int64(frames) &* step.rate
    step.isLeap = false
  }

  /// Runs the next engine in parallel and crossfades to it when it is warm.
  @_noLocks
  private mutating func changeEngine(_ tape: borrowing Tape, to out: Stereo, frames: Int) {
    let other = Stereo(scratch, scratch + WarpStep.longest)
    run(nextEngine, ahead: nextAhead, tape, to: other, frames: frames)
    if warmUpLeft > 0 {
      warmUpLeft &-= frames
      return
    }
    Crossfade.mix(
      left: other.left, right: other.right, into: out, done: fadeLength &- fadeLeft,
      length: fadeLength, frames: frames)
    fadeLeft &-= frames
    if fadeLeft <= 0 {
      fadeLeft = 0
      engine = nextEngine
      ahead = nextAhead
    }
  }
}

// MARK: - Reading ahead

extension Warp {
  // How fast the distance changes, in frames of tape per frame: as fast as the engines' own lags.
  private static var mostApproach: Int64 { @_noLocks get { WarpStep.unity / 20 } }

  /// Approaches the distances at which the engines read ahead to those of the present rate.
  @_noLocks
  private mutating func adjustAhead() {
    if !readsAhead && ahead == 0 && nextAhead == 0 { return }
    ahead = approached(ahead, for: engine)
    nextAhead = isChanging ? approached(nextAhead, for: nextEngine) : ahead
  }

  @_noLocks
  private func approached(_ former: Int64, for means: Means) -> Int64 {
    if means == .live && wantedPitch == 1 && wantedRate == WarpStep.unity && readsAhead {
      return former
    }
    let target = readsAhead ? Int64(lag(of: means) * 4_294_967_296) : 0
    let most = Int64(WarpStep.longest) &* Self.mostApproach
    return former &+ max(0 &- most, min(target &- former, most))
  }

  private var isChanging: Bool { @_noLocks get { warmUpLeft > 0 || fadeLeft > 0 } }

  /// How far past the position the engines read, in whole frames of tape.
  var framesAhead: Int {
    @_noLocks get {
      Int((max(0, max(ahead, isChanging ? nextAhead : 0)) &+ 0xFFFF_FFFF) >> 32)
    }
  }

  /// The frames past the position that must not change any more, because they are about to be heard; nil if that is
  /// unknown.
  var framesToKeep: Int? {
    @_noLocks get {
      if isReadingPlainly { return 0 }
      guard readsAhead else { return nil }
      // The studio engine has windows around the frames that it has read: the change comes at the position.
      var most: Int64 = 0
      if engine == .live || engine == .voice { most = max(most, ahead) }
      if isChanging && (nextEngine == .live || nextEngine == .voice) { most = max(most, nextAhead) }
      return Int((most &+ 0xFFFF_FFFF) >> 32)
    }
  }
}
