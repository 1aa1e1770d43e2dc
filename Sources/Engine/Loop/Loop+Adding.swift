internal import DSP

/// Overdubs upon the clip, and steps back and forth.
extension Loop {
  @_noLocks
  mutating func toggle(_ addition: Addition, at frame: Int64) {
    if wantsOverdub && isAddition(addition) {
      endOverdub(at: frame)
      return
    }
    if case .recording = state {
      // From the first round into the second without a break.
      endRecording(at: frame)
      enter(.record)
      if tape.length == 0 { return }
      play(.play, at: frame)
    }
    if wantsOverdub && (isGrowing || Self.grows(addition)) { endOverdub(at: frame) }
    self.addition = addition
    if wantsOverdub { return }
    wantsOverdub = true
    delayOfOverdub = overdubDelay
    additionStart = frame
    exactAdditionStart = exactNow
    if Self.grows(addition) && !beginGrowing(addition) {
      wantsOverdub = false
      return
    }
    cues.add(.beginOverdub, at: frame &+ Int64(delayOfOverdub))
  }

  @_noLocks
  func isAddition(_ other: Addition) -> Bool {
    switch (addition, other) {
    case (.overdub, .overdub), (.replace, .replace), (.substitute, .substitute),
      (.multiply, .multiply), (.insert, .insert):
      true
    default: false
    }
  }

  @_noLocks
  static func grows(_ addition: Addition) -> Bool {
    switch addition {
    case .multiply, .insert: true
    default: false
    }
  }

  @_noLocks
  mutating func endOverdub(at frame: Int64) {
    if !wantsOverdub { return }
    wantsOverdub = false
    if isGrowing { endGrowing(at: frame) }
    cues.add(.endOverdub, at: frame &+ Int64(delayOfOverdub))
  }

  /// How many frames ago what comes in now was meant: the performer played to what was heard then.
  var overdubDelay: Int {
    @_noLocks get {
      if case .live = source { return inputDelay &+ outputDelay &+ warp.delay }
      return warp.delay
    }
  }

  /// Undoes or redoes a step of the clip's history.
  ///
  /// Undo takes back the last press: an overdub that was started, even if its sound has yet to come in.
  @_noLocks
  mutating func step(_ action: LoopAction, at frame: Int64) {
    if wantsOverdub { dropQueuedAddition() }
    if case .undo = action, !tape.isGrowing, cues.removeLastOverdub() {
      wantsOverdub = false
      return
    }
    if isGrowing && wantsOverdub {
      // The unfinished growth is the step to undo.
      wantsOverdub = false
      cues.removeOverdubs()
      dropGrowth()
      if case .undo = action { return }
    }
    if wantsOverdub || tape.isOverdubbing {
      wantsOverdub = false
      cues.removeOverdubs()
      // The overdub keeps its fade, for redo.
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

  /// Removes a queued end of the overdub, or its change into another kind.
  @_noLocks
  private mutating func dropQueuedAddition() {
    switch queued.action {
    case .overdub, .replace, .substitute, .multiply, .insert: queued.clear()
    default: break
    }
  }
}
