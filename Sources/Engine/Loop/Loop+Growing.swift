internal import DSP

/// Clips that become longer: repeated under a layer, or split for one.
extension Loop {
  /// Whether the layer makes the clip longer.
  var isGrowing: Bool { @_noLocks get { tape.isGrowing && layer.kind.grows } }

  /// Whether an action would grow the clip, which is still being completed after it has grown.
  @_noLocks
  func waitsForGrowth(_ action: LoopAction) -> Bool {
    guard tape.isFilling, !(layer.isOn && isGrowing) else { return false }
    switch action {
    case .multiply, .insert: return true
    default: return false
    }
  }

  /// Queues an action until the clip is complete: after the latency of a layer, and a 64th of the clip's duration.
  @_noLocks
  mutating func awaitGrowth(_ action: LoopAction, from frame: Int64) {
    queued.putUntilComplete(action, checkedAt: frame &+ 64)
  }

  /// The maximum number of frames by which the clip can grow.
  var mostAdded: Int64 {
    @_noLocks get {
      guard case .insert = layer.kind else {
        // As many cycles as fit, from the position at which it started.
        let cycles = max(1, Int(Double(tape.capacity) / max(1, tape.round)))
        return Int64(Double(cycles) * tape.round) &- Int64(layer.growthStart)
      }
      return Int64(tape.roomToGrow)
    }
  }

  /// Starts the growth of the clip.
  ///
  /// Returns false if it can't.
  @_noLocks
  mutating func beginGrowing(_ kind: Layer.Kind) -> Bool {
    layer.growthStart = tape.wrapped(tape.position &- moment.late)
    // The previous layer gets no more input for its fade-out, which is applied to its last frames.
    tape.endOverdub(before: layer.position)
    guard case .insert = kind else { return tape.beginMultiplying(at: layer.growthStart) }
    guard tape.beginInserting(at: layer.growthStart) else { return false }
    // The loop pauses until it continues after the insert.
    close()
    return true
  }

  /// Ends the growth at the length that the clip has by now.
  @_noLocks
  mutating func endGrowing(at frame: Int64) {
    let added = Int(frame &- layer.start) &- moment.late
    guard case .insert = layer.kind else {
      tape.finishMultiplying(after: added, since: moment.late)
      return
    }
    let exact = layer.length(at: frame &- Int64(moment.late), exact: moment.exact)
    let place = tape.finishInserting(after: added, exactly: exact)
    cue(to: tape.wrapped((place ?? layer.growthStart) &+ moment.late))
    playback.gate.move(open: true, frames: frames(Self.closeSeconds))
  }

  /// Ends an insert that loses its input as if silence followed until the loop's next beat, bar or cycle, so that the
  /// loop stays in time.
  ///
  /// Returns false if it is no insert of a quantized loop.
  @_noLocks
  mutating func endInsertOnGrid(at frame: Int64) -> Bool {
    guard case .insert = layer.kind, let quantum = settings.quantum else { return false }
    let exact = dueTime(of: quantum, from: frame)
    guard exact >= 0 else { return false }
    let end = Int64(exact + 0.5)
    let place = layer.growthStart &+ Int(frame &- layer.start)
    layer.end()
    _ = tape.finishInserting(
      after: Int(end &- layer.start), exactly: layer.length(at: end, exact: exact))
    cue(to: tape.wrapped(place))
    playback.gate.move(open: true, frames: frames(Self.closeSeconds))
    cues.add(.endOverdub, at: frame &+ Int64(layer.delay))
    return true
  }

  /// Drops the growth, and continues with the previous clip where that would be in time.
  @_noLocks
  mutating func dropGrowth(at frame: Int64) {
    tape.dropGrowth()
    guard case .insert = layer.kind, state.isPlaying else { return }
    let elapsed = Double(layer.growthStart) + Double(frame &- layer.start)
    cue(to: tape.wrapped(Int(elapsed.truncatingRemainder(dividingBy: tape.round) + 0.5)))
    playback.gate.move(open: true, frames: frames(Self.closeSeconds))
  }
}
