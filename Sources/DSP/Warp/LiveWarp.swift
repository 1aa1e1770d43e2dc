internal import CRealtime

/// The pitch shifting and time stretching engine with the lowest latency.
///
/// It resamples the tape at the speed of the pitch. Where the reader would get too close to the
/// write position or fall too far behind, it jumps by whole periods of the signal. A jump goes to
/// the best-correlating position, with a short crossfade. At pitch 1 and rate 1 the engine is
/// bit-transparent without latency.
struct LiveWarp: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  /// A playhead on the tape: one of the two sides of a crossfade.
  struct Reader: BitwiseCopyable {
    /// The position on the tape in frames, 32.32 fixed-point.
    var position: Int64
    /// The index of its interpolation table.
    var table: Int
    /// Whether samples are copied unchanged, one per frame.
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

  // -120 dB of full scale: signals below this level may be spliced at any point.
  private static var floorOfSilence: Float { @_noLocks get { 1e-6 } }
  private static var fadeSeconds: Double { @_noLocks get { 0.002 } }
  // For jumps to a given position, which may not correlate.
  private static var longFadeSeconds: Double { @_noLocks get { 0.012 } }
  // For jumps in the quiet before a sound starts.
  private static var quickFadeSeconds: Double { @_noLocks get { 0.0005 } }
  var choice: JumpChoice
  private var onsets: OnsetWatch
  var silence = PauseWatch(floor: LiveWarp.floorOfSilence)
  var quiet = PauseWatch(floor: OnsetWatch.floor)
  // Whether only silence, or a barely audible signal, was read at the last check, and nothing else
  // was coming.
  var isInSilence = false
  var isInQuiet = false
  // The attack for which the next jump back is postponed.
  var attack: Int64 = 0
  var reader = Reader(position: 0, table: 0, isPlain: true)
  var leaving = Reader(position: 0, table: 0, isPlain: true)
  private var isFresh = true
  private var hasLeapt = false
  // The position after the last rendered frame, where a leap starts from.
  private var lastPlace: Int64 = 0

  // The crossfade in progress.
  var fadeLeft = 0
  var fadeLength = 0
  private var likeness: Float = 1
  let fade: Int
  private let longFade: Int
  let quickFade: Int
  private let buffers = Buffers()
  private var shape: UnsafePointer<Float>
  private let shapes: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>

  // Whether a crossfade has ended or more of the tape was analyzed since onsets were last
  // considered. Considering them only then keeps the result independent of the block size.
  private var hasNews = true
  // Whether the next jump back is postponed until a sound that has just started has been played.
  var isPutOff = false

  /// Creates an engine with empty history.
  init(sampleRate: Double) {
    onsets = OnsetWatch(sampleRate: sampleRate)
    fade = Int(Self.fadeSeconds * sampleRate)
    longFade = Int(Self.longFadeSeconds * sampleRate)
    quickFade = max(Int(Self.quickFadeSeconds * sampleRate), 2)
    choice = JumpChoice(sampleRate: sampleRate, fade: fade, quickFade: quickFade)
    shapes = buffers.floats(fade + longFade + quickFade + 2 * WarpStep.longest)
    shape = UnsafePointer(shapes)
    for (length, start) in [(fade, 0), (longFade, fade), (quickFade, fade + longFade)] {
      for frame in 0..<length {
        let angle = Double.pi * (Double(frame) + 0.5) / Double(length)
        shapes[start + frame] = Float(0.5 - 0.5 * rt_cos(angle))
      }
    }
    scratch = shapes + fade + longFade + quickFade
  }

  /// Resets the state; the next step starts from its own position.
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
    choice.forget()
  }

  /// The number of frames after a start until the output is valid.
  var warmUp: Int { @_noLocks get { 0 } }

  /// Returns the mean latency in frames at rate 1: none at pitch 1, otherwise that of a tone at 440
  /// Hz.
  ///
  /// The actual latency varies by one period of the signal.
  @_noLocks
  borrowing func delay(pitch: Float, bank: borrowing SincBank) -> Int {
    if pitch == 1 { return 0 }
    let reach = bank.reach(ofTable: bank.table(forSpeed: pitch))
    let period = choice.leastLag + choice.leastLag / 7
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
    // The latency is defined for rate 1 only.
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
      choice.advance(frames: count)
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

  /// Whether the output is an unchanged copy of the tape, with nothing to decide.
  @_noLocks
  func isPlain(_ step: WarpStep) -> Bool {
    step.pitch == 1 && step.rate == WarpStep.unity && !step.isLeap && !isFresh && fadeLeft == 0
      && reader.isPlain && reader.position >> 32 == step.place >> 32
  }

  /// Copies one step from the tape, with the same analysis as for any other step.
  @_noLocks
  private mutating func goOnPlainly(
    _ tape: borrowing Tape, _ step: WarpStep, to out: Stereo, frames: Int
  ) {
    Self.readPlainly(tape, &reader, to: out, frames: frames)
    hasLeapt = false
    choice.advance(frames: frames)
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

  // MARK: - Position

  /// The distance from the place of a step at which the reader starts, in frames.
  @_noLocks
  func distanceAtStart(_ step: WarpStep, bank: borrowing SincBank) -> Int {
    if step.pitch == 1 && step.rate == WarpStep.unity { return 0 }
    let highest = bank.table(forSpeed: max(step.pitch, step.nextPitch))
    let reach = max(bank.reach(ofTable: highest), bank.reach(ofTable: reader.table)) &+ 2
    return reach &+ wayOfFade(step) &+ choice.leastLag
  }

  /// The shortest distance at which a crossfade, started one frame late, can still finish, beyond the interpolator's
  /// reach.
  @_noLocks
  private func wayOfFade(_ step: WarpStep) -> Int {
    Int(max(0, Self.greatestApproach(step)) * Float(fade &+ 1)) &+ 1
  }

  /// How fast the reader approaches the place at most during a jump that starts now, in frames per frame.
  @_noLocks
  private static func greatestApproach(_ step: WarpStep) -> Float {
    max(step.pitch, step.nextPitch) - Float(min(step.rate, step.nextRate)) * (1 / 4_294_967_296)
  }

  /// Starts a jump if one is due.
  ///
  /// Returns the number of frames until the next decision.
  @_noLocks
  private mutating func decide(
    _ tape: borrowing Tape, _ step: WarpStep, place: Int64, bank: borrowing SincBank
  ) -> Int {
    let isFollowing = step.pitch == 1 && step.rate == WarpStep.unity
    let table = bank.table(forSpeed: step.pitch)
    let highest = step.nextPitch > step.pitch ? bank.table(forSpeed: step.nextPitch) : table
    let reach = max(bank.reach(ofTable: highest), bank.reach(ofTable: reader.table)) &+ 2
    // How fast the reader approaches the current position, in frames per frame.
    let approach = step.pitch - Float(step.rate) * (1 / 4_294_967_296)
    let greatestApproach = Self.greatestApproach(step)
    let wayOfFade = wayOfFade(step)
    let nearest = reach &+ wayOfFade

    if isFresh {
      isFresh = false
      hasLeapt = false
      let distance = distanceAtStart(step, bank: bank)
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
      // A plain reader plays whole frames, also of a place that has a fraction.
      if reader.isPlain && reader.position >> 32 == place >> 32 { return .max }
      // Returns to the current position, even if it doesn't correlate.
      leap(tape, to: place, nearest: 0, isPlain: true, table: table)
      return 1
    }
    let distance = Int((place &- reader.position) >> 32)
    let room = distance &- reach
    let farthest = choice.farthest(at: reader.position)
    // Falling behind is checked at fixed times only.
    let isTooFar = room > farthest && (approach >= 0 || choice.isDue)
    if hasLeapt || isTooFar || distance < -choice.mostLag {
      hasLeapt = false
      // The long crossfade takes both readers closer to their limits. If the old one has no room
      // for it, the usual one is used.
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
    // In quiet, neither reader may be so close that an attack, detected one chunk late, comes into
    // its reach before the crossfade ends.
    let wayToAttack =
      isInQuiet ? Int(step.pitch * Float(OnsetWatch.chunk &+ quickFade &+ 1)) &+ 1 &+ wayOfFade : 0
    // In silence it moves at the next check; a jump might lead back into a sound.
    let nearestOfJump = isInSilence ? reach : reach &+ max(wayOfJump, wayToAttack)
    if reader.isPlain || distance < nearestOfJump && approach >= 0 {
      // After the crossfade there must be room for the next one.
      let least = max(choice.leastLag, max(nearest, nearestOfJump) &+ wayOfJump &- distance)
      // Not back to before a sound that has just started, nor to the one before the pause.
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
      // Repeats the sound before the onset instead, while the onset is still ahead.
      jumpBack(
        tape, before: onsets.last, by: max(choice.leastLag, wayOfFade) &+ choice.leastLag,
        table: table,
        length: .quick)
      return 1
    }
    if reader.table != table && toNearest > 2 &* fade {
      // The same position through the other table: a crossfade without a jump.
      begin(Reader(position: reader.position, table: table, isPlain: false), likeness: 1)
      return 1
    }
    if approach < 0 {
      let framesToCheck = choice.framesToCheck(room: room, approach: approach)
      if framesToCheck > 0 { return framesToCheck }
      jumpForward(tape, place: place >> 32, room: room, speed: step.pitch, table: table)
      return 1
    }
    return toNearest
  }

  /// Whether the next jump back, in `frames` frames, would come just after an onset that is still
  /// ahead, so that the onset is heard twice.
  @_noLocks
  private func wouldRepeatOnset(after frames: Int, speed: Float) -> Bool {
    let ahead = onsets.framesToLast(from: reader.position >> 32)
    guard ahead > Int(Float(quickFade) * speed) && ahead < choice.mostLag else { return false }
    let passed = Int(Float(min(frames, 1 << 20)) * speed) &- ahead
    return passed > -Int(Float(fade) * speed) && passed < 2 &* choice.leastLag
  }

  /// Jumps back by at least `least` frames and, if that leaves a choice, at most `most`.
  @_noLocks
  private mutating func jumpBack(
    _ tape: borrowing Tape, before end: Int64, by least: Int, table: Int,
    length: FadeLength = .usual, most: Int? = nil
  ) {
    // Correlates the newest signal on the tape, which the reader is about to play.
    let found = choice.lagBack(tape, end: end, by: least, most: most)
    jump(by: -found.lag, likeness: found.likeness, table: table, length: length)
  }

  /// Jumps forward if a lag fits or the jump is forced.
  @_noLocks
  private mutating func jumpForward(
    _ tape: borrowing Tape, place: Int64, room: Int, speed: Float, table: Int
  ) {
    let before = (reader.position >> 32) &- Int64(choice.attackFrames)
    let framesToAttack = onsets.framesToFirst(from: before, on: tape, now: place)
    guard
      let jump = choice.jumpForward(
        tape, from: reader.position, place: place, room: room, speed: speed,
        framesToAttack: framesToAttack, mayHaste: quiet.hasEnded)
    else { return }
    self.jump(
      by: jump.lag, likeness: jump.likeness, table: table, length: jump.isSilent ? .quick : .usual)
  }

  /// Shortens the crossfade of a forward jump, if a sound starts that it would cover.
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

  @_noLocks
  private mutating func jump(
    by lag: Float, likeness: Float, table: Int, length: FadeLength = .usual
  ) {
    let position = reader.position &+ Int64(Double(lag) * 4_294_967_296)
    begin(
      Reader(position: position, table: table, isPlain: false), likeness: likeness,
      length: length)
  }

  /// Moves to another part of the tape: to the best-correlating position there, or exactly to the
  /// target.
  @_noLocks
  private mutating func leap(
    _ tape: borrowing Tape, to place: Int64, nearest: Int, isPlain: Bool, table: Int,
    length: FadeLength = .long
  ) {
    let end = reader.position >> 32
    let target = (place >> 32) &- Int64(nearest)
    if isPlain {
      let found = choice.compare(tape, end: end, with: target)
      begin(
        Reader(position: target << 32, table: table, isPlain: true), likeness: found.likeness,
        length: length)
    } else {
      let found = choice.landing(tape, end: end, before: target)
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
    choice.noteJump()
    switch length {
    case .usual: (fadeLength, shape) = (fade, UnsafePointer(shapes))
    case .long: (fadeLength, shape) = (longFade, UnsafePointer(shapes + fade))
    case .quick: (fadeLength, shape) = (quickFade, UnsafePointer(shapes + fade + longFade))
    }
    fadeLeft = fadeLength
    self.likeness = max(likeness, -0.5)
  }

  // MARK: - Rendering

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
    // Correlated signals add up to more than uncorrelated ones.
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
    // A pitch that rises during a crossfade could pull the old reader past the end of the tape.
    let toEnd = (tape.head &- reach &- 1) << 32 &- reader.position
    let speed = min(speed, max(toEnd, 0) / Int64(frames))
    let start = (reader.position >> 32) &- reach
    bank.read(
      table: reader.table, left: tape.left(at: start), right: tape.right(at: start),
      from: reach << 32 &+ reader.position & 0xFFFF_FFFF, step: speed, to: out, frames: frames)
    reader.position = reader.position &+ Int64(frames) &* speed
  }
}
