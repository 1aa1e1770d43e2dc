internal import CRealtime

/// The state of a recording.
struct Recording: BitwiseCopyable {
  /// The version being recorded, or nil.
  var version: Int?
  /// The number of frames written.
  var written = 0
  /// The end of the recording, apart from its tail; nil while it continues.
  var mark: Int?
  /// Whether the recording ends there instead of being suspended.
  var isEnding = false
  // The remaining frames of the crossfade from the tail to the resumed input.
  var joining = 0
}

/// The state of an overdub.
struct Overdub: BitwiseCopyable {
  /// The version being overdubbed, or nil.
  var version: Int?
  /// The progress of its fade, in frames.
  var risen = 0
  /// Whether it fades out, to end.
  var isEnding = false
  /// Whether it fades out, to go on later.
  var isResting = false
  /// The smoothed gain of the existing audio; negative before the first frame.
  var feedback: Float = -1

  /// Whether it fades out, for either reason.
  var isFalling: Bool { @_noLocks get { isEnding || isResting } }

  @_noLocks
  init() {}
}

// MARK: - Recording

extension LoopTape {
  /// Whether a recording is in progress, including its tail.
  package var isRecording: Bool { @_noLocks get { recording.version != nil } }

  /// Starts a version, empty or as a copy that later edits of the other don't affect.
  ///
  /// It plays once published or loaded. Returns its number, or nil if there are too many.
  @_noLocks
  package mutating func beginClip(like other: Int? = nil) -> Int? {
    history.pointee.memory.begin(like: other)
  }

  /// Records to a clip that was started.
  ///
  /// The caller's reference passes to the recording.
  @_noLocks
  package mutating func record(into version: Int) {
    discardRecording()
    recording.version = version
  }

  /// Records the rest of a clip from a frame on; everything before comes from another source.
  @_noLocks
  package mutating func record(into version: Int, from frame: Int) {
    record(into: version)
    recording.written = frame
  }

  /// Ends the recording.
  ///
  /// An unpublished clip is discarded.
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
        // An overdub of this clip that has started already has its own copy of the tail.
        if let upon = overdub.version, recording.isEnding, self[upon].clip == self[version].clip {
          history.pointee.memory.write(part, to: upon, at: recording.written, frames: count)
        }
      }
      recording.written &+= count
      done &+= count
    }
    if recording.isEnding, let mark = recording.mark, recording.written >= mark &+ seam {
      // Clip and tail are complete.
      discardRecording()
    }
  }

  /// Records silence in place of frames that were lost, with fades around it.
  @_noLocks
  package mutating func recordSilence(frames: Int) {
    guard let version = recording.version, recording.mark == nil, frames > 0 else { return }
    let fading = min(min(seam, Self.longestPiece), recording.written)
    recording.written &-= fading
    behind.clear(frames: fading)
    for index in 0..<fading {
      kept[index] = 1 - Crossfade.eased((Float(index) + 0.5) / Float(fading))
    }
    history.makeRoom(pages: 2 &* ClipMemory.pages(forFrames: fading))
    history.pointee.memory.mix(
      behind, keeping: kept, to: version, at: recording.written, frames: fading)
    recording.written &+= fading
    // Beyond its end for the fade to what follows.
    let end = min(recording.written &+ frames, capacity)
    var place = recording.written
    behind.clear(frames: Self.longestPiece)
    while place < end &+ seam {
      let count = min(end &+ seam &- place, Self.longestPiece)
      history.makeRoom(pages: 2 &* ClipMemory.pages(forFrames: count))
      history.pointee.memory.write(behind, to: version, at: place, frames: count)
      place &+= count
    }
    recording.written = end
    recording.joining = seam
  }

  /// Crossfades from the tail after the mark.
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

  /// Suspends the recording.
  @_noLocks
  package mutating func suspendRecording() {
    if recording.mark == nil { recording.mark = recording.written }
  }

  /// Resumes the recording where it stopped.
  @_noLocks
  package mutating func resumeRecording() {
    guard let mark = recording.mark, !recording.isEnding else { return }
    recording.joining = min(seam, recording.written &- mark)
    recording.written = mark
    recording.mark = nil
  }

  /// Ends the clip at a frame; its tail is still recorded.
  @_noLocks
  package mutating func endRecording(at frames: Int) {
    recording.mark = frames
    recording.isEnding = true
  }

  /// Makes a clip the current one with the given length, even if it isn't complete yet.
  ///
  /// Its exact loop length may be less by under one frame.
  @_noLocks
  package mutating func publish(_ version: Int, length: Int, round: Double? = nil) {
    history.pointee.memory.hold(version)
    history.pointee.memory.setLength(version, length)
    if let round { history.pointee.memory.setRound(version, round) }
    add(version)
  }
}

