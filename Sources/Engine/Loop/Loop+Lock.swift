internal import DSP

/// The lock: no action loses a clip while it is on.
extension Loop {
  /// Whether the lock refuses an action.
  ///
  /// Layers are added, undone and redone as ever.
  @_noLocks
  func isLocked(_ action: LoopAction) -> Bool {
    guard time.pointee.isLocked else { return false }
    switch action {
    case .clear: return tape.length > 0 || state.isRecording
    case .record, .recordOn: return tape.length > 0 && !state.isRecording
    case .keep: return tape.length > 0
    // Undo cancels a queued action first.
    case .undo: return queued.isEmpty && tape.stepsBack > 0 && !tape.isLayer(forth: false)
    case .redo: return tape.stepsForth > 0 && !tape.isLayer(forth: true)
    default: return false
    }
  }
}
