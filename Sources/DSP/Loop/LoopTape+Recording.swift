internal import CRealtime

/// A clip in the making.
struct Recording: BitwiseCopyable {
  /// Its version; nil where nothing is recorded.
  var version: Int?
  /// How many frames were written.
  var written = 0
  /// Where it stops, but for what is kept behind; nil while it goes on.
  var mark: Int?
  /// Whether it ends there, or goes on some time.
  var isEnding = false
  // How many frames are still to be joined to what was recorded behind the mark.
  var joining = 0

  @_noLocks
  init() {}
}

/// A version that something is added to.
struct Overdub: BitwiseCopyable {
  /// Its version; nil where nothing is added.
  var version: Int?
  /// The frames of its fade that are over.
  var risen = 0
  /// Whether it fades out.
  var isEnding = false
  /// What is left of what is there, as it moves to where it was set; negative before the first.
  var feedback: Float = -1

  @_noLocks
  init() {}
}

// MARK: - A new clip

extension LoopTape {
  /// Whether a clip is in the making, be it only what is kept behind its end.
  package var isRecording: Bool { @_noLocks get { recording.version != nil } }

  /// Begins a new clip, which is heard when it is published: its version; nil where there is no
  /// memory.
  @_noLocks
  package mutating func beginClip() -> Int? { history.pointee.memory.begin() }

  /// Drops a clip that was begun, and neither recorded nor published.
  @_noLocks
  package mutating func dropClip(_ version: Int) { history.pointee.memory.release(version) }

  /// Records from now on what becomes of a clip that was begun; its maker's hold passes to the
  /// recorder.
  @_noLocks
  package mutating func record(into version: Int) {
    discardRecording()
    recording.version = version
  }

  /// Records from a frame on what is missing of a clip that was begun, of which all before comes from
  /// elsewhere.
  @_noLocks
  package mutating func record(into version: Int, from frame: Int) {
    record(into: version)
    recording.written = frame
  }

  /// Forgets the clip in the making, unless it was published.
  @_noLocks
  package mutating func discardRecording() {
    if let version = recording.version {
      if recording.isEnding { mirrorTail(of: version, from: recording.written) }
      history.pointee.memory.release(version)
    }
    recording = Recording()
  }

  /// Records the next frames.
  @_noLocks
  package mutating func record(_ sound: Stereo, frames: Int) {
    guard let version = recording.version else { return }
    var done = 0
    while done < frames {
      let end = (recording.mark ?? capacity) &+ seam
      var count = min(min(frames &- done, end &- recording.written), Self.longestPiece)
      if count <= 0 { break }
      let part = sound.advanced(by: done)
      history.makeRoom(pages: 2 &* ClipMemory.pages(forFrames: count))
      if recording.joining > 0 {
        count = min(count, recording.joining)
        join(part, version, frames: count)
      } else {
        history.pointee.memory.write(part, to: version, at: recording.written, frames: count)
        // What was begun upon this clip already, has its own copy of what lies behind the end.
        if let upon = overdub.version, recording.isEnding {
          history.pointee.memory.write(part, to: upon, at: recording.written, frames: count)
        }
      }
      recording.written &+= count
      done &+= count
    }
    if recording.isEnding, let mark = recording.mark, recording.written >= mark &+ seam {
      // All of it is there.
      discardRecording()
    }
  }

  /// Goes over from what was recorded behind the mark.
  @_noLocks
  private mutating func join(_ sound: Stereo, _ version: Int, frames: Int) {
    for index in 0..<frames {
      let share = Crossfade.eased(
        (Float(seam &- recording.joining &+ index) + 0.5) / Float(seam))
      kept[index] = 1 - share
      behind.left[index] = sound.left[index] * share
      behind.right[index] = sound.right[index] * share
    }
    history.pointee.memory.mix(
      behind, keeping: kept, to: version, at: recording.written, frames: frames)
    recording.joining &-= frames
  }

  /// Suspends a recording.
  @_noLocks
  package mutating func suspendRecording() {
    if recording.mark == nil { recording.mark = recording.written }
  }

