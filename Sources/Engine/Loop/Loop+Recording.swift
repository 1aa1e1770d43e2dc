internal import DSP

/// The recording of a new clip.
extension Loop {
  @_noLocks
  mutating func record(at frame: Int64) -> EngineRefusal? {
    endOverdub(at: frame)
    guard let version = tape.beginClip() else { return .noMemory }
    close()
    placeOfPause = 0
    clip = version
    clipFrames = 0
    clipStart = frame
    exactStart = exactNow
    tape.forgetShortage()
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

  /// Begins a recording, or ends it and goes on with what is wanted then; upon what plays, it adds.
  @_noLocks
  mutating func recordOn(at frame: Int64) -> EngineRefusal? {
    if case .suspended = state { return pauseOrResume(at: frame) }
    if state.isRecording {
      endRecordingOn(at: frame)
      return nil
    }
    if state.isPlaying { endPlaying(at: frame) }
    let refusal = record(at: frame)
    if case .none = refusal { goesOn = true }
    return refusal
  }

  /// Ends a recording, and goes on with what is wanted then.
  @_noLocks
  mutating func endRecordingOn(at frame: Int64) {
    goesOn = false
    endRecording(at: frame)
    enter(.stop)
    if tape.length == 0 { return }
    switch after {
    case .play: play(.play, at: frame)
    case .overdub:
      play(.play, at: frame)
      toggle(.overdub, at: frame)
    case .stop: break
    }
  }

  /// Ends a recording, and plays it from its beginning.
  @_noLocks
  mutating func endAndPlay(at frame: Int64) {
    goesOn = false
    endRecording(at: frame)
    enter(.stop)
    if tape.length > 0 { play(.play, at: frame) }
  }

  @_noLocks
  mutating func endOrResume(at frame: Int64) -> EngineRefusal? {
    if case .suspended = state { return pauseOrResume(at: frame) }
    goesOn = false
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
    let round = roundOfClip
    let length = round < 0 ? clipFrames : min(LoopTape.frames(ofRound: round), tape.capacity)
    tape.publish(version, length: length, round: round < 0 ? nil : round)
    cues.add(.end(frames: length), at: frame &+ recordDelay)
    if time.pointee.setsTempo && !time.pointee.hasTempo { fitTempo(toFrames: clipFrames) }
  }

  /// How long the round of the clip in the making is exactly, where it began and ended in time; negative
  /// where it did not.
  private var roundOfClip: Double {
    @_noLocks get {
      if exactStart < 0 || exactNow < 0 { return -1 }
      let round = exactNow - exactStart
      // A pause, or another tempo, has come between.
      return abs(round - Double(clipFrames)) < 1 ? round : -1
    }
  }

  /// Takes the tempo at which a clip is a whole number of beats, the nearest to the present one.
  @_noLocks
  mutating func fitTempo(toFrames frames: Int) {
    time.pointee.hasTempo = true
    time.pointee.tempoFound = time.pointee.beats.fit(frames, from: clipStart)
  }

  @_noLocks
  mutating func pauseOrResume(at frame: Int64) -> EngineRefusal? {
    switch state {
    case .recording:
      cues.add(.suspend, at: frame &+ recordDelay)
      enter(.pause)
    case .suspended:
      cues.add(.resume, at: frame &+ recordDelay)
      enter(.pause)
    case .playing, .playingLoaded: pause(at: frame)
    default: play(.pause, at: frame)
    }
    return nil
  }
}
