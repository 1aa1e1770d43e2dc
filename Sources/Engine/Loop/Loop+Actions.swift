internal import DSP

/// The actions of a loop, performed at once or queued for a beat or for sound.
extension Loop {
  // MARK: - Actions

  /// Performs an action, or queues it for its beat.
  ///
  /// Returns the reason if it is refused.
  @_noLocks
  mutating func perform(_ action: LoopAction, at frame: Int64) -> EngineRefusal? {
    switch action {
    case .bringToPlay: return bringToPlay(at: frame)
    case .bringToStop: return bringToStop(at: frame)
    default: break
    }
    if let refusal = refusal(of: action) { return refusal }
    if case .back = action, !isOpened { return nil }
    if waitsForGrowth(action) {
      // The second press ends a growth that hasn't begun.
      if queued.waitsForClip && queued.holds(action) {
        queued.clear()
      } else {
        queued.putUntilComplete(action, from: frame)
      }
      return nil
    }
    if countsIn(action) {
      countIn(action, at: frame)
      return nil
    }
    if stopsLater(action) {
      enqueue(action, from: frame)
      return queued.isDue(by: frame) ? beginQueued(action, at: frame) : nil
    }
    if waits(action) {
      if let quantum = settings.quantum, !waitsForSound(action), !resumesInTime(action) {
        let missed = missedStart(of: quantum, by: action, at: frame)
        if missed >= 0 { return beginLate(action, meant: missed, at: frame) }
      }
      enqueue(action, from: frame)
      if queued.isDue(by: frame) && !waitsForSound(action) { return beginQueued(action, at: frame) }
      return nil
    }
    moment.exact = -1
    return begin(action, at: frame)
  }

  /// Queues an action for its time, or until sound without one.
  @_noLocks
  private mutating func enqueue(_ action: LoopAction, from frame: Int64) {
    if let exact = dueTime(of: action, from: frame) {
      queued.put(action, due: exact, from: frame)
    } else {
      queued.putUntilSound(action)
    }
  }

  /// Returns the exact time at which an action is due, negative if that is now; nil if only sound starts it.
  @_noLocks
  func dueTime(of action: LoopAction, from frame: Int64) -> Double? {
    if case .stop = action, state.isPlaying { return stopTime(from: frame) }
    guard let quantum = settings.quantum else { return nil }
    if resumesInTime(action) { return timeToResume(at: quantum, from: frame) }
    return dueTime(of: quantum, from: frame)
  }

  /// Whether an action resumes a paused loop where it is in time: at its position in the grain.
  ///
  /// A loop at another speed, and a clip that plays once, have no time to keep.
  @_noLocks
  private func resumesInTime(_ action: LoopAction) -> Bool {
    switch action {
    case .play, .pause:
      return state.isPaused && isQuantized && tape.isLooping && !isMoved && !playsOnce
        && !playback.isOnce
    default: return false
    }
  }

  /// Returns the exact time at which a grain is as old as it was at the paused position.
  @_noLocks
  private func timeToResume(at grain: LoopGrain, from frame: Int64) -> Double {
    let period = frames(of: grain)
    guard period > 0 else { return -1 }
    let passed = playback.isBackward ? tape.length &- playback.resume : playback.resume
    let age = Double(passed).truncatingRemainder(dividingBy: period)
    let start = nextStart(of: grain, from: frame &- Int64(age))
    return start < 0 ? -1 : start + age
  }

  /// Returns the exact time at which a quantized action is due; negative if that is now.
  ///
  /// A recording that sound started ends a whole number of grains after its start, which is off the grid.
  @_noLocks
  func dueTime(of grain: LoopGrain, from frame: Int64) -> Double {
    let period = frames(of: grain)
    guard case .recording = state, recording.isTriggered, period > 0 else {
      return nextStart(of: grain, from: frame)
    }
    let recorded = Double(recording.frames)
    // A grain ends on the nearest frame; rounding must not select another.
    let grains = (recorded - 0.5) / period - 1e-9
    var count = Double(Int64(grains))
    if count < grains { count += 1 }
    return Double(frame) - recorded + max(1, count) * period
  }

  /// Returns the exact length of a grain in frames; 0 for the cycle of a leading loop that doesn't play.
  @_noLocks
  func frames(of grain: LoopGrain) -> Double {
    switch grain {
    case .beat: time.pointee.beats.exact(1)
    case .bar: time.pointee.beats.exact(Float(time.pointee.beats.beatsPerBar))
    case .round: time.pointee.round.length
    }
  }

