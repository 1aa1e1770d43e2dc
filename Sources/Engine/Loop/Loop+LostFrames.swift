internal import DSP

/// Frames that an xrun has lost.
extension Loop {
  /// Moves all that is planned by a number of frames that were lost.
  @_noLocks
  mutating func delay(by frames: Int64) {
    queued.delay(by: frames)
    cues.shift(by: frames)
    layer.shift(by: frames)
    recording.delay(by: frames)
    playback.delay(by: frames)
  }

  /// Continues where the loop would be if no frames had been lost, if it is played or recorded in time.
  @_noLocks
  mutating func catchUp(_ frames: Int64) {
    guard goesByBeat else { return }
    if case .recording = state {
      let missing = max(0, min(Int(frames), recording.limit &- recording.frames))
      // Silence takes the place of the lost sound.
      recording.advance(frames: missing)
      tape.recordSilence(frames: missing)
    } else if state.isPlaying && tape.isLooping && tape.length > 0 {
      playback.missed &+= Int(Float(frames) * warp.speed + 0.5)
      catchUpWherePossible()
    }
  }

  /// Moves the playhead on by the frames that were lost, unless it leads a layer.
  @_noLocks
  mutating func catchUpWherePossible() {
    if layer.isOn || tape.isOverdubbing || isGrowing { return }
    let missed = playback.missed
    playback.missed = 0
    guard missed > 0, state.isPlaying, tape.isLooping, tape.length > 0 else { return }
    let place = tape.position &+ (playback.isBackward ? 0 &- missed : missed)
    tape.jump(to: tape.wrapped(place), inTime: true)
  }
}