  /// Resumes a recording where it stopped.
  @_noLocks
  package mutating func resumeRecording() {
    guard let mark = recording.mark, !recording.isEnding else { return }
    recording.joining = min(seam, recording.written &- mark)
    recording.written = mark
    recording.mark = nil
  }

  /// Ends the clip at so many frames; what is kept behind is still recorded.
  @_noLocks
  package mutating func endRecording(at frames: Int) {
    recording.mark = frames
    recording.isEnding = true
  }

  /// Makes a clip the one that is heard, so many frames long, be it written to its end or not; a round
  /// of it may be a part of a frame shorter.
  @_noLocks
  package mutating func publish(_ version: Int, length: Int, round: Double? = nil) {
    history.pointee.memory.hold(version)
    history.pointee.memory.setLength(version, length)
    if let round { history.pointee.memory.setRound(version, round) }
    add(version)
  }
}

// MARK: - Upon a clip

extension LoopTape {
  /// Whether something is added at the moment.
  package var isOverdubbing: Bool { @_noLocks get { overdub.version != nil } }

  /// Begins to add to the clip, as a new version of it; false where there is none, or no memory.
  @_noLocks
  package mutating func beginOverdub() -> Bool {
    if length == 0 { return false }
    if overdub.version != nil {
      overdub.isEnding = false
      return true
    }
    guard let version = history.pointee.memory.begin(like: history.pointee.current) else {
      return false
    }
    // Once for the history, and once for what is still written when that has gone on.
    history.pointee.memory.hold(version)
    history.pointee.append(version)
    readCurrent()
    overdub = Overdub()
    overdub.version = version
    return true
  }

  /// Ends an overdub by a short fade.
  @_noLocks
  package mutating func endOverdub() {
    if overdub.version != nil { overdub.isEnding = true }
  }

  /// Ends an overdub at once, where what was added is not heard any more.
  @_noLocks
  package mutating func breakOffOverdub() {
    if let version = overdub.version { history.pointee.memory.release(version) }
    overdub = Overdub()
  }

  /// Adds frames from a frame of the clip on; `feedback` says what becomes of what is there.
  @_noLocks
  package mutating func overdub(_ sound: Stereo, at start: Int, feedback: Float, frames: Int) {
    if overdub.feedback < 0 { overdub.feedback = feedback }
    var done = 0
    while done < frames {
      guard let version = overdub.version else { return }
      let length = history.pointee.memory.length(version)
      let frame = (start &+ done) % length
      var count = min(min(frames &- done, length &- frame), Self.longestPiece)
      if overdub.isEnding { count = min(count, overdub.risen) }
      let sound = shaped(sound.advanced(by: done), feedback: feedback, frames: count)
      history.makeRoom(pages: 2 &* ClipMemory.pages(forFrames: count))
      history.pointee.memory.mix(sound, keeping: kept, to: version, at: frame, frames: count)
      // The same goes behind the end, from where the beginning rises.
      let seam = min(self.seam, length / 2)
      if frame < seam {
        history.pointee.memory.mix(
          sound, keeping: kept, to: version, at: length &+ frame,
          frames: min(count, seam &- frame))
      }
      done &+= count
      if overdub.isEnding {
        overdub.risen &-= count
        if overdub.risen <= 0 { breakOffOverdub() }
      } else {
        overdub.risen = min(overdub.risen &+ count, self.seam)
      }
    }
  }
}

extension LoopTape {
  /// Prepares a piece to be added, with the fade that it begins or ends with, and how much of what is there
  /// is kept; returns what is to be added.
  @_noLocks
  mutating func shaped(_ sound: Stereo, feedback: Float, frames: Int) -> Stereo {
    if !overdub.isEnding && overdub.risen >= seam && overdub.feedback == feedback {
      // It goes on as it is.
      let all = 1 + (feedback - 1)
      for index in 0..<frames { kept[index] = all }
      return sound
    }
    // As long as a crossfade, however the time is cut into blocks.
    let glide = 4 / Float(seam)
    for index in 0..<frames {
      let risen =
        overdub.isEnding ? overdub.risen &- index : min(overdub.risen &+ index &+ 1, seam)
      let share = Crossfade.eased(Float(risen) / Float(seam))
      overdub.feedback += (feedback - overdub.feedback) * glide
      if abs(feedback - overdub.feedback) < 1e-6 { overdub.feedback = feedback }
      kept[index] = 1 + (overdub.feedback - 1) * share
      behind.left[index] = sound.left[index] * share
      behind.right[index] = sound.right[index] * share
    }
    return behind
  }
}

