internal import DSP

/// Clips that become longer: repeated under a layer, or split for one.
extension Loop {
  /// Whether the layer makes the clip longer.
  var isGrowing: Bool { @_noLocks get { tape.isGrowing && layer.kind.grows } }

  /// Whether an action would grow the clip, but the last growth isn't complete.
  @_noLocks
  func waitsForGrowth(_ action: LoopAction) -> Bool {
    guard tape.isFilling, !(layer.isOn && isGrowing) else { return false }
    switch action {
    case .multiply, .insert: return true
    default: return false
    }
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
    resume(at: (place ?? layer.growthStart) &+ moment.late)
  }

  /// Ends the pause of an insert at a position in the clip.
  @_noLocks
  private mutating func resume(at place: Int) {
    cue(to: tape.wrapped(place))
    playback.gate.move(open: true, frames: frames(Self.closeSeconds))
  }

  /// Ends an insert whose input is lost; silence up to the next beat, bar or cycle keeps the loop in time.
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
    resume(at: place)
    cues.add(.endOverdub, at: frame &+ Int64(layer.delay))
    return true
  }

  /// Drops the growth; the previous clip continues where it would be without it.
  @_noLocks
  mutating func dropGrowth(at frame: Int64) {
    tape.dropGrowth()
    guard case .insert = layer.kind, state.isPlaying else { return }
    let elapsed = Double(layer.growthStart) + Double(frame &- layer.start)
    resume(at: Int(elapsed.truncatingRemainder(dividingBy: tape.round) + 0.5))
  }
}
