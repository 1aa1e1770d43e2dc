/// A clip that becomes longer while something is added to it.
struct Growth: BitwiseCopyable {
  /// The way in which it grows.
  enum Kind: BitwiseCopyable {
    /// It is repeated under what is added, and stays a whole number of rounds.
    case multiply
    /// It is parted where it was, and goes on behind what came between.
    case insert
  }

  var kind = Kind.multiply
  /// The version that grows, and the one that it grew from; nil where nothing does.
  var version: Int?
  var base = 0
  /// Where it was when that began, in frames of the clip.
  var start = 0
  /// Where the next sound goes.
  var place = 0
  /// Up to where the version holds what the sound is added to, and up to where it shall.
  var filled = 0, end = 0
  /// Where the base is read for that.
  var source = LoopReader(version: 0, isBackward: false)
  /// Whether its end is known: then it is the version that is heard.
  var isPublished = false
  /// Whether sound still comes.
  var isOpen = false

  @_noLocks
  init() {}
}

extension LoopTape {
  // What a warp may have read ahead when the version that it reads is exchanged.
  private static var room: Int { @_noLocks get { 4096 } }

  /// The length of a clip whose round takes so long, in frames.
  @_noLocks
  package static func frames(ofRound frames: Double) -> Int {
    let whole = Int(frames)
    return Double(whole) < frames ? whole &+ 1 : whole
  }

  /// Whether a clip grows, or what it grew by is still put together.
  package var isGrowing: Bool { @_noLocks get { growth.version != nil } }

  /// Whether the sound goes to a clip that grows.
  package var isGrowthOpen: Bool { @_noLocks get { growth.isOpen } }

  /// The frames by which a clip has room to grow.
  package var roomToGrow: Int { @_noLocks get { capacity &- length } }

  /// Begins to repeat the clip under what is added from a frame of it on; false where there is no
  /// memory.
  @_noLocks
  package mutating func beginMultiplying(at frame: Int) -> Bool {
    guard beginGrowing(.multiply, at: frame) else { return false }
    growth.filled = length
    growth.end = .max
    growth.source.hasTurned = true
    growth.source.phase = .max
    return true
  }

  /// Begins to part the clip at a frame, and to put what comes between; false where there is no
  /// memory.
  @_noLocks
  package mutating func beginInserting(at frame: Int) -> Bool {
    guard beginGrowing(.insert, at: frame) else { return false }
    // Behind the end there is silence already.
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

  /// Forgets a clip that grows, and goes on with what it grew from.
  @_noLocks
  package mutating func dropGrowth() {
    guard let version = growth.version else { return }
    if growth.isOpen && growth.isPublished { breakOffOverdub() }
    if !growth.isPublished { history.pointee.memory.release(version) }
    closeGrowth()
    overdub = Overdub()
  }

  /// Ends what was let into the version, without any hold on what is heard.
  @_noLocks
  private mutating func closeGrowth() {
    history.pointee.memory.release(growth.base)
    growth = Growth()
  }

  /// Adds the next frames to a clip that grows; `feedback` says what becomes of what is there.
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

  /// Makes a clip that was repeated the one that is heard, `frames` after that began: it has as many
  /// rounds as have begun until then.
  ///
  /// What is late still comes to it.
  @_noLocks
  package mutating func finishMultiplying(after frames: Int) {
    guard let version = growth.version, !growth.isPublished else { return }
    let round = round
    let heard = growth.start &+ frames
    // One that begins on this very frame has not begun.
    var count = Int((Double(heard) - 0.5) / round) &+ 1
    while count > 1 && Double(count) * round > Double(capacity) { count &-= 1 }
    let whole = Double(count) * round
    let length = Self.frames(ofRound: whole)
    let ahead = heard &+ aheadOfPlace
    // In which of the rounds it is read at present.
    let rounds = Int((Double(ahead &- way.frame) / round + 0.5))
    let frame = (Int((Double(max(0, rounds)) * round + 0.5)) &+ way.frame) % length
    growth.end = length &+ seam
    fillGrowth(to: min(growth.end, frame &+ Self.room))
    publishGrowth(version, length: length, round: whole)
    goOn(in: version, at: frame)
  }

  /// Makes a clip that was parted the one that is heard, with `frames` put between, of which the exact
  /// length may be a part of a frame less; returns where it goes on, nil where nothing came between.
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
    // Once more for what is still written when that has gone on.
    history.pointee.memory.hold(version)
    overdub.version = version
    growth.isPublished = true
  }

  /// Goes on with what is put together, as far as a block of so many frames allows.
  @_noLocks
  package mutating func carryGrowth(frames: Int) {
    guard growth.version != nil, growth.isPublished else { return }
    fillGrowth(to: min(growth.end, growth.filled &+ frames))
    if growth.filled >= growth.end && !growth.isOpen { closeGrowth() }
  }

  /// Copies what the version is made of, up to a frame.
  @_noLocks
  private mutating func fillGrowth(to frame: Int) {
    guard let version = growth.version else { return }
    let end = min(frame, growth.end)
    while growth.filled < end {
      let count = min(end &- growth.filled, Self.longestPiece)
      switch growth.kind {
      case .multiply: growth.source = read(growth.source, to: piece, frames: count)
      case .insert:
        // Also what lies behind the end, as it is.
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