// MARK: - From elsewhere, and to there

extension LoopTape {
  /// Begins a clip that comes from elsewhere: its version; nil where there is no memory.
  @_noLocks
  package mutating func beginLoading() -> Int? { history.pointee.memory.begin() }

  /// Copies frames of a sound into a version.
  @_noLocks
  package mutating func load(_ sound: Stereo, into version: Int, at frame: Int, frames: Int) {
    history.makeRoom(pages: ClipMemory.pages(forFrames: frames))
    history.pointee.memory.write(sound, to: version, at: frame, frames: frames)
  }

  /// Makes it the clip that is heard, so long, with as much known of what lies behind its end.
  @_noLocks
  package mutating func finishLoading(
    _ version: Int, length: Int, framesBehind: Int, round: Double = 0
  ) {
    history.pointee.memory.setLength(version, length)
    history.pointee.memory.setRound(version, round)
    mirrorTail(of: version, from: length &+ framesBehind)
    add(version)
  }

  /// Makes up what lies behind the end from a frame on: it goes back the way it came, which is no
  /// step, and hardly a corner.
  @_noLocks
  mutating func mirrorTail(of version: Int, from known: Int) {
    let length = history.pointee.memory.length(version)
    var frame = max(0, known &- length)
    while frame < min(seam, length) {
      history.pointee.memory.read(version, at: length &- 1 &- frame, to: behind, frames: 1)
      history.makeRoom(pages: 2)
      history.pointee.memory.write(behind, to: version, at: length &+ frame, frames: 1)
      frame &+= 1
    }
  }

  /// A copy of the present clip, whatever becomes of it, so that it can be read in peace; nil
  /// where there is no memory.
  @_noLocks
  package mutating func copyCurrent() -> Int? {
    history.pointee.memory.begin(like: history.pointee.current)
  }

  /// Reads the present clip from its first frame on, and what lies behind its end.
  package borrowing func readCurrent(to out: Stereo, frames: Int) {
    history.pointee.memory.read(history.pointee.current, at: 0, to: out, frames: frames)
  }

  /// Tells the length of a version, in frames.
  @_noLocks
  package func length(of version: Int) -> Int { history.pointee.memory.length(version) }

  /// Tells how long a round of a version takes, in frames.
  @_noLocks
  package func round(of version: Int) -> Double { history.pointee.memory.round(version) }

  /// The number of the clip that a version is one of.
  @_noLocks
  package func clip(of version: Int) -> Int { history.pointee.memory.clip(version) }

  /// The number of the clip that was begun last, be it recorded or loaded.
  package var latestClip: Int { @_noLocks get { history.pointee.memory.latestClip } }

  /// Lets a version be what the present clip of another tape is, and goes on counting from there.
  package mutating func setClip(_ version: Int, asIn former: borrowing LoopTape) {
    history.pointee.memory.setClip(
      version, former.clip(of: former.history.pointee.current), latest: former.latestClip)
  }

  /// Releases a version, or one that was not loaded to its end.
  @_noLocks
  package mutating func release(_ version: Int) { history.pointee.memory.release(version) }

  /// Reads frames of what is held; from its length on what lies behind its end.
  @_noLocks
  package borrowing func read(_ version: Int, at frame: Int, to out: Stereo, frames: Int) {
    history.pointee.memory.read(version, at: frame, to: out, frames: frames)
  }

  /// Puts another clip onto the tape, at most as long as it is, and begins at its first frame.
  ///
  /// `framesBehind` frames behind it in memory are what was recorded behind its end.
  @_noLocks
  package mutating func fill(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, frames: Int,
    framesBehind: Int = 0
  ) {
    guard let version = beginLoading() else { return }
    let length = min(frames, capacity)
    let following = length < frames ? 0 : min(framesBehind, seam)
    load(Stereo(left, right), into: version, at: 0, frames: length &+ following)
    finishLoading(version, length: length, framesBehind: following)
    rewind()
  }
}
