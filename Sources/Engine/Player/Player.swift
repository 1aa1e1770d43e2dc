internal import DSP

/// The player: one clip that is recorded, played, and added to.
struct Player: ~Copyable {
  private static var clipSeconds: Double { @_noLocks get { 10 } }
  // More than the longest piece that an engine looks at at once, at 192 kHz.
  private static var reach: Int { @_noLocks get { 16_384 } }
  private static var openSeconds: Double { @_noLocks get { 0.001 } }
  private static var closeSeconds: Double { @_noLocks get { 0.005 } }
  private static var skipSeconds: Double { @_noLocks get { 10 } }

  /// What the recorder hears.
  enum Source: BitwiseCopyable {
    case live, grid, mix
  }

  let sampleRate: Double
  private(set) var state = PlayerState.standby
  var tape: LoopTape
  var warp: Warp
  var gate = Gate()
  var beats: BeatClock
  var cues = RecorderCues()

  // What waits: for a frame, or for the input to be loud enough.
  private(set) var pending: PlayerAction?
  private var pendingFrame = Int64.max
  private var quantum: BeatClock.Grid?
  private var fixedBeats: Float = 0
  private var setsTempo = false
  // Only the first clip sets it: whatever comes then follows.
  private var hasTempo = false
  /// The tempo that was taken from the first clip, in beats a minute; 0 where none was.
  private(set) var tempoFound: Float = 0
  private(set) var threshold: Float = 0

  // The clip in the making: how long it is by what was asked, and where it ends by itself.
  private var clip: Int?
  private var clipFrames = 0
  private var mostClipFrames = 0
  private var clipStart: Int64 = 0
  // Whether the sound itself began it.
  private var isTriggered = false
  private var isClipTriggered = false
  // Where it goes on after a pause.
  private var placeOfPause = 0

  private var isBackward = false
  private(set) var source = Source.live
  var isReplacing = false
  private(set) var wantsOverdub = false
  private(set) var feedback: Float = 1
  var transfer = LoopTransfer()
  // Where the clip was at the beginning of the present stretch.
  var placeBefore = 0
  // By how much what is added is late, as it was when that began; and where it goes on.
  private(set) var delayOfOverdub = 0
  var placeOfOverdub = 0

  /// By how many frames what the input brings is late, and what the output says.
  var inputDelay = 0
  var outputDelay = 0

  private var semitones: Float = 0
  private var rate: Float = 1
  private var chain = ChainTurn()
  private var isBypassed = false
  private(set) var isThroughChain = true
  private var isMoved = false
  // The rate that all that turns it comes to.
  private var speed: Float = 1

  /// What the chain does to pitch and time of all that goes through it.
  private struct ChainTurn: BitwiseCopyable {
    var isPitchOn = true
    var semitones: Float = 0
    var formant: Float = 0
    var isStretchOn = true
    var rate: Float = 1

