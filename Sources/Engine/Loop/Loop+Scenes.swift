internal import DSP

/// The states that scenes and parts ask for, whatever the loop does or waits for.
extension Loop {
  /// Plays the loop unless it plays, and lets nothing end that which waits or is under way.
  @_noLocks
  mutating func bringToPlay(at frame: Int64) -> EngineRefusal? {
    if state.isPlaying && !state.isRecording {
      switch queued.action {
      case .stop, .pause, .play, .done, .clear: queued.clear()
      default: break
      }
      fade.recover(frames: frames(Self.closeSeconds))
      return nil
    }
    return tape.length > 0 || state.isRecording ? perform(.play, at: frame) : nil
  }

  /// Stops the loop, and withdraws what waits.
  @_noLocks
  mutating func bringToStop(at frame: Int64) -> EngineRefusal? {
    if state.isPlaying || state.isRecording || state.isPaused {
      // Another stop would not wait for its moment.
      return queued.holds(.stop) ? nil : perform(.stop, at: frame)
    }
    queued.clear()
    return nil
  }
}
