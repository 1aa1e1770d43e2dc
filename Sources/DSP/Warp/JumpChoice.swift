/// Chooses for the live engine where it jumps to, and whether now is the moment for a jump forward.
///
/// It remembers the period that the sound had last, and what it has found out about it.
struct JumpChoice: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  /// A jump forward.
  struct Jump: BitwiseCopyable {
    /// How far it goes, in frames.
    var lag: Float
    /// The normalised correlation of what it leaves and where it goes.
    var likeness: Float
    /// Whether there is nothing to hear on the way.
    var isSilent: Bool

    @_noLocks
    init(lag: Float, likeness: Float, isSilent: Bool) {
      self.lag = lag
      self.likeness = likeness
      self.isSilent = isSilent
    }
  }

  // A period is at least this: jumps of a tone above 500 Hz are by several of its periods.
  private static var leastLagSeconds: Double { @_noLocks get { 0.002 } }
  // The period of 62 Hz: of the lowest voices, and of a major chord on middle C.
  private static var greatestLagSeconds: Double { @_noLocks get { 0.016 } }
  // Noise that is repeated at shorter distances is heard as a tone.
  private static var leastLagOfNoiseSeconds: Double { @_noLocks get { 0.009 } }
  // For so long a sound that has just begun is not cut into.
  private static var attackSeconds: Double { @_noLocks get { 0.005 } }
  // Two searches are never done in one block of so many frames, or a smaller one.
  private static var framesApart: Int { @_noLocks get { 64 } }
  // What is this much like itself may jump before it must, which keeps the delay short.
  private static var likenessForEarlyJump: Float { @_noLocks get { 0.985 } }
  // From this share of the greatest lag on, less and less will do, until a jump must be: a good
  // one now is better than any one then.
  private static var shareOfPatience: Float { @_noLocks get { 0.3 } }
  private static var leastOfEarlyJump: Float { @_noLocks get { 0.7 } }
  // Less than this is taken for noise.
  private static var likenessOfTones: Float { @_noLocks get { 0.5 } }

  /// The shortest jump, in frames.
  let leastLag: Int
  /// The shortest jump in noise, in frames.
  let leastLagOfNoise: Int
  /// For how many frames a sound that has just begun is not cut into.
  let attackFrames: Int
  private let greatestLag: Int
  private let checkFrames: Int
  private let refreshFrames: Int
  private let fade: Int
  private let quickFade: Int

  private var finder: LagFinder
  // The last good lag, with which the next search begins; 0 where there was none.
  private var lastLag = 0
  private var framesSinceSearch = 0
  private var framesToCheck = 0
  // For how long what was heard is taken for noise, and whether that must first be found out.
  private var noiseLeft = 0
  private var mustListen = false
  // Whether, since the last jump, it was looked whether what was heard has a period.
  private var hasLookedBack = false
  // Whether a search forward has found no period, and a closer one is yet to be done.
  private var mustAskAgain = false
  // Up to here on the tape an attack is being played out.
  private var heldUntil: Int64 = 0
  private var isHeld = false

  /// A choice for crossfades of `fade` frames, and of `quickFade` in silence.
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

  /// Forgets what was heard.
  @_noLocks
  mutating func forget() {
    lastLag = 0
    framesToCheck = 0
    isHeld = false
    noiseLeft = 0
    mustListen = false
    hasLookedBack = false
  }

  /// Lets `frames` frames pass.
  @_noLocks
  mutating func advance(frames: Int) {
    framesSinceSearch &+= frames
    framesToCheck &-= frames
    noiseLeft &-= frames
  }

  /// Hears that the reader has jumped.
  @_noLocks
  mutating func noteJump() { hasLookedBack = false }

  /// Gives up playing out an attack.
  @_noLocks
  mutating func release() { isHeld = false }

  // MARK: - When

  /// The longest lag that is ever looked for, in frames.
  var mostLag: Int { @_noLocks get { finder.greatestLag } }

  /// Whether the next look forward is due.
  var isDue: Bool { @_noLocks get { framesToCheck <= 0 } }

  /// How far behind a reader may fall that is at `reader`, a place with 32 binary places.
  @_noLocks
  mutating func farthest(at reader: Int64) -> Int {
    isHeld = isHeld && heldUntil &- reader > 0
    return isHeld ? 2 &* finder.greatestLag : finder.greatestLag
  }

  /// Tells after how many frames to look forward; 0 where that is due, and there is room for it.
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

  // MARK: - Where to

  /// The lag for a jump back by at least `least` frames, and where that leaves a choice by at most
  /// `most`.
  @_noLocks
  mutating func lagBack(
    _ tape: borrowing Tape, end: Int64, by least: Int, most: Int?
  ) -> LagFinder.Finding {
    var greatest = min(max(greatestLag, least &+ leastLag), finder.greatestLag)
    let least = min(least, greatest &- leastLag)
    if let most, most > least &+ 4 &* LagFinder.wing { greatest = min(greatest, most) }
    return find(tape, end: end, from: least, to: greatest, isForward: false)
  }

  /// Compares the stretches that end at two places.
  @_noLocks
  mutating func compare(
    _ tape: borrowing Tape, end: Int64, with other: Int64
  ) -> LagFinder.Finding {
    finder.compare(tape, end: end, with: other)
  }

  /// The best place to go to from `end`, at or not long before `target`: how many frames before it.
  @_noLocks
  mutating func landing(
    _ tape: borrowing Tape, end: Int64, before target: Int64
  ) -> LagFinder.Finding {
    finder.search(tape, end: end, endingBefore: target)
  }

  /// Chooses a jump forward from `reader`, a place with 32 binary places, where there is room for
  /// a lag that fits, or must be.
  ///
  /// The next attack is `framesToAttack` frames after what is `attackFrames` before the reader.
  @_noLocks
  mutating func jumpForward(
    _ tape: borrowing Tape, from reader: Int64, place: Int64, room: Int, speed: Float,
    framesToAttack: Int?, mayHaste: Bool
  ) -> Jump? {
    let position = reader >> 32
    // An attack is heard whole: the jump is over before it, or begins when it has been said.
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
    // Far behind, a short lag would not be enough.
    let least = isCut ? leastLag : max(leastLag, room &- greatestLag)
    // A jump over an attack, and over some of what follows it, must find one like it behind it.
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
      // A period that is longer than the room is waited for.
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
    // Room for the climb to the best lag, and for what is on both sides of it.
    if greatest &- least >= 2 &* LagFinder.wing {
      let found = find(
        tape, end: position, from: least, to: greatest, isForward: true)
      if mustAskAgain && !isOver {
        framesToCheck = Self.framesApart
        return nil
      }
      // A tone's best lag is a peak, not the end of what was looked at.
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

  /// How like a place must be to be jumped to where the reader is so many frames behind.
  @_noLocks
  private func likenessForJump(room: Int) -> Float {
    let most = Float(greatestLag &+ 2 &* checkFrames)
    let first = Self.shareOfPatience * Float(greatestLag)
    let share = max(0, min(1, (Float(room) - first) / (most - first)))
    return Self.likenessForEarlyJump
      - share * (Self.likenessForEarlyJump - Self.leastOfEarlyJump)
  }

  /// Chooses a jump where there is nothing to hear, as far as that goes; none where there is
  /// something.
  @_noLocks
  private func jumpInSilence(
    _ tape: borrowing Tape, from position: Int64, until toAttack: Int?, place: Int64, room: Int,
    speed: Float
  ) -> Jump? {
    // What comes next is already there, if not yet in its reach: it must come after the fade.
    let silent = min(Int(place &- position), toAttack ?? .max)
    let lag = min(room, silent &- Int(speed * Float(quickFade)) &- 1)
    guard lag >= leastLag && finder.isSilent(tape, from: position, frames: silent) else {
      return nil
    }
    return Jump(lag: Float(lag), likeness: 1, isSilent: true)
  }

  /// Lets the reader go on for so many frames of tape before it may jump.
  @_noLocks
  private mutating func hold(_ reader: Int64, for frames: Int, speed: Float) {
    heldUntil = reader &+ Int64(frames) << 32
    isHeld = true
    framesToCheck = min(Int(Float(frames) / speed) &+ 1, 4 &* checkFrames)
  }

  /// Whether the sound has no period, so that waiting for one to fit into the room is in vain.
  @_noLocks
  private mutating func isNoise(_ tape: borrowing Tape, end: Int64) -> Bool {
    finder.load(tape, end: end, from: leastLag, to: greatestLag, isForward: false)
    let past = finder.searchClosely(from: leastLag, to: greatestLag, isForward: false)
    return past.likeness < Self.likenessOfTones
  }

  /// Finds the lag by which to jump: the last one again, moved a little, while it fits.
  ///
  /// Forward, what turns out to have no period is searched closely in another block.
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
      // It has no period, or has just lost it: three searches in one block would be too long.
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
