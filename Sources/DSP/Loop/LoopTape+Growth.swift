/// The state of a multiply or insert: an overdub that lengthens the clip.
struct Growth: BitwiseCopyable {
  /// The way in which it grows.
  enum Kind: BitwiseCopyable {
    /// Repeats the clip under the overdub, in whole cycles.
    case multiply
    /// Splits the clip at the playhead and inserts the new material.
    case insert
  }

  var kind = Kind.multiply
  /// The growing version and the one it is based on; nil when inactive.
  var version: Int?
  var base = 0
  /// The playhead at the start, in frames of the clip.
  var start = 0
  /// The next frame to be written.
  var place = 0
  /// How far the version is filled from its base, and how far it will be.
  var filled = 0, end = 0
  /// The position in the base for filling.
  var source = LoopReader(version: 0, isBackward: false)
  /// Whether the final length is known; then the version is playing.
  var isPublished = false
  /// Whether input is still being recorded.
  var isOpen = false
}

extension LoopTape {
  // How far a warp may have read ahead when its version is replaced.
  private static var room: Int { @_noLocks get { 4096 } }

  /// Returns the length of a clip in frames for an exact loop length.
  @_noLocks
  package static func frames(ofRound frames: Double) -> Int {
    let whole = Int(frames)
    return Double(whole) < frames ? whole &+ 1 : whole
  }

  /// Whether a clip is growing or still being filled.
  package var isGrowing: Bool { @_noLocks get { growth.version != nil } }

  /// Whether a clip that has grown is in the history, but not complete.
  package var isFilling: Bool { @_noLocks get { isGrowing && growth.isPublished } }

  /// Whether input is recorded to a growing clip.
  package var isGrowthOpen: Bool { @_noLocks get { growth.isOpen } }

  /// The number of frames by which the clip can still grow.
  package var roomToGrow: Int { @_noLocks get { capacity &- length } }

  /// Starts repeating the clip under an overdub from a frame on.
  ///
  /// Returns false if memory is short.
  @_noLocks
  package mutating func beginMultiplying(at frame: Int) -> Bool {
    guard beginGrowing(.multiply, at: frame) else { return false }
    growth.filled = length
    growth.end = .max
    growth.source.hasTurned = true
    growth.source.phase = .max
    return true
  }

  /// Splits the clip at a frame and starts inserting.
  ///
  /// Returns false if memory is short.
  @_noLocks
  package mutating func beginInserting(at frame: Int) -> Bool {
    guard beginGrowing(.insert, at: frame) else { return false }
    // After the end the version is silent already.
    growth.filled = .max
    growth.end = 0
    return true
  }

  @_noLocks
  private mutating func beginGrowing(_ kind: Growth.Kind, at frame: Int) -> Bool {
    if length == 0 || isGrowing { return false }
    breakOffOverdub()
    let base = history.pointee.current
    guard let version = history.pointee.memory.begin(like: base) else { return false }
    history.pointee.memory.hold(base)
    growth = Growth()
    growth.kind = kind
    growth.version = version
    growth.base = base
    growth.start = frame
    growth.place = frame
    growth.source = LoopReader(version: base, isBackward: false)
    growth.isOpen = true
    overdub = Overdub()
    return true
  }

  /// Discards a growing clip and continues with its base.
  @_noLocks
  package mutating func dropGrowth() {
    guard let version = growth.version else { return }
    if growth.isOpen && growth.isPublished { breakOffOverdub() }
    if !growth.isPublished { history.pointee.memory.release(version) }
    closeGrowth()
    overdub = Overdub()
  }

  /// Stops filling the new version, and leaves the playing version as it is.
  @_noLocks
  private mutating func closeGrowth() {
    history.pointee.memory.release(growth.base)
    growth = Growth()
  }

  /// Records the next frames to a growing clip.
  ///
  /// `feedback` is the gain of the existing audio.
  @_noLocks
  package mutating func grow(_ sound: Stereo, feedback: Float, frames: Int) {
    guard let version = growth.version, growth.isOpen else { return }
    if growth.isPublished {
      fillGrowth(to: growth.place &+ frames)
      overdub(sound, at: growth.place, feedback: feedback, frames: frames)
      growth.place &+= frames
      if overdub.version == nil { growth.isOpen = false }
      return
    }
    if overdub.feedback < 0 { overdub.feedback = feedback }
    var done = 0
    while done < frames {
      let count = min(min(frames &- done, Self.longestPiece), capacity &- growth.place)
      if count <= 0 { return }
      fillGrowth(to: growth.place &+ count)
      let sound = shaped(sound.advanced(by: done), feedback: feedback, frames: count)
      history.makeRoom(pages: ClipMemory.pages(forFrames: count))
      history.pointee.memory.mix(
        sound, keeping: kept, to: version, at: growth.place, frames: count)
      overdub.risen = min(overdub.risen &+ count, seam)
      growth.place &+= count
      done &+= count
    }
  }

