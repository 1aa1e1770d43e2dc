internal import DSP

/// Layers that go on in another way, with what they have recorded so far.
extension Loop {
  /// Lets a layer go on in the time of the clip when that is no longer the time of the input, and stretched when the
  /// clip is: resampled, it would come back at another pitch.
  ///
  /// Another latency of the warp, which has another engine or reads ahead, moves it. A layer ends if that is not
  /// possible.
  @_noLocks
  mutating func fitLayer(at frame: Int64) {
    guard layer.isOn, !layer.kind.grows, !tape.isGrowthOpen else { return }
    if !layer.change.isLeaving && isLayerFit { return }
    if !canAddInClipTime { return endLayerUnasked(at: frame) }
    if !layer.change.isLeaving {
      let place = layer.isInClipTime ? layer.place : tape.exactPosition - Double(layer.delay)
      layer.change.begin(at: place, on: frame)
      tape.restOverdub()
    }
    if tape.isOverdubbing && !tape.isOverdubAtRest { return }
    let passed = layer.change.framesPassed(at: frame)
    let later = max(lagInClipTime() &- layer.lag, passed &+ 1)
    let former = layer.delay
    layer.goOnInClipTime(ofWarp: warpDelay, lag: layer.lag &+ later)
    cues.delayOverdubs(by: layer.delay &- former)
    placeLayer()
    layer.change.wait(frames: later &- passed)
  }

  private var isLayerFit: Bool {
    @_noLocks get {
      if abs(warpDelay &- layer.warpDelay) > frames(0.001) { return false }
      if layer.isInClipTime { return layer.stretched > 0 || warp.isVarispeed }
      return warp.exactSpeed == 1
    }
  }

  /// Starts to write a layer.
  ///
  /// It continues the one before if that is still being written, and is of the same kind.
  @_noLocks
  mutating func beginLayer(_ kind: Layer.Kind) {
    let continues = tape.isOverdubbing
    if !isGrowing { tape.goOnAfterGrowth() }
    if isGrowing {
      // The growth started with the press.
      layer.written = kind
    } else if state.isPlaying && tape.beginOverdub(isTentative: pedal.mayRevertOverdub) {
      if continues && layer.written != kind { changeLayer(to: kind) }
      layer.written = kind
      layer.position = tape.wrapped(tape.position &- layer.delay)
    } else {
      layer.end()
    }
  }

  /// Lets a layer go on as another kind, as another step of the history.
  @_noLocks
  mutating func changeLayer(to kind: Layer.Kind) {
    layer.written = kind
    tape.splitOverdub(at: nextPlaceOfLayer, backward: playback.isBackward)
  }

  /// The next frame of the clip that the layer adds to.
  var nextPlaceOfLayer: Int {
    @_noLocks get {
      if !layer.isInClipTime { return layer.position }
      return Self.frame(from: layer.place, backward: playback.isBackward)
    }
  }
}
