internal import DSP

/// The actions of the player: done at once, or when their beat or sound comes.
extension Loop {
  // MARK: - Actions

  /// Performs an action, or queues it for its beat.
  ///
  /// Returns the reason if it is refused.
  @_noLocks
  mutating func perform(_ action: LoopAction, at frame: Int64) -> EngineRefusal? {
    if let refusal = refusal(of: action) { return refusal }
    if countsIn(action) {
      countIn(action, at: frame)
      return nil
    }
    if waits(action) {
      enqueue(action, from: frame)
      if queued.isDue(by: frame) && !waitsForSound(action) { return beginQueued(action, at: frame) }
      return nil
    }
    exactNow = -1
    return begin(action, at: frame)
  }

  /// Queues an action for the next start of its grain, or until sound without one.
  @_noLocks
  private mutating func enqueue(_ action: LoopAction, from frame: Int64) {
    if let quantum {
      queued.put(action, due: nextStart(of: quantum, from: frame), from: frame)
    } else {
      queued.putUntilSound(action)
    }
  }

  /// Returns the exact time at which the next grain starts; negative if there is none to wait for.
  @_noLocks
  func nextStart(of grain: LoopGrain, from frame: Int64) -> Double {
    switch grain {
    case .beat: time.pointee.beats.exactNext(.beat, from: frame)
    case .bar: time.pointee.beats.exactNext(.bar, from: frame)
    case .round: time.pointee.round.beginning(from: frame) ?? -1
    }
  }

  /// Begins the queued action at the time that it waited for.
  @_noLocks
  private mutating func beginQueued(_ action: LoopAction, at frame: Int64) -> EngineRefusal? {
    exactNow = queued.exact
    let refusal = begin(action, at: frame)
    exactNow = -1
    return refusal
  }