  /// Returns the exact time at which the next grain starts; negative if none is due.
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
    moment.exact = queued.exact
    let refusal = begin(action, at: frame)
    moment.exact = -1
    return refusal
  }

  /// Begins an action as of the time that it meant.
  @_noLocks
  private mutating func beginLate(
    _ action: LoopAction, meant exact: Double, at frame: Int64
  ) -> EngineRefusal? {
    moment.exact = exact
    moment.late = Int(frame &- Int64(exact + 0.5))
    let refusal = begin(action, at: frame)
    moment.exact = -1
    moment.late = 0
    return refusal
  }

  /// Whether an action waits for a beat or for sound.
  @_noLocks
  func waits(_ action: LoopAction) -> Bool {
    if waitsForSound(action) { return true }
    guard isQuantized else { return false }
    switch action {
    case .record, .recordOn, .overdub, .replace, .substitute, .multiply, .insert: return true
    case .play: return !state.isPlaying && (!state.isPaused || resumesInTime(action))
    case .pause: return resumesInTime(action)
    case .once: return true
    case .stop: return state.isRecording
    default: return false
    }
  }

  /// Whether an action is a stop that takes effect later.
  ///
  /// Pressing again stops at once.
  @_noLocks
  func stopsLater(_ action: LoopAction) -> Bool {
    guard case .stop = action else { return false }
    return !settings.stopAt.isNow && state.isPlaying && tape.length > 0 && !queued.holds(.stop)
  }

  /// The exact time of such a stop; negative if that is now.
  @_noLocks
  func stopTime(from frame: Int64) -> Double {
    switch settings.stopAt {
    case .now: -1
    case .beat: nextStart(of: .beat, from: frame)
    case .bar: nextStart(of: .bar, from: frame)
    case .end: Double(frame) + Double(tape.framesToRound) / Double(max(0.01, warp.speed))
    }
  }

  var isQuantized: Bool {
    @_noLocks get { if case .some = settings.quantum { true } else { false } }
  }

  @_noLocks
  func waitsForSound(_ action: LoopAction) -> Bool {
    switch action {
    case .record, .recordOn: return settings.threshold > 0 && !state.isRecording
    default: return false
    }
  }

  /// Whether a recording starts as soon as the input is loud enough.
  @_noLocks
  func isWaitingForSound(at frame: Int64) -> Bool {
    guard let action = queued.action, waitsForSound(action) else { return false }
    return queued.isDue(by: frame) || queued.frame == .max
  }

  /// Returns why an action is refused, or nil.
  @_noLocks
  func refusal(of action: LoopAction) -> EngineRefusal? {
    if isLocked(action) { return .locked }
    if !time.pointee.hasInput, action.recordsInput, !state.isRecording, !layer.isOn {
      return .noInput
    }
    switch action {
    case .press, .release: return nil
    case .keep: return refusalToKeep
    case .record, .recordOn:
      if !means(.record) && !(isRecordOn(action) && isPlayingRecording) { return .meaningless }
      if transfer.isLoading { return .transferring }
      if !state.isRecording && fixedFrames > tape.capacity { return .tooManyBeats }
      return cues.isFull ? .noMemory : nil
    case .play:
      // Play ends a recording, and plays it at once.
      if state.isRecording { return cues.isFull ? .noMemory : nil }
      if !means(.play) { return .meaningless }
      return tape.length == 0 ? .nothingRecorded : nil
    case .pause: return !means(.pause) || cues.isFull ? .meaningless : nil
    case .stop:
      // Cancel drops a queued action in any state.
      return !queued.isEmpty || means(.stop) ? nil : .meaningless
    case .done: return nil
    case .rewind, .forward: return state.isPlaying || state.isPaused ? nil : .meaningless
    case .once, .replay:
      if state.isRecording { return .meaningless }
      return tape.length == 0 ? .nothingRecorded : nil
    case .overdub: return refusalToAdd(.overdub)
    case .replace: return refusalToAdd(.replace)
    case .substitute: return refusalToAdd(.substitute)
    case .multiply: return refusalToGrow(.multiply)
    case .insert: return refusalToGrow(.insert)
    case .undo:
      if !queued.isEmpty { return nil }
      if state.isRecording { return .meaningless }
      return tape.stepsBack == 0 && !isGrowing ? .nothingToUndo : nil
    case .redo:
      if state.isRecording { return .meaningless }
      return tape.stepsForth == 0 ? .nothingToRedo : nil
    case .clear, .cancel, .back, .bringToPlay, .bringToStop: return nil
    }
  }

  /// Whether it plays a clip that was recorded: one that was loaded is never recorded over.
  private var isPlayingRecording: Bool {
    @_noLocks get { if case .playing = state { true } else { false } }
  }

  /// Why a growing layer can't be started or ended, or nil if it can.
  @_noLocks
  private func refusalToGrow(_ kind: Layer.Kind) -> EngineRefusal? {
    if layer.adds(kind) { return nil }
    // One growth ends before another one starts.
    if layer.isOn && isGrowing { return .meaningless }
    if tape.isGrowing && !tape.isFilling { return .transferring }
    if isMoved || playback.isBackward { return .notAsRecorded }
    if layer.isOn { return nil }
    if let refusal = refusalToAdd(kind) { return refusal }
    if state.isRecording { return .notPlaying }
    return tape.roomToGrow < tape.seam ? .tooLong : nil
  }

  /// Why a layer can't be started, or the present one be changed, or nil if it can.
  @_noLocks
  private func refusalToAdd(_ kind: Layer.Kind) -> EngineRefusal? {
    if layer.adds(kind) { return nil }
    if cues.isFull { return .noMemory }
    if layer.isOn { return nil }
    if hasTimeOfItsOwn && !canAddInClipTime { return .notAsRecorded }
    if case .recording = state { return nil }
    return state.isPlaying ? nil : .notPlaying
  }

  @_noLocks
  private func isRecordOn(_ action: LoopAction) -> Bool {
    if case .recordOn = action { true } else { false }
  }

  @_noLocks
  func means(_ event: LoopEvent) -> Bool {
    if case .some = state.after(event) { true } else { false }
  }

  @_noLocks
  func isPossible(_ action: LoopAction) -> Bool {
    if case .some = refusal(of: action) { false } else { true }
  }

  var fixedFrames: Int {
    @_noLocks get { settings.beats > 0 ? time.pointee.beats.frames(ofBeats: settings.beats) : 0 }
  }

  /// Whether an action leaves the queued one in place: it does not determine the loop's next
  /// activity.
  ///
  /// A press of the pedal becomes another action, which determines it. A release does not. Undo cancels it
  /// itself.
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
    if !Self.leavesQueue(action) {
      queued.clear()
      playback.cleared = nil
      if case .play = action {} else { fade.forget() }
    }
    switch action {
    case .press: return press(at: frame)
    case .release: return release(at: frame)
    case .keep: return keep(at: frame)
    case .record: return state.isRecording ? endOrResume(at: frame) : record(at: frame)
    case .recordOn: return recordOn(at: frame)
    case .play:
      if state.isRecording {
        endAndPlay(at: frame)
      } else if state.isPlaying && (!playback.isOnce || playsOnce) {
        pause(at: frame)
      } else if state.isPlaying {
        endOnce()
      } else {
        play(.play, at: frame, isLate: true)
      }
    case .once, .replay: playOnce(at: frame)
    case .pause: return pauseOrResume(at: frame)
    case .stop: stop(at: frame)
    case .done:
      stop(at: frame)
      enter(.done)
      playback.onceClip = 0
    case .back:
      stop(at: frame)
      enter(.done)
      if tape.stepsBack > 0 { step(.undo, at: frame) }
    case .rewind: skip(-Self.skipSeconds, at: frame)
    case .forward: skip(Self.skipSeconds, at: frame)
    case .overdub: toggle(.overdub, at: frame)
    case .replace: toggle(.replace, at: frame)
    case .substitute: toggle(.substitute, at: frame)
    case .multiply: toggle(.multiply, at: frame)
    case .insert: toggle(.insert, at: frame)
    case .undo, .redo: step(action, at: frame)
    case .clear:
      let place = placeToClear
      stop(at: frame)
      tape.dropGrowth()
      if tape.length > 0 {
        if !tape.clear() { return .noMemory }
        noteClear(from: place, at: frame)
      }
      state = .recordReady
    case .cancel, .bringToPlay, .bringToStop: break
    }
    return nil
  }

  @_noLocks
  mutating func enter(_ event: LoopEvent) {
    if let next = state.after(event) { state = next }
  }

  // MARK: - Time

  /// Returns the frames until something is due.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    let due = queued.frame > frame ? queued.frame : .max
    var next = min(cues.nextFrame, due) &- frame
    if case .recording = state { next = min(next, Int64(recording.limit &- recording.frames)) }
    let judged = pedal.judge.deadline(wanted: pedal.wanted, time.pointee.presses)
    if judged < .max { next = min(next, judged &- frame) }
    if layer.isOn && isGrowing { next = min(next, layer.start &+ mostAdded &- frame) }
    return Int(max(1, min(next, 1 << 20)))
  }

  /// Performs the actions that are due at a frame.
  @_noLocks
  mutating func turn(at frame: Int64) {
    if let action = queued.action, queued.isDue(by: frame), !waitsForSound(action) {
      if queued.waitsForClip || waitsForGrowth(action) {
        queued.clear()
        _ = perform(action, at: frame)
      } else {
        if isPossible(action) { _ = beginQueued(action, at: frame) }
        queued.clear()
      }
    }
    if case .recording = state, recording.isFull || tape.isShort {
      endByItself(at: frame)
    }
    if layer.isOn && isGrowing && frame &- layer.start >= mostAdded { endLayerUnasked(at: frame) }
    turnPedal(at: frame)
    while cues.nextFrame <= frame {
      let cue = cues.removeFirst()
      switch cue.kind {
      case .begin(let version):
        let missed = Int(frame &- cue.frame)
        if missed > 0 { fillStart(of: version, frames: missed) } else { tape.record(into: version) }
      case .suspend: tape.suspendRecording()
      case .resume: tape.resumeRecording()
      case .end(let frames): tape.endRecording(at: frames)
      case .beginOverdub(let kind): beginLayer(kind)
      case .changeOverdub(let kind): changeLayer(to: kind)
      case .endOverdub: tape.endOverdub()
      case .turn: tape.setBackward(playback.isBackward)
      }
    }
  }

  /// Ends a recording that has reached its limit.
  @_noLocks
  mutating func endByItself(at frame: Int64) {
    let wanted = queued.action
    queued.clear()
    moment.exact =
      settings.beats == 0
      ? -1 : recording.exactEnd(after: time.pointee.beats.exact(settings.beats))
    defer { moment.exact = -1 }
    tape.forgetShortage()
    if recording.continues {
      endRecordingOn(at: frame)
      return
    }
    endRecording(at: frame)
    enter(.stop)
    // An action queued for the end of the recording follows now, and not at the next beat.
    switch wanted {
    case .overdub: overdubAtOnce(.overdub, at: frame)
    case .replace: overdubAtOnce(.replace, at: frame)
    case .substitute: overdubAtOnce(.substitute, at: frame)
    case .play: play(.play, at: frame)
    default: break
    }
  }

  @_noLocks
  private mutating func overdubAtOnce(_ kind: Layer.Kind, at frame: Int64) {
    play(.play, at: frame)
    toggle(kind, at: frame)
  }

  /// Starts the recording that waited for sound.
  ///
  /// If it is quantized, and nothing depends on the beat, the beat starts with it.
  @_noLocks
  mutating func hearSound(at frame: Int64) {
    guard let action = queued.action else { return }
    queued.clear()
    if isQuantized && !dependsOnBeat { time.pointee.beats.beginBar(at: frame) }
    // The sound has arrived: there is no latency to compensate.
    moment.isTriggered = true
    if isPossible(action) { _ = begin(action, at: frame) }
    moment.isTriggered = false
    turn(at: frame)
  }

  /// Advances the recording, and stops at the end of a clip that does not repeat.
  @_noLocks
  mutating func advance(frames: Int, from frame: Int64) {
    if case .recording = state { recording.advance(frames: frames) }
    if playback.missed > 0 { catchUpWherePossible() }
    if fade.hasEnded && state.isPlaying { stop(at: frame &+ Int64(frames)) }
    guard state.isPlaying, let since = tape.framesSinceEnd, since >= framesHeardOut else { return }
    stop(at: frame &+ Int64(frames))
  }

  /// The tail of the pitch shifter after the end of the clip, in frames.
  var framesHeardOut: Int {
    @_noLocks get {
      let delay = warp.delay
      return delay == 0 && !isMoved ? 0 : 4 &* (2 &* delay &+ frames(0.02))
    }
  }

  /// Ends the loading of a clip, which is the current one from now on.
  @_noLocks
  mutating func finishLoading(toBeHeardOnce: Bool) {
    close()
    endOnce()
    playback.onceClip = toBeHeardOnce ? tape[tape.currentVersion].clip : 0
    layer.end()
    cues.removeOverdubs()
    tape.breakOffOverdub()
    queued.clear()
    playback.cleared = nil
    playback.resume = 0
    state = .playReady
  }
}
