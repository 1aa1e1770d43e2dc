/// The exact position in the cycle, and moves to where playback would be after some time.
extension LoopTape {
  /// The time since the exact start of the present cycle in frames of the clip, in the current direction.
  ///
  /// Without a loop, the time since the start of the clip.
  package var elapsed: Double {
    @_noLocks get {
      let frames = elapsedOfReader - exactFramesAhead
      return isLooping ? wrapped(elapsed: frames) : frames
    }
  }

  /// Moves on by a number of frames of the clip in the current direction, with a crossfade.
  ///
  /// Returns false, and does nothing, if that is after the end of a clip that doesn't loop.
  @_noLocks
  package mutating func skip(_ frames: Double) -> Bool {
    if length == 0 { return true }
    let taken = framesToTakeBack
    guard
      let next = reader(
        after: elapsedOfReader - Double(taken) + frames, backward: isBackward)
    else { return false }
    go(to: next, takingBack: taken)
    return true
  }

  /// Starts a number of frames after the exact start of a cycle, in a direction, after `silence` frames.
  ///
  /// For use while inaudible. Returns false if that is after the end of a clip that doesn't loop.
  @_noLocks
  package mutating func cue(after elapsed: Double, backward: Bool, silence: Int) -> Bool {
    guard let next = reader(after: elapsed, backward: backward) else { return false }
    cue(to: next, silence: silence)
    return true
  }

  // The unrolled frames that the warp hasn't reached, with the fraction of a frame, without those after the end.
  private var exactFramesAhead: Double {
    @_noLocks get {
      Double(unrolled.head << 32 &- place) / 4_294_967_296 - Double(way.framesOver)
    }
  }

  // The time from the exact start of the reader's cycle to its next frame.
  private var elapsedOfReader: Double {
    @_noLocks get {
      let reader = way
      let whole =
        reader.isBackward
        ? length &- Int(reader.shift) &- 1 &- reader.frame : reader.frame
      return Double(whole) - (isFractional ? Double(reader.phase) / 4_294_967_296 - 0.5 : 0)
    }
  }

  // Whether cycles have a fraction of a frame, so that they start before or after their first frame.
  private var isFractional: Bool { @_noLocks get { isLooping && round < Double(length) } }

  @_noLocks
  private func wrapped(elapsed: Double) -> Double {
    let round = round
    if !(round > 0) { return 0 }
    let rest = elapsed.truncatingRemainder(dividingBy: round)
    return rest < 0 ? rest + round : rest
  }

  /// The playhead at a time since the exact start of a cycle; nil after the end of a clip that doesn't loop.
  @_noLocks
  private func reader(after elapsed: Double, backward: Bool) -> LoopReader? {
    let length = length
    if length == 0 || !elapsed.isFinite { return nil }
    var next = LoopReader(version: currentVersion, isBackward: backward)
    var exact = isLooping ? wrapped(elapsed: elapsed) : elapsed
    if !isLooping && exact >= Double(length) { return nil }
    // The frame whose time is the nearest.
    var place = max(0, Int(exact + 0.5))
    if isFractional {
      if place >= length {
        exact -= round
        place = 0
      }
      let phase = Double(place) - exact + 0.5
      next.phase = UInt32(max(0, min(phase, 0.999_999_999)) * 4_294_967_296)
      next.shift = shift(of: next)
    } else if place >= length {
      place = isLooping ? 0 : length &- 1
    }
    next.hasTurned = place > 0
    next.frame =
      next.isBackward ? max(0, length &- Int(next.shift) &- 1 &- place) : min(place, length &- 1)
    return next
  }
}
