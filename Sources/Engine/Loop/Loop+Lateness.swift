internal import DSP

/// Late presses, which arrive after the beat they were meant for.
///
/// A press soon after the start of a grain takes effect at that start. Recordings begin with the history of
/// their source. Layers are written with a lag, so that they can still end before the press.
extension Loop {
  /// How late an action may be for a grain, in frames: a third of the grain at most.
  @_noLocks
  private func grace(of grain: LoopGrain) -> Int {
    Int(min(time.pointee.lateness * sampleRate, frames(of: grain) / 3))
  }

  /// The frames by which a layer is written later than its latency: 0 without a grain, or without a history.
  var layerLag: Int {
    @_noLocks get {
      guard let quantum = settings.quantum, pastFrames > 0, tape.length > 0 else { return 0 }
      // A layer must be written before it is heard in the next cycle.
      return min(grace(of: quantum), min(tape.length / 3, pastFrames / 2))
    }
  }

  // The frames of the source that can be read back once the history is full.
  private var pastFrames: Int {
    @_noLocks get {
      let history = Loops.history(of: settings.source, among: histories)
      return history.pointee.isRemembering ? history.pointee.frames : 0
    }
  }

  // The frames of the source that can be read back now.
  private var knownFrames: Int {
    @_noLocks get {
      Loops.history(of: settings.source, among: histories).pointee.knownFrames
    }
  }

  /// Returns the exact start of the grain that an action just missed, or a negative time if the action waits
  /// for the next one.
  @_noLocks
  func missedStart(of grain: LoopGrain, by action: LoopAction, at frame: Int64) -> Double {
    let next = dueTime(of: grain, from: frame)
    if next < 0 { return -1 }
    let exact = next - frames(of: grain)
    let start = Int64(exact + 0.5)
    let late = frame &- start
    guard exact >= 0, late > 0, late <= Int64(grace(of: grain)),
      canBegin(action, late: Int(late), at: start)
    else { return -1 }
    return exact
  }

  /// Whether an action can still take effect at a frame in the past.
  @_noLocks
  private func canBegin(_ action: LoopAction, late: Int, at start: Int64) -> Bool {
    switch action {
    case .record, .recordOn, .play, .overdub, .replace, .substitute, .multiply, .insert, .stop,
      .once:
      if state.isRecording {
        // Otherwise the recording would be empty.
        guard case .recording = state else { return false }
        return recording.frames > late && start > recording.start
      }
      if layer.isOn { return start > layer.start && late <= layer.delay }
      switch action {
      case .record, .recordOn: return late <= knownFrames
      case .play, .once: return late < tape.length && !playback.isBackward
      case .stop: return false
      default:
        return late <= min(layerLag, knownFrames) && state.isPlaying && playback.since <= start
      }
    default: return false
    }
  }

  /// Adds the frames that a late recording has missed to its start.
  @_noLocks
  mutating func fillStart(of version: Int, frames: Int) {
    let history = Loops.history(of: settings.source, among: histories)
    let start = history.pointee.written &- frames
    var done = 0
    while done < frames {
      let count = min(frames &- done, LoopTape.longestPiece)
      history.pointee.read(from: start &+ done, to: piece, frames: count)
      tape.load(piece, into: version, at: done, frames: count)
      done &+= count
    }
    tape.record(into: version, from: frames)
  }

  /// Feeds a layer the source delayed by its lag, in pieces, after `frames` frames were added to the history.
  @_noLocks
  mutating func listenBack(frames: Int) {
    let history = Loops.history(of: settings.source, among: histories)
    let start = history.pointee.written &- frames &- layer.lag
    var done = 0
    while done < frames {
      let count = min(frames &- done, LoopTape.longestPiece)
      history.pointee.read(from: start &+ done, to: piece, frames: count)
      addLayer(piece, after: done, frames: count)
      done &+= count
    }
  }
}
