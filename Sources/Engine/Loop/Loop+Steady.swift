internal import DSP

/// Playing without any change, also under a layer.
extension Loop {
  /// The next frames of the clip, while they are heard unchanged and nothing is due; nil otherwise.
  var steadyClip: SteadyClip? {
    @_noLocks get {
      guard state.isPlaying, queued.isEmpty, cues.isEmpty, !playback.isOnce, playback.missed == 0,
        playback.gate.isOpenAtRest, mute.passes, fade.passes, follow.mode.isOff, warp.isSteady,
        !pedal.judge.isWaiting, !keeping.isUnderWay, !transfer.isUnderWay
      else { return nil }
      if isLayerSteady { return tape.steadyClip(feedback: feedback) }
      return layer.isOn || isListening || arePeaksBehind ? nil : tape.steadyClip()
    }
  }

  /// Whether a layer of the live input is added frame by frame, so far behind the playhead that a run which is written
  /// at its end never reads its own frames.
  private var isLayerSteady: Bool {
    @_noLocks get {
      guard layer.isOn, !layer.kind.grows, layer.kind == layer.written, !layer.isInClipTime,
        layer.lag == 0, !layer.change.isLeaving, case .live = settings.source
      else { return false }
      return layer.delay >= 0 && layer.delay &+ SteadyRun.longest < tape.length
    }
  }
}
