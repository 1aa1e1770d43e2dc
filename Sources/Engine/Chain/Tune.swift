internal import CRealtime
internal import DSP

/// The pitch correction of the live input: a tape, a tracker of its pitch, and a warp that shifts it.
struct Tune: ~Copyable {
  // The tracker reads back 36 ms, the warp less than 0.1 s.
  private static var tapeSeconds: Double { @_noLocks get { 0.25 } }
  private static var warpSeconds: Double { @_noLocks get { 0.1 } }
  // How late the tracker's results are.
  private static var latenessSeconds: Float { @_noLocks get { 0.017 } }
  // A shift for which the delay of the engine is that of any small shift, in semitones.
  private static var usualShift: Float { @_noLocks get { 0.5 } }
  // The sound before it is turned on that it takes over, in frames.
  private static var framesBefore: Int { @_noLocks get { 4096 } }

  private let sampleRate: Float
  private var tape: Tape
  private var tracker: PitchTracker
  private var warp: Warp
  private var mix: WetMix
  private var corrector = PitchCorrector()
  private var lead: PitchLead
  private let framesARound: Int
  private var framesToSlot: Int
  private var framesToRound: Int
  private var slotsLeft = 0
  private var isOn = false
  private var isBypassed = false
  private var engine = WarpEngine.live
  private var silentFrames: Int
  // Whether its tape continues the sound.
  private var isTaken = false
  // The delays of the engines at a small shift.
  private let liveDelay: Int
  private let voiceDelay: Int
  private var targets: TuneTargets = .scale
  private let buffers = Buffers()
  // The chromatic notes of equal temperament, until there is a map of keys.
  private let chromatic: UnsafeMutablePointer<Float>
  private var keys: KeyMapPointer?
  /// The notes that are held.
  var held = HeldPitches()
  // The pitch that was found last, as a MIDI note number, or nil while there is none.
  private var sung: Float?
  // Whether the pitches have yet to be published.
  private var isNew = false

