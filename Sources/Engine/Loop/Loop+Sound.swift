internal import DSP

extension Loop {
  /// Renders what is heard of the clip; false, and nothing written, where that is nothing.
  @_noLocks
  mutating func render(to out: Stereo, frames: Int) -> Bool {
    if !gate.isClosed { placeBefore = tape.position }
    if !warp.process(&tape, through: &gate, to: out, frames: frames) { return false }
    if muteGate.isOpenAtRest { return true }
    // Where it closes in this block, its last sound is in it.
    if muteGate.isClosed { return false }
    muteGate.apply(to: out, frames: frames)
    return true
  }

  /// Whether the recorder wants to hear something.
  var isListening: Bool {
    @_noLocks get {
      tape.isRecording || tape.isOverdubbing || tape.isGrowthOpen && !cues.waitsForOverdub
    }
  }

  /// Records a block of its source.
  @_noLocks
  mutating func listen(to sound: Stereo, frames: Int) {
    // What lies behind the end of a clip goes into an overdub upon it, too: before that is added.
    tape.record(sound, frames: frames)
    if tape.isGrowthOpen {
      if !cues.waitsForOverdub {
        tape.grow(sound, feedback: isReplacing || isHearingAll ? 0 : feedback, frames: frames)
      }
    } else if tape.isOverdubbing {
      // It follows the loop while it goes on, and ends where it was going.
      let place = wantsOverdub ? tape.wrapped(placeBefore &- delayOfOverdub) : placeOfOverdub
      // What is heard has the loop in it already, and comes in its place.
      let isAll = isReplacing || isHearingAll
      tape.overdub(sound, at: place, feedback: isAll ? 0 : feedback, frames: frames)
      placeOfOverdub = place &+ frames
    }
  }

  /// Whether what is added takes the place of what is there.
  var isReplacing: Bool {
    @_noLocks get {
      switch addition {
      case .replace, .substitute, .insert: true
      case .overdub, .multiply: false
      }
    }
  }

  private var isHearingAll: Bool {
    @_noLocks get {
      if case .mix = source { return true }
      return false
    }
  }

  // MARK: - Clips from elsewhere, and to there

  /// Begins to load a clip, or to keep the present one; the reason where it can't.
  @_noLocks
  mutating func begin(
    _ pointer: ClipPointer, loading: Bool, origin: CommandOrigin
  ) -> EngineRefusal? {
    if transfer.isUnderWay { return .transferring }
    if Double(pointer.account.pointee.sampleRate) < sampleRate
      || Double(pointer.account.pointee.sampleRate) > sampleRate
    {
      return .otherRate
    }
    if loading {
      if state.isRecording { return .meaningless }
      if keeping.isUnderWay || tape.isGrowing { return .transferring }
      guard let version = tape.beginLoading() else { return .noMemory }
      transfer.begin(.loading, pointer, version: version, origin: origin)
    } else {
      if tape.length == 0 { return .nothingRecorded }
      // What lies behind the end of a clip is there in a moment.
      if tape.isRecording && !state.isRecording { return .transferring }
      if keeping.isUnderWay || tape.isGrowing { return .transferring }
      guard let version = tape.copyCurrent() else { return .noMemory }
      transfer.begin(.keeping, pointer, version: version, origin: origin)
    }
    return nil
  }

  /// Goes on with a transfer; true when it is done.
  @_noLocks
  mutating func carry(frames: Int) -> Bool {
    tape.carryGrowth(frames: Keeping.framesPerFrame &* frames)
    carryKeeping(frames: Keeping.framesPerFrame &* frames)
    if !transfer.isUnderWay { return false }
    let isLoading = transfer.isLoading
    if !transfer.advance(&tape, frames: frames) { return false }
    if isLoading { finishLoading() }
    return true
  }
}
