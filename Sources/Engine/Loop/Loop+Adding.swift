internal import DSP

/// Layers on top of the clip, and the steps of its history.
extension Loop {
  /// Starts a layer, or ends the current one of this kind.
  ///
  /// During a recording it first ends that, and continues with the second cycle without a gap. A clip that
  /// was opened to be heard once repeats from its first layer on.
  @_noLocks
  mutating func toggle(_ kind: Layer.Kind, at frame: Int64) {
    if layer.adds(kind) {
      endOverdub(at: frame)
      return
    }
    if case .recording = state {
      endRecording(at: frame)
      enter(.record)
      if tape.length == 0 { return }
      play(.play, at: frame)
    }
    if layer.isOn && (isGrowing || kind.grows) { endOverdub(at: frame) }
    if layer.isOn {
      layer.kind = kind
      cues.add(.changeOverdub(kind), at: frame &- Int64(moment.late) &+ Int64(layer.delay))
      return
    }
    makeLoop()
    // The end of a layer that was undone.
    if tape.isOverdubUndone && !tape.isGrowing { tape.breakOffOverdub() }
    let continues = tape.isOverdubbing
    let inClipTime = !kind.grows && (continues ? layer.isInClipTime : hasTimeOfItsOwn)
    let lag = continues ? layer.lag : max(layerLag, inClipTime ? lagInClipTime() : 0)
    layer.begin(
      kind, at: frame &- Int64(moment.late), exact: moment.exact, delay: overdubDelay,
      ofWarp: warpDelay, lag: lag, inClipTime: inClipTime)
    if !continues { layer.change = LayerChange() }
    if inClipTime && !continues { placeLayer() }
    if kind.grows && !beginGrowing(kind) {
      layer.end()
      return
    }
    cues.add(.beginOverdub(kind), at: layer.start &+ Int64(layer.delay))
  }

  /// Ends the layer, whose last frames are still being recorded.
  @_noLocks
  mutating func endOverdub(at frame: Int64) {
    if !layer.isOn { return }
    layer.end()
    if isGrowing { endGrowing(at: frame) }
    cues.add(.endOverdub, at: frame &- Int64(moment.late) &+ Int64(layer.delay))
  }

  /// Ends the layer, which nobody asked for.
  ///
  /// A queued end goes with it: later it would begin another layer.
  @_noLocks
  mutating func endLayerUnasked(at frame: Int64) {
    if !layer.isOn { return }
    dropQueuedAddition()
    endOverdub(at: frame)
  }

  /// The latency of a layer in frames: the performer plays along with sound that was rendered that
  /// long ago.
  var overdubDelay: Int {
    @_noLocks get {
      if case .live = settings.source { return inputDelay &+ outputDelay &+ warpDelay }
      return warpDelay
    }
  }

  /// The latency of the loop's own warp in frames.
  var warpDelay: Int {
    @_noLocks get {
      warp.isVarispeed ? warp.delay : Int(warp.lag / warp.exactSpeed + 0.5)
    }
  }

  /// Undoes or redoes a step of the clip's history.
  ///
  /// Undo reverts the last press: the queued action, or an overdub that was started, even if its sound has not
  /// arrived yet. A queued end or change of the present layer goes with the layer.
  @_noLocks
  mutating func step(_ action: LoopAction, at frame: Int64) {
    if layer.isOn { dropQueuedAddition() }
    if case .undo = action, !queued.isEmpty {
      queued.clear()
      return
    }
    if case .undo = action, !tape.isGrowing, cues.removeLastOverdub() {
      layer.end()
      return
    }
    if isGrowing && layer.isOn {
      // The unfinished growth is the step to undo.
      layer.end()
      cues.removeOverdubs()
      dropGrowth(at: frame)
      if case .undo = action { return }
    }
    if layer.isOn || tape.isOverdubbing {
      layer.end()
      cues.removeOverdubs()
      // The overdub keeps its fade, for redo.
      tape.endOverdub()
    }
    let (former, place) = (tape[tape.currentVersion].serial, placeToClear)
    let couldRepeat = !playsOnce
    if case .undo = action { _ = tape.undo() } else { _ = tape.redo() }
    if playback.resume >= tape.length { playback.resume = 0 }
    // The step may lead to a clip that was opened to be heard once, or from it to a loop.
    if couldRepeat && playsOnce { beginOnce() } else if !couldRepeat && !playsOnce { endOnce() }
    if tape.length == 0 {
      stop(at: frame)
      state = .recordReady
      // The loop is cleared again.
      if case .redo = action { noteClear(from: place, at: frame) }
    } else if !state.isPlaying && !state.isPaused {
      state = .standby
      if case .undo = action, let cleared = playback.cleared, cleared.serial == former {
        playOn(after: cleared, at: frame)
      }
    }
    // The loop may be empty now.
    if let action = queued.action, !isPossible(action) { queued.clear() }
  }

  /// Removes a queued end of the overdub, or its change into another kind.
  @_noLocks
  private mutating func dropQueuedAddition() {
    switch queued.action {
    case .overdub, .replace, .substitute, .multiply, .insert: queued.clear()
    default: break
    }
  }
}
