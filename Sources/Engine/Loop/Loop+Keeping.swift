internal import DSP

/// A retroactive recording: the recent past of a source, being copied into a clip.
struct Keeping: BitwiseCopyable {
  // The frames that play first are copied at once, the rest much faster than they play.
  static var framesAtOnce: Int { @_noLocks get { 4096 } }
  static var framesPerFrame: Int { @_noLocks get { 64 } }
  // Of all loops in the same blocks, so less of each; four times as fast as the fastest plays.
  private static var framesPerFrameOfClip: Int { @_noLocks get { 16 } }

  /// The length of the clip, in frames.
  var wanted: Double = 0
  var isUnderWay = false
  var version = 0
  /// The start in the history, the number of frames, and how many of them are copied.
  var start = 0, total = 0, done = 0
  /// The position in the clip where copying and playback start.
  ///
  /// The part before it is copied last. For backward playback, the end of the part that is copied first.
  var first = 0
  var isBackward = false
  var source = Loop.Source.live
  /// The clip in memory that is copied in place of the history.
  var clip: ClipPointer?

  /// How much faster than the block it is copied.
  var framesPerFrame: Int {
    @_noLocks get { clip == nil ? Self.framesPerFrame : Self.framesPerFrameOfClip }
  }
}

extension Loop {
  /// Makes a clip of the last frames of its source, up to the beat if it is quantized.
  @_noLocks
  mutating func keep(frames wanted: Double, at frame: Int64) -> EngineRefusal? {
    keeping.wanted = wanted
    if let refusal = refusalToKeep { return refusal }
    moment.exact = -1
    queued.clear()
    if let quantum = settings.quantum {
      // A slightly early press means the next beat.
      let beats = time.pointee.beats
      let early = Int64(beats.exact(0.5))
      let exact = nextStart(of: quantum, from: frame)
      let next = exact < 0 ? frame : max(frame, Int64(exact + 0.5))
      if exact >= 0 && next > frame && next &- frame <= early {
        queued.put(.keep, due: exact, from: frame)
        return nil
      }
      if exact >= 0 && next > frame {
        moment.exact = exact - frames(of: quantum)
      } else if exact >= 0 {
        moment.exact = exact
      }
    }
    let refusal = keep(at: frame)
    moment.exact = -1
    return refusal
  }

  var refusalToKeep: EngineRefusal? {
    @_noLocks get {
      if isLocked(.keep) { return .locked }
      if state.isRecording || layer.isOn && isGrowing { return .meaningless }
      if transfer.isUnderWay || keeping.isUnderWay || tape.isGrowing || tape.isRecording {
        return .transferring
      }
      let frames = LoopTape.frames(ofRound: keeping.wanted)
      if frames > tape.capacity { return .tooLong }
      if frames < 1 { return .nothingKept }
      return frames > history.pointee.frames ? .nothingKept : nil
    }
  }

  private var history: UnsafeMutablePointer<SourceHistory> {
    @_noLocks get { Loops.history(of: settings.source, among: histories) }
  }

  /// Makes the clip, which ends now or at the last beat.
  @_noLocks
  mutating func keep(at frame: Int64) -> EngineRefusal? {
    if let refusal = refusalToKeep { return refusal }
    guard let version = tape.beginClip() else { return .noMemory }
    playback.cleared = nil
    if state.isPlaying { endPlaying(at: frame) }
    endOnce()
    let end = moment.exact >= 0 ? Int64(moment.exact + 0.5) : frame
    let round = keeping.wanted
    let length = LoopTape.frames(ofRound: round)
    let since = Int(frame &- end)
    // The loop continues in time, and may have ended more than once since.
    var place = since % max(1, length)
    var late = 0
    if case .live = settings.source { late = inputDelay }
    keeping.version = version
    keeping.start = history.pointee.written &- since &- length &+ late
    keeping.total = max(0, min(length &+ tape.seam, length &+ since &- late))
    keeping.done = 0
    keeping.isBackward = playback.isBackward
    keeping.first = min(place, keeping.total)
    if keeping.isBackward {
      // Backward playback starts with the last frame received.
      if place == 0 && keeping.total < length { place = max(0, keeping.total &- 1) }
      keeping.first = place == 0 ? keeping.total : min(place &+ 1, keeping.total)
    }
    keeping.source = settings.source
    keeping.isUnderWay = true
    history.pointee.beginReading()
    tape.hold(version)
    if keeping.total < length &+ tape.seam {
      // The last frames are still being recorded.
      tape.hold(version)
      tape.record(into: version, from: keeping.total)
      tape.endRecording(at: length)
    }
    tape.publish(version, length: length, round: round)
    tape.release(version)
    carryKeeping(frames: Keeping.framesAtOnce)
    if time.pointee.takesTempo {
      fitTempo(toFrames: length, from: end &- Int64(length))
    }
    tape.setBeat(time.pointee.beats.exact(1))
    goOnAfterKeeping(from: place, at: frame)
    return nil
  }

  @_noLocks
  private mutating func goOnAfterKeeping(from place: Int, at frame: Int64) {
    if case .stop = settings.after {
      playback.resume = 0
      state = .standby
      // The outgoing sound continues into the start of the clip, which is already copied.
      if !playback.gate.isClosed { tape.restart() }
      return
    }
    state = .standby
    playback.resume = place
    play(.play, at: frame)
    if case .overdub = settings.after { toggle(.overdub, at: frame) }
  }

  /// Copies a limited number of frames of the history, or of a clip in memory.
  @_noLocks
  mutating func carryKeeping(frames: Int) {
    if !keeping.isUnderWay { return }
    let clip = keeping.clip
    let history = Loops.history(of: keeping.source, among: histories)
    var left = min(frames, keeping.total &- keeping.done)
    while left > 0 {
      var count = min(left, LoopTape.longestPiece)
      var place: Int
      if keeping.isBackward {
        var end = keeping.first &- keeping.done
        if end <= 0 { end &+= keeping.total }
        count = min(count, end)
        place = end &- count
      } else {
        place = keeping.first &+ keeping.done
        if place >= keeping.total { place &-= keeping.total }
        count = min(count, keeping.total &- place)
      }
      if let clip {
        let part = clip.sound.advanced(by: place)
        // A file may contain values that are not finite.
        _ = part.silenceNonFinite(frames: count)
        tape.loadPublished(part, into: keeping.version, at: place, frames: count)
      } else {
        history.pointee.read(from: keeping.start &+ place, to: piece, frames: count)
        tape.loadPublished(piece, into: keeping.version, at: place, frames: count)
      }
      keeping.done &+= count
      left &-= count
    }
    if keeping.done < keeping.total { return }
    keeping.isUnderWay = false
    if let clip {
      tape.completeTail(of: keeping.version, from: keeping.total)
      clip.account.pointee.clip = tape[keeping.version].clip
      keeping.clip = nil
    } else {
      history.pointee.endReading()
    }
    tape.release(keeping.version)
  }
}