// MARK: - Overdubbing

extension LoopTape {
  /// Whether an overdub is in progress.
  package var isOverdubbing: Bool { @_noLocks get { overdub.version != nil } }

  /// Whether an overdub is in progress that is no longer in the current version.
  package var isOverdubUndone: Bool {
    @_noLocks get { if let version = overdub.version { version != currentVersion } else { false } }
  }

  /// Starts an overdub as a new version.
  ///
  /// A tentative one can be reverted until it is confirmed. Returns false if the clip is empty or memory is
  /// short.
  @_noLocks
  package mutating func beginOverdub(isTentative: Bool = false) -> Bool {
    if length == 0 { return false }
    if overdub.version != nil {
      overdub.isEnding = false
      return true
    }
    guard let version = history.pointee.memory.begin(like: history.pointee.current) else {
      return false
    }
    addOverdub(version, isTentative: isTentative)
    overdub = Overdub()
    overdub.version = version
    return true
  }

  /// Makes a version that is to be overdubbed the current one.
  @_noLocks
  private mutating func addOverdub(_ version: Int, isTentative: Bool) {
    // One reference for the history, and one for writing after it has moved on.
    history.pointee.memory.hold(version)
    history.pointee.append(version, isTentative: isTentative)
    readCurrent()
  }

  /// Confirms a tentative overdub.
  @_noLocks
  package mutating func confirmOverdub() { history.pointee.confirm() }

  /// Drops a tentative overdub, and restores the history from before it.
  ///
  /// Returns false if no overdub is tentative.
  @_noLocks
  package mutating func revertOverdub() -> Bool {
    let version = history.pointee.tentative
    if version < 0 { return false }
    // Until the crossfade from it has started.
    history.pointee.memory.hold(version)
    defer { history.pointee.memory.release(version) }
    guard history.pointee.revert() else { return false }
    breakOffOverdub()
    switchToCurrent()
    return true
  }

  /// Ends the overdub with a short fade.
  @_noLocks
  package mutating func endOverdub() {
    if overdub.version != nil { overdub.isEnding = true }
  }

  /// Fades the overdub out until it is resumed.
  @_noLocks
  package mutating func restOverdub() { overdub.isResting = true }

  /// Whether an overdub rests, and has faded out.
  package var isOverdubAtRest: Bool {
    @_noLocks get { overdub.isResting && overdub.risen == 0 }
  }

  /// Fades an overdub that rests in again.
  @_noLocks
  package mutating func resumeOverdub() { overdub.isResting = false }

  /// Goes on with the overdub as a new version, from a frame of the clip on, which is the next it adds to.
  ///
  /// The former version ends there, faded out. If memory is short, the overdub goes on as it is.
  @_noLocks
  package mutating func splitOverdub(at frame: Int, backward: Bool) {
    guard let version = overdub.version, version == currentVersion, !isGrowing,
      let next = history.pointee.memory.begin(like: version)
    else { return }
    fadeOut(version, at: frame, backward: backward)
    addOverdub(next, isTentative: false)
    history.pointee.memory.release(version)
    overdub.version = next
  }

  /// Ends the overdub at once, faded out before a frame of the clip, which is the next it would add to.
  ///
  /// The fade is back to the version before it, because the sound after the frame is not recorded.
  @_noLocks
  package mutating func endOverdub(before frame: Int) {
    guard let version = overdub.version else { return }
    fadeOut(version, at: frame, backward: false)
    breakOffOverdub()
  }