  init(sampleRate: Double) {
    self.sampleRate = Float(sampleRate)
    tape = Tape(seconds: Self.tapeSeconds, reach: SourceWarp.reach, sampleRate: sampleRate)
    silentFrames = tape.capacity + 1
    tracker = PitchTracker(sampleRate: sampleRate)
    warp = Warp(seconds: Self.warpSeconds, sampleRate: sampleRate)
    mix = WetMix(sampleRate: Float(sampleRate))
    mix.move(to: 0, warmUp: 0)
    mix.settle(delay: 0)
    framesToSlot = tracker.slotFrames
    framesARound = PitchTracker.slots * tracker.slotFrames
    framesToRound = framesARound
    lead = PitchLead(
      seconds: Self.latenessSeconds, interval: Float(framesARound) / Float(sampleRate))
    warp.setPitch(semitones: Self.usualShift)
    liveDelay = warp.delay
    warp.setEngine(.voice)
    voiceDelay = warp.delay
    warp.setEngine(.live)
    warp.setPitch(semitones: 0)
    warp.settle()
    chromatic = buffers.floats(KeyMap.keys)
    for key in 0..<KeyMap.keys { chromatic[key] = Float(100 * key) }
  }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter.Tune, _ value: Float) {
    switch parameter {
    case .on:
      isOn = value != 0
      follow()
    case .amount: corrector.amount = value
    case .speed: corrector.speed = value * 0.001
    case .vibrato: corrector.vibrato = value
    case .scale: targets = TuneTargets(number: value)
    }
  }

  /// Applies the engine and the bypass of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    isBypassed = chain.isBypassed
    engine = .live
    // The engine of a pitch shift keeps the formants of what it gets.
    if case .voice = chain.engine, !chain.isPitching { engine = .voice }
    warp.setEngine(engine)
    follow()
  }

  @_noLocks
  private mutating func follow() {
    let isWanted = isOn && !isBypassed
    if !isWanted {
      sung = nil
      isNew = true
    }
    mix.move(to: isWanted ? 1 : 0, warmUp: warp.warmUp)
    mix.setDelay(delay)
  }

  /// Uses the notes of a map of keys.
  @_noLocks
  mutating func use(_ map: KeyMapPointer?) { keys = map }

  /// Applies all settings at once, before the first block.
  @_noLocks
  mutating func settle() {
    warp.settle()
    mix.settle(delay: delay)
  }

  /// The delay, in frames.
  var delay: Int {
    @_noLocks get {
      if mix.share == 0 { return 0 }
      if case .voice = engine { return voiceDelay }
      return liveDelay
    }
  }

  /// Whether it passes the sound unchanged.
  var isOff: Bool { @_noLocks get { mix.isDry && mix.longestDelay == 0 } }

  /// Whether it is idle: silent, with no parameter moving.
  var isAtRest: Bool {
    @_noLocks get { isOff || silentFrames > tape.capacity && warp.isIdle && !mix.isChanging }
  }

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
    PitchTargets(
      cents: cents ?? UnsafePointer(chromatic), count: KeyMap.keys, inAllOctaves: false)
  }

  /// Publishes the pitches, if they have changed.
  @_noLocks
  mutating func publish(to shared: borrowing PublishedTune) {
    if !isNew { return }
    isNew = false
    guard !isOff, let sung else {
      shared.store(sung: -1, heard: -1, target: -1)
      return
    }
    shared.store(sung: sung, heard: sung + corrector.shift, target: corrector.target ?? -1)
  }

  // MARK: - Sound

  /// Takes over the end of a tape, before the first block after it was off.
  @_noLocks
  private mutating func take(from other: borrowing Tape) {
    let first = other.head &- Int64(Self.framesBefore)
    let sound = Stereo(
      UnsafeMutablePointer(mutating: other.left(at: first)),
      UnsafeMutablePointer(mutating: other.right(at: first)))
    tape.write(sound, frames: Self.framesBefore)
    tracker.start(at: tape.head &- 1)
    corrector.reset()
    warp.returnToNow()
    silentFrames = 0
    isTaken = true
  }

  /// Corrects a block.
  ///
  /// The other tape has the sound before it. Returns false, and writes nothing, if the result is silent.
  @_noLocks
  mutating func process(
    _ sound: Stereo, isSilent: Bool, after other: borrowing Tape, to out: Stereo, frames: Int
  ) -> Bool {
    if !isTaken { take(from: other) }
    defer { isTaken = !isOff }
    if isSilent && isAtRest { return false }
    silentFrames = isSilent ? silentFrames &+ frames : 0
    var isSounding = false
    var done = 0
    while done < frames {
      let count = min(frames &- done, framesToRound)
      let (part, result) = (sound.advanced(by: done), out.advanced(by: done))
      if isSilent { tape.writeSilence(frames: count) } else { tape.write(part, frames: count) }
      track(frames: count)
      if render(to: result, frames: count) {
        if !isSounding { out.clear(frames: done) }
        isSounding = true
      } else if isSounding {
        result.clear(frames: count)
      }
      done &+= count
      framesToRound &-= count
      if framesToRound == 0 {
        framesToRound = framesARound
        finishRound()
      }
    }
    return isSounding
  }

  @_noLocks
  private mutating func render(to out: Stereo, frames: Int) -> Bool {
    let isDrySounding = silentFrames <= 2 &* mix.longestDelay &+ frames
    if mix.isWet { return warp.process(tape, to: out, frames: frames) }
    let isWetSounding = warp.process(tape, to: mix.wet, frames: frames)
    guard isWetSounding || isDrySounding else {
      mix.skip(frames: frames)
      return false
    }
    if !isWetSounding { mix.wet.clear(frames: frames) }
    mix.render(tape, to: out, frames: frames)
    return true
  }

  /// Runs the parts of the pitch analysis that are due in the frames written last.
  @_noLocks
  private mutating func track(frames: Int) {
    var left = frames
    while left >= framesToSlot {
      left &-= framesToSlot
      framesToSlot = tracker.slotFrames
      tracker.advance(tape, to: tape.head &- Int64(left) &- 1)
    }
    framesToSlot &-= left
  }

  /// Sets the shift for the next frames.
  @_noLocks
  private mutating func finishRound() {
    let seconds = Float(framesARound) / sampleRate
    if tracker.isVoiced {
      let measured = 69 + 12 * 1.442_695 * rt_log(sampleRate / (tracker.period * 440))
      sung = measured
      corrector.correct(
        lead.follow(measured), measured: measured, toward: pitches, seconds: seconds)
    } else {
      sung = nil
      lead.reset()
      corrector.rest(seconds: seconds)
    }
    warp.setPitch(semitones: corrector.shift)
    isNew = true
  }
}

/// What the pitch is corrected to.
enum TuneTargets: BitwiseCopyable {
  /// The notes of the grid's scale.
  case scale
  /// All notes of the grid's tuning.
  case chromatic
  /// The notes that are held on grid and MIDI keyboards, in any octave.
  case held

  @_noLocks
  init(number: Float) {
    self = number == 1 ? .chromatic : number == 2 ? .held : .scale
  }
}