  /// Whether an action waits for a beat or for sound.
  @_noLocks
  func waits(_ action: LoopAction) -> Bool {
    if waitsForSound(action) { return true }
    guard isQuantized else { return false }
    switch action {
    case .record, .recordOn, .overdub, .replace, .substitute, .multiply, .insert: return true
    case .play: return !state.isPlaying && !state.isPaused
    case .once: return !state.isPaused
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
  func waitsForSound(_ action: LoopAction) -> Bool {
    switch action {
    case .record, .recordOn: return threshold > 0 && !state.isRecording
    default: return false
    }
  }

  /// Whether a recording starts as soon as the input is loud enough.
  @_noLocks
  func isWaitingForSound(at frame: Int64) -> Bool {
    guard let action = queued.action, waitsForSound(action) else { return false }
    return queued.isDue(by: frame) || queued.frame == .max
  }

  /// Why an action can't be; nil where it can.
  @_noLocks
  func refusal(of action: LoopAction) -> EngineRefusal? {
    switch action {
    case .press, .release: return nil
    case .keep: return refusalToKeep
    case .record, .recordOn:
      if !means(.record) && !(isRecordOn(action) && state.isPlaying) { return .meaningless }
      if transfer.isLoading { return .transferring }
      if !state.isRecording && fixedFrames > tape.capacity { return .tooManyBeats }
      return cues.isFull ? .noMemory : nil
    case .play:
      // It ends a recording, and plays it at once.
      if state.isRecording { return cues.isFull ? .noMemory : nil }
      if !means(.play) { return .meaningless }
      return tape.length == 0 ? .nothingRecorded : nil
    case .pause: return !means(.pause) || cues.isFull ? .meaningless : nil
    case .stop:
      // It cancels a queued action in any state.
      return !queued.isEmpty || means(.stop) ? nil : .meaningless
    case .done: return nil
    case .rewind, .forward: return state.isPlaying || state.isPaused ? nil : .meaningless
    case .once:
      if state.isRecording { return .meaningless }
      return tape.length == 0 ? .nothingRecorded : nil
    case .overdub, .replace, .substitute: return refusalToAdd
    case .multiply, .insert:
      if wantsOverdub { return nil }
      if tape.isGrowing { return .noMemory }
      if let refusal = refusalToAdd { return refusal }
      if state.isRecording { return .notPlaying }
      return tape.roomToGrow < tape.seam ? .tooLong : nil
    case .undo:
      if state.isRecording { return .meaningless }
      return tape.stepsBack == 0 && !isGrowing ? .nothingToUndo : nil
    case .redo:
      if state.isRecording { return .meaningless }
      return tape.stepsForth == 0 ? .nothingToRedo : nil
    case .clear, .cancel: return nil
    }
  }

  /// Why nothing can be added; nil where it can, or is.
  private var refusalToAdd: EngineRefusal? {
    @_noLocks get {
      if wantsOverdub { return nil }
      if cues.isFull { return .noMemory }
      if isMoved || isBackward { return .notAsRecorded }
      if case .recording = state { return nil }
      return state.isPlaying ? nil : .notPlaying
    }
  }

  @_noLocks
  private func isRecordOn(_ action: LoopAction) -> Bool {
    if case .recordOn = action { return true }
    return false
  }

  @_noLocks
  func means(_ event: LoopEvent) -> Bool {
    if case .some = state.after(event) { return true }
    return false
  }

  @_noLocks
  func isPossible(_ action: LoopAction) -> Bool {
    if case .some = refusal(of: action) { return false }
    return true
  }

  var fixedFrames: Int {
    @_noLocks get { fixedBeats > 0 ? time.pointee.beats.frames(ofBeats: fixedBeats) : 0 }
  }

  /// Whether an action leaves the queued one in place: it says nothing about what the loop does next.
  ///
  /// A press of the pedal comes to another action, which decides; letting it go decides nothing.
  @_noLocks
  private static func leavesQueue(_ action: LoopAction) -> Bool {
    switch action {
    case .press, .release, .rewind, .forward, .undo, .redo: true
    default: false
    }
  }

  /// Begins an action now.
  @_noLocks
  mutating func begin(_ action: LoopAction, at frame: Int64) -> EngineRefusal? {
    if !Self.leavesQueue(action) { queued.clear() }
    switch action {
    case .press: press(at: frame)
    case .release: release(at: frame)
    case .keep: return keep(at: frame)
    case .record: return state.isRecording ? endOrResume(at: frame) : record(at: frame)
    case .recordOn: return recordOn(at: frame)
    case .play:
      if state.isRecording {
        endAndPlay(at: frame)
      } else if state.isPlaying && !isOnce {
        pause(at: frame)
      } else if state.isPlaying {
        endOnce()
      } else {
        play(.play, at: frame, isLate: true)
      }
    case .once: playOnce(at: frame)
    case .pause: return pauseOrResume(at: frame)
    case .stop: stop(at: frame)
    case .done:
      stop(at: frame)
      enter(.done)
    case .rewind: skip(-Self.skipSeconds, at: frame)
    case .forward: skip(Self.skipSeconds, at: frame)
    case .overdub: toggle(.overdub, at: frame)
    case .replace: toggle(.replace, at: frame)
    case .substitute: toggle(.substitute, at: frame)
    case .multiply: toggle(.multiply, at: frame)
    case .insert: toggle(.insert, at: frame)
    case .undo, .redo: step(action, at: frame)
    case .clear:
      stop(at: frame)
      tape.dropGrowth()
      if tape.length > 0 && !tape.clear() { return .noMemory }
      state = .recordReady
    case .cancel: break
    }
    return nil
  }

  @_noLocks
  mutating func enter(_ event: LoopEvent) {
    if let next = state.after(event) { state = next }
  }

  // MARK: - Time

  /// Counts the frames until something begins or ends by itself.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    let due = queued.frame > frame ? queued.frame : .max
    var next = min(cues.nextFrame, due) &- frame
    if case .recording = state { next = min(next, Int64(mostClipFrames &- clipFrames)) }
    let judged = pedal.judge.deadline(wanted: pedal.wanted, time.pointee.presses)
    if judged < .max { next = min(next, judged &- frame) }
    if wantsOverdub && isGrowing { next = min(next, additionStart &+ mostAdded &- frame) }
    return Int(max(1, min(next, 1 << 20)))
  }

  /// Performs what is due at a frame.
  @_noLocks
  mutating func turn(at frame: Int64) {
    if let action = queued.action, queued.isDue(by: frame), !waitsForSound(action) {
      if isPossible(action) { _ = beginQueued(action, at: frame) }
      queued.clear()
    }
    if case .recording = state, clipFrames >= mostClipFrames || tape.isShort {
      endByItself(at: frame)
    }
    if wantsOverdub && isGrowing && frame &- additionStart >= mostAdded { endOverdub(at: frame) }
    turnPedal(at: frame)
    while cues.nextFrame <= frame {
      switch cues.removeFirst() {
      case .begin(let version): tape.record(into: version)
      case .suspend: tape.suspendRecording()
      case .resume: tape.resumeRecording()
      case .end(let frames): tape.endRecording(at: frames)
      case .beginOverdub:
        if isGrowing {
          // It was begun when it was asked for.
        } else if state.isPlaying && tape.beginOverdub() {
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
    let wanted = queued.action
    queued.clear()
    exactNow =
      exactStart < 0 || fixedBeats == 0 ? -1 : exactStart + time.pointee.beats.exact(fixedBeats)
    defer { exactNow = -1 }
    tape.forgetShortage()
    if goesOn {
      endRecordingOn(at: frame)
      return
    }
    endRecording(at: frame)
    enter(.stop)
    // Who waits for the same end to go on from there shall not wait for another one.
    switch wanted {
    case .overdub: overdubAtOnce(.overdub, at: frame)
    case .replace: overdubAtOnce(.replace, at: frame)
    case .substitute: overdubAtOnce(.substitute, at: frame)
    case .play: play(.play, at: frame)
    default: break
    }
  }

  @_noLocks
  private mutating func overdubAtOnce(_ addition: Addition, at frame: Int64) {
    play(.play, at: frame)
    toggle(addition, at: frame)
  }

  /// Begins the recording that waited for sound.
  @_noLocks
  mutating func hearSound(at frame: Int64) {
    guard let action = queued.action else { return }
    queued.clear()
    // The sound has arrived: there is no latency to compensate.
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

  /// Ends what can't go on, because the server is another one.
  @_noLocks
  mutating func breakOff(at frame: Int64, shiftedBy step: Int64) {
    queued.clear()
    cues.shift(by: step)
    additionStart &+= step
    pedal.judge.shift(by: step)
    if state.isRecording || wantsOverdub { stop(at: frame) }
  }

  /// Rests as a player of another rate did, ready to play the same clip.
  mutating func takeOver(stateOf former: borrowing Loop) {
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
    queued.clear()
    placeOfPause = 0
    state = .playReady
  }
}
