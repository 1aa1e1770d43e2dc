internal import DSP

/// Overdubs upon the clip, and steps back and forth.
extension Player {
  @_noLocks
  mutating func toggleOverdub(replacing: Bool, at frame: Int64) {
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
  mutating func endOverdub(at frame: Int64) {
    if !wantsOverdub { return }
    wantsOverdub = false
    cues.add(.endOverdub, at: frame &+ Int64(delayOfOverdub))
  }

  /// How many frames ago what comes in now was meant: the performer played to what was heard then.
  var overdubDelay: Int {
    @_noLocks get {
      if case .live = source { return inputDelay &+ outputDelay &+ warp.delay }
      return warp.delay
    }
  }

  @_noLocks
  mutating func step(_ action: PlayerAction, at frame: Int64) {
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
}
