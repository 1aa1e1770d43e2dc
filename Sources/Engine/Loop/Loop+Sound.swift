internal import DSP

extension Loop {
  /// Renders the audible part of the clip.
  ///
  /// Returns false, and writes nothing, if it is silent.
  @_noLocks
  mutating func render(to out: Stereo, frames: Int) -> Bool {
    if !playback.gate.isClosed {
      playback.previous = tape.position
      noteHeard()
    }
    heard.advance(frames: frames)
    if !warp.process(&tape, through: &playback.gate, to: out, frames: frames) {
      mute.settle()
      return false
    }
    fade.apply(to: out, frames: frames)
    return mute.apply(to: out, frames: frames)
  }

  /// Whether the recorder needs its source.
  var isListening: Bool {
    @_noLocks get {
      tape.isRecording || tape.isOverdubbing || tape.isGrowthOpen && !cues.waitsForOverdub
        || layer.isOn && layer.isInClipTime
    }
  }

  /// Records a block of its source.
  @_noLocks
  mutating func listen(to sound: Stereo, frames: Int) {
    // The tail after a clip's end is also recorded into an overdub on it, before that is added.
    tape.record(sound, frames: frames)
    if !tape.isGrowthOpen && layer.isInClipTime {
      addInClipTime(frames: frames)
    } else if tape.isGrowthOpen || tape.isOverdubbing {
      if layer.lag > 0 { listenBack(frames: frames) } else { addLayer(sound, frames: frames) }
    }
  }

  /// Adds sound to the layer, `done` frames after the start of the segment.
  @_noLocks
  mutating func addLayer(_ sound: Stereo, after done: Int = 0, frames: Int) {
    if tape.isGrowthOpen {
      if !cues.waitsForOverdub {
        tape.grow(sound, feedback: feedback, frames: frames)
      }
    } else if tape.isOverdubbing {
      // The playhead follows the loop while it runs, and ends at its own position.
      let place =
        layer.isOn ? tape.wrapped(playback.previous &+ done &- layer.delay) : layer.position
      tape.overdub(sound, at: place, feedback: feedback, frames: frames)
      layer.position = place &+ frames
    }
  }

  /// The gain of the clip under a layer: 0 for the mix, which contains the loop already.
  var feedback: Float {
    @_noLocks get { layer.written.replaces || isHearingAll ? 0 : settings.feedback }
  }

  /// Whether the source contains the loop.
  var isHearingAll: Bool {
    @_noLocks get { if case .mix = settings.source { true } else { false } }
  }

  // MARK: - Transfers

  /// Starts to load a clip, or to copy the present one.
  ///
  /// Returns the reason if it is refused.
  @_noLocks
  mutating func begin(
    _ pointer: ClipPointer, loading: Bool, origin: CommandOrigin
  ) -> EngineRefusal? {
    if transfer.isUnderWay { return .transferring }
    if Double(pointer.account.pointee.sampleRate) != sampleRate { return .otherRate }
    if loading {
      if state.isRecording { return .meaningless }
      if time.pointee.isLocked && tape.length > 0 { return .locked }
      if keeping.isUnderWay || tape.isGrowing { return .transferring }
      guard let version = tape.beginClip() else { return .noMemory }
      transfer.begin(.loading, pointer, version: version, origin: origin)
    } else {
      if tape.length == 0 { return .nothingRecorded }
      // The tail after the clip's end is still being recorded.
      if tape.isRecording && !state.isRecording { return .transferring }
      if keeping.isUnderWay || tape.isGrowing { return .transferring }
      guard let version = tape.beginClip(like: tape.currentVersion) else { return .noMemory }
      transfer.begin(.keeping, pointer, version: version, origin: origin)
    }
    return nil
  }

  /// Continues a transfer.
  ///
  /// Returns true when it is done.
  @_noLocks
  mutating func carry(frames: Int) -> Bool {
    tape.carryGrowth(frames: Keeping.framesPerFrame &* frames)
    carryKeeping(frames: keeping.framesPerFrame &* frames)
    if !transfer.isUnderWay { return false }
    if transfer.isExchanging { return !keeping.isUnderWay }
    let isLoading = transfer.isLoading
    // Appending each played clip would evict recordings from the undo history.
    let inPlace = transfer.playsOnce && isOpened
    if !transfer.advance(&tape, frames: frames, inPlace: inPlace) { return false }
    if isLoading { finishLoading(toBeHeardOnce: transfer.playsOnce) }
    return true
  }
}
