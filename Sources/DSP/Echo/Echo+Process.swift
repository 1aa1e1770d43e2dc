internal import CRealtime

extension Echo {
  // -120 dB: what is below is taken for nothing.
  private static let silence: Float = 1e-6
  // 60 dB above full scale: nothing in the loop can overflow below that.
  private static let mostWritten: Float = 1000

  /// Adds the repeats to up to 1024 frames in place and returns whether anything sounds.
  ///
  /// `isSilent` says that all of the input is zero. Where nothing sounds it is left as it is.
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

  /// Whether nothing sounds and nothing moves: in silence it may be left alone.
  package var isAtRest: Bool {
    @_noLocks get { isRunning ? isIdle && isOn : !isOn }
  }

  /// Whether nothing that was ever written can be heard any more.
  private var isSpent: Bool {
    @_noLocks get {
      isIdle
        || (quietFrames > max(time.longestRead, heldFrames) &+ 32
          && tone.isQuieter(than: Self.silence))
    }
  }

  /// Sets out from off: only the input's own level is there to be kept.
  @_noLocks
  private mutating func begin() {
    settle()
    forget()
    clock = 0
    dry.jump(to: 1)
    dry.move(to: dryGain)
    isRunning = true
  }

  /// Begins and ends what takes a while, between two pieces.
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

  /// The most frames until something may begin or end, or that can be read in a row.
  private var mostFrames: Int {
    @_noLocks get {
      var most = min(EchoPiece.longest, time.mostFrames())
      if tail.isMoving { most = min(most, tail.framesLeft) }
      if entry.isMoving { most = min(most, entry.framesLeft) }
      if time.fade.isMoving { most = min(most, time.fade.framesLeft) }
      if hold.isMoving { most = min(most, hold.framesLeft) }
      if !hold.rests(at: 0) { most = min(most, heldFrames) }
      // Where a chunk begins, glides that are broken off come to rest, crossfades begin, and
      // what is off stops.
      if time.needsFade || (time.speed != 0 && !time.glides) || (!isOn && tail.rests(at: 0)) {
        most = min(most, framesToChunk(from: 0))
      }
      return most
    }
  }

  /// Counts the frames, some frames on from here, before a chunk begins.
  @_noLocks
  private func framesToChunk(from frame: Int) -> Int {
    EchoTime.chunk &- (clock &+ frame) & (EchoTime.chunk &- 1)
  }

  /// Renders a piece in which nothing begins or ends.
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

  /// Reads what is due, and yields where it is.
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
          rt_copy(place.left, read.left, count)
          rt_copy(place.right, read.right, count)
        }
      }
      done &+= count
    }
    return tap
  }

  /// Reads both sides of a crossfade, with gains that keep the power for as much as the two have
  /// in common.
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

  /// The gain that makes up for a loss of power, (1 - loss)^-1/2 for losses up to a half, to
  /// 0.002 dB: fitted, and exactly 1 where nothing is lost.
  @_noLocks @inline(__always)
  private static func restored(_ loss: SIMD8<Float>) -> SIMD8<Float> {
    let upper = (1.067_687 * loss - 0.112_722) * loss
    return 1 + ((upper + 0.454_309) * loss + 0.495_549) * loss
  }

  /// Makes what is written: the input and what goes back.
  @_noLocks
  private func write(_ sound: Stereo, frames: Int) {
    // The caller's memory ends where the block does, that of the rows later.
    let input = room.stereo(.input)
    rt_copy(input.left, sound.left, frames)
    rt_copy(input.right, sound.right, frames)
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

  /// Fades from what is new to what is held.
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

  /// Writes down, but never what is no number: it would stay for ever.
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

  /// Mixes the repeats into the sound, whose copy lies where there is room.
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
    rt_copy(sound.left, input.left, frames)
    rt_copy(sound.right, input.right, frames)
  }
}
