internal import CRealtime

/// A looping clip as an endless tape for a warp, at any pitch and rate.
///
/// The clip and its undo history live in preallocated pages. The frames that the warp reads next
/// are unrolled onto a short tape. At the loop point, the start is crossfaded with the tail that
/// was recorded after the end, so the loop doesn't click. All jumps are crossfades.
package struct LoopTape: ~Copyable, @unchecked Sendable {
  // How far an engine reads ahead while it changes its rate: 2 ms at most.
  private static var aheadSeconds: Double { @_noLocks get { 0.003 } }
  /// The maximum number of frames processed at once.
  package static var longestPiece: Int { @_noLocks get { 256 } }

  /// The maximum length of a clip, in frames.
  package let capacity: Int
  /// The length of the loop crossfade and of the tail, in frames.
  package let seam: Int
  /// Whether the clip loops or plays once.
  package private(set) var isLooping = true

  private let buffers = Buffers()

  private let ahead: Int
  let history: UnsafeMutablePointer<ClipHistory>
  // The unrolled frames.
  var unrolled: Tape
  // The warp's position on it, 32.32 fixed-point.
  var place: Int64
  private var reader: LoopReader
  // The frames past the warp's position that it has read, after which jumps may start; nil if that is unknown.
  var framesToKeep: Int?
  // The sound that would have followed the last jump, which fades out.
  private var leaving: Stereo
  private var spare: Stereo
  private(set) var fadeLeft = 0
  private var fadeLength = 1

  // Operations in progress.
  var recording = Recording()
  var overdub = Overdub()
  var growth = Growth()

  let piece: Stereo
  let behind: Stereo
  let kept: UnsafeMutablePointer<Float>

  /// Creates a tape for clips of up to `seconds` in a pool that allows them, readable contiguously
  /// over `reach` frames.
  package init(_ pool: ClipPool, seconds: Double, reach: Int, sampleRate: Double) {
    capacity = Int((seconds * sampleRate).rounded(.up))
    seam = Int((ClipPages.seamSeconds * sampleRate).rounded())
    ahead = max(Int(Self.aheadSeconds * sampleRate), SincBank.mostTaps / 2 + 2)
    history = buffers.box(ClipHistory(pool))
    pool.pages.pointee.add(history)
    // The fastest step, on top of the longest lookback of an engine.
    unrolled = Tape(seconds: 0.1, reach: reach, sampleRate: sampleRate)
    place = 0
    reader = LoopReader(version: history.pointee.current, isBackward: false)
    leaving = buffers.stereo(seam)
    spare = buffers.stereo(seam)
    piece = buffers.stereo(Self.longestPiece)
    behind = buffers.stereo(Self.longestPiece)
    kept = buffers.floats(Self.longestPiece)
  }

  deinit { history.pointee.memory.pages.pointee.remove(history) }

  /// The length of the clip, in frames.
  package var length: Int {
    @_noLocks get { self[currentVersion].length }
  }

  /// The exact loop length in frames: the clip's length, or less by up to one frame, so that loops
  /// in a number of beats never drift apart.
  package var round: Double {
    @_noLocks get { self[currentVersion].round }
  }

  /// The length of a beat of the clip in frames, 0 if it is unknown.
  package var beat: Double { @_noLocks get { self[currentVersion].beat } }

  /// Sets the length of a beat of the clip, in frames.
  @_noLocks
  package mutating func setBeat(_ frames: Double) {
    history.pointee.memory.setBeat(currentVersion, frames)
  }

  /// The number of frames until the next cycle, in the current direction.
  package var framesToRound: Int {
    @_noLocks get {
      let length = length
      if length == 0 { return 0 }
      let place = position
      if isBackward { return place &+ 1 }
      return max(0, length &- Int(reader.shift) &- place)
    }
  }

  /// The fraction of a frame by which the current cycle started early, in units of 2^-32.
  package var phase: UInt32 { @_noLocks get { reader.phase } }

  /// Sets the fraction of a frame by which the current cycle started early, in units of 2^-32.
  @_noLocks
  package mutating func setPhase(_ phase: UInt32) {
    reader.phase = phase
    reader.shift = shift(of: reader)
  }

  /// Returns how many frames the reader's cycle is shorter than the clip: 0 or 1.
  @_noLocks
  func shift(of reader: LoopReader) -> UInt8 {
    let version = reader.version
    let missing =
      Double(self[version].length) - self[version].round
    if missing <= 0 { return 0 }
    return reader.phase < UInt32(missing * 4_294_967_296) ? 1 : 0
  }

  /// Adds a reference to a version, for a writer.
  @_noLocks
  package mutating func hold(_ version: Int) { history.pointee.memory.hold(version) }

  /// Whether a write failed because all memory was in use.
  package var isShort: Bool { @_noLocks get { history.pointee.memory.isShort } }

  /// Clears the flag for failed writes.
  @_noLocks
  package mutating func forgetShortage() { history.pointee.memory.forgetShortage() }

  /// The version that is playing.
  package var currentVersion: Int { @_noLocks get { history.pointee.current } }

  /// Counts changes of the audio or length of any version.
  package var changes: Int { @_noLocks get { history.pointee.memory.changes } }

  /// Returns the peak magnitude in a range of a version, rounded outward to 64 frames, or nil if
  /// that needs more page scans than `budget`, which is updated.
  @_noLocks
  package borrowing func peak(
    of version: Int, from start: Int, to end: Int, budget: inout Int
  ) -> Float? {
    history.pointee.memory.peak(version, from: start, to: end, budget: &budget)
  }

  /// The number of steps that can be undone.
  package var stepsBack: Int { @_noLocks get { history.pointee.stepsBack } }
  /// The number of steps that can be redone.
  package var stepsForth: Int { @_noLocks get { history.pointee.stepsForth } }

  /// Whether a step back or forth in the undo history leads to the same clip with other layers.
  @_noLocks
  package func isLayer(forth: Bool) -> Bool {
    let other = forth ? history.pointee.next : history.pointee.former
    return other >= 0 && self[other].length > 0 && self[other].clip == self[currentVersion].clip
  }

  /// The number of unrolled frames that the warp hasn't reached.
  ///
  /// Positions wrap around, so only differences are meaningful.
  var framesAhead: Int {
    @_noLocks get { Int((unrolled.head << 32 &- place) >> 32) }
  }

  /// The number of frames since the end of the clip; negative before it, nil while looping.
  package var framesSinceEnd: Int? {
    @_noLocks get {
      reader.isOver ? reader.framesOver &- framesAhead : nil
    }
  }

  /// Whether the clip plays in reverse.
  package var isBackward: Bool { @_noLocks get { reader.isBackward } }

  /// The warp's playhead in the clip, in frames.
  package var position: Int {
    @_noLocks get {
      if length == 0 { return 0 }
      let ahead = framesAhead &- reader.framesOver
      let frame = reader.isBackward ? reader.frame &+ ahead : reader.frame &- ahead
      if !isLooping || !reader.hasTurned { return max(0, min(length, frame)) }
      return wrapped(frame)
    }
  }

  /// The warp's playhead with its fraction of a frame.
  package var exactPosition: Double {
    @_noLocks get {
      let fraction = Double(UInt32(truncatingIfNeeded: place)) / 4_294_967_296
      if fraction == 0 { return Double(position) }
      // Frames ahead were rounded down.
      return Double(position) + (reader.isBackward ? 1 - fraction : fraction - 1)
    }
  }

  /// Wraps a frame number to the clip.
  @_noLocks
  package func wrapped(_ frame: Int) -> Int {
    let rest = frame % length
    return rest < 0 ? rest &+ length : rest
  }

  // MARK: - Playback

  /// Sets whether the clip loops.
  @_noLocks
  package mutating func setLooping(_ value: Bool) { isLooping = value }

  /// Jumps to a frame with a crossfade.
  ///
  /// It starts at the warp's position, or after the unrolled frames where the warp may have read them. In time, the
  /// playhead is at the frame now, whenever the crossfade comes.
  @_noLocks
  package mutating func jump(to frame: Int, inTime: Bool = false) {
    let taken = framesToTakeBack
    var next = LoopReader(version: history.pointee.current, isBackward: reader.isBackward)
    next.frame = max(0, min(frame, length &- 1))
    next.hasTurned = frame > 0
    if inTime && isLooping && length > 0 {
      let passed = framesAhead &- taken
      next.frame = wrapped(reader.isBackward ? frame &- passed : frame &+ passed)
      next.hasTurned = true
    }
    next.shift = shift(of: next)
    go(to: next, takingBack: taken)
  }

  /// The unrolled frames that a jump may replace: those that the warp hasn't read.
  var framesToTakeBack: Int {
    @_noLocks get {
      hasUnreadJump ? 0 : max(0, framesAhead &- (framesToKeep ?? .max / 2))
    }
  }

  // Whether the target of the last jump has not been read.
  private var hasUnreadJump: Bool { @_noLocks get { fadeLeft > 0 && fadeLeft >= fadeLength } }

  /// Restarts in the current direction, with a crossfade.
  @_noLocks
  package mutating func restart() {
    jump(to: isBackward ? length &- 1 : 0)
  }

  /// Restarts in the current direction without a crossfade.
  ///
  /// For use while inaudible.
  @_noLocks
  package mutating func rewind() {
    endFade()
    reader = LoopReader(version: history.pointee.current, isBackward: reader.isBackward)
    if reader.isBackward { reader.frame = max(0, length &- 1) }
    reader.shift = shift(of: reader)
  }

  /// Starts at a frame, or at the start of the current direction if 0, after `silence` frames, and fades
  /// in over `rise` frames, at most those of the seam.
  ///
  /// For use while inaudible.
  @_noLocks
  package mutating func cue(to frame: Int, silence: Int, rise: Int = 0) {
    rewind()
    fadeIn(frames: min(rise, seam))
    if frame > 0 {
      reader.frame = frame
      reader.hasTurned = true
    }
    unrolled.writeSilence(frames: min(silence, unrolled.capacity))
    place = unrolled.head << 32
  }

  /// Sets the direction, with a crossfade at the playhead.
  @_noLocks
  package mutating func setBackward(_ value: Bool) {
    if value == reader.isBackward { return }
    var next = reader
    next.isBackward = value
    // From the last unrolled frame.
    next.frame = max(0, min(value ? reader.frame &- 1 : reader.frame &+ 1, length &- 1))
    next.isOver = false
    next.framesOver = 0
    go(to: next)
  }

  /// Goes back one step in the undo history.
  ///
  /// Returns false at the oldest version.
  @_noLocks
  package mutating func undo() -> Bool {
    if !history.pointee.goBack() { return false }
    switchToCurrent()
    return true
  }

  /// Goes forward one step in the undo history.
  ///
  /// Returns false at the newest version.
  @_noLocks
  package mutating func redo() -> Bool {
    if !history.pointee.goForth() { return false }
    switchToCurrent()
    return true
  }

  /// Clears the clip as an undoable step.
  ///
  /// Returns false if memory is short.
  @_noLocks
  package mutating func clear() -> Bool {
    guard let version = history.pointee.memory.begin() else { return false }
    add(version)
    return true
  }

  /// Makes a version the current one.
  @_noLocks
  mutating func add(_ version: Int) {
    history.pointee.append(version)
    switchToCurrent()
  }

  /// Switches to the current version at the next frame, with a crossfade.
  @_noLocks
  mutating func switchToCurrent() {
    var next = reader
    next.version = history.pointee.current
    next.frame = length > 0 ? reader.frame % length : 0
    next.isOver = false
    next.framesOver = 0
    next.shift = shift(of: next)
    go(to: next)
  }

  /// Continues at a frame of a version, which becomes the current one, with a crossfade.
  @_noLocks
  mutating func goOn(in version: Int, at frame: Int) {
    var next = reader
    next.version = version
    next.frame = frame
    next.shift = shift(of: next)
    go(to: next)
  }

  /// Switches to a version without a crossfade.
  ///
  /// For use while inaudible.
  @_noLocks
  mutating func switchReader(to version: Int) {
    endFade()
    reader.version = version
  }

  /// The number of unrolled frames ahead of the playhead.
  var aheadOfPlace: Int { @_noLocks get { framesAhead &- reader.framesOver } }

  /// The current playhead for reading.
  var way: LoopReader { @_noLocks get { reader } }

  /// Switches to the current version without a crossfade, because it sounds the same.
  @_noLocks
  mutating func readCurrent() {
    reader.version = history.pointee.current
  }

  /// Continues at a playhead after `silence` frames, without a crossfade.
  ///
  /// For use while inaudible.
  @_noLocks
  mutating func cue(to next: LoopReader, silence: Int) {
    endFade()
    reader = next
    unrolled.writeSilence(frames: min(silence, unrolled.capacity))
    place = unrolled.head << 32
  }

  /// Starts a crossfade to a playhead, in place of the last `frames` unrolled frames.
  @_noLocks
  mutating func go(to next: LoopReader, takingBack frames: Int = 0) {
    if !hasUnreadJump {
      keepLeaving(from: frames)
      unrolled.takeBack(frames: frames)
      fadeLeft = seam
      fadeLength = seam
    }
    // Otherwise the crossfade starts from the sound that plays.
    reader = next
  }

  /// Renders the outgoing audio of a jump: the last `frames` unrolled frames, and those after them.
  @_noLocks
  private mutating func keepLeaving(from frames: Int) {
    let known = min(frames, seam)
    unrolled.copy(from: unrolled.head &- Int64(frames), to: spare, frames: known)
    var done = known
    while done < seam {
      let count = min(seam &- done, Self.longestPiece)
      renderNext(to: spare.advanced(by: done), frames: count)
      done &+= count
    }
    (leaving, spare) = (spare, leaving)
  }

  @_noLocks
  private mutating func endFade() { fadeLeft = 0 }

  /// Lets the next frames rise from silence.
  @_noLocks
  private mutating func fadeIn(frames: Int) {
    leaving.clear(frames: frames)
    fadeLeft = frames
    fadeLength = frames
  }

  /// Renders the next frames, at most `longestPiece`, with the crossfade in progress.
  @_noLocks
  private mutating func renderNext(to out: Stereo, frames: Int) {
    reader = read(reader, to: out, frames: frames)
    if fadeLeft == 0 { return }
    let fading = min(frames, fadeLeft)
    let left = leaving.advanced(by: fadeLength &- fadeLeft)
    for frame in 0..<fading {
      let share = Crossfade.eased((Float(fadeLeft &- frame) - 0.5) / Float(fadeLength))
      out.left[frame] += share * (left.left[frame] - out.left[frame])
      out.right[frame] += share * (left.right[frame] - out.right[frame])
    }
    fadeLeft &-= fading
  }

  // MARK: - Unrolling

  /// Unrolls the clip up to `place`, the frames that the warp reads past it, and lookahead.
  @_noLocks
  mutating func unroll(to place: Int64, reading frames: Int = 0) {
    self.place = place
    // Positions wrap around, so only differences are meaningful.
    var toGo = Int((place &- unrolled.head << 32) >> 32) &+ 1 &+ frames &+ ahead
    while toGo > 0 {
      // Writes in place, without an intermediate buffer.
      let (piece, count) = unrolled.room(min(toGo, Self.longestPiece))
      renderNext(to: piece, frames: count)
      unrolled.append(frames: count)
      toGo &-= count
    }
  }
}
