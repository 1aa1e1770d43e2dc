internal import DSP

extension Layer {
  /// The frames of input on each side of a piece that is resampled to the slowest speed.
  static var farthest: Int { @_noLocks get { SincBank.mostTaps / 2 &+ 8 } }
  /// The frames of input that are resampled at once: at most a piece of the tape at the fastest speed.
  static var pieceFrames: Int { @_noLocks get { LoopTape.longestPiece / 4 &- 2 } }
  /// The frames of input that a piece needs.
  static var windowFrames: Int { @_noLocks get { pieceFrames &+ 2 &* farthest } }
}

/// Layers on a loop whose time is not that of the input: in reverse, at another speed of the tape, or following a
/// tempo. Each frame is stored where it was heard.
extension Loop {
  /// The frames of the clip per frame of time; negative in reverse.
  private var speedInClip: Double {
    @_noLocks get { playback.isBackward ? -warp.exactSpeed : warp.exactSpeed }
  }

  /// Whether the clip does not pass by one frame per frame.
  var hasTimeOfItsOwn: Bool {
    @_noLocks get { speedInClip != 1 || !follow.mode.isOff }
  }

  /// Whether a layer can be added nevertheless: speed and pitch are those of a tape, and the input can be read back.
  var canAddInClipTime: Bool {
    @_noLocks get {
      warp.isVarispeed
        && Loops.history(of: settings.source, among: histories).pointee.isRemembering
    }
  }

  /// Sets the position of a layer whose sound begins to be written.
  @_noLocks
  mutating func placeLayer() {
    layer.speed = speedInClip
    layer.place = tape.exactPosition - Double(layer.delay) * layer.speed
  }

  /// Writes the input of a segment, `layer.lag` frames ago, where it was heard in the clip.
  @_noLocks
  mutating func addInClipTime(frames: Int) {
    let history = Loops.history(of: settings.source, among: histories)
    if layer.isOn { followClip() }
    let start = history.pointee.written &- frames &- layer.lag
    var done = 0
    while done < frames {
      let count = min(frames &- done, Layer.pieceFrames)
      history.pointee.read(
        from: start &+ done &- Layer.farthest, to: window, frames: count &+ 2 &* Layer.farthest)
      addWindow(frames: count)
      done &+= count
    }
  }

  /// Keeps the layer's position at that of the playhead when its sound was heard.
  @_noLocks
  private mutating func followClip() {
    layer.speed = speedInClip
    let heard = playback.previousExactly - Double(layer.delay) * layer.speed
    // Rounding, and cycles that are not whole frames.
    let error = BeatCount.nearest(heard - layer.place, in: tape.round)
    layer.place += max(-0.02, min(error * 0.1, 0.02))
  }

  /// Resamples the input in the window to frames of the clip.
  @_noLocks
  private mutating func addWindow(frames: Int) {
    let (first, speed) = (layer.place, layer.speed)
    layer.place = first + speed * Double(frames)
    let isBackward = speed < 0
    // The first whole frame, and the number of those before the next piece.
    let start = isBackward ? Self.floor(first) : -Self.floor(-first)
    let end = isBackward ? Self.floor(layer.place) : -Self.floor(-layer.place)
    let count = Int(isBackward ? start - end : end - start)
    if count <= 0 { return }
    let step = 1 / abs(speed)
    let offset = (start - first) / speed
    bank.read(
      table: bank.table(forSpeed: Float(step)), left: window.left, right: window.right,
      from: Int64((Double(Layer.farthest) + offset) * 4_294_967_296),
      step: Int64(step * 4_294_967_296), to: piece, frames: count)
    let isAll = layer.kind.replaces || isHearingAll
    tape.overdub(
      piece, at: tape.wrapped(Int(start)), feedback: isAll ? 0 : settings.feedback, frames: count,
      backward: isBackward)
  }

  @_noLocks
  private static func floor(_ x: Double) -> Double {
    let whole = Double(Int64(x))
    return whole > x ? whole - 1 : whole
  }
}
