internal import DSP

/// The recording of a new clip.
extension Player {
  @_noLocks
  mutating func record(at frame: Int64) -> PlayerRefusal? {
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
  var recordDelay: Int64 {
    @_noLocks get {
      if case .live = source { return isClipTriggered ? 0 : Int64(inputDelay) }
      return 0
    }
  }

  @_noLocks
  mutating func endOrResume(at frame: Int64) -> PlayerRefusal? {
    if case .suspended = state { return pauseOrResume(at: frame) }
    endRecording(at: frame)
    enter(.record)
    return nil
  }

  @_noLocks
  mutating func endRecording(at frame: Int64) {
    guard let version = clip else { return }
    clip = nil
    if clipFrames == 0 {
      // Begun and ended on one frame: there is nothing that could be played.
      if cues.removeBegin(of: version) { tape.dropClip(version) } else { tape.endRecording(at: 0) }
      return
    }
    tape.publish(version, length: clipFrames)
    cues.add(.end(frames: clipFrames), at: frame &+ recordDelay)
    if setsTempo && !hasTempo { fitTempo(toFrames: clipFrames) }
  }

  /// Takes the tempo at which a clip is a whole number of beats, the nearest to the present one.
  @_noLocks
  mutating func fitTempo(toFrames frames: Int) {
    hasTempo = true
    tempoFound = beats.fit(frames, from: clipStart)
  }

  @_noLocks
  mutating func pauseOrResume(at frame: Int64) -> PlayerRefusal? {
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
}
