internal import DSP

/// The recording of a new clip.
extension Loop {
  @_noLocks
  mutating func record(at frame: Int64) -> EngineRefusal? {
    endOverdub(at: frame)
    guard let version = tape.beginClip() else { return .noMemory }
    close()
    endOnce()
    playback.resume = 0
    let limit = fixedFrames > 0 ? min(fixedFrames, tape.capacity) : tape.capacity
    recording.begin(version, at: frame, limit: limit, moment: moment)
    tape.forgetShortage()
    cues.add(.begin(version: version), at: recording.start &+ recordDelay)
    enter(.record)
    return nil
  }

  /// The latency of the source in frames.
  var recordDelay: Int64 {
    @_noLocks get {
      if case .live = settings.source { return recording.isTriggered ? 0 : Int64(inputDelay) }
      return 0
    }
  }

  /// Starts a recording, or ends it and continues according to `after`.
  @_noLocks
  mutating func recordOn(at frame: Int64) -> EngineRefusal? {
    if case .suspended = state { return pauseOrResume(at: frame) }
    if state.isRecording {
      endRecordingOn(at: frame)
      return nil
    }
    if state.isPlaying { endPlaying(at: frame) }
    let refusal = record(at: frame)
    if case .none = refusal { recording.continues = true }
    return refusal
  }

  /// Ends a recording, and continues according to `after`.
  @_noLocks
  mutating func endRecordingOn(at frame: Int64) {
    recording.continues = false
    endRecording(at: frame)
    enter(.stop)
    if tape.length == 0 { return }
    switch settings.after {
    case .play: play(.play, at: frame)
    case .overdub:
      play(.play, at: frame)
      toggle(.overdub, at: frame)
    case .stop: break
    }
  }

  /// Ends a recording, and plays it from its start.
  @_noLocks
  mutating func endAndPlay(at frame: Int64) {
    recording.continues = false
    endRecording(at: frame)
    enter(.stop)
    if tape.length > 0 { play(.play, at: frame) }
  }

  @_noLocks
  mutating func endOrResume(at frame: Int64) -> EngineRefusal? {
    if case .suspended = state { return pauseOrResume(at: frame) }
    recording.continues = false
    endRecording(at: frame)
    enter(.record)
    return nil
  }

  @_noLocks
  mutating func endRecording(at frame: Int64) {
    guard let version = recording.end() else { return }
    // The frames after the time that was meant are the clip's tail.
    recording.advance(frames: 0 &- moment.late)
    if recording.frames == 0 {
      // Started and ended on one frame: there is nothing to play.
      if cues.removeBegin(of: version) { tape.release(version) } else { tape.endRecording(at: 0) }
      return
    }
    let cycle = recording.cycle(endingAt: moment.exact)
    let length =
      cycle < 0 ? recording.frames : min(LoopTape.frames(ofRound: cycle), tape.capacity)
    tape.publish(version, length: length, round: cycle < 0 ? nil : cycle)
    cues.add(.end(frames: length), at: frame &+ recordDelay)
    if time.pointee.takesTempo {
      fitTempo(toFrames: recording.frames, from: recording.start)
    }
    tape.setBeat(time.pointee.beats.exact(1))
  }

  /// Sets the tempo at which a clip is a whole number of beats: the nearest to the present one.
  @_noLocks
  mutating func fitTempo(toFrames frames: Int, from start: Int64) {
    time.pointee.hasTempo = true
    time.pointee.tempoFound = time.pointee.beats.fit(frames, from: start)
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
