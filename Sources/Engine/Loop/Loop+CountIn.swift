/// The count-in: bars that are counted before a recording starts.
extension Loop {
  /// Whether an action waits for the end of a count-in.
  @_noLocks
  func countsIn(_ action: LoopAction) -> Bool {
    switch action {
    case .record, .recordOn:
      return time.pointee.countInBars > 0 && !state.isRecording && !state.isPlaying
    default: return false
    }
  }

  /// Starts a count-in, on the next bar if something depends on the beat, else at once.
  ///
  /// Pressing again during the count-in does not restart it.
  @_noLocks
  mutating func countIn(_ action: LoopAction, at frame: Int64) {
    if queued.isCounted { return }
    if !dependsOnBeat { time.pointee.beats.beginBar(at: frame) }
    queued.put(
      action, afterBars: time.pointee.countInBars, of: time.pointee.beats, from: frame)
  }

  /// Whether anything depends on the beats, which must then not move.
  var dependsOnBeat: Bool {
    @_noLocks get {
      time.pointee.isBeatInUse || time.pointee.isOtherInTime || goesByBeat
    }
  }

  /// Whether this loop runs on the beat, or waits for it.
  var goesByBeat: Bool {
    @_noLocks get {
      if !queued.isEmpty { return true }
      return (isQuantized || time.pointee.hasTempo) && (state.isPlaying || state.isRecording)
    }
  }

  /// Moves the queued action to the present frame of its beat.
  @_noLocks
  mutating func planAgain(at frame: Int64) {
    // An action that is due on this frame begins on it.
    guard !queued.isEmpty, queued.frame < .max, queued.frame > frame else { return }
    if queued.isCounted {
      queued.restoreBars(of: time.pointee.beats, at: frame)
    } else if let action = queued.action, let exact = dueTime(of: action, from: frame) {
      queued.put(action, due: exact, from: frame)
    }
  }
}
