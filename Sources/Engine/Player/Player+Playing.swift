internal import DSP

/// The player playing: pauses, jumps, places.
extension Player {
  @_noLocks
  mutating func play(_ event: PlayerEvent) {
    if gate.isClosed {
      tape.cue(to: placeOfPause, silence: warp.delay &* 4 &+ 1024)
      warp.rest(frames: 0)
    } else {
      // It has not faded out yet.
      if placeOfPause == 0 { tape.restart() } else { tape.jump(to: placeOfPause) }
    }
    let isFirst = placeOfPause == 0
    placeOfPause = 0
    gate.move(
      open: true, frames: frames(isFirst ? Self.openSeconds : Self.closeSeconds))
    enter(event)
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
    if state.isRecording { endRecording(at: frame) }
    close()
    placeOfPause = 0
    enter(.stop)
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
      gate.isClosed && warp.isIdle && !state.isPlaying && !state.isRecording && !isPending
        && cues.isEmpty
        && !tape.isRecording && !tape.isOverdubbing && !transfer.isUnderWay
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
