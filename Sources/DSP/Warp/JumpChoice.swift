/// Chooses the target of the live engine's jumps, and the moment for a jump forward.
///
/// It caches the last period found and what else is known about the signal.
struct JumpChoice: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  /// A jump forward.
  struct Jump: BitwiseCopyable {
    /// The length of the jump, in frames.
    var lag: Float
    /// The normalized correlation of the source and the target.
    var likeness: Float
    /// Whether the jump is through silence.
    var isSilent: Bool
  }

  // The shortest lag: tones above 500 Hz jump by several periods.
  private static var leastLagSeconds: Double { @_noLocks get { 0.002 } }
  // The period of 62 Hz, which covers the lowest voices and a major chord on middle C.
  private static var greatestLagSeconds: Double { @_noLocks get { 0.016 } }
  // Noise repeated at shorter intervals sounds like a tone.
  private static var leastLagOfNoiseSeconds: Double { @_noLocks get { 0.009 } }
  // An attack isn't interrupted for this long.
  private static var attackSeconds: Double { @_noLocks get { 0.005 } }
  // Two searches never fall into one block of this size or less.
  private static var framesApart: Int { @_noLocks get { 64 } }
  // Above this correlation the engine may jump before it must, which keeps the latency short.
  private static var likenessForEarlyJump: Float { @_noLocks get { 0.985 } }
  // From this share of the greatest lag on, the required correlation falls until a jump is forced:
  // a good match now is better than any match later.
  private static var shareOfPatience: Float { @_noLocks get { 0.3 } }
  private static var leastOfEarlyJump: Float { @_noLocks get { 0.7 } }
  // Lower correlations count as noise.
  private static var likenessOfTones: Float { @_noLocks get { 0.5 } }

  /// The shortest jump, in frames.
  let leastLag: Int
  /// The shortest jump in noise, in frames.
  let leastLagOfNoise: Int
  /// The length of an attack that isn't interrupted, in frames.
  let attackFrames: Int
  private let greatestLag: Int
  private let checkFrames: Int
  private let refreshFrames: Int
  private let fade: Int
  private let quickFade: Int

  private var finder: LagFinder
  // The last good lag, where the next search starts; 0 if there is none.
  private var lastLag = 0
  private var framesSinceSearch = 0
  private var framesToCheck = 0
  // How long the signal counts as noise, in frames, and whether that has yet to be checked.
  private var noiseLeft = 0
  private var mustListen = false
  // Whether a backward search for a period has been made since the last jump.
  private var hasLookedBack = false
  // Whether a forward search found no period and a short-window search is still due.
  private var mustAskAgain = false
  // The tape position up to which an attack is played without a jump.
  private var heldUntil: Int64 = 0
  private var isHeld = false

  /// Creates a choice for crossfades of `fade` frames, or `quickFade` in silence.
  init(sampleRate: Double, fade: Int, quickFade: Int) {
    leastLag = Int(Self.leastLagSeconds * sampleRate)
    greatestLag = Int(Self.greatestLagSeconds * sampleRate)
    leastLagOfNoise = Int(Self.leastLagOfNoiseSeconds * sampleRate)
    attackFrames = Int(Self.attackSeconds * sampleRate) + OnsetWatch.chunk
    checkFrames = Int(0.001 * sampleRate)
    refreshFrames = Int(0.1 * sampleRate)
    finder = LagFinder(sampleRate: sampleRate, greatestLag: greatestLag)
    self.fade = fade
    self.quickFade = quickFade
  }

  /// Clears the history.
  @_noLocks
  mutating func forget() {
    lastLag = 0
    framesToCheck = 0
    isHeld = false
    noiseLeft = 0
    mustListen = false
    hasLookedBack = false
  }

  /// Advances by `frames` frames.
  @_noLocks
  mutating func advance(frames: Int) {
    framesSinceSearch &+= frames
    framesToCheck &-= frames
    noiseLeft &-= frames
  }

  /// Records that the reader has jumped.
  @_noLocks
  mutating func noteJump() { hasLookedBack = false }

  /// Stops waiting for an attack to play out.
  @_noLocks
  mutating func release() { isHeld = false }

  // MARK: - When

  /// The longest lag ever searched, in frames.
  var mostLag: Int { @_noLocks get { finder.greatestLag } }

  /// Whether the next forward check is due.
  var isDue: Bool { @_noLocks get { framesToCheck <= 0 } }

  /// Returns how far a reader at `reader` may fall behind, in frames.
  ///
  /// `reader` is 32.32 fixed-point.
  @_noLocks
  mutating func farthest(at reader: Int64) -> Int {
    isHeld = isHeld && heldUntil &- reader > 0
    return isHeld ? 2 &* finder.greatestLag : finder.greatestLag
  }

  /// Returns the number of frames until the next forward check; 0 if it is due and there is room.
  @_noLocks
  mutating func framesToCheck(room: Int, approach: Float) -> Int {
    if framesToCheck > 0 { return framesToCheck }
    let missing = max(leastLag &+ 2 &* LagFinder.wing, lastLag &+ 3) &+ 1 &- room
    if missing > 0 {
      framesToCheck = min(Int(min(Float(missing) / -approach, 1e6)) &+ 1, 4 &* checkFrames)
      return framesToCheck
    }
    framesToCheck = checkFrames
    return 0
  }

  // MARK: - Target

  /// Returns the lag for a jump back by at least `least` frames and, if that leaves a choice, at
  /// most `most`.
  @_noLocks
  mutating func lagBack(
    _ tape: borrowing Tape, end: Int64, by least: Int, most: Int?
  ) -> LagFinder.Finding {
    var greatest = min(max(greatestLag, least &+ leastLag), finder.greatestLag)
    let least = min(least, greatest &- leastLag)
    if let most, most > least &+ 4 &* LagFinder.wing { greatest = min(greatest, most) }
    return find(tape, end: end, from: least, to: greatest, isForward: false)
  }

  /// Returns the correlation of the signal before two positions.
  @_noLocks
  mutating func compare(
    _ tape: borrowing Tape, end: Int64, with other: Int64
  ) -> LagFinder.Finding {
    finder.compare(tape, end: end, with: other)
  }

  /// Returns the best landing position at or shortly before `target`, for a jump from `end`.
  ///
  /// The lag is the distance before `target`, in frames.
  @_noLocks
  mutating func landing(
    _ tape: borrowing Tape, end: Int64, before target: Int64
  ) -> LagFinder.Finding {
    finder.search(tape, end: end, endingBefore: target)
  }

  /// Chooses a jump forward from `reader`, if a lag fits or the jump is forced.
  ///
  /// `reader` is 32.32 fixed-point. The next attack is `framesToAttack` frames after the frame
  /// `attackFrames` before the reader.
  @_noLocks
  mutating func jumpForward(
    _ tape: borrowing Tape, from reader: Int64, place: Int64, room: Int, speed: Float,
    framesToAttack: Int?, mayHaste: Bool
  ) -> Jump? {
    let position = reader >> 32
    // An attack is played whole: a jump ends before it or starts after it.
    var toAttack: Int?
    if let framesToAttack { toAttack = framesToAttack &- attackFrames }
    if let jump = jumpInSilence(
      tape, from: position, until: toAttack, place: place, room: room, speed: speed)
    {
      return jump
    }
    let wayOfFade = Int(speed * Float(fade)) &+ 1
    var most = min(room, (toAttack ?? .max / 2) &- wayOfFade)
    let isCut = most < room
    let mustJump = room > greatestLag &+ 2 &* checkFrames
    // Far behind, a short lag wouldn't be enough.
    let least = isCut ? leastLag : max(leastLag, room &- greatestLag)
    // A jump over an attack and some of what follows must find an equivalent after it.
    let isNarrow = min(greatestLag, most) &- least <= 2 &* LagFinder.wing
    let isFar = room > greatestLag &+ 2 &* LagFinder.wing
    let isOver = isCut && (isNarrow || isFar && room <= greatestLag &+ 4 &* checkFrames)
    if isOver { most = room }
    let greatest = min(mustJump || isOver ? finder.greatestLag : greatestLag, most &- 1)
    let mayBeNoise = most > leastLagOfNoise &+ leastLag
    if mustListen && mayBeNoise && !isOver {
      mustListen = false
      noiseLeft = isNoise(tape, end: position) ? 20 &* checkFrames : 0
      framesToCheck = noiseLeft > 0 ? Self.framesApart : 4 &* checkFrames
      return nil
    }
    if lastLag == 0 && !hasLookedBack && !mustJump && !isOver {
      // Waits for a period longer than the room.
      hasLookedBack = true
      let past = finder.search(
        tape, end: position, from: leastLag, to: greatestLag, isForward: false)
      if past.likeness > Self.likenessForEarlyJump {
        lastLag = Int(past.lag)
        framesSinceSearch = 0
      }
      framesToCheck = Self.framesApart
      return nil
    }
    let enough = mayHaste && !isOver ? likenessForJump(room: room) : Self.likenessForEarlyJump
    // Room for the hill climb, and for the neighbors of the peak.
    if greatest &- least >= 2 &* LagFinder.wing {
      let found = find(
        tape, end: position, from: least, to: greatest, isForward: true)
      if mustAskAgain && !isOver {
        framesToCheck = Self.framesApart
        return nil
      }
      // A tone's best lag is a local maximum, not the end of the search range.
      let farthest = greatest &- (lastLag > 0 ? 0 : finder.framesAhead) &- 3
      let fits = found.likeness > enough && found.lag < Float(farthest)
      if isOver {
        if fits && Int(found.lag) > (toAttack ?? 0) &+ checkFrames {
          return Jump(lag: found.lag, likeness: found.likeness, isSilent: false)
        }
      } else if fits || mustJump
        || found.likeness < Self.likenessOfTones && mayBeNoise && noiseLeft > 0
      {
        return Jump(lag: found.lag, likeness: found.likeness, isSilent: false)
      } else if found.likeness < Self.likenessForEarlyJump {
        mustListen = found.likeness < Self.likenessOfTones && mayBeNoise
        framesToCheck = mustListen ? Self.framesApart : 2 &* checkFrames
      }
    }
    if isOver, let toAttack { hold(reader, for: toAttack &+ attackFrames, speed: speed) }
    return nil
  }

  /// Returns the correlation required for a jump when the reader is `room` frames behind.
  @_noLocks
  private func likenessForJump(room: Int) -> Float {
    let most = Float(greatestLag &+ 2 &* checkFrames)
    let first = Self.shareOfPatience * Float(greatestLag)
    let share = max(0, min(1, (Float(room) - first) / (most - first)))
    return Self.likenessForEarlyJump
      - share * (Self.likenessForEarlyJump - Self.leastOfEarlyJump)
  }

  /// Chooses the longest jump through silence, or nil if there is any signal.
  @_noLocks
  private func jumpInSilence(
    _ tape: borrowing Tape, from position: Int64, until toAttack: Int?, place: Int64, room: Int,
    speed: Float
  ) -> Jump? {
    // The following frames are on the tape already, but not within reach of the interpolator, which
    // the crossfade must precede.
    let silent = min(Int(place &- position), toAttack ?? .max)
    let lag = min(room, silent &- Int(speed * Float(quickFade)) &- 1)
    guard lag >= leastLag && finder.isSilent(tape, from: position, frames: silent) else {
      return nil
    }
    return Jump(lag: Float(lag), likeness: 1, isSilent: true)
  }

  /// Lets the reader continue for `frames` frames of tape before it may jump.
  @_noLocks
  private mutating func hold(_ reader: Int64, for frames: Int, speed: Float) {
    heldUntil = reader &+ Int64(frames) << 32
    isHeld = true
    framesToCheck = min(Int(Float(frames) / speed) &+ 1, 4 &* checkFrames)
  }

  /// Whether the signal has no period, so that waiting for one to fit is pointless.
  @_noLocks
  private mutating func isNoise(_ tape: borrowing Tape, end: Int64) -> Bool {
    finder.load(tape, end: end, from: leastLag, to: greatestLag, isForward: false)
    let past = finder.searchClosely(from: leastLag, to: greatestLag, isForward: false)
    return past.likeness < Self.likenessOfTones
  }

  /// Returns the best lag: the last one, refined, as long as it fits.
  ///
  /// In a forward search, an aperiodic signal is searched with the short window in a later block.
  @_noLocks
  private mutating func find(
    _ tape: borrowing Tape, end: Int64, from least: Int, to greatest: Int, isForward: Bool
  ) -> LagFinder.Finding {
    let isKnown = lastLag >= least && lastLag <= greatest && framesSinceSearch < refreshFrames
    mustAskAgain = false
    if isKnown {
      let near = finder.refine(
        tape, end: end, near: lastLag, isForward: isForward, worth: Self.likenessForEarlyJump)
      if near.likeness > Self.likenessForEarlyJump && near.lag >= Float(least) {
        lastLag = Int(near.lag)
        return near
      }
    }
    framesSinceSearch = 0
    let ahead = isForward ? finder.framesAhead : 0
    let hasRoom = greatest &- least &- ahead >= 2 &* LagFinder.wing
    if isForward && hasRoom && (isKnown || hasLookedBack && lastLag == 0) {
      // The signal has no period or has just lost it; three searches in one block would take too
      // long.
      lastLag = 0
      finder.load(tape, end: end, from: least, to: greatest, isForward: true)
    } else {
      let worth = hasRoom ? Self.likenessForEarlyJump : -1
      var found = finder.search(
        tape, end: end, from: least, to: greatest, isForward: isForward, worth: worth)
      if hasRoom && found.likeness <= Self.likenessForEarlyJump,
        let far = finder.searchFar(from: least, to: greatest, isForward: isForward, worth: worth),
        far.likeness > Self.likenessForEarlyJump
      {
        found = far
      }
      lastLag = found.likeness > Self.likenessForEarlyJump ? Int(found.lag) : 0
      if lastLag > 0 || !hasRoom { return found }
      if isForward {
        (mustAskAgain, hasLookedBack) = (true, true)
        return found
      }
    }
    var found = finder.searchClosely(from: least, to: greatest, isForward: isForward)
    if found.likeness < Self.likenessOfTones && greatest &- ahead > leastLagOfNoise &+ leastLag {
      found = finder.searchAgain(
        from: max(least, leastLagOfNoise), least: least, to: greatest, isForward: isForward)
    }
    return found
  }
}
