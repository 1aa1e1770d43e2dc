internal import CRealtime

extension Echo {
  // -120 dB: signals below this count as silence.
  private static let silence: Float = 1e-6
  // 60 dB above full scale. Below that nothing in the loop can overflow.
  private static let mostWritten: Float = 1000

  /// Adds the repeats to up to 1024 frames in place.
  ///
  /// Returns whether the output may be nonzero.
  ///
  /// `isSilent` means that all input samples are zero. Silent output leaves the block untouched.
  @_noLocks
  package mutating func process(_ sound: Stereo, frames: Int, isSilent: Bool) -> Bool {
    if isIdle && !isSilent {
      isIdle = false
      settle()
    }
    if !isRunning {
      if !isOn { return !isSilent }
      begin()
    }
    if isSilent && isSpent {
      if !isIdle {
        settle()
        forget()
        isIdle = true
      }
      return false
    }
    var done = 0
    while done < frames {
      turn()
      if !isRunning { break }
      let count = min(frames &- done, mostFrames)
      process(sound.advanced(by: done), frames: count)
      done &+= count
    }
    return true
  }

  /// Whether the echo is idle: in silence it may be skipped.
  package var isAtRest: Bool {
    @_noLocks get { isRunning ? isIdle && isOn : !isOn }
  }

  /// Whether it passes sound unchanged, and no state changes with it.
  package var isOff: Bool { @_noLocks get { !isRunning && !isOn && !isIdle } }

  /// Whether the delay line holds nothing audible anymore.
  private var isSpent: Bool {
    @_noLocks get {
      isIdle
        || (quietFrames > max(time.longestRead, heldFrames) &+ 32
          && tone.isQuieter(than: Self.silence))
    }
  }

  /// Starts from the off state, where only the dry gain must stay continuous.
  @_noLocks
  private mutating func begin() {
    settle()
    forget()
    clock = 0
    dry.jump(to: 1)
    dry.move(to: dryGain)
    isRunning = true
  }

  /// Starts and ends fades, between two pieces.
  @_noLocks
  private mutating func turn() {
    if tail.rests(at: 0) {
      if isOn {
        forget()
      } else if !dry.isMoving && framesToChunk(from: 0) == EchoTime.chunk {
        isRunning = false
      }
    } else if !tail.isMoving && (isToForget || !isOn) {
      tail.begin(to: 0)
    }
    if hold.rests(at: isToHold ? 0 : 1) {
      if isToHold { heldFrames = time.wholeTarget }
      hold.begin(to: isToHold ? 1 : 0)
    }
    if time.needsFade && framesToChunk(from: 0) == EchoTime.chunk {
      time.beginFade()
      time.likeness = line.likeness(time.delay, time.next)
    }
  }

  /// The longest piece, in frames: until the next fade boundary, and no more than can be read
  /// before writing.
  private var mostFrames: Int {
    @_noLocks get {
      var most = min(EchoPiece.longest, time.mostFrames())
      if tail.isMoving { most = min(most, tail.framesLeft) }
      if entry.isMoving { most = min(most, entry.framesLeft) }
      if time.fade.isMoving { most = min(most, time.fade.framesLeft) }
      if hold.isMoving { most = min(most, hold.framesLeft) }
      if !hold.rests(at: 0) { most = min(most, heldFrames) }
      // At chunk boundaries, aborted glides come to rest, crossfades begin and an echo that is off
      // stops.
      if time.needsFade || (time.speed != 0 && !time.glides) || (!isOn && tail.rests(at: 0)) {
        most = min(most, framesToChunk(from: 0))
      }
      return most
    }
  }

  /// Returns the number of frames from `frame` until the next chunk.
  @_noLocks
  private func framesToChunk(from frame: Int) -> Int {
    EchoTime.chunk &- (clock &+ frame) & (EchoTime.chunk &- 1)
  }

  /// Renders a piece without fade boundaries inside.
  @_noLocks
  private mutating func process(_ sound: Stereo, frames: Int) {
    feedback.prepare(frames: frames)
    spread.prepare(frames: frames)
    dry.prepare(frames: frames)
    wet.prepare(frames: frames)
    let holds = !hold.rests(at: 0)
    entry.prepare(frames: frames)
    tail.prepare(frames: frames)
    hold.prepare(frames: frames)
    let repeats = room.stereo(.repeats)
    let written = room.stereo(.written)
    tone.process(readTap(frames: frames), to: repeats, frames: frames)
    write(sound, frames: frames)
    if holds {
      let held = line.readResting(
        delay: Int64(heldFrames) << 32, set: 0, room: room.stereo(.held), frames: frames)
      blend(held, into: written, frames: frames)
      blend(held, into: repeats, frames: frames)
    }
    store(written, frames: frames)
    mix(repeats, into: sound, frames: frames)
    clock &+= frames
  }

  /// Reads the delayed signal and returns where it is.
  @_noLocks
  private mutating func readTap(frames: Int) -> Stereo {
    let tap = room.stereo(.tap)
    if time.fade.isMoving { return readFade(frames: frames) }
    if !time.slews {
      return line.readResting(delay: time.delay, set: weightSet, room: tap, frames: frames)
    }
    var done = 0
    while done < frames {
      if framesToChunk(from: done) == EchoTime.chunk && time.slews { time.steer() }
      let count = min(frames &- done, time.slews ? framesToChunk(from: done) : frames)
      let delay = time.delay &- Int64(done) << 32
      let place = tap.advanced(by: done)
      if time.speed != 0 {
        line.readMoving(delay: delay, step: 1 << 32 &- time.speed, to: place, frames: count)
        time.advance(frames: count)
      } else {
        let read = line.readResting(delay: delay, set: weightSet, room: place, frames: count)
        if read.left != place.left {
          read.copy(to: place, frames: count)
        }
      }
      done &+= count
    }
    return tap
  }