  /// Publishes a multiplied clip `frames` frames after the start, rounded up to whole cycles; that was `since`
  /// frames ago.
  ///
  /// Delayed input is still recorded to it.
  @_noLocks
  package mutating func finishMultiplying(after frames: Int, since: Int = 0) {
    guard let version = growth.version, !growth.isPublished else { return }
    let round = round
    let heard = growth.start &+ frames
    // A cycle that starts exactly at this frame doesn't count.
    var count = Int((Double(heard) - 0.5) / round) &+ 1
    while count > 1 && Double(count) * round > Double(capacity) { count &-= 1 }
    let whole = Double(count) * round
    let length = Self.frames(ofRound: whole)
    let ahead = heard &+ since &+ aheadOfPlace
    // The cycle that is currently read.
    let rounds = Int((Double(ahead &- way.frame) / round + 0.5))
    let frame = (Int((Double(max(0, rounds)) * round + 0.5)) &+ way.frame) % length
    growth.end = length &+ seam
    fillGrowth(to: min(growth.end, frame &+ Self.room))
    publishGrowth(version, length: length, round: whole)
    goOn(in: version, at: frame)
  }

  /// Publishes a clip with `frames` frames inserted, whose exact length may be less by under one
  /// frame.
  ///
  /// Returns the frame where playback continues, or nil if nothing was inserted.
  @_noLocks
  package mutating func finishInserting(after frames: Int, exactly exact: Double) -> Int? {
    guard let version = growth.version, !growth.isPublished else { return nil }
    let (oldLength, oldRound) = (length, round)
    let count = min(frames, capacity &- oldLength)
    if count <= 0 {
      dropGrowth()
      return nil
    }
    let place = growth.start &+ count
    growth.source.frame = growth.start
    growth.filled = place
    growth.end = oldLength &+ count &+ seam
    let round = count == frames ? oldRound + exact : oldRound + Double(count)
    let newLength = Self.frames(ofRound: round)
    publishGrowth(version, length: min(newLength, oldLength &+ count), round: round)
    fillGrowth(to: min(growth.end, place &+ Self.room))
    switchReader(to: version)
    return place
  }

  @_noLocks
  private mutating func publishGrowth(_ version: Int, length: Int, round: Double) {
    history.pointee.memory.setLength(version, length)
    history.pointee.memory.setRound(version, round)
    history.pointee.append(version)
    // A second reference, for writing after the history has moved on.
    history.pointee.memory.hold(version)
    overdub.version = version
    growth.isPublished = true
  }

  /// Continues the overdub of a grown clip as an ordinary overdub, in the same undo step.
  @_noLocks
  package mutating func goOnAfterGrowth() {
    if growth.isPublished { growth.isOpen = false }
  }

  /// Continues filling, as far as a block of `frames` frames allows.
  @_noLocks
  package mutating func carryGrowth(frames: Int) {
    guard growth.version != nil, growth.isPublished else { return }
    fillGrowth(to: min(growth.end, growth.filled &+ frames))
    if growth.filled >= growth.end && !growth.isOpen { closeGrowth() }
  }

  /// Fills the version from its base, up to a frame.
  @_noLocks
  private mutating func fillGrowth(to frame: Int) {
    guard let version = growth.version else { return }
    let end = min(frame, growth.end)
    while growth.filled < end {
      let count = min(end &- growth.filled, Self.longestPiece)
      switch growth.kind {
      case .multiply: growth.source = read(growth.source, to: piece, frames: count)
      case .insert:
        // Includes the tail after the end.
        history.pointee.memory.read(
          growth.base, at: growth.source.frame, to: piece, frames: count)
        growth.source.frame &+= count
      }
      history.makeRoom(pages: ClipMemory.pages(forFrames: count))
      history.pointee.memory.write(piece, to: version, at: growth.filled, frames: count)
      growth.filled &+= count
    }
  }
}
