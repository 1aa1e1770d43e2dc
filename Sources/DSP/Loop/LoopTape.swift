internal import CRealtime

/// A clip that goes round: a tape of which there is always more, the clip again and again.
///
/// A warp plays it at any pitch and rate for ever. The clip and its former versions lie in memory
/// that is all there from the start; what the warp is about to hear is laid out behind one another
/// on a short tape. Where the clip comes round, its beginning rises from what was recorded behind
/// its end, so that the seam is not heard; all leaps are crossfades.
package struct LoopTape: ~Copyable, @unchecked Sendable {
  // What an engine that goes over to another rate still reads ahead of its place: 2 ms at most.
  private static var aheadSeconds: Double { @_noLocks get { 0.003 } }
  /// The most frames that are worked on in one piece.
  package static var longestPiece: Int { @_noLocks get { 256 } }

  /// The most frames of a clip.
  package let capacity: Int
  /// How many frames are kept behind its end.
  package let seam: Int
  /// Whether the clip comes round, or ends.
  package private(set) var isLooping = true

  // Whoever owns the memory keeps it for as long as there is a loop in it.
  private let pool: ClipPool

  private let ahead: Int
  let history: UnsafeMutablePointer<ClipHistory>
  // What has been laid out.
  var unrolled: Tape
  // How far the warp has come in it, in frames with 32 binary places.
  var place: Int64
  private var reader: LoopReader
  private var leaving: LoopReader
  private var fadeLeft = 0

  // What is recorded at the moment.
  var recording = Recording()
  var overdub = Overdub()
  var growth = Growth()

  private let scratch: UnsafeMutablePointer<Float>
  let piece: Stereo
  private let other: Stereo
  let behind: Stereo
  let kept: UnsafeMutablePointer<Float>

  /// A tape for clips of up to `seconds` in memory of its own, of which `reach` frames can be read in
  /// one piece.
  package init(seconds: Double, reach: Int, sampleRate: Double) {
    // A clip that is being made, the one that is heard, and eight steps back, all of them different.
    let pool = ClipPool(seconds: 10 * seconds, longest: seconds, sampleRate: sampleRate)
    self.init(pool, seconds: seconds, reach: reach, sampleRate: sampleRate)
  }

  /// A tape for clips of up to `seconds` in a pool for clips that are no shorter.
  package init(_ pool: ClipPool, seconds: Double, reach: Int, sampleRate: Double) {
    self.pool = pool
    capacity = Int((seconds * sampleRate).rounded(.up))
    seam = Int((ClipPages.seamSeconds * sampleRate).rounded())
    ahead = Int(Self.aheadSeconds * sampleRate)
    history = .allocate(capacity: 1)
    history.initialize(to: ClipHistory(pool.pages))
    pool.pages.pointee.add(history)
    // A step at the fastest, behind all that an engine looks back at.
    unrolled = Tape(seconds: 0.1, reach: reach, sampleRate: sampleRate)
    place = 0
    reader = LoopReader(version: history.pointee.current, isBackward: false)
    leaving = reader
    scratch = .allocate(capacity: 7 * Self.longestPiece)
    scratch.initialize(repeating: 0, count: 7 * Self.longestPiece)
    piece = Stereo(scratch, scratch + Self.longestPiece)
    other = Stereo(scratch + 2 * Self.longestPiece, scratch + 3 * Self.longestPiece)
    behind = Stereo(scratch + 4 * Self.longestPiece, scratch + 5 * Self.longestPiece)
    kept = scratch + 6 * Self.longestPiece
  }

  deinit {
    pool.pages.pointee.remove(history)
    history.deinitialize(count: 1)
    history.deallocate()
    scratch.deallocate()
  }

  /// The length of the clip, in frames.
  package var length: Int {
    @_noLocks get { history.pointee.memory.length(history.pointee.current) }
  }

  /// How long a round of the clip takes, in frames: its length, or up to a frame less, so that clips
  /// whose rounds are a number of beats stay together for ever.
  package var round: Double {
    @_noLocks get { history.pointee.memory.round(history.pointee.current) }
  }

  /// How many frames come before the next round begins, the way that it goes.
  package var framesToRound: Int {
    @_noLocks get {
      let length = length
      if length == 0 { return 0 }
      let place = position
      if isBackward { return place &+ 1 }
      return max(0, length &- Int(reader.shift) &- place)
    }
  }

  /// The part of a frame, in 32 binary places, that the present round began before its frame.
  package var phase: UInt32 { @_noLocks get { reader.phase } }

  /// Sets by which part of a frame, in 32 binary places, the present round began before its frame.
  @_noLocks
  package mutating func setPhase(_ phase: UInt32) {
    reader.phase = phase
    reader.shift = shift(of: reader)
  }

  /// How many frames the round that a reader is in is shorter than the clip: one, or none.
  @_noLocks
  func shift(of reader: LoopReader) -> UInt8 {
    let version = reader.version
    let missing =
      Double(history.pointee.memory.length(version)) - history.pointee.memory.round(version)
    if missing <= 0 { return 0 }
    return reader.phase < UInt32(missing * 4_294_967_296) ? 1 : 0
  }

  /// Holds a version, for whoever writes to it.
  @_noLocks
  package mutating func hold(_ version: Int) { history.pointee.memory.hold(version) }

  /// Whether something was to be written and all memory was in use.
  package var isShort: Bool { @_noLocks get { history.pointee.memory.isShort } }

  /// Forgets that there was no memory for something.
  @_noLocks
  package mutating func forgetShortage() { history.pointee.memory.forgetShortage() }

  /// How many times something was added to the clip as it is now.
  package var layers: Int {
    @_noLocks get { history.pointee.memory.layers(history.pointee.current) }
  }

  /// The version that is heard.
  package var currentVersion: Int { @_noLocks get { history.pointee.current } }

  /// How often the sound of any version, or its length, was changed.
  package var changes: Int { @_noLocks get { history.pointee.memory.changes } }

  /// Finds the greatest magnitude in a stretch of a version, to 64 frames; nil where more pages must
  /// be read for it than `budget` allows, which tells what is left of it.
  @_noLocks
  package borrowing func peak(
    of version: Int, from start: Int, to end: Int, budget: inout Int
  ) -> Float? {
    history.pointee.memory.peak(version, from: start, to: end, budget: &budget)
  }

  /// How many steps can be taken back.
  package var stepsBack: Int { @_noLocks get { history.pointee.stepsBack } }
  /// How many steps can be taken forth again.
  package var stepsForth: Int { @_noLocks get { history.pointee.stepsForth } }

  /// How many frames lie on the tape that the warp hasn't come to yet.
  ///
  /// Places wrap around: only their differences say something.
  private var framesAhead: Int {
    @_noLocks get { Int((unrolled.head << 32 &- place) >> 32) }
  }

  /// How many frames of the tape ago the clip's last sound was; negative before, nil where it
  /// comes round.
  package var framesSinceEnd: Int? {
    @_noLocks get {
      reader.isOver ? reader.framesOver &- framesAhead : nil
    }
  }

  /// Whether it is read towards its beginning.
  package var isBackward: Bool { @_noLocks get { reader.isBackward } }

  /// The place of the warp in the clip, in frames.
  package var position: Int {
    @_noLocks get {
      if length == 0 { return 0 }
      let ahead = framesAhead &- reader.framesOver
      let frame = reader.isBackward ? reader.frame &+ ahead : reader.frame &- ahead
      if !isLooping || !reader.hasTurned { return max(0, min(length, frame)) }
      return wrapped(frame)
    }
  }

  /// Counts a frame round the clip.
  @_noLocks
  package func wrapped(_ frame: Int) -> Int {
    let rest = frame % length
    return rest < 0 ? rest &+ length : rest
  }

  // MARK: - Ways

  /// Sets whether the clip comes round.
  @_noLocks
  package mutating func setLooping(_ value: Bool) { isLooping = value }

  /// Goes on from a frame by a crossfade.
  @_noLocks
  package mutating func jump(to frame: Int) {
    var next = LoopReader(version: history.pointee.current, isBackward: reader.isBackward)
    next.frame = max(0, min(frame, length &- 1))
    next.hasTurned = frame > 0
    next.shift = shift(of: next)
    go(to: next)
  }

  /// Goes on from where its direction begins, by a crossfade.
  @_noLocks
  package mutating func restart() {
    jump(to: isBackward ? length &- 1 : 0)
  }

  /// Begins anew, where its direction begins, without a crossfade: for what was not heard.
  @_noLocks
  package mutating func rewind() {
    endFade()
    reader = LoopReader(version: history.pointee.current, isBackward: reader.isBackward)
    if reader.isBackward { reader.frame = max(0, length &- 1) }
    reader.shift = shift(of: reader)
  }

  /// Begins at a frame, or where its direction begins where that is 0, behind so much silence:
  /// for what was not heard.
  @_noLocks
  package mutating func cue(to frame: Int, silence: Int) {
    rewind()
    if frame > 0 {
      reader.frame = frame
      reader.hasTurned = true
    }
    unrolled.writeSilence(frames: min(silence, unrolled.capacity))
    place = unrolled.head << 32
  }

  /// Goes the other way from where it is, by a crossfade.
  @_noLocks
  package mutating func setBackward(_ value: Bool) {
    if value == reader.isBackward { return }
    var next = reader
    next.isBackward = value
    // From the frame that was laid out last.
    next.frame = max(0, min(value ? reader.frame &- 1 : reader.frame &+ 1, length &- 1))
    next.isOver = false
    next.framesOver = 0
    go(to: next)
  }

  /// Goes a step back in the clip's history; false where there is none.
  @_noLocks
  package mutating func undo() -> Bool {
    if !history.pointee.goBack() { return false }
    switchToCurrent()
    return true
  }

  /// Goes a step forth in the clip's history; false where there is none.
  @_noLocks
  package mutating func redo() -> Bool {
    if !history.pointee.goForth() { return false }
    switchToCurrent()
    return true
  }

  /// Clears the clip, which is a step like any other; false where there is no memory.
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

  /// Goes over to the present version, at the frame that comes next.
  @_noLocks
  private mutating func switchToCurrent() {
    var next = reader
    next.version = history.pointee.current
    next.frame = length > 0 ? reader.frame % length : 0
    next.isOver = false
    next.framesOver = 0
    next.shift = shift(of: next)
    go(to: next)
  }

  /// Goes on at a frame of a version that is the present one from now on, by a crossfade.
  @_noLocks
  mutating func goOn(in version: Int, at frame: Int) {
    var next = reader
    next.version = version
    next.frame = frame
    next.shift = shift(of: next)
    go(to: next)
  }

  /// Goes over to a version at once, where nothing is heard.
  @_noLocks
  mutating func switchReader(to version: Int) {
    endFade()
    reader.version = version
  }

  /// How many frames lie laid out before the place of the warp.
  var aheadOfPlace: Int { @_noLocks get { framesAhead &- reader.framesOver } }

  /// The way that the clip is read at present.
  var way: LoopReader { @_noLocks get { reader } }

  /// Reads on in the present version as if nothing had happened: it sounds the same.
  @_noLocks
  mutating func readCurrent() {
    if fadeLeft == 0 { leaving.version = history.pointee.current }
    reader.version = history.pointee.current
  }

  @_noLocks
  private mutating func go(to next: LoopReader) {
    endFade()
    leaving = reader
    history.pointee.memory.hold(leaving.version)
    fadeLeft = seam
    reader = next
  }

  @_noLocks
  private mutating func endFade() {
    if fadeLeft == 0 { return }
    fadeLeft = 0
    history.pointee.memory.release(leaving.version)
  }

  // MARK: - Laying out

  /// Lays out what lies up to a place of the way, if it doesn't lie there yet.
  @_noLocks
  mutating func unroll(to place: Int64) {
    self.place = place
    // Places wrap around: only their differences say something.
    var toGo = Int((place &- unrolled.head << 32) >> 32) &+ 1 &+ ahead
    while toGo > 0 {
      // There, and not by way of memory of its own.
      let (piece, count) = unrolled.room(min(toGo, Self.longestPiece))
      reader = read(reader, to: piece, frames: count)
      if fadeLeft > 0 {
        let fading = min(count, fadeLeft)
        leaving = read(leaving, to: other, frames: fading)
        for frame in 0..<fading {
          let share = Crossfade.eased((Float(fadeLeft &- frame) - 0.5) / Float(seam))
          piece.left[frame] += share * (other.left[frame] - piece.left[frame])
          piece.right[frame] += share * (other.right[frame] - piece.right[frame])
        }
        if fading == fadeLeft { endFade() } else { fadeLeft &-= fading }
      }
      unrolled.append(frames: count)
      toGo &-= count
    }
  }
}
