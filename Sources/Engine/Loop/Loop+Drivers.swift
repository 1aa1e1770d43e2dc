internal import DSP

/// The change to another driver.
extension Loop {
  /// Ends what needs the input of the former server, and keeps its sound up to then.
  ///
  /// A loop that was recording stops; one with a layer plays on. Returns whether a queued action was
  /// dropped, and whether a recording or layer was ended.
  @_noLocks
  mutating func breakOff(at frame: Int64) -> (isDropped: Bool, isEnded: Bool) {
    var isDropped = false
    let isEnded = state.isRecording || layer.isOn
    if let action = queued.action, action.needsInput {
      queued.clear()
      isDropped = true
    }
    // A release may have been missed.
    pedal.judge = PressJudge()
    tape.confirmOverdub()
    if state.isRecording {
      stop(at: frame)
    } else if layer.isOn {
      endLayerAtOnce(at: frame)
    }
    return (isDropped, isEnded)
  }

  /// Ends a layer before the frame of the clip that it would add to next: the input that was late is lost.
  @_noLocks
  private mutating func endLayerAtOnce(at frame: Int64) {
    if isGrowing {
      if !endInsertOnGrid(at: frame) { endOverdub(at: frame) }
      return
    }
    let next = nextPlaceOfLayer
    layer.end()
    cues.removeOverdubs()
    if !tape.isOverdubbing { return }
    // In reverse, it fades out over the frames to come.
    if playback.isBackward { tape.endOverdub() } else { tape.endOverdub(before: next) }
  }

  /// Moves the playhead on by the frames that no driver rendered.
  @_noLocks
  mutating func moveOn(_ frames: Int64, at frame: Int64) {
    playback.missed = 0
    guard frames > 0, state.isPlaying, tape.length > 0 else { return }
    if !tape.skip(Double(frames) * warp.exactSpeed) { stop(at: frame) }
  }

  /// Completes copies, growing clips, and the tails of recordings.
  ///
  /// Not on the audio thread.
  mutating func finishWork() {
    carryKeeping(frames: .max)
    tape.carryGrowth(frames: tape.capacity &+ tape.seam)
    tape.breakOffOverdub()
    tape.carryGrowth(frames: tape.capacity &+ tape.seam)
    tape.discardRecording()
  }

  /// Takes over the clip, its undo history and the state of a loop at another sample rate, which has become `ratio`
  /// times as high; `frame` is the same for both.
  ///
  /// Not on the audio thread.
  mutating func adopt(_ former: borrowing Loop, ratio: Double, at frame: Int64) {
    tape.adopt(former.tape, speed: 1 / ratio)
    if former.tape.length == 0 {
      state = former.state.isRecording ? .standby : former.state
      return
    }
    state = former.state
    queued = former.queued
    queued.convert(by: ratio, around: frame)
    playback.isOnce = former.playback.isOnce
    playback.onceClip = former.playback.onceClip
    playback.since = frame &+ Handover.scaled(former.playback.since &- frame, by: ratio)
    playback.resume = min(Int(Double(former.playback.resume) * ratio + 0.5), tape.length)
    tape.setLooping(former.tape.isLooping)
    fade = former.fade
    fade.convert(by: ratio)
    follow.adopt(former.follow, ratio: ratio, length: tape.length)
    warp.follow(former.warp.following, isStretched: former.follow.isStretched)
    warp.settle()
    guard state.isPlaying else { return }
    playback.gate.set(open: true)
    let elapsed = former.tape.elapsed * ratio
    if !tape.cue(after: elapsed, backward: playback.isBackward, silence: warp.framesAround) {
      stop(at: frame)
    }
  }
}

extension LoopAction {
  /// Whether it records the input from now on.
  var recordsInput: Bool {
    @_noLocks get {
      switch self {
      case .record, .recordOn, .overdub, .replace, .substitute, .multiply, .insert: true
      case .keep, .press, .release, .play, .pause, .stop, .done, .rewind, .forward, .undo, .redo,
        .clear, .cancel, .once, .replay, .back, .bringToPlay, .bringToStop:
        false
      }
    }
  }

  /// Whether it records the input, or belongs to a press that can be interrupted.
  fileprivate var needsInput: Bool {
    @_noLocks get {
      switch self {
      case .keep, .press, .release: true
      default: recordsInput
      }
    }
  }
}
