internal import DSP

/// The player playing: pauses, jumps, places.
extension Loop {
  /// Starts playing: from the position of a pause, else from the start of the clip, or from the position
  /// in the bar if it joins late.
  @_noLocks
  mutating func play(_ event: LoopEvent, at frame: Int64, isLate: Bool = false) {
    if isLate && placeOfPause == 0 { setPlaceInTime(at: frame) }
    if gate.isClosed {
      tape.cue(to: placeOfPause, silence: warp.delay &* 4 &+ 1024)
      warp.rest(frames: 0)
    } else {
      // It has not faded out yet.
      if placeOfPause == 0 { tape.restart() } else { tape.jump(to: placeOfPause) }
    }
    if exactNow >= 0 { setPhase(exactNow) }
    let isFirst = placeOfPause == 0
    placeOfPause = 0
    gate.move(
      open: true, frames: frames(isFirst ? Self.openSeconds : Self.closeSeconds))
    enter(event)
  }

  /// Notes when exactly the round began that is played, or would have: its end is as exact.
  @_noLocks
  private mutating func setPhase(_ exact: Double) {
    let shifted = exact + 0.5
    tape.setPhase(UInt32((shifted - Double(Int64(shifted))) * 4_294_967_296))
  }

  /// Sets the start position of a clip that joins within a bar: as far from its start as the beat
  /// is from the bar's.
  ///
  /// A new loop never does: it starts with its own beat.
  @_noLocks
  private mutating func setPlaceInTime(at frame: Int64) {
    guard exactNow >= 0, !isBackward, !isMoved, case .some(.beat) = quantum else { return }
    let late = exactNow - time.pointee.beats.exactBar(at: exactNow)
    let round = tape.round
    guard late >= 0.5, round > late else { return }
    exactNow -= late
    placeOfPause = Int(Double(frame) - exactNow + 0.5)
  }

  /// Plays the clip from its beginning to its end, whatever it does otherwise.
  @_noLocks
  mutating func playOnce(at frame: Int64) {
    endOverdub(at: frame)
    placeOfPause = 0
    isOnce = true
    tape.setLooping(false)
    if state.isPlaying {
      tape.restart()
    } else {
      state = state.after(.play) ?? .playing
      if gate.isClosed {
        tape.cue(to: 0, silence: warp.delay &* 4 &+ 1024)
        warp.rest(frames: 0)
      } else {
        tape.restart()
      }
      gate.move(open: true, frames: frames(Self.openSeconds))
    }
    if exactNow >= 0 { setPhase(exactNow) }
  }

  /// Goes on round and round, or as it is set, where it was played once.
  @_noLocks
  mutating func endOnce() {
    if !isOnce { return }
    isOnce = false
    tape.setLooping(isLooping)
  }

  /// Ends what is played, where a recording begins in its place.
  @_noLocks
  mutating func endPlaying(at frame: Int64) {
    endOverdub(at: frame)
    endOnce()
    close()
    placeOfPause = 0
    enter(.stop)
  }

  @_noLocks
  mutating func close() { gate.move(open: false, frames: frames(Self.closeSeconds)) }

  @_noLocks
  mutating func pause(at frame: Int64) {
    endOverdub(at: frame)
    placeOfPause = placeHeard
    close()
    enter(.pause)
  }

  /// Where in the clip what is heard now was: the warp has read on from there.
  var placeHeard: Int {
    @_noLocks get {
      let late = Int(Float(warp.delay) * warp.speed)
      let place = tape.position &+ (isBackward ? late : 0 &- late)
      return tape.isLooping ? tape.wrapped(place) : max(0, min(place, tape.length))
    }
  }

  /// Ends whatever is under way.
  @_noLocks
  mutating func stop(at frame: Int64) {
    endOverdub(at: frame)
    goesOn = false
    if state.isRecording { endRecording(at: frame) }
    close()
    placeOfPause = 0
    enter(.stop)
    endOnce()
  }

  @_noLocks
  mutating func skip(_ seconds: Double, at frame: Int64) {
    let now = state.isPaused ? placeOfPause : tape.position
    seek(to: now &+ frames(seconds), at: frame)
  }

  /// Goes to a frame of the clip.
  @_noLocks
  mutating func seek(to place: Int, at frame: Int64) {
    let place = max(0, min(place, tape.length))
    if state.isPlaying {
      endOverdub(at: frame)
      tape.jump(to: place)
    } else if place == tape.length && tape.isLooping {
      placeOfPause = 0
    } else {
      placeOfPause = place
    }
  }

  /// Whether there is a place to go to.
  var canSeek: Bool { @_noLocks get { tape.length > 0 && !state.isRecording } }

  /// Whether nothing sounds and nothing is planned: it may be left alone.
  var isAtRest: Bool {
    @_noLocks get {
      gate.isClosed && warp.isIdle && !state.isPlaying && !state.isRecording && queued.isEmpty
        && cues.isEmpty
        && !tape.isRecording && !tape.isOverdubbing && !transfer.isUnderWay
        && !tape.isGrowing && !keeping.isUnderWay && muteGate.isAtRest && !pedal.judge.isWaiting
        && !arePeaksBehind
    }
  }

  /// Where it is in the clip, or how long what is recorded is.
  var position: Int {
    @_noLocks get {
      if state.isRecording { return clipFrames }
      return state.isPlaying ? tape.position : placeOfPause
    }
  }

  /// The length of the clip, that in the making included.
  var length: Int {
    @_noLocks get { state.isRecording ? clipFrames : tape.length }
  }
}
