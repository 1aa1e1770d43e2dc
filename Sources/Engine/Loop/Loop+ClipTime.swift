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

  /// Whether a layer can be added nevertheless: the input can be read back and, on a stretched loop, no other one is
  /// stretched.
  var canAddInClipTime: Bool {
    @_noLocks get {
      let history = Loops.history(of: settings.source, among: histories)
      if !history.pointee.isRemembering { return false }
      if warp.isVarispeed { return true }
      return history.pointee.frames > 2 &* lagOfStretch
        && !time.pointee.layerWarp.isInUse(
          by: layer.stretched, since: time.pointee.formerBlockStart)
    }
  }

  // The lag of a layer that is stretched, in frames, at most: the window of the studio engine at the slowest speed.
  private var lagOfStretch: Int { @_noLocks get { frames(0.4) } }

  /// Prepares a layer, and returns how much later than its latency it is written at least.
  @_noLocks
  mutating func lagInClipTime() -> Int {
    layer.stretched = 0
    if warp.isVarispeed { return Layer.farthest }
    layer.stretched = time.pointee.layerWarp.begin(
      speed: warp.exactSpeed, in: time.pointee.blockStart)
    // Until the layer is written, the warp starts up.
    let needed = time.pointee.layerWarp.ahead &+ time.pointee.layerWarp.warmUp
    return min(needed &+ LoopTape.longestPiece, lagOfStretch)
  }

  /// Sets the position of a layer that starts.
  ///
  /// The sound before it passes until it is written.
  @_noLocks
  mutating func placeLayer() {
    noteHeard()
    layer.speed = speedInClip
    layer.place = heard.place(at: heard.now &- Int64(layer.delay), speed: layer.speed)
    if layer.stretched == 0 { return }
    let history = Loops.history(of: settings.source, among: histories)
    let ahead = time.pointee.layerWarp.ahead
    feed(from: history.pointee.written &- layer.lag, frames: ahead)
  }

  /// Passes input from the past to the warp of the layer.
  @_noLocks
  private func feed(from start: Int, frames: Int) {
    let history = Loops.history(of: settings.source, among: histories)
    var done = 0
    while done < frames {
      let count = min(frames &- done, LoopTape.longestPiece)
      history.pointee.read(from: start &+ done, to: piece, frames: count)
      time.pointee.layerWarp.write(piece, frames: count)
      done &+= count
    }
  }

  /// Writes the input of a segment, `layer.lag` frames ago, where it was heard in the clip.
  @_noLocks
  mutating func addInClipTime(frames: Int) {
    let history = Loops.history(of: settings.source, among: histories)
    followClip(frames: frames)
    let start = history.pointee.written &- frames &- layer.lag
    var done = 0
    while done < frames {
      var count = min(frames &- done, Layer.pieceFrames)
      if layer.change.isWaiting { count = min(count, layer.change.framesToWait) }
      if layer.stretched > 0 {
        feed(from: start &+ done &+ time.pointee.layerWarp.ahead, frames: count)
      } else {
        history.pointee.read(
          from: start &+ done &- Layer.farthest, to: window, frames: count &+ 2 &* Layer.farthest)
      }
      addPiece(frames: count)
      if let place = layer.change.pass(frames: count) { resumeLayer(at: place) }
      done &+= count
    }
  }

  /// Goes on with the layer at the position at which it has faded out, unless the clip has moved from there: a loop
  /// that begins to follow the tempo is heard earlier, by the latency of its engine.
  @_noLocks
  private mutating func resumeLayer(at place: Double) {
    // The clip may have been cleared or undone since.
    if tape.length == 0 { return }
    let error = BeatCount.nearest(place - layer.place, in: tape.round)
    if abs(error) < 0.002 * sampleRate { layer.place += error }
    tape.resumeOverdub()
  }

  /// Notes where the clip is heard now.
  @_noLocks
  mutating func noteHeard() {
    heard.note(tape.exactPosition, speed: speedInClip, round: tape.round)
  }

  // By how much the speed is corrected at most: a twentieth of a cent where that changes the pitch.
  private var mostCorrection: Double { @_noLocks get { layer.stretched > 0 ? 0.01 : 0.000_3 } }
  private static var correctionSeconds: Double { @_noLocks get { 0.05 } }

  /// Sets the speed at which the next frames of the layer were heard.
  @_noLocks
  private mutating func followClip(frames: Int) {
    // After its end, the clip may be another one.
    guard layer.isOn, tape.length > 0 else { return }
    let speed = speedInClip
    let end = heard.now &- Int64(layer.delay)
    let first = heard.place(at: end &- Int64(frames), speed: speed)
    let passed = (heard.place(at: end, speed: speed) - first) / Double(frames)
    // Rounding, and cycles that are not whole frames.
    layer.place = wrapped(layer.place)
    let error = BeatCount.nearest(first - layer.place, in: tape.round)
    let most = mostCorrection
    let correction = max(0 - most, min(error / (Self.correctionSeconds * sampleRate), most))
    let magnitude = playback.isBackward ? -passed - correction : passed + correction
    let bounded = max(Double(SourceWarp.slowest), min(magnitude, Double(SourceWarp.fastest)))
    layer.speed = playback.isBackward ? -bounded : bounded
  }

  /// A position in the clip that is the same, and not far from its start.
  @_noLocks
  private func wrapped(_ place: Double) -> Double {
    let length = Double(tape.length)
    if place >= length { return place - length }
    return place < 0 - length ? place + length : place
  }

  /// Converts a piece of the input to frames of the clip.
  @_noLocks
  private mutating func addPiece(frames: Int) {
    let (first, speed) = (layer.place, layer.speed)
    layer.place = first + speed * Double(frames)
    let isBackward = speed < 0
    // The first whole frame, and the number of those before the next piece.
    let start = Self.frame(from: first, backward: isBackward)
    let end = Self.frame(from: layer.place, backward: isBackward)
    let count = isBackward ? start &- end : end &- start
    if count <= 0 { return }
    let offset = (Double(start) - first) / speed
    if layer.stretched > 0 {
      time.pointee.layerWarp.render(
        from: offset - Double(frames), speed: abs(speed), to: piece, frames: count,
        in: time.pointee.blockStart)
    } else {
      let step = 1 / abs(speed)
      bank.read(
        table: bank.table(forSpeed: Float(step)), left: window.left, right: window.right,
        from: Int64((Double(Layer.farthest) + offset) * 4_294_967_296),
        step: Int64(step * 4_294_967_296), to: piece, frames: count)
    }
    // The layer has not begun yet, or goes on later.
    if !tape.isOverdubbing || layer.change.isWaiting { return }
    tape.overdub(piece, at: start, feedback: feedback, frames: count, backward: isBackward)
  }

  @_noLocks
  private static func floor(_ x: Double) -> Int {
    let whole = Int(x)
    return Double(whole) > x ? whole &- 1 : whole
  }

  /// The first whole frame from a position on.
  @_noLocks
  static func frame(from place: Double, backward: Bool) -> Int {
    backward ? floor(place) : 0 &- floor(0 - place)
  }
}
