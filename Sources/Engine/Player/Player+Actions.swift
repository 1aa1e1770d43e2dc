internal import DSP

/// The actions of the player: done at once, or when their beat or sound comes.
extension Player {
  // MARK: - Actions

  /// Performs an action, or plans it for its beat; returns the reason where it can't be.
  @_noLocks
  mutating func perform(_ action: PlayerAction, at frame: Int64) -> PlayerRefusal? {
    if let refusal = refusal(of: action) { return refusal }
    if countsIn(action) {
      countIn(at: frame)
      return nil
    }
    if waits(action) {
      pending = action
      pendingFrame = .max
      countInStart = .max
      if let quantum { pendingFrame = beats.next(quantum, from: frame) }
      if pendingFrame <= frame && !waitsForSound(action) { return begin(action, at: frame) }
      return nil
    }
    return begin(action, at: frame)
  }

  /// Follows a transport that rolls; what waits for a beat waits for the transport's.
  @_noLocks
  mutating func follow(_ transport: Transport, at frame: Int64) {
    let waiting = barsWaiting(at: frame)
    if beats.follow(transport, at: frame) { planAgain(after: waiting, at: frame) }
  }

  /// Whether an action is one that is moved to a beat, or waits for sound.
  @_noLocks
  func waits(_ action: PlayerAction) -> Bool {
    if waitsForSound(action) { return true }
    guard isQuantized else { return false }
    switch action {
    case .record, .overdub, .replace: return true
    case .play: return !state.isPlaying && !state.isPaused
    case .stop: return state.isRecording
    default: return false
    }
  }

  var isQuantized: Bool {
    @_noLocks get {
      if case .some = quantum { return true }
      return false
    }
  }

  @_noLocks
  func waitsForSound(_ action: PlayerAction) -> Bool {
    if case .record = action { return threshold > 0 && !state.isRecording }
    return false
  }

  /// Whether a recording begins as soon as the input is loud enough.
  @_noLocks
  func isWaitingForSound(at frame: Int64) -> Bool {
    if let pending, waitsForSound(pending) {
      return pendingFrame <= frame || pendingFrame == .max
    }
    return false
  }

  /// Why an action can't be; nil where it can.
  @_noLocks
  func refusal(of action: PlayerAction) -> PlayerRefusal? {
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
  func means(_ event: PlayerEvent) -> Bool {
    if case .some = state.after(event) { return true }
    return false
  }

  @_noLocks
  func isPossible(_ action: PlayerAction) -> Bool {
    if case .some = refusal(of: action) { return false }
    return true
  }

  var isPending: Bool {
    @_noLocks get {
      if case .some = pending { return true }
      return false
    }
  }

  var fixedFrames: Int {
    @_noLocks get { fixedBeats > 0 ? beats.frames(ofBeats: fixedBeats) : 0 }
  }

  /// Begins an action now.
  @_noLocks
  mutating func begin(_ action: PlayerAction, at frame: Int64) -> PlayerRefusal? {
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
  mutating func enter(_ event: PlayerEvent) {
    if let next = state.after(event) { state = next }
  }

  // MARK: - Time

  /// Counts the frames until something begins or ends by itself.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    var next = min(cues.nextFrame, pendingFrame > frame ? pendingFrame : .max) &- frame
    if case .recording = state { next = min(next, Int64(mostClipFrames &- clipFrames)) }
    return Int(max(1, min(next, 1 << 20)))
  }

  /// Performs what is due at a frame.
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
  mutating func endByItself(at frame: Int64) {
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
  func isReplacement(_ action: PlayerAction?) -> Bool {
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
  var framesHeardOut: Int {
    @_noLocks get {
      let delay = warp.delay
      return delay == 0 && !isMoved ? 0 : 4 &* (2 &* delay &+ frames(0.02))
    }
  }

  /// Counts the frames that what is pending waits; `Int.max` where nobody knows, or nothing waits.
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

  /// Ends the loading of a clip: from now on it is the one that is played.
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
