internal import DSP

extension Loop {
  /// What it does at present.
  var activity: LoopActivity {
    @_noLocks get {
      switch state {
      case .recording: return .recording
      case .playing, .playingLoaded:
        if wantsOverdub { return Self.activity(of: addition) }
        return isMuted ? .muted : .playing
      case .suspended, .paused, .pausedLoaded: return .paused
      case .standby, .recordReady, .playReady: return tape.length > 0 ? .stopped : .empty
      }
    }
  }

  @_noLocks
  private static func activity(of addition: Addition) -> LoopActivity {
    switch addition {
    case .overdub: .overdubbing
    case .replace: .replacing
    case .substitute: .substituting
    case .multiply: .multiplying
    case .insert: .inserting
    }
  }

  /// What it will do when what waits has come; nil where nothing does.
  var activityToCome: LoopActivity? {
    @_noLocks get {
      guard let action = queued.action else { return nil }
      switch action {
      case .record: return state.isRecording ? .stopped : .recording
      case .recordOn:
        if !state.isRecording { return .recording }
        switch after {
        case .play: return .playing
        case .overdub: return .overdubbing
        case .stop: return .stopped
        }
      case .overdub: return toggled(.overdub)
      case .replace: return toggled(.replace)
      case .substitute: return toggled(.substitute)
      case .multiply: return toggled(.multiply)
      case .insert: return toggled(.insert)
      case .play, .once, .keep: return .playing
      case .stop: return .stopped
      // These wait for nothing.
      case .pause, .done, .rewind, .forward, .undo, .redo, .clear, .cancel, .press, .release:
        return nil
      }
    }
  }

  @_noLocks
  private func toggled(_ other: Addition) -> LoopActivity {
    wantsOverdub && isAddition(other) ? .playing : Self.activity(of: other)
  }

  /// Publishes what it does.
  @_noLocks
  func publish(to loop: UnsafeMutablePointer<PublishedLoops.Slot>, at frame: Int64) {
    loop.pointee.state.publish(
      state: state, pending: queued.action, activity: activity, toCome: activityToCome,
      isOverdubbing: wantsOverdub, overdubs: tape.layers, stepsBack: tape.stepsBack,
      stepsForth: tape.stepsForth, position: position, length: length,
      waiting: queued.framesToGo(at: frame), tempo: time.pointee.tempoFound,
      latestClip: tape.latestClip)
    loop.pointee.peaks.setBehind(arePeaksBehind)
  }
}