    @_noLocks
    init() {}
  }

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    tape = LoopTape(seconds: Self.clipSeconds, reach: Self.reach, sampleRate: sampleRate)
    warp = Warp(seconds: Self.clipSeconds, sampleRate: sampleRate)
    beats = BeatClock(sampleRate: sampleRate)
  }

  @_noLocks
  private func frames(_ seconds: Double) -> Int { Int(seconds * sampleRate) }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter, _ value: Float, at frame: Int64) {
    switch parameter {
    case .loopSemitones: semitones = value
    case .loopRate: rate = value
    case .loopEngine:
      warp.setEngine(value == 0 ? .live : value == 1 ? .voice : .studio)
    case .loopFeedback: feedback = value
    case .loopQuantize: quantum = value == 0 ? nil : value == 1 ? .beat : .bar
    case .loopBeats: fixedBeats = value
    case .loopTempo: setsTempo = value != 0
    case .loopThreshold: threshold = value <= -90 ? 0 : Level.gain(decibels: value)
    case .playerSource: source = value == 0 ? .live : value == 1 ? .grid : .mix
    case .playerLoop: tape.setLooping(value != 0)
    case .playerDirection: turn(backward: value < 0, at: frame)
    case .tempo: beats.setTempo(value, at: frame)
    case .metronomeBeats: beats.beatsPerBar = Int(value)
    case .pitchOn: chain.isPitchOn = value != 0
    case .pitchSemitones: chain.semitones = value
    case .pitchFormant: chain.formant = value
    case .stretchOn: chain.isStretchOn = value != 0
    case .stretchRate: chain.rate = value
    case .chainBypass: isBypassed = value != 0
    case .loopRoute: isThroughChain = value == 0
    default: return
    }
    move(at: frame)
  }

  /// Goes the other way, when what is added has come to its end.
  @_noLocks
  private mutating func turn(backward: Bool, at frame: Int64) {
    if backward == isBackward { return }
    isBackward = backward
    if !wantsOverdub && !tape.isOverdubbing {
      tape.setBackward(backward)
      return
    }
    endOverdub(at: frame)
    cues.add(.turn, at: frame &+ Int64(delayOfOverdub &+ tape.seam &+ 1))
  }

  /// Takes over what pitch and rate come to.
  @_noLocks
  private mutating func move(at frame: Int64) {
    let turned = isThroughChain && !isBypassed
    let pitch = semitones + (turned && chain.isPitchOn ? chain.semitones : 0)
    let speed = rate * (turned && chain.isStretchOn ? chain.rate : 1)
    warp.setPitch(semitones: max(-24, min(pitch, 24)))
    warp.setFormant(semitones: turned && chain.isPitchOn ? chain.formant : 0)
    self.speed = max(0.25, min(speed, 4))
    warp.setRate(self.speed)
    let wasMoved = isMoved
    isMoved = speed != 1
    if isMoved && !wasMoved { endOverdub(at: frame) }
  }

  // MARK: - Actions

  /// Does what is asked, or plans it for its beat; the reason where it can't be.
  @_noLocks
  mutating func perform(_ action: PlayerAction, at frame: Int64) -> PlayerRefusal? {
    if let refusal = refusal(of: action) { return refusal }
    if waits(action) {
      pending = action
      pendingFrame = .max
      if let quantum { pendingFrame = beats.next(quantum, from: frame) }
      if pendingFrame <= frame && !waitsForSound(action) { return begin(action, at: frame) }
      return nil
    }
    return begin(action, at: frame)
  }

  /// Follows a transport that rolls; what waits for a beat waits for the transport's.
  @_noLocks
  mutating func follow(_ transport: Transport, at frame: Int64) {
    guard beats.follow(transport, at: frame), isPending, pendingFrame < .max, let quantum else {
      return
    }
    pendingFrame = beats.next(quantum, from: frame)
  }

  /// Whether an action is one that is moved to a beat, or waits for sound.
  @_noLocks
  private func waits(_ action: PlayerAction) -> Bool {
    if waitsForSound(action) { return true }
    guard isQuantized else { return false }
    switch action {
    case .record, .overdub, .replace: return true
    case .play: return !state.isPlaying && !state.isPaused
    case .stop: return state.isRecording
    default: return false
    }
  }

  private var isQuantized: Bool {
    @_noLocks get {
      if case .some = quantum { return true }
      return false
    }
  }

  @_noLocks
  private func waitsForSound(_ action: PlayerAction) -> Bool {
    if case .record = action { return threshold > 0 && !state.isRecording }
    return false
  }

  /// Whether a recording begins as soon as the input is loud enough.
  @_noLocks
  func isWaitingForSound(at frame: Int64) -> Bool {
    if let pending, waitsForSound(pending) { return pendingFrame <= frame || !isQuantized }
    return false
  }

  /// Why an action can't be; nil where it can.
  @_noLocks
  private func refusal(of action: PlayerAction) -> PlayerRefusal? {
    switch action {
    case .record:
      if !means(.record) { return .meaningless }
      if transfer.isLoading { return .transferring }
      if !state.isRecording && fixedFrames > tape.capacity { return .tooManyBeats }
      return cues.isFull ? .noMemory : nil
    case .play:
      if !means(.play) { return .meaningless }
      return tape.length == 0 ? .nothingRecorded : nil
    case .pause: return !means(.pause) || cues.isFull ? .meaningless : nil
    case .stop:
      // Whoever waits can give up.
      return isPending || means(.stop) ? nil : .meaningless
    case .done: return nil
    case .rewind, .forward: return state.isPlaying || state.isPaused ? nil : .meaningless
    case .overdub, .replace:
      if wantsOverdub { return nil }
      if cues.isFull { return .noMemory }
      if isMoved || isBackward { return .notAsRecorded }
      if case .recording = state { return nil }
      return state.isPlaying ? nil : .notPlaying
    case .undo:
      if state.isRecording { return .meaningless }
      return tape.stepsBack == 0 ? .nothingToUndo : nil
    case .redo:
      if state.isRecording { return .meaningless }
      return tape.stepsForth == 0 ? .nothingToRedo : nil
    case .clear, .cancel: return nil
    }
  }

  @_noLocks
  private func means(_ event: PlayerEvent) -> Bool {
    if case .some = state.after(event) { return true }
    return false
  }

  @_noLocks
  private func isPossible(_ action: PlayerAction) -> Bool {
    if case .some = refusal(of: action) { return false }
    return true
  }

  private var isPending: Bool {
    @_noLocks get {
      if case .some = pending { return true }
      return false
    }
  }

  private var fixedFrames: Int {
    @_noLocks get { fixedBeats > 0 ? beats.frames(ofBeats: fixedBeats) : 0 }
  }

  /// Does an action now.
  @_noLocks
  private mutating func begin(_ action: PlayerAction, at frame: Int64) -> PlayerRefusal? {
    pending = nil
    pendingFrame = .max
    switch action {
    case .record: return state.isRecording ? endOrResume(at: frame) : record(at: frame)
    case .play: state.isPlaying ? pause(at: frame) : play(.play)
    case .pause: return pauseOrResume(at: frame)
    case .stop: stop(at: frame)
    case .done:
      stop(at: frame)
      enter(.done)
    case .rewind: skip(-Self.skipSeconds, at: frame)
    case .forward: skip(Self.skipSeconds, at: frame)
    case .overdub: toggleOverdub(replacing: false, at: frame)
    case .replace: toggleOverdub(replacing: true, at: frame)
    case .undo, .redo: step(action, at: frame)
    case .clear:
      stop(at: frame)
      if tape.length > 0 && !tape.clear() { return .noMemory }
      hasTempo = false
      state = .recordReady
    case .cancel: break
    }
    return nil
  }

  @_noLocks
  private mutating func enter(_ event: PlayerEvent) {
    if let next = state.after(event) { state = next }
  }

  // MARK: - Recording

  @_noLocks
  private mutating func record(at frame: Int64) -> PlayerRefusal? {
    endOverdub(at: frame)
    guard let version = tape.beginClip() else { return .noMemory }
    close()
    placeOfPause = 0
    clip = version
    clipFrames = 0
    clipStart = frame
    isClipTriggered = isTriggered
    mostClipFrames = fixedFrames > 0 ? min(fixedFrames, tape.capacity) : tape.capacity
    cues.add(.begin(version: version), at: frame &+ recordDelay)
    enter(.record)
    return nil
  }

  /// By how many frames what the source says is late.
  private var recordDelay: Int64 {
    @_noLocks get {
      if case .live = source { return isClipTriggered ? 0 : Int64(inputDelay) }
      return 0
    }
  }

  @_noLocks
  private mutating func endOrResume(at frame: Int64) -> PlayerRefusal? {
    if case .suspended = state { return pauseOrResume(at: frame) }
    endRecording(at: frame)
    enter(.record)
    return nil
  }

  @_noLocks
  private mutating func endRecording(at frame: Int64) {
    guard let version = clip else { return }
    clip = nil
    if clipFrames == 0 {
      // Begun and ended on one frame: there is nothing that could be played.
      if cues.removeBegin(of: version) { tape.dropClip(version) } else { tape.endRecording(at: 0) }
      return
    }
    tape.publish(version, length: clipFrames)
    cues.add(.end(frames: clipFrames), at: frame &+ recordDelay)
    if setsTempo && !hasTempo { takeTempo(ofFrames: clipFrames) }
  }

  /// Takes the tempo at which a clip is a whole number of beats, the nearest to the present one.
  @_noLocks
  private mutating func takeTempo(ofFrames frames: Int) {
    hasTempo = true
    tempoFound = beats.fit(frames, from: clipStart)
  }

  @_noLocks
  private mutating func pauseOrResume(at frame: Int64) -> PlayerRefusal? {
    switch state {
    case .recording:
      cues.add(.suspend, at: frame &+ recordDelay)
      enter(.pause)
    case .suspended:
      cues.add(.resume, at: frame &+ recordDelay)
      enter(.pause)
    case .playing, .playingLoaded: pause(at: frame)
    default: play(.pause)
    }
    return nil
  }

  // MARK: - Playing

  @_noLocks
  private mutating func play(_ event: PlayerEvent) {
    if gate.isClosed {
      tape.cue(to: placeOfPause, silence: warp.delay &* 4 &+ 1024)
      warp.rest(frames: 0)
    } else {
      // It has not faded out yet.
      if placeOfPause == 0 { tape.restart() } else { tape.jump(to: placeOfPause) }
    }
    let isFirst = placeOfPause == 0
    placeOfPause = 0
    gate.move(
      open: true, frames: frames(isFirst ? Self.openSeconds : Self.closeSeconds))
    enter(event)
  }

  @_noLocks
  private mutating func close() { gate.move(open: false, frames: frames(Self.closeSeconds)) }

  @_noLocks
  private mutating func pause(at frame: Int64) {
    endOverdub(at: frame)
    placeOfPause = placeHeard
    close()
    enter(.pause)
  }

  /// Where in the clip what is heard now was: the warp has read on from there.
  private var placeHeard: Int {
    @_noLocks get {
      let late = Int(Float(warp.delay) * speed)
      let place = tape.position &+ (isBackward ? late : 0 &- late)
      return tape.isLooping ? tape.wrapped(place) : max(0, min(place, tape.length))
    }
  }

  /// Ends whatever is under way.
  @_noLocks
  private mutating func stop(at frame: Int64) {
    endOverdub(at: frame)
    if state.isRecording { endRecording(at: frame) }
    close()
    placeOfPause = 0
    enter(.stop)
  }

  @_noLocks
  private mutating func skip(_ seconds: Double, at frame: Int64) {
    let now = state.isPaused ? placeOfPause : tape.position
    seek(to: now &+ frames(seconds), at: frame)
  }

  /// Goes to a frame of the clip.
  @_noLocks
  mutating func seek(to place: Int, at frame: Int64) {
    let place = max(0, min(place, tape.length))
    if state.isPlaying {
      endOverdub(at: frame)
      tape.jump(to: place)
    } else if place == tape.length && tape.isLooping {
      placeOfPause = 0
    } else {
      placeOfPause = place
    }
  }

  /// Whether there is a place to go to.
  var canSeek: Bool { @_noLocks get { tape.length > 0 && !state.isRecording } }

  /// Whether nothing sounds and nothing is planned: it may be left alone.
  var isAtRest: Bool {
    @_noLocks get {
      gate.isClosed && warp.isIdle && !state.isPlaying && !state.isRecording && !isPending
        && cues.isEmpty
        && !tape.isRecording && !tape.isOverdubbing && !transfer.isUnderWay
    }
  }

  /// Where it is in the clip, or how long what is recorded is.
  var position: Int {
    @_noLocks get {
      if state.isRecording { return clipFrames }
      return state.isPlaying ? tape.position : placeOfPause
    }
  }

  /// How long the clip is, that in the making included.
  var length: Int {
    @_noLocks get { state.isRecording ? clipFrames : tape.length }
  }

  // MARK: - Adding

  @_noLocks
  private mutating func toggleOverdub(replacing: Bool, at frame: Int64) {
    if wantsOverdub && isReplacing == replacing {
      endOverdub(at: frame)
      return
    }
    if case .recording = state {
      // From the first round into the second without a break.
      endRecording(at: frame)
      enter(.record)
      if tape.length == 0 { return }
      play(.play)
    }
    isReplacing = replacing
    if !wantsOverdub {
      wantsOverdub = true
      delayOfOverdub = overdubDelay
      cues.add(.beginOverdub, at: frame &+ Int64(delayOfOverdub))
    }
  }

  @_noLocks
  private mutating func endOverdub(at frame: Int64) {
    if !wantsOverdub { return }
    wantsOverdub = false
    cues.add(.endOverdub, at: frame &+ Int64(delayOfOverdub))
  }

  /// How long ago what comes in now was meant: the performer played to what was heard then.
  var overdubDelay: Int {
    @_noLocks get {
      if case .live = source { return inputDelay &+ outputDelay &+ warp.delay }
      return warp.delay
    }
  }

  @_noLocks
  private mutating func step(_ action: PlayerAction, at frame: Int64) {
    if wantsOverdub || tape.isOverdubbing {
      wantsOverdub = false
      cues.removeOverdubs()
      // What was added keeps its fade, should it be wanted again.
      tape.endOverdub()
    }
    if case .undo = action { _ = tape.undo() } else { _ = tape.redo() }
    if placeOfPause >= tape.length { placeOfPause = 0 }
    if tape.length == 0 {
      stop(at: frame)
      state = .recordReady
    } else if !state.isPlaying && !state.isPaused {
      state = .standby
    }
  }

  // MARK: - Time

  /// How many frames until something begins or ends by itself.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    var next = min(cues.nextFrame, pendingFrame > frame ? pendingFrame : .max) &- frame
    if case .recording = state { next = min(next, Int64(mostClipFrames &- clipFrames)) }
    return Int(max(1, min(next, 1 << 20)))
  }

  /// Does what is due at a frame.
  @_noLocks
  mutating func turn(at frame: Int64) {
    if let action = pending, pendingFrame <= frame, !waitsForSound(action) {
      if isPossible(action) { _ = begin(action, at: frame) }
      pending = nil
      pendingFrame = .max
    }
    if case .recording = state, clipFrames >= mostClipFrames { endByItself(at: frame) }
    while cues.nextFrame <= frame {
      switch cues.removeFirst() {
      case .begin(let version): tape.record(into: version)
      case .suspend: tape.suspendRecording()
      case .resume: tape.resumeRecording()
      case .end(let frames): tape.endRecording(at: frames)
      case .beginOverdub:
        if state.isPlaying && tape.beginOverdub() {
          placeOfOverdub = tape.wrapped(tape.position &- delayOfOverdub)
        } else {
          wantsOverdub = false
        }
      case .endOverdub: tape.endOverdub()
      case .turn: tape.setBackward(isBackward)
      }
    }
  }

  /// Ends a clip that is as long as it can be, or as was wanted.
  @_noLocks
  private mutating func endByItself(at frame: Int64) {
    let wanted = pending
    pending = nil
    pendingFrame = .max
    endRecording(at: frame)
    enter(.stop)
    // Who waits for the same end to go on from there shall not wait for another one.
    switch wanted {
    case .overdub, .replace:
      play(.play)
      toggleOverdub(replacing: isReplacement(wanted), at: frame)
    default: break
    }
  }

  @_noLocks
  private func isReplacement(_ action: PlayerAction?) -> Bool {
    if case .some(.replace) = action { return true }
    return false
  }

  /// Begins the recording that waited for sound.
  @_noLocks
  mutating func hearSound(at frame: Int64) {
    guard let action = pending else { return }
    pending = nil
    pendingFrame = .max
    // The sound is there already: nothing of it is late.
    isTriggered = true
    if isPossible(action) { _ = begin(action, at: frame) }
    isTriggered = false
    turn(at: frame)
  }

  /// Lets time pass.
  @_noLocks
  mutating func advance(frames: Int, from frame: Int64) {
    if case .recording = state { clipFrames &+= frames }
    guard state.isPlaying, let since = tape.framesSinceEnd, since >= framesHeardOut else { return }
    stop(at: frame &+ Int64(frames))
  }

  /// What the engine may still have to say when the clip has ended, in frames.
  private var framesHeardOut: Int {
    @_noLocks get {
      let delay = warp.delay
      return delay == 0 && !isMoved ? 0 : 4 &* (2 &* delay &+ frames(0.02))
    }
  }

  /// How long what is pending waits, in frames; `Int.max` where nobody knows, or nothing waits.
  @_noLocks
  func framesWaiting(at frame: Int64) -> Int {
    pendingFrame == .max ? .max : Int(max(0, pendingFrame &- frame))
  }

  /// Ends what can't go on, because the server is another one.
  @_noLocks
  mutating func breakOff(at frame: Int64, shiftedBy step: Int64) {
    pending = nil
    pendingFrame = .max
    cues.shift(by: step)
    if state.isRecording || wantsOverdub { stop(at: frame) }
  }

  /// Rests as a player of another rate did, ready to play the same clip.
  mutating func takeOver(stateOf former: borrowing Player) {
    hasTempo = former.hasTempo
    tempoFound = former.tempoFound
    switch former.state {
    case .playReady, .playingLoaded, .pausedLoaded: state = .playReady
    default: state = .standby
    }
  }

  /// What was loaded is there.
  @_noLocks
  mutating func finishLoading() {
    close()
    wantsOverdub = false
    cues.removeOverdubs()
    tape.breakOffOverdub()
    pending = nil
    pendingFrame = .max
    placeOfPause = 0
    state = .playReady
  }
}
