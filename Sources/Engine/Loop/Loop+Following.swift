internal import DSP

/// Following the tempo.
extension Loop {
  @_noLocks
  mutating func setFollow(_ mode: FollowMode) {
    follow.mode = mode
    follow.forget()
    if mode.isOff { warp.follow(nil) }
  }

  /// Sets the speed for the next block, which starts at a frame.
  @_noLocks
  mutating func followTempo(at frame: Int64) {
    if follow.mode.isOff { return }
    guard state.isPlaying, !playback.isOnce, tape.length > 0, let beat = beatOfClip else {
      follow.forget()
      warp.follow(nil)
      return
    }
    let ratio = beat / time.pointee.beats.exact(1)
    if !follow.mode.isLock && LoopFollow.banded(ratio) == 1 {
      follow.forget()
      warp.follow(1)
      return
    }
    let error = errorOfPlace(beat)
    if LoopFollow.needsJump(error, sampleRate: sampleRate) && !isAdding {
      tape.jump(to: tape.wrapped(tape.position &+ Int(error + (error < 0 ? -0.5 : 0.5))))
      return
    }
    warp.follow(
      follow.speed(
        ratio: ratio, error: playback.isBackward ? -error : error, sampleRate: sampleRate))
    // A layer that is resampled would come back at another pitch.
    if layer.isOn && layer.isInClipTime && layer.stretched == 0 && !warp.isVarispeed {
      endOverdub(at: frame)
    }
  }

  /// The length of a beat of the clip in frames; nil if the clip has none.
  ///
  /// A clip from elsewhere has the nearest whole number of beats.
  private var beatOfClip: Double? {
    @_noLocks mutating get {
      if tape.beat == 0 {
        let beats = tape.round / time.pointee.beats.exact(1) + 0.5
        tape.setBeat(tape.round / Double(max(1, Int64(beats))))
      }
      return tape.beat > 0 ? tape.beat : nil
    }
  }

  /// The distance to the wanted position in frames of the clip.
  @_noLocks
  private mutating func errorOfPlace(_ beat: Double) -> Double {
    let (clip, length) = (tape[tape.currentVersion].clip, tape.length)
    let beats = beatsToFollow
    if !follow.isAnchored(in: clip, length: length) {
      // As without the latency of the warp.
      follow.anchor(at: tape.exactPosition, beats: beats, clip: clip, length: length)
    }
    let heard = tape.exactPosition + (playback.isBackward ? warp.lag : -warp.lag)
    let direction: Double = playback.isBackward ? -1 : 1
    let error = follow.place(after: beats, ofFrames: beat, direction: direction) - heard
    return tape.isLooping ? BeatCount.nearest(error, in: tape.round) : error
  }

  private var beatsToFollow: Double {
    @_noLocks get { follow.mode.isLock ? time.pointee.count.beats : time.pointee.count.even }
  }

  private var isAdding: Bool {
    @_noLocks get { layer.isOn || tape.isOverdubbing || tape.isGrowing }
  }

  /// Notes that the loop has started at a position on a frame, or at an exact time.
  @_noLocks
  mutating func noteStart(at place: Int, on frame: Int64) {
    if follow.mode.isOff { return }
    let since = moment.exact >= 0 ? moment.exact + Double(moment.late) : Double(frame)
    let passed = (since - Double(time.pointee.blockStart)) / time.pointee.beats.exact(1)
    // In reverse, the start is the end of the clip.
    let first = playback.isBackward && place == 0 ? tape.length : place
    follow.anchor(
      at: Double(first), beats: beatsToFollow + passed, clip: tape[tape.currentVersion].clip,
      length: tape.length)
  }
}