  /// Reads both sides of a crossfade, with gains that preserve power for their measured
  /// correlation.
  @_noLocks
  private mutating func readFade(frames: Int) -> Stereo {
    let tap = room.stereo(.tap)
    let old = line.readResting(delay: time.delay, set: weightSet, room: tap, frames: frames)
    let new = line.readResting(
      delay: time.next, set: 1 &- weightSet, room: room.stereo(.nextTap), frames: frames)
    time.fade.prepare(frames: frames)
    let apart = 2 - 2 * min(max(time.likeness, 0), 1)
    var frame = 0
    while frame < frames {
      let share = time.fade.values.eight(at: frame)
      let rest = 1 - share
      let gain = Self.restored(apart * (rest * share))
      let left = rest * old.left.eight(at: frame) + share * new.left.eight(at: frame)
      let right = rest * old.right.eight(at: frame) + share * new.right.eight(at: frame)
      tap.left.setEight(at: frame, gain * left)
      tap.right.setEight(at: frame, gain * right)
      frame &+= 8
    }
    if !time.fade.isMoving {
      time.endFade()
      weightSet = 1 &- weightSet
    }
    return tap
  }

  /// The gain that makes up for a loss of power: (1 - loss)^-1/2 for losses up to 0.5, accurate to
  /// 0.002 dB.
  ///
  /// A polynomial fit, exactly 1 at no loss.
  @_noLocks @inline(__always)
  private static func restored(_ loss: SIMD8<Float>) -> SIMD8<Float> {
    let upper = (1.067_687 * loss - 0.112_722) * loss
    return 1 + ((upper + 0.454_309) * loss + 0.495_549) * loss
  }

  /// Computes the delay line's input: the entering signal plus feedback.
  @_noLocks
  private func write(_ sound: Stereo, frames: Int) {
    // The caller's buffer ends with the block; the rows have room for whole vectors.
    let input = room.stereo(.input)
    sound.copy(to: input, frames: frames)
    let repeats = room.stereo(.repeats)
    let written = room.stereo(.written)
    var frame = 0
    while frame < frames {
      let left = input.left.eight(at: frame)
      let right = input.right.eight(at: frame)
      let spread = self.spread.values.eight(at: frame)
      let entry = self.entry.values.eight(at: frame)
      let feedback = self.feedback.values.eight(at: frame)
      let enteringLeft = entry * (left + spread * (0.5 * (right - left)))
      let enteringRight = entry * (right - spread * right)
      let oneLeft = repeats.left.eight(at: frame)
      let oneRight = repeats.right.eight(at: frame)
      let lower = Saturator.bounded(spread, most: 0.5)
      let crossing = 4 * lower * (1 - lower) * (oneRight - oneLeft)
      let backLeft = Saturator.bend(feedback * (oneLeft + crossing))
      let backRight = Saturator.bend(feedback * (oneRight - crossing))
      written.left.setEight(at: frame, Self.bounded(enteringLeft + backLeft))
      written.right.setEight(at: frame, Self.bounded(enteringRight + backRight))
      frame &+= 8
    }
  }

  @_noLocks @inline(__always)
  private static func bounded(_ samples: SIMD8<Float>) -> SIMD8<Float> {
    Saturator.bounded(Saturator.bounded(samples, most: mostWritten), least: -mostWritten)
  }

  /// Crossfades from the running to the held signal.
  @_noLocks
  private func blend(_ held: Stereo, into sound: Stereo, frames: Int) {
    var frame = 0
    while frame < frames {
      let share = hold.values.eight(at: frame)
      let left = sound.left.eight(at: frame)
      let right = sound.right.eight(at: frame)
      sound.left.setEight(at: frame, (1 - share) * left + share * held.left.eight(at: frame))
      sound.right.setEight(at: frame, (1 - share) * right + share * held.right.eight(at: frame))
      frame &+= 8
    }
  }

  /// Writes to the delay line.
  ///
  /// Non-finite samples are replaced by zeros, because they would recirculate forever.
  @_noLocks
  private mutating func store(_ written: Stereo, frames: Int) {
    let left = Magnitude(written.left, frames: frames)
    let right = Magnitude(written.right, frames: frames)
    if !left.isFinite { _ = Magnitude.silenceNonFinite(written.left, frames: frames) }
    if !right.isFinite { _ = Magnitude.silenceNonFinite(written.right, frames: frames) }
    let isQuiet = max(left.bits, right.bits) < Self.silence.bitPattern
    quietFrames = isQuiet ? quietFrames &+ frames : 0
    line.write(written, frames: frames)
  }

  /// Mixes the repeats with the input's padded copy and writes the result to the block.
  @_noLocks
  private func mix(_ repeats: Stereo, into sound: Stereo, frames: Int) {
    let input = room.stereo(.input)
    var frame = 0
    while frame < frames {
      let dry = self.dry.values.eight(at: frame)
      let wet = self.wet.values.eight(at: frame) * tail.values.eight(at: frame)
      let left = dry * input.left.eight(at: frame) + wet * repeats.left.eight(at: frame)
      let right = dry * input.right.eight(at: frame) + wet * repeats.right.eight(at: frame)
      input.left.setEight(at: frame, left)
      input.right.setEight(at: frame, right)
      frame &+= 8
    }
    input.copy(to: sound, frames: frames)
  }
}
