internal import DSP

extension Loop {
  /// The present activity.
  var activity: LoopActivity {
    @_noLocks get {
      switch state {
      case .recording: return .recording
      case .playing, .playingLoaded:
        if layer.isOn { return Self.activity(of: layer.kind) }
        return mute.isOn ? .muted : .playing
      case .suspended, .paused, .pausedLoaded: return .paused
      case .standby, .recordReady, .playReady: return tape.length > 0 ? .stopped : .empty
      }
    }
  }

  @_noLocks
  private static func activity(of kind: Layer.Kind) -> LoopActivity {
    switch kind {
    case .overdub: .overdubbing
    case .replace: .replacing
    case .substitute: .substituting
    case .multiply: .multiplying
    case .insert: .inserting
    }
  }

  /// The activity that follows the queued action, or nil with nothing queued.
  var activityToCome: LoopActivity? {
    @_noLocks get {
      guard let action = queued.action else { return nil }
      switch action {
      case .record: return state.isRecording ? .stopped : .recording
      case .recordOn:
        if !state.isRecording { return .recording }
        switch settings.after {
        case .play: return .playing
        case .overdub: return .overdubbing
        case .stop: return .stopped
        }
      case .overdub: return toggled(.overdub)
      case .replace: return toggled(.replace)
      case .substitute: return toggled(.substitute)
      case .multiply: return toggled(.multiply)
      case .insert: return toggled(.insert)
      case .play, .pause, .once, .keep: return .playing
      case .stop: return .stopped
      // These are never queued.
      case .done, .rewind, .forward, .undo, .redo, .clear, .cancel, .press, .release, .replay,
        .back, .bringToPlay, .bringToStop:
        return nil
      }
    }
  }

  @_noLocks
  private func toggled(_ kind: Layer.Kind) -> LoopActivity {
    layer.adds(kind) ? .playing : Self.activity(of: kind)
  }

  /// Publishes the state of the loop.
  @_noLocks
  func publish(to loop: UnsafeMutablePointer<PublishedLoops.Slot>, at frame: Int64) {
    loop.pointee.state.publish(
      state: state, pending: queued.action, activity: activity, toCome: activityToCome,
      isOverdubbing: layer.isOn,
      overdubs: state.isRecording ? 0 : tape[tape.currentVersion].layers, stepsBack: tape.stepsBack,
      stepsForth: tape.stepsForth, position: position, length: length,
      waiting: queued.framesToGo(at: frame), tempo: time.pointee.tempoFound,
      clip: tape[tape.currentVersion].clip, latestClip: tape.latestClip)
    loop.pointee.peaks.setBehind(arePeaksBehind)
  }
}
