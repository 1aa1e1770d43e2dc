internal import DSP

/// The replacement of a clip by one in memory, on one frame.
extension Loop {
  /// Replaces the clip by one in memory, which plays from its start or is stopped, and ends what is in progress.
  ///
  /// The frames that play first are copied at once, the rest much faster than they play. Returns the reason if it
  /// is refused.
  @_noLocks
  mutating func exchange(
    _ pointer: ClipPointer, plays: Bool, origin: CommandOrigin, at frame: Int64
  ) -> EngineRefusal? {
    if transfer.isUnderWay || keeping.isUnderWay { return .transferring }
    if Double(pointer.account.pointee.sampleRate) != sampleRate { return .otherRate }
    if time.pointee.isLocked && tape.length > 0 { return .locked }
    guard let version = tape.beginClip() else { return .noMemory }
    queued.clear()
    fade.forget()
    fade.recover(frames: frames(Self.closeSeconds))
    playback.cleared = nil
    stop(at: frame)
    tape.dropGrowth()
    playback.onceClip = 0
    moment.exact = -1
    copy(pointer, into: version, frames: plays ? Keeping.framesAtOnce : Keeping.framesAtOnce / 2)
    transfer.begin(.exchanging, pointer, version: version, origin: origin)
    state = .playReady
    if plays { play(.play, at: frame) }
    return nil
  }

  /// Makes a clip in memory the current one, and begins to copy it with these first frames.
  @_noLocks
  private mutating func copy(_ pointer: ClipPointer, into version: Int, frames: Int) {
    let account = pointer.account
    let length = min(account.pointee.length, tape.capacity)
    let known = min(account.pointee.framesBehind, tape.seam)
    keeping = Keeping()
    keeping.clip = pointer
    keeping.version = version
    keeping.total = min(length &+ known, pointer.capacity)
    keeping.isBackward = playback.isBackward
    keeping.first = playback.isBackward ? keeping.total : 0
    keeping.isUnderWay = true
    // For the copying, which may go on after the history has dropped it.
    tape.hold(version)
    tape.publish(version, length: length, round: account.pointee.round)
    tape.release(version)
    tape.setBeat(account.pointee.beat)
    carryKeeping(frames: frames)
  }
}
