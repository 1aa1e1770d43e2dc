internal import DSP

/// Clips that become longer: repeated under what is added, or parted for it.
extension Loop {
  /// Whether what is added makes the clip longer.
  var isGrowing: Bool { @_noLocks get { tape.isGrowing && Self.grows(addition) } }

  /// How many frames can be added to a clip that grows.
  var mostAdded: Int64 {
    @_noLocks get {
      guard case .insert = addition else {
        // As many rounds as there is room for, from where it was.
        let rounds = max(1, Int(Double(tape.capacity) / max(1, tape.round)))
        return Int64(Double(rounds) * tape.round) &- Int64(placeOfGrowth)
      }
      return Int64(tape.roomToGrow)
    }
  }

  /// Begins to let the clip grow; false where it can't.
  @_noLocks
  mutating func beginGrowing(_ addition: Addition) -> Bool {
    placeOfGrowth = tape.wrapped(tape.position)
    guard case .insert = addition else { return tape.beginMultiplying(at: placeOfGrowth) }
    guard tape.beginInserting(at: placeOfGrowth) else { return false }
    // It rests until it goes on behind what comes between.
    close()
    return true
  }

  /// Lets the clip be as long as it has become.
  @_noLocks
  mutating func endGrowing(at frame: Int64) {
    let added = Int(frame &- additionStart)
    guard case .insert = addition else {
      tape.finishMultiplying(after: added)
      return
    }
    var exact = Double(added)
    if exactNow >= 0 && exactAdditionStart >= 0 {
      let wanted = exactNow - exactAdditionStart
      if abs(wanted - exact) < 1 { exact = wanted }
    }
    if let place = tape.finishInserting(after: added, exactly: exact) {
      cueOrJump(to: place)
    } else {
      cueOrJump(to: placeOfGrowth)
    }
    gate.move(open: true, frames: frames(Self.closeSeconds))
  }

  /// Forgets what the clip would have become.
  @_noLocks
  mutating func dropGrowth() {
    tape.dropGrowth()
    guard case .insert = addition, state.isPlaying else { return }
    cueOrJump(to: placeOfGrowth)
    gate.move(open: true, frames: frames(Self.closeSeconds))
  }

  @_noLocks
  private mutating func cueOrJump(to place: Int) {
    if gate.isClosed {
      tape.cue(to: place, silence: warp.delay &* 4 &+ 1024)
      warp.rest(frames: 0)
    } else {
      tape.jump(to: place)
    }
  }
}
