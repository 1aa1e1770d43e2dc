internal import DSP

/// Following the tempo.
extension Loop {
  @_noLocks
  mutating func setFollow(_ mode: FollowMode, at frame: Int64) {
    let wasOff = follow.mode.isOff
    follow.mode = mode
    follow.forget()
    if mode.isOff { return warp.follow(nil) }
    if wasOff {
      // Where it would be heard without the latency of the warp.
      anchor(at: tape.exactPosition, since: Double(frame))
      follow.leadThere()
      followFromStart()
    }
  }

  /// Sets the speed at which the loop starts.
  @_noLocks
  mutating func followFromStart() {
    if follow.mode.isOff { return }
    guard !playback.isOnce, tape.length > 0, let beat = beatOfClip else { return warp.follow(1) }
    let speed = follow.begin(beat / time.pointee.beats.exact(1))
    warp.follow(speed, isStretched: follow.isStretched)
  }

  /// Sets the speed for the next block, which starts at a frame.
  @_noLocks
  mutating func followTempo(at frame: Int64) {
    setFollowedSpeed()
    fitLayer(at: frame)
  }

  @_noLocks
  private mutating func setFollowedSpeed() {
    if follow.mode.isOff { return }
    // What fades out goes on as it is.
    if !state.isPlaying { return follow.forget() }
    guard !playback.isOnce, tape.length > 0, let beat = beatOfClip else {
      follow.forget()
      return warp.follow(1)
    }
    if tape.isGrowing {
      // What is recorded meanwhile passes at the speed of the clip.
      follow.noteGrowth()
      return warp.follow(1)
    }
    let ratio = beat / time.pointee.beats.exact(1)
    if !follow.mode.isLock && LoopFollow.banded(ratio) == 1 && follow.isAtRest && warp.isSettled {
      follow.forget()
      return warp.follow(1)
    }
    var error = errorOfPlace(beat)
    if LoopFollow.needsJump(error, sampleRate: sampleRate) {
      if !isAdding {
        let place = tape.wrapped(tape.position &+ Int(error + (error < 0 ? -0.5 : 0.5)))
        tape.jump(to: place, inTime: true)
      }
      error = 0
    }
    let passed = Double(time.pointee.blockStart &- time.pointee.formerBlockStart) / sampleRate
    let speed = follow.speed(
      ratio: ratio, error: playback.isBackward ? -error : error, after: max(0, min(passed, 1)),
      sampleRate: sampleRate)
    warp.follow(speed, isStretched: follow.isStretched)
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
    let (clip, beats, heard) = (tape[tape.currentVersion].clip, beatsToFollow, tape.exactPosition)
    let direction: Double = playback.isBackward ? -1 : 1
    if !follow.isAnchored(in: clip, length: tape.length) {
      var place = heard
      if follow.isAnchored(beforeGrowthOf: clip) {
        let error = follow.place(after: beats, ofFrames: beat, direction: direction) - heard
        place += BeatCount.nearest(error, in: min(follow.round, tape.round))
      }
      follow.anchor(at: place, beats: beats, in: tape)
    }
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
    // In reverse, the start is the end of the clip.
    let first = playback.isBackward && place == 0 ? tape.length : place
    anchor(
      at: Double(first),
      since: moment.exact >= 0 ? moment.exact + Double(moment.late) : Double(frame))
  }

  /// Counts from a position at a time in frames.
  @_noLocks
  private mutating func anchor(at place: Double, since: Double) {
    let passed = (since - Double(time.pointee.blockStart)) / time.pointee.beats.exact(1)
    follow.anchor(at: place, beats: beatsToFollow + passed, in: tape)
  }
}
