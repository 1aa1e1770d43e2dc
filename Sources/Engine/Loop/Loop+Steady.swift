internal import DSP

/// Playing without any change.
extension Loop {
  /// The next frames of the clip, while they are heard unchanged and nothing is due; nil otherwise.
  var steadyClip: SteadyClip? {
    @_noLocks get {
      guard state.isPlaying, queued.isEmpty, cues.isEmpty, !layer.isOn, !playback.isOnce,
        playback.missed == 0, playback.gate.isOpenAtRest, mute.passes, fade.passes,
        follow.mode.isOff, warp.isSteady, !pedal.judge.isWaiting, !keeping.isUnderWay,
        !transfer.isUnderWay, !arePeaksBehind
      else { return nil }
      return tape.steadyClip()
    }
  }
}