  /// Fades the current version to the one before it, over the frames that were written last before a frame.
  ///
  /// Returns false if it is not the current one, or not an overdub of the one before it.
  @_noLocks
  @discardableResult
  mutating func fadeOut(_ version: Int, at frame: Int, backward: Bool) -> Bool {
    let former = history.pointee.former
    let length = self[version].length
    guard version == currentVersion, former >= 0, self[former].clip == self[version].clip,
      self[former].length == length
    else { return false }
    let seam = min(self.seam, length / 2)
    let start = backward ? frame &+ 1 : frame &- seam
    var done = 0
    while done < seam {
      let place = wrapped(start &+ done)
      let count = min(min(seam &- done, length &- place), Self.longestPiece)
      fade(
        version, to: former, at: place, from: done, of: seam, frames: count, backward: backward)
      // The start is also in the tail.
      if place < seam {
        fade(
          version, to: former, at: length &+ place, from: done, of: seam,
          frames: min(count, seam &- place), backward: backward)
      }
      done &+= count
    }
    return true
  }

  /// Crossfades frames of a version to those of another one: a part of a fade, from its frame `done` on, or of a
  /// fade backward, up to it.
  @_noLocks
  private mutating func fade(
    _ version: Int, to other: Int, at frame: Int, from done: Int, of all: Int, frames: Int,
    backward: Bool
  ) {
    history.pointee.memory.read(other, at: frame, to: behind, frames: frames)
    for index in 0..<frames {
      let along = (Float(done &+ index) + 0.5) / Float(all)
      let share = Crossfade.eased(backward ? 1 - along : along)
      kept[index] = 1 - share
      behind.left[index] *= share
      behind.right[index] *= share
    }
    history.makeRoom(pages: 2 &* ClipMemory.pages(forFrames: frames))
    history.pointee.memory.mix(behind, keeping: kept, to: version, at: frame, frames: frames)
  }

  /// Ends the overdub at once, when it is no longer audible.
  @_noLocks
  package mutating func breakOffOverdub() {
    if let version = overdub.version { history.pointee.memory.release(version) }
    overdub = Overdub()
  }

  /// Overdubs frames from a frame of the clip on, or backward from it, in any cycle.
  ///
  /// `feedback` is the gain of the existing audio.
  @_noLocks
  package mutating func overdub(
    _ sound: Stereo, at start: Int, feedback: Float, frames: Int, backward: Bool = false
  ) {
    if overdub.feedback < 0 { overdub.feedback = feedback }
    var done = 0
    while done < frames {
      guard let version = overdub.version else { return }
      if isOverdubAtRest {
        if overdub.isEnding { breakOffOverdub() }
        return
      }
      let length = self[version].length
      // The layer's clip needn't be the current one any more.
      var frame = (backward ? start &- done : start &+ done) % length
      if frame < 0 { frame &+= length }
      let room = backward ? frame &+ 1 : length &- frame
      var count = min(min(frames &- done, room), Self.longestPiece)
      if overdub.isFalling { count = min(count, overdub.risen) }
      var sound = shaped(sound.advanced(by: done), feedback: feedback, frames: count)
      if backward {
        sound = reversed(sound, frames: count)
        frame &-= count &- 1
      }
      history.makeRoom(pages: 2 &* ClipMemory.pages(forFrames: count))
      history.pointee.memory.mix(sound, keeping: kept, to: version, at: frame, frames: count)
      // The start is also written to the tail, from which it fades in.
      let seam = min(self.seam, length / 2)
      if frame < seam {
        history.pointee.memory.mix(
          sound, keeping: kept, to: version, at: length &+ frame,
          frames: min(count, seam &- frame))
      }
      done &+= count
      if overdub.isFalling {
        overdub.risen &-= count
        if overdub.risen <= 0 && overdub.isEnding { breakOffOverdub() }
      } else {
        overdub.risen = min(overdub.risen &+ count, self.seam)
      }
    }
  }
}

