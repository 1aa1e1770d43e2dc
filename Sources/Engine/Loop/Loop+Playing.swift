internal import DSP

/// Playback: start, pause, stop, and jumps.
extension Loop {
  /// Starts playing: from the position of a pause, else from the start of the clip, or from the position
  /// in the bar if it joins late.
  ///
  /// A clip that was opened to be heard once plays once, and never joins late.
  @_noLocks
  mutating func play(_ event: LoopEvent, at frame: Int64, isLate: Bool = false) {
    if playsOnce {
      beginOnce()
    } else if isLate && playback.resume == 0 {
      setPlaceInTime(at: frame)
    }
    playback.since = frame
    if moment.late > 0 && playback.resume == 0 {
      playback.resume = tape.wrapped(Int(Float(moment.late) * warp.speed))
    }
    followFromStart()
    cue(to: playback.resume)
    noteStart(at: playback.resume, on: frame)
    if moment.exact >= 0 { setPhase(moment.exact) }
    let isFirst = playback.resume == 0
    playback.resume = 0
    playback.gate.move(
      open: true, frames: frames(isFirst ? Self.openSeconds : Self.closeSeconds))
    enter(event)
  }

  /// Plays from a position, or from the start of the clip if it is 0, with a crossfade unless the loop has
  /// faded out.
  @_noLocks
  mutating func cue(to place: Int) {
    if playback.gate.isClosed || fade.hasEnded {
      fade.begin()
      // Nothing sounds: pitch and rate need no glide.
      warp.settle()
      // Behind the delay of the warp, the gate would have opened before the first frame.
      let rise = warp.isPlain && warp.delay == 0 ? 0 : frames(Self.openSeconds * warp.shortening)
      tape.cue(to: place, silence: warp.framesAround, rise: rise)
    } else if place == 0 {
      tape.restart()
    } else {
      tape.jump(to: place)
    }
  }

  /// Sets the exact start time of the present cycle, so that the cycle also ends at the exact time.
  @_noLocks
  private mutating func setPhase(_ exact: Double) {
    let shifted = exact + 0.5
    tape.setPhase(UInt32((shifted - Double(Int64(shifted))) * 4_294_967_296))
  }

  /// Sets the start position of a clip that joins within a bar: as far from its start as the beat
  /// is from the bar's.
  ///
  /// A new loop never joins: it starts with its own beat.
  @_noLocks
  private mutating func setPlaceInTime(at frame: Int64) {
    guard moment.exact >= 0, !playback.isBackward, !isMoved, case .some(.beat) = settings.quantum
    else { return }
    let late = moment.exact - time.pointee.beats.exactBar(at: moment.exact)
    let round = tape.round
    guard late >= 0.5, round > late else { return }
    moment.exact -= late
    playback.resume = Int(Double(frame) - moment.exact + 0.5)
  }

  /// Plays the clip once, from start to end.
  @_noLocks
  mutating func playOnce(at frame: Int64) {
    endOverdub(at: frame)
    playback.resume = 0
    beginOnce()
    playback.since = frame
    followFromStart()
    cue(to: Int(Float(moment.late) * warp.speed))
    if !state.isPlaying {
      state = state.after(.play) ?? .playing
      playback.gate.move(open: true, frames: frames(Self.openSeconds))
    }
    if moment.exact >= 0 { setPhase(moment.exact) }
  }

  @_noLocks
  mutating func beginOnce() {
    playback.isOnce = true
    tape.setLooping(false)
  }

  /// Whether the present clip was opened to be heard once.
  var playsOnce: Bool {
    @_noLocks get {
      playback.onceClip != 0 && tape[tape.currentVersion].clip == playback.onceClip
    }
  }

  /// Whether it is still that clip, without a layer.
  var isOpened: Bool {
    @_noLocks get { playsOnce && tape[tape.currentVersion].layers == 0 }
  }

  /// Makes a clip that was opened to be heard once a loop.
  @_noLocks
  mutating func makeLoop() {
    if !playsOnce { return }
    playback.onceClip = 0
    endOnce()
  }

