internal import CRealtime

/// The warp engine with the least delay: reads the tape at the speed of the pitch, and jumps by
/// whole periods of the sound where it would come too near to now or fall too far behind.
///
/// A jump goes where the sound is most like what it leaves, and is a short crossfade. At its own
/// pitch and rate the sound comes out as it went in, to the bit and without delay.
struct LiveWarp: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  /// A reading place on the tape: one of the two that a crossfade leads between.
  struct Reader: BitwiseCopyable {
    /// The place on the tape, in frames with 32 binary places.
    var position: Int64
    /// The number of the bank's table that it reads with.
    var table: Int
    /// Whether it takes the samples as they are, one a frame.
    var isPlain: Bool

    @_noLocks
    init(position: Int64, table: Int, isPlain: Bool) {
      self.position = position
      self.table = table
      self.isPlain = isPlain
    }
  }

  enum FadeLength: BitwiseCopyable {
    case usual, long, quick
  }

  // A period is at least this: jumps of a tone above 500 Hz are by several of its periods.
  private static var leastLagSeconds: Double { @_noLocks get { 0.002 } }
  // The period of 62 Hz: of the lowest voices, and of a major chord on middle C.
  private static var greatestLagSeconds: Double { @_noLocks get { 0.016 } }
  // -120 dB of full scale: what is below it may be cut.
  private static var floorOfSilence: Float { @_noLocks get { 1e-6 } }
  // Noise that is repeated at shorter distances is heard as a tone.
  private static var leastLagOfNoiseSeconds: Double { @_noLocks get { 0.009 } }
  private static var fadeSeconds: Double { @_noLocks get { 0.002 } }
  // For jumps whose place is given, which may not fit.
  private static var longFadeSeconds: Double { @_noLocks get { 0.012 } }
  // For jumps in the quiet before a sound begins.
  private static var quickFadeSeconds: Double { @_noLocks get { 0.0005 } }
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

  let leastLag: Int
  private let greatestLag: Int
  let leastLagOfNoise: Int
  private let attackFrames: Int
  private let checkFrames: Int
  private let refreshFrames: Int

  private var finder: LagFinder
  private var onsets: OnsetWatch
  var silence = PauseWatch(floor: LiveWarp.floorOfSilence)
  var quiet = PauseWatch(floor: OnsetWatch.floor)
  // Whether nothing but silence, or what is hardly heard, was read when the last chunk was looked
  // at, and nothing else was to come.
  var isInSilence = false
  var isInQuiet = false
  // Where the sound sets in for which the next jump back is put off.
  var attack: Int64 = 0
  var reader = Reader(position: 0, table: 0, isPlain: true)
  var leaving = Reader(position: 0, table: 0, isPlain: true)
  private var isFresh = true
  private var hasLeapt = false
  // Where the place was before it leapt.
  private var lastPlace: Int64 = 0

  // The crossfade under way.
  var fadeLeft = 0
  var fadeLength = 0
  private var likeness: Float = 1
  let fade: Int
  private let longFade: Int
  let quickFade: Int
  private var shape: UnsafePointer<Float>
  private let shapes: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>

  // The last good lag, with which the next search begins; 0 where there was none.
  private var lastLag = 0
  private var framesSinceSearch = 0
  private var framesToCheck = 0
  // Whether a crossfade has ended or more of the tape was watched since onsets were minded last:
  // that they are minded then only keeps what comes out independent of how it is asked for.
  private var hasNews = true
  // For how long what was heard is taken for noise, and whether that must first be found out.
  private var noiseLeft = 0
  private var mustListen = false
  // Whether, since the last jump, it was looked whether what was heard has a period.
  private var hasLookedBack = false
  // Whether a search forward has found no period, and a closer one is yet to be done.
  private var mustAskAgain = false
  // Up to here on the tape an attack is being played out.
  private var heldUntil: Int64 = 0
  var isHeld = false
  // Whether the next jump back is put off until a sound that has just begun has been heard.
  var isPutOff = false

  /// An engine that has heard nothing yet.
  init(sampleRate: Double) {
    leastLag = Int(Self.leastLagSeconds * sampleRate)
    greatestLag = Int(Self.greatestLagSeconds * sampleRate)
    leastLagOfNoise = Int(Self.leastLagOfNoiseSeconds * sampleRate)
    attackFrames = Int(Self.attackSeconds * sampleRate) + OnsetWatch.chunk
    checkFrames = Int(0.001 * sampleRate)
    refreshFrames = Int(0.1 * sampleRate)
    finder = LagFinder(sampleRate: sampleRate, greatestLag: greatestLag)
    onsets = OnsetWatch(sampleRate: sampleRate)
    fade = Int(Self.fadeSeconds * sampleRate)
    longFade = Int(Self.longFadeSeconds * sampleRate)
    quickFade = max(Int(Self.quickFadeSeconds * sampleRate), 2)
    shapes = .allocate(capacity: fade + longFade + quickFade + 2 * WarpStep.longest)
    shape = UnsafePointer(shapes)
    for (length, start) in [(fade, 0), (longFade, fade), (quickFade, fade + longFade)] {
      for frame in 0..<length {
        let angle = Double.pi * (Double(frame) + 0.5) / Double(length)
        shapes[start + frame] = Float(0.5 - 0.5 * rt_cos(angle))
      }
    }
    scratch = shapes + fade + longFade + quickFade
    scratch.initialize(repeating: 0, count: 2 * WarpStep.longest)
  }

  deinit { shapes.deallocate() }

  /// Forgets all; the next step begins anew at its place.
  @_noLocks
  mutating func start() {
    isFresh = true
    hasLeapt = false
    onsets.forget()
    silence.forget()
    quiet.forget()
    isPutOff = false
    isInSilence = false
    isInQuiet = false
    fadeLeft = 0
    lastLag = 0
    framesToCheck = 0
    isHeld = false
    noiseLeft = 0
    mustListen = false
    hasLookedBack = false
  }

  /// How many frames after a start the output is whole.
  var warmUp: Int { @_noLocks get { 0 } }

  /// The mean delay in frames at rate 1: none at the tape's own pitch; else what a tone of 440 Hz
  /// meets, as the delay swings by a period of the sound.
  @_noLocks
  borrowing func delay(pitch: Float, bank: borrowing SincBank) -> Int {
    if pitch == 1 { return 0 }
    let reach = bank.reach(ofTable: bank.table(forSpeed: pitch))
    let period = leastLag + leastLag / 7
    if pitch > 1 {
      return reach + 2 + period / 2 + Int((pitch - 1) * Float(fade) / 2)
    }
    return reach + 2 + period / 2 + Int((1 - pitch) * Float(fade) / 2)
  }

  /// Renders one step.
  @_noLocks
  mutating func process(
    _ tape: borrowing Tape, _ step: WarpStep, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    if isPlain(step) {
      goOnPlainly(tape, step, to: out, frames: frames)
      return
    }
    if step.isLeap { hasLeapt = true }
    // Delays are told of rate 1 only.
    if step.isLeap || step.rate != WarpStep.unity {
      silence.forget()
      quiet.forget()
    }
    var done = 0
    while done < frames {
      let place = step.place(ofFrame: done)
      let most = max(onsets.framesToGo, 1)
      let count = min(
        min(decide(tape, step, place: place, bank: bank), most), frames &- done)
      let wasFading = fadeLeft > 0
      render(tape, step, bank: bank, to: out.advanced(by: done), frames: count)
      framesSinceSearch &+= count
      framesToCheck &-= count
      noiseLeft &-= count
      done &+= count
      lastPlace = step.place(ofFrame: done)
      let now = lastPlace >> 32
      let hasLooked = onsets.framesToGo <= count
      if hasLooked || fadeLeft == 0 && wasFading { hasNews = true }
      let isOnset = onsets.advance(tape, to: now, frames: count)
      if isOnset { hastenFade(step) }
      if hasLooked {
        let (frames, peak) = (OnsetWatch.chunk, onsets.peak)
        silence.advance(tape, to: now, frames: frames, peak: peak, isOnset: isOnset)
        quiet.advance(tape, to: now, frames: frames, peak: peak, isOnset: isOnset)
        awaitAttack(step, now: now, isOnset: isOnset, bank: bank)
      }
    }
  }

  /// Whether the tape comes out as it is, and there is nothing to decide.
  @_noLocks
  private func isPlain(_ step: WarpStep) -> Bool {
    step.pitch == 1 && step.rate == WarpStep.unity && !step.isLeap && !isFresh && fadeLeft == 0
      && reader.isPlain && reader.position == step.place
  }

  /// Renders one step as it is on the tape, and watches that as any other step does.
  @_noLocks
  private mutating func goOnPlainly(
    _ tape: borrowing Tape, _ step: WarpStep, to out: Stereo, frames: Int
  ) {
    Self.readPlainly(tape, &reader, to: out, frames: frames)
    hasLeapt = false
    framesSinceSearch &+= frames
    framesToCheck &-= frames
    noiseLeft &-= frames
    lastPlace = step.place(ofFrame: frames)
    var done = 0
    while done < frames {
      let toGo = onsets.framesToGo
      let count = min(max(toGo, 1), frames &- done)
      done &+= count
      let now = step.place(ofFrame: done) >> 32
      let isOnset = onsets.advance(tape, to: now, frames: count)
      if toGo > count { continue }
      hasNews = true
      (isInSilence, isInQuiet) = (false, false)
      let (chunk, peak) = (OnsetWatch.chunk, onsets.peak)
      silence.advance(tape, to: now, frames: chunk, peak: peak, isOnset: isOnset)
      quiet.advance(tape, to: now, frames: chunk, peak: peak, isOnset: isOnset)
    }
  }

  // MARK: - Where to read

  /// Begins a jump where one is due; returns after how many frames at most to ask again.
  @_noLocks
  private mutating func decide(
    _ tape: borrowing Tape, _ step: WarpStep, place: Int64, bank: borrowing SincBank
  ) -> Int {
    let isFollowing = step.pitch == 1 && step.rate == WarpStep.unity
    let table = bank.table(forSpeed: step.pitch)
    let reach =
      max(
        bank.reach(ofTable: bank.table(forSpeed: max(step.pitch, step.nextPitch))),
        bank.reach(ofTable: reader.table)) &+ 2
    // By how much the reader comes nearer to the place, in frames a frame: now, and while a jump
    // that begins now is under way.
    let approach = step.pitch - Float(step.rate) * (1 / 4_294_967_296)
    let greatestApproach =
      max(step.pitch, step.nextPitch) - Float(min(step.rate, step.nextRate)) * (1 / 4_294_967_296)
    // The least distance at which a crossfade can still be finished, begun a frame too late.
    let wayOfFade = Int(max(0, greatestApproach) * Float(fade &+ 1)) &+ 1
    let nearest = reach &+ wayOfFade

    if isFresh {
      isFresh = false
      hasLeapt = false
      let distance = isFollowing ? 0 : nearest &+ leastLag
      reader = Reader(
        position: place &- Int64(distance) << 32, table: table, isPlain: isFollowing)
      // A pause as long as any that is needed.
      let way = Int(step.pitch * Float(delay(pitch: step.pitch, bank: bank)))
      silence.listen(tape, before: place >> 32, frames: distance &+ way &+ 4 &* reach)
      return 1
    }
    if fadeLeft > 0 { return fadeLeft }

    if isFollowing {
      hasLeapt = false
      if reader.isPlain && reader.position == place { return .max }
      // Back to now, wherever that meets the wave.
      leap(tape, to: place, nearest: 0, isPlain: true, table: table)
      return 1
    }
    let distance = Int((place &- reader.position) >> 32)
    let room = distance &- reach
    isHeld = isHeld && heldUntil &- reader.position > 0
    let farthest = isHeld ? 2 &* finder.greatestLag : finder.greatestLag
    // Falling behind is looked at at fixed times only.
    let isTooFar = room > farthest && (approach >= 0 || framesToCheck <= 0)
    if hasLeapt || isTooFar || distance < -finder.greatestLag {
      hasLeapt = false
      // The longer crossfade takes both readers nearer to what they must not pass: where the
      // old one has no room for it, it must be the usual one.
      let wayOfLongFade = Int(max(0, greatestApproach) * Float(longFade)) &+ 1
      let oldRoom = Int((lastPlace &- reader.position) >> 32) &- reach
      let hasRoom =
        reader.isPlain
        || oldRoom > Int(max(0, max(step.pitch, step.nextPitch) - 1) * Float(longFade))
      leap(
        tape, to: place, nearest: nearest &+ wayOfLongFade, isPlain: false, table: table,
        length: hasRoom ? .long : .usual)
      return 1
    }
    isPutOff = isPutOff && !reader.isPlain && step.pitch == step.nextPitch
    let wayOfJump =
      isPutOff ? Int(max(0, greatestApproach) * Float(quickFade &+ 1)) &+ 1 : wayOfFade
    // In quiet neither of two readers may be so near that an attack, which is seen a chunk too
    // late, is in its reach before it is left.
    let wayToAttack =
      isInQuiet ? Int(step.pitch * Float(OnsetWatch.chunk &+ quickFade &+ 1)) &+ 1 &+ wayOfFade : 0
    // In silence it goes elsewhere at the next look; a jump might lead back into a sound.
    let nearestOfJump = isInSilence ? reach : reach &+ max(wayOfJump, wayToAttack)
    if reader.isPlain || distance < nearestOfJump && approach >= 0 {
      // The crossfade over, there must be room for the next.
      let least = max(leastLag, max(nearest, nearestOfJump) &+ wayOfJump &- distance)
      // Not back to before a sound that has just begun, nor to the one before the quiet.
      let isAfterSound = !isPutOff && !quiet.hasEnded
      let heard = Int((reader.position >> 32) &- (isPutOff ? attack : quiet.start))
      jumpBack(
        tape, before: place >> 32, by: least, table: table, length: isPutOff ? .quick : .usual,
        most: isPutOff || isAfterSound && heard > 0 ? heard : nil)
      isPutOff = false
      return 1
    }
    let toNearest =
      approach > 1e-9
      ? Int(min(Float(distance &- nearestOfJump) / approach, 1e6)) &+ 1 : Int.max
    let mindsOnset = hasNews && !isPutOff
    hasNews = false
    if approach > 1e-9 && mindsOnset && wouldRepeatOnset(after: toNearest, speed: step.pitch) {
      // The sound before it is repeated instead, as long as it is yet to come.
      jumpBack(
        tape, before: onsets.last, by: max(leastLag, wayOfFade) &+ leastLag, table: table,
        length: .quick)
      return 1
    }
    if reader.table != table && toNearest > 2 &* fade {
      // The same place through the other table: no jump, but a crossfade like one.
      begin(Reader(position: reader.position, table: table, isPlain: false), likeness: 1)
      return 1
    }
    if approach < 0 {
      if framesToCheck > 0 { return framesToCheck }
      let missing = max(leastLag &+ 2 &* LagFinder.wing, lastLag &+ 3) &+ 1 &- room
      if missing > 0 {
        framesToCheck = min(Int(min(Float(missing) / -approach, 1e6)) &+ 1, 4 &* checkFrames)
        return framesToCheck
      }
      framesToCheck = checkFrames
      jumpForward(tape, place: place >> 32, room: room, speed: step.pitch, table: table)
      return 1
    }
    return toNearest
  }

  /// Whether the next jump back, in so many frames, would come just after the beginning of a
  /// sound that is still ahead, and make it begin twice.
  @_noLocks
  private func wouldRepeatOnset(after frames: Int, speed: Float) -> Bool {
    let ahead = onsets.framesToLast(from: reader.position >> 32)
    guard ahead > Int(Float(quickFade) * speed) && ahead < 2 &* greatestLag else { return false }
    let passed = Int(Float(min(frames, 1 << 20)) * speed) &- ahead
    return passed > -Int(Float(fade) * speed) && passed < 2 &* leastLag
  }

  /// Jumps back by at least `least` frames, and where that leaves a choice by at most `most`.
  @_noLocks
  private mutating func jumpBack(
    _ tape: borrowing Tape, before end: Int64, by least: Int, table: Int,
    length: FadeLength = .usual, most: Int? = nil
  ) {
    var greatest = min(max(greatestLag, least &+ leastLag), finder.greatestLag)
    let least = min(least, greatest &- leastLag)
    if let most, most > least &+ 4 &* LagFinder.wing { greatest = min(greatest, most) }
    // The newest sound that there is is compared: what the reader is about to say.
    let found = find(tape, end: end, from: least, to: greatest, isForward: false)
    jump(by: -found.lag, likeness: found.likeness, table: table, length: length)
  }

  /// Jumps forward where there is room for a lag that fits, or must be.
  @_noLocks
  private mutating func jumpForward(
    _ tape: borrowing Tape, place: Int64, room: Int, speed: Float, table: Int
  ) {
    let position = reader.position >> 32
    // An attack is heard whole: the jump is over before it, or begins when it has been said.
    var toAttack: Int?
    if let frames = onsets.framesToFirst(
      from: position &- Int64(attackFrames), on: tape, now: place)
    {
      toAttack = frames &- attackFrames
    }
    if jumpInSilence(
      tape, until: toAttack, place: place, room: room, speed: speed, table: table)
    {
      return
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
      noiseLeft = isNoise(tape) ? 20 &* checkFrames : 0
      framesToCheck = noiseLeft > 0 ? Self.framesApart : 4 &* checkFrames
      return
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
      return
    }
    let mayHaste = quiet.hasEnded && !isOver
    let enough = mayHaste ? likenessForJump(room: room) : Self.likenessForEarlyJump
    // Room for the climb to the best lag, and for what is on both sides of it.
    if greatest &- least >= 2 &* LagFinder.wing {
      let found = find(
        tape, end: position, from: least, to: greatest, isForward: true)
      if mustAskAgain && !isOver {
        framesToCheck = Self.framesApart
        return
      }
      // A tone's best lag is a peak, not the end of what was looked at.
      let farthest = greatest &- (lastLag > 0 ? 0 : finder.framesAhead) &- 3
      let fits = found.likeness > enough && found.lag < Float(farthest)
      if isOver {
        if fits && Int(found.lag) > (toAttack ?? 0) &+ checkFrames {
          jump(by: found.lag, likeness: found.likeness, table: table)
          return
        }
      } else if fits || mustJump
        || found.likeness < Self.likenessOfTones && mayBeNoise && noiseLeft > 0
      {
        jump(by: found.lag, likeness: found.likeness, table: table)
        return
      } else if found.likeness < Self.likenessForEarlyJump {
        mustListen = found.likeness < Self.likenessOfTones && mayBeNoise
        framesToCheck = mustListen ? Self.framesApart : 2 &* checkFrames
      }
    }
    if isOver, let toAttack { hold(for: toAttack &+ attackFrames, speed: speed) }
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

  /// Jumps where there is nothing to hear, as far as that goes; false where there is something.
  @_noLocks
  private mutating func jumpInSilence(
    _ tape: borrowing Tape, until toAttack: Int?, place: Int64, room: Int, speed: Float,
    table: Int
  ) -> Bool {
    let position = reader.position >> 32
    // What comes next is already there, if not yet in its reach: it must come after the fade.
    let silent = min(Int(place &- position), toAttack ?? .max)
    let lag = min(room, silent &- Int(speed * Float(quickFade)) &- 1)
    guard lag >= leastLag && finder.isSilent(tape, from: position, frames: silent) else {
      return false
    }
    jump(by: Float(lag), likeness: 1, table: table, length: .quick)
    return true
  }

  /// Lets the reader go on for so many frames of tape before it may jump.
  @_noLocks
  private mutating func hold(for frames: Int, speed: Float) {
    heldUntil = reader.position &+ Int64(frames) << 32
    isHeld = true
    framesToCheck = min(Int(Float(frames) / speed) &+ 1, 4 &* checkFrames)
  }

  /// Ends a jump forward at once where a sound begins that it would cover.
  @_noLocks
  private mutating func hastenFade(_ step: WarpStep) {
    let isForward = Float(step.rate) > step.pitch * Float(WarpStep.unity)
    guard isForward && fadeLeft > quickFade && fadeLength == fade else { return }
    let toOnset = onsets.framesToLast(from: reader.position >> 32)
    guard Float(toOnset) < Float(fadeLeft) * step.pitch else { return }
    fadeLeft = max(fadeLeft &* quickFade / fadeLength, 1)
    fadeLength = quickFade
    shape = UnsafePointer(shapes + fade + longFade)
  }

  /// Whether the sound has no period, so that waiting for one to fit into the room is in vain.
  @_noLocks
  private mutating func isNoise(_ tape: borrowing Tape) -> Bool {
    finder.load(
      tape, end: reader.position >> 32, from: leastLag, to: greatestLag, isForward: false)
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
      let near = finder.refine(tape, end: end, near: lastLag, isForward: isForward)
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
      let found = finder.search(
        tape, end: end, from: least, to: greatest, isForward: isForward)
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

  @_noLocks
  private mutating func jump(
    by lag: Float, likeness: Float, table: Int, length: FadeLength = .usual
  ) {
    let position = reader.position &+ Int64(Double(lag) * 4_294_967_296)
    begin(
      Reader(position: position, table: table, isPlain: false), likeness: likeness,
      length: length)
  }

  /// Goes to another part of the tape: to where the sound there fits, or plainly to the place.
  @_noLocks
  private mutating func leap(
    _ tape: borrowing Tape, to place: Int64, nearest: Int, isPlain: Bool, table: Int,
    length: FadeLength = .long
  ) {
    let end = reader.position >> 32
    let target = (place >> 32) &- Int64(nearest)
    if isPlain {
      let found = finder.compare(tape, end: end, with: target)
      begin(
        Reader(position: target << 32, table: table, isPlain: true), likeness: found.likeness,
        length: length)
    } else {
      let found = finder.search(tape, end: end, endingBefore: target)
      let position =
        (target << 32) &- Int64(Double(found.lag) * 4_294_967_296)
        &+ (reader.position & 0xFFFF_FFFF)
      begin(
        Reader(position: position, table: table, isPlain: false), likeness: found.likeness,
        length: length)
    }
  }

  @_noLocks
  mutating func begin(_ next: Reader, likeness: Float, length: FadeLength = .usual) {
    leaving = reader
    reader = next
    hasLookedBack = false
    switch length {
    case .usual: (fadeLength, shape) = (fade, UnsafePointer(shapes))
    case .long: (fadeLength, shape) = (longFade, UnsafePointer(shapes + fade))
    case .quick: (fadeLength, shape) = (quickFade, UnsafePointer(shapes + fade + longFade))
    }
    fadeLeft = fadeLength
    self.likeness = max(likeness, -0.5)
  }

  // MARK: - Reading

  @_noLocks
  private mutating func render(
    _ tape: borrowing Tape, _ step: WarpStep, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    let speed = Int64(Double(step.pitch) * 4_294_967_296)
    Self.read(tape, &reader, speed: speed, bank: bank, to: out, frames: frames)
    guard fadeLeft > 0 else { return }
    let old = Stereo(scratch, scratch + WarpStep.longest)
    Self.read(tape, &leaving, speed: speed, bank: bank, to: old, frames: frames)
    let shape = shape + (fadeLength &- fadeLeft)
    // Two sounds that are alike add up to more than two that are not.
    let cross = 2 * likeness
    for frame in 0..<frames {
      let share = shape[frame]
      let rest = 1 - share
      let power = share * share + rest * rest + cross * share * rest
      let gain = 1 / rt_square_root(power)
      out.left[frame] = gain * (share * out.left[frame] + rest * old.left[frame])
      out.right[frame] = gain * (share * out.right[frame] + rest * old.right[frame])
    }
    fadeLeft &-= frames
  }

  @_noLocks
  private static func readPlainly(
    _ tape: borrowing Tape, _ reader: inout Reader, to out: Stereo, frames: Int
  ) {
    let first = min(reader.position >> 32, tape.head &- Int64(frames))
    Blocks.copy(tape.left(at: first), to: out.left, frames: frames)
    Blocks.copy(tape.right(at: first), to: out.right, frames: frames)
    reader.position = reader.position &+ Int64(frames) << 32
  }

  @_noLocks
  private static func read(
    _ tape: borrowing Tape, _ reader: inout Reader, speed: Int64, bank: borrowing SincBank,
    to out: Stereo, frames: Int
  ) {
    if reader.isPlain {
      readPlainly(tape, &reader, to: out, frames: frames)
      return
    }
    let reach = Int64(bank.reach(ofTable: reader.table))
    // A pitch that rises in the middle of a crossfade could pull the old reader past the end.
    let toEnd = (tape.head &- reach &- 1) << 32 &- reader.position
    let speed = min(speed, max(toEnd, 0) / Int64(frames))
    let start = (reader.position >> 32) &- reach
    bank.read(
      table: reader.table, left: tape.left(at: start), right: tape.right(at: start),
      from: reach << 32 &+ reader.position & 0xFFFF_FFFF, step: speed, to: out, frames: frames)
    reader.position = reader.position &+ Int64(frames) &* speed
  }
}