extension LoopTape {
  /// Prepares a piece for overdubbing: applies the fade and computes the gains of the existing
  /// audio.
  @_noLocks
  mutating func shaped(_ sound: Stereo, feedback: Float, frames: Int) -> Stereo {
    if !overdub.isFalling && overdub.risen >= seam && overdub.feedback == feedback {
      // No fade or glide in progress.
      let all = 1 + (feedback - 1)
      for index in 0..<frames { kept[index] = all }
      return sound
    }
    // Smoothed over the length of a crossfade, independent of the block size.
    let glide = 4 / Float(seam)
    for index in 0..<frames {
      let risen =
        overdub.isFalling ? overdub.risen &- index : min(overdub.risen &+ index &+ 1, seam)
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

extension LoopTape {
  /// Reverses a piece of a layer and the gains of the existing audio under it.
  @_noLocks
  private func reversed(_ sound: Stereo, frames: Int) -> Stereo {
    var (first, last) = (0, frames &- 1)
    while first <= last {
      (kept[first], kept[last]) = (kept[last], kept[first])
      (behind.left[first], behind.left[last]) = (sound.left[last], sound.left[first])
      (behind.right[first], behind.right[last]) = (sound.right[last], sound.right[first])
      first &+= 1
      last &-= 1
    }
    return behind
  }
}

// MARK: - Loading and saving

extension LoopTape {
  /// Copies frames into a version.
  @_noLocks
  package mutating func load(_ sound: Stereo, into version: Int, at frame: Int, frames: Int) {
    history.makeRoom(pages: ClipMemory.pages(forFrames: frames))
    history.pointee.memory.write(sound, to: version, at: frame, frames: frames)
  }

  /// Copies frames into a version that plays already, and into a layer that has started on it.
  @_noLocks
  package mutating func loadPublished(
    _ sound: Stereo, into version: Int, at frame: Int, frames: Int
  ) {
    load(sound, into: version, at: frame, frames: frames)
    let current = currentVersion
    if current != version && self[current].clip == self[version].clip {
      load(sound, into: current, at: frame, frames: frames)
    }
  }

  /// Makes a loaded clip the current one, as a new step or in place of the current one.
  ///
  /// `framesBehind` frames of its tail are known.
  @_noLocks
  package mutating func finishLoading(
    _ version: Int, length: Int, framesBehind: Int, round: Double = 0, beat: Double = 0,
    inPlace: Bool = false
  ) {
    history.pointee.memory.setLength(version, length)
    history.pointee.memory.setRound(version, round)
    history.pointee.memory.setBeat(version, beat)
    mirrorTail(of: version, from: length &+ framesBehind)
    if !inPlace { return add(version) }
    let former = history.pointee.replaceCurrent(with: version)
    switchToCurrent()
    // The crossfade has read what it needs of it.
    history.pointee.memory.release(former)
  }

  /// Completes the tail of a version whose frames before this one are known, by mirroring its end.
  @_noLocks
  package mutating func completeTail(of version: Int, from known: Int) {
    mirrorTail(of: version, from: known)
  }

  /// Synthesizes the tail from a frame on by mirroring the end, which avoids a step.
  @_noLocks
  mutating func mirrorTail(of version: Int, from known: Int) {
    let length = self[version].length
    var frame = max(0, known &- length)
    while frame < min(seam, length) {
      history.pointee.memory.read(version, at: length &- 1 &- frame, to: behind, frames: 1)
      history.makeRoom(pages: 2)
      history.pointee.memory.write(behind, to: version, at: length &+ frame, frames: 1)
      frame &+= 1
    }
  }

  /// Reads the current clip and its tail from the first frame on.
  package borrowing func readCurrent(to out: Stereo, frames: Int) {
    history.pointee.memory.read(history.pointee.current, at: 0, to: out, frames: frames)
  }

  /// Returns a version, whether it is the current one or not.
  package subscript(version: Int) -> ClipVersion {
    @_noLocks get { history.pointee.memory.versions[version] }
  }

  /// The number of the latest clip, recorded or loaded.
  package var latestClip: Int { @_noLocks get { history.pointee.memory.latestClip } }

  /// Gives a version the clip number of another tape's current clip, and sets the counter for new
  /// ones.
  package mutating func setClip(_ version: Int, asIn former: borrowing LoopTape) {
    history.pointee.memory.setClip(
      version, former[former.currentVersion].clip, latest: former.latestClip)
  }

  /// Releases a version, or a clip that was neither recorded nor published.
  @_noLocks
  package mutating func release(_ version: Int) { history.pointee.memory.release(version) }

  /// Reads frames of a retained version; past its length, its tail.
  @_noLocks
  package borrowing func read(_ version: Int, at frame: Int, to out: Stereo, frames: Int) {
    history.pointee.memory.read(version, at: frame, to: out, frames: frames)
  }
}