  /// Ends playing once.
  ///
  /// The clip repeats again if it is set to.
  @_noLocks
  mutating func endOnce() {
    if !playback.isOnce { return }
    playback.isOnce = false
    tape.setLooping(settings.isLooping)
  }

  /// Ends playback when a recording starts in its place.
  @_noLocks
  mutating func endPlaying(at frame: Int64) {
    endOverdub(at: frame)
    endOnce()
    close()
    playback.resume = 0
    enter(.stop)
  }

  @_noLocks
  mutating func close() { playback.gate.move(open: false, frames: frames(Self.closeSeconds)) }

  @_noLocks
  mutating func pause(at frame: Int64) {
    endOverdub(at: frame)
    playback.resume = placeHeard
    close()
    enter(.pause)
  }

  /// The audible position in the clip.
  ///
  /// The pitch shifter has read on from there.
  var placeHeard: Int {
    @_noLocks get {
      let late = Int(Float(warp.delay) * warp.speed)
      let place = tape.position &+ (playback.isBackward ? late : 0 &- late)
      return tape.isLooping ? tape.wrapped(place) : max(0, min(place, tape.length))
    }
  }

  /// Ends recording, layer and playback.
  @_noLocks
  mutating func stop(at frame: Int64) {
    endOverdub(at: frame)
    recording.continues = false
    if state.isRecording { endRecording(at: frame) }
    close()
    playback.resume = 0
    enter(.stop)
    endOnce()
  }

  /// The position of a loop that is about to be cleared; nil if it isn't playing in cycles.
  var placeToClear: Int? {
    @_noLocks get {
      state.isPlaying && tape.isLooping && tape.length > 0 ? tape.wrapped(tape.position) : nil
    }
  }

  /// Notes that the loop was cleared at a position.
  @_noLocks
  mutating func noteClear(from place: Int?, at frame: Int64) {
    playback.cleared = nil
    guard let place else { return }
    let serial = tape[tape.currentVersion].serial
    playback.cleared = Cleared(serial: serial, frame: frame, place: place)
  }

  /// Plays on after the undo of a clear, at the position that the loop would have reached.
  @_noLocks
  mutating func playOn(after cleared: Cleared, at frame: Int64) {
    let passed = Double(frame &- cleared.frame) * Double(warp.speed)
    let round = tape.round
    var place = Double(cleared.place) + (playback.isBackward ? -passed : passed)
    place = place.truncatingRemainder(dividingBy: round)
    playback.resume = Int(place < 0 ? place + round : place)
    play(.play, at: frame)
  }

  @_noLocks
  mutating func skip(_ seconds: Double, at frame: Int64) {
    let now = state.isPaused ? playback.resume : tape.position
    seek(to: now &+ frames(seconds), at: frame)
  }

  /// Jumps to a frame of the clip.
  @_noLocks
  mutating func seek(to place: Int, at frame: Int64) {
    let place = max(0, min(place, tape.length))
    follow.forget()
    if state.isPlaying {
      endLayerUnasked(at: frame)
      tape.jump(to: place)
    } else if place == tape.length && tape.isLooping {
      playback.resume = 0
    } else {
      playback.resume = place
    }
  }

  /// Whether there is a position to jump to.
  var canSeek: Bool { @_noLocks get { tape.length > 0 && !state.isRecording } }

  /// Whether the loop is idle: silent, with nothing queued.
  var isAtRest: Bool {
    @_noLocks get {
      playback.gate.isClosed && warp.isIdle && !state.isPlaying && !state.isRecording
        && queued.isEmpty
        && cues.isEmpty
        && !tape.isRecording && !tape.isOverdubbing && !transfer.isUnderWay
        && !tape.isGrowing && !keeping.isUnderWay && mute.isAtRest && !pedal.judge.isWaiting
        && !arePeaksBehind
    }
  }

  /// The position in the clip, or the length of a recording so far, in frames.
  var position: Int {
    @_noLocks get {
      if state.isRecording { return recording.frames }
      return state.isPlaying ? tape.position : playback.resume
    }
  }

  /// The length of the clip or of the recording so far, in frames.
  var length: Int {
    @_noLocks get { state.isRecording ? recording.frames : tape.length }
  }
}
