internal import CRealtime

/// A room reverb: a diffuser followed by an eight-line feedback delay network.
///
/// The response is dense 20 ms after its onset. Its decay time is the same from the lowest
/// frequencies to the damping corner, and the tail is uncolored. The wet signal has a latency of
/// one chunk (32 frames) plus the diffuser's shortest path, 3 ms in total.
///
/// For steady noise, the output is as loud as the input at any decay and size. The result doesn't
/// depend on the block size. Audio thread only, except for `init`.
package struct Reverb: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  private let buffers = Buffers()
  // Parameters are updated once per this many chunks.
  private static var chunksPerStep: Int { @_noLocks get { 4 } }
  private static var stepFrames: Int { @_noLocks get { chunksPerStep * ReverbClock.chunk } }
  private static let glideSeconds: Float = 0.025
  private static let entranceSeconds: Float = 0.008
  // While parameters move, steady noise may be up to 0.4 dB louder than at rest.
  private static let greatestPower: Float = 1.1
  private static let offSeconds: Float = 0.03
  private static let resetSeconds: Float = 0.02
  private static let onSeconds: Float = 0.01
  // Input is clipped at 60 dB above full scale. Output far above that means that a NaN has got in.
  private static let greatestInput: Float = 1000
  private static let greatestOutput: Float = 1e6
  // 24 lines and taps at this level add up to less than -120 dB.
  private static let quiet: Float = 2e-7

  private enum State: BitwiseCopyable {
    /// Bypassed.
    case off
    /// Processing.
    case on
    /// Fading out the tail, then bypassed or restarted.
    case fadingToOff, fadingToBegin
    /// Idle until there is input.
    case asleep
  }

  private let sampleRate: Float
  private var state = State.off
  private var clock = ReverbClock()
  // The number of frames in the current chunk, and of chunks since `init`.
  private var phase = 0
  private var chunks = 0
  private var quietChunks = 0
  private var inputIsSilent = true
  private var gateDone = 0
  private var gateChunks = 1
  private var entryDone = 0

  private var dry: Glide
  private var wet: Glide
  private var mix: Float = 0.3
  private var decay: Glide
  private var damping: Glide
  // The diffused signal's gain into the lines: the smoothed value at control rate, its audio-rate
  // value and the step per frame.
  private var entering: Glide
  private var level: Float = 0
  private var levelStep: Float = 0
  private var moves = false
  // The number of steps during which only the level has moved.
  private var evenSteps = 0
  // The balance for the current losses.
  private var balance = ReverbLines.Balance(kept: 0, heard: 0)

  private var predelay: ReverbPredelay
  private var diffuser: ReverbDiffuser
  private var lines: ReverbLines
  private var powers: ReverbPowers

  // One chunk each: stereo input, stereo output and the diffused lanes.
  private let pending: Stereo
  private let ready: Stereo
  private let diffused: UnsafeMutablePointer<Float>
  private let silence: UnsafeMutablePointer<Float>
  private let gains: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>

  /// Creates a reverb that is off, of medium size, with a decay of two seconds.
  package init(sampleRate: Float) {
    self.sampleRate = sampleRate
    let chunk = ReverbClock.chunk
    let total = 14 * chunk + 2048
    scratch = buffers.floats(total)
    pending = Stereo(scratch, scratch + chunk)
    ready = Stereo(scratch + 2 * chunk, scratch + 3 * chunk)
    diffused = scratch + 4 * chunk
    silence = scratch + 12 * chunk
    gains = scratch + 14 * chunk
    dry = Glide(at: 1, sampleRate: sampleRate)
    wet = Glide(at: 0, sampleRate: sampleRate)
    let steps = sampleRate / Float(Self.stepFrames)
    decay = Glide(at: rt_log(2), sampleRate: steps, seconds: Self.glideSeconds)
    damping = Glide(at: rt_log(8000), sampleRate: steps, seconds: Self.glideSeconds)
    predelay = ReverbPredelay(sampleRate: sampleRate)
    diffuser = ReverbDiffuser(sampleRate: sampleRate)
    lines = ReverbLines(sampleRate: sampleRate, size: 0.5)
    powers = ReverbPowers(frames: lines.longest, step: Self.stepFrames)
    entering = Glide(at: 0, sampleRate: steps, seconds: Self.entranceSeconds)
    settle()
  }

  /// Turns the reverb on with empty lines, or off with a fade of 30 ms.
  @_noLocks
  package mutating func setOn(_ on: Bool) {
    switch state {
    case .off where on: begin()
    case .fadingToOff where on: state = .fadingToBegin
    case .fadingToBegin where !on: state = .fadingToOff
    case .on where !on:
      state = .fadingToOff
      closeGate(seconds: Self.offSeconds)
    case .asleep where !on: state = .off
    default: break
    }
    aimMix()
  }

  /// Sets the decay time (RT60) of mid frequencies: 0.1 to 30 s.
  @_noLocks
  package mutating func setDecay(seconds: Float) {
    decay.move(to: rt_log(Self.within(seconds, 0.1, 30)))
  }

  /// Sets the room size: 0, with lines of 20 to 55 ms, to 1, with lines of 120 to 335 ms.
  @_noLocks
  package mutating func setSize(_ size: Float) {
    lines.setSize(Self.within(size, 0, 1))
  }

  /// Sets the frequency at which the decay time halves, 500 to 20 000 Hz.
  ///
  /// Far above it, the decay time is a third.
  @_noLocks
  package mutating func setDamping(hertz: Float) {
    damping.move(to: rt_log(Self.within(hertz, 500, 20_000)))
  }

  /// Sets the predelay: 0 to 0.25 s.
  @_noLocks
  package mutating func setPredelay(seconds: Float) {
    predelay.setDelay(seconds: Self.within(seconds, 0, 0.25))
  }

  /// Sets the mix: 0 is dry, 1 is wet, and 0.5 has both at full level.
  @_noLocks
  package mutating func setMix(_ mix: Float) {
    self.mix = Self.within(mix, 0, 1)
    aimMix()
  }

  /// Clamps a value to a range; NaN becomes the lower bound.
  @_noLocks
  private static func within(_ value: Float, _ least: Float, _ most: Float) -> Float {
    value >= least ? min(value, most) : least
  }

  @_noLocks
  private mutating func aimMix() {
    switch state {
    case .off, .fadingToOff: dry.move(to: 1)
    case .on, .fadingToBegin, .asleep:
      dry.move(to: min(1, 2 * (1 - mix)))
      wet.move(to: min(1, 2 * mix))
    }
  }

  /// Fades out the tail in 20 ms and continues with empty lines.
  @_noLocks
  package mutating func reset() {
    switch state {
    case .on:
      state = .fadingToBegin
      closeGate(seconds: Self.resetSeconds)
    case .off, .asleep, .fadingToOff, .fadingToBegin: break
    }
  }

  @_noLocks
  private mutating func closeGate(seconds: Float) {
    gateDone = 0
    gateChunks = max(1, Int(seconds * sampleRate) / ReverbClock.chunk)
  }

  /// Jumps to all targets at once.
  @_noLocks
  package mutating func settle() {
    dry.jump(to: dry.target)
    wet.jump(to: wet.target)
    entryDone = entryChunks
    settleSound()
  }

  @_noLocks
  private mutating func settleSound() {
    decay.jump(to: decay.target)
    damping.jump(to: damping.target)
    predelay.settle()
    lines.setLengths()
    rest()
  }

  /// Jumps to the target losses and the level that matches them.
  @_noLocks
  private mutating func rest() {
    balance = lines.aim(decay: rt_exp(decay.target), frames: 0)
    lines.move(tangent: tangent, frames: 0)
    powers.rest(at: balance.entering)
    level = rt_square_root(balance.input)
    entering.jump(to: level)
    levelStep = 0
    moves = false
  }

  /// tan(pi f / fs) for the damping frequency f.
  private var tangent: Float {
    @_noLocks get {
      let hertz = min(rt_exp(damping.current), 0.45 * sampleRate)
      let angle = Double(hertz / sampleRate) * .pi
      return Float(rt_sin(angle) / rt_cos(angle))
    }
  }

  /// Starts with empty lines at the current chunk.
  @_noLocks
  private mutating func begin() {
    clock.age = 0
    predelay.begin(clock)
    diffuser.begin(clock)
    lines.begin(clock)
    rt_zero(pending.left, 4 &* ReverbClock.chunk)
    state = .on
    quietChunks = 0
    inputIsSilent = true
    entryDone = 0
    wet.jump(to: min(1, 2 * mix))
    settleSound()
  }

  /// Adds the reverb in place, to at most 1024 frames.
  ///
  /// `isSilent` means that all input samples are zero. Returns whether the output may be nonzero;
  /// if not, the block is untouched.
  @_noLocks
  package mutating func process(_ sound: Stereo, frames: Int, isSilent: Bool) -> Bool {
    switch state {
    case .off where !dry.isMoving || isSilent:
      dry.jump(to: 1)
      rest(frames: frames)
      return !isSilent
    case .asleep:
      if isSilent {
        rest(frames: frames)
        return false
      }
      begin()
      // The input starts from silence, so no fade-in is needed.
      entryDone = entryChunks
      dry.jump(to: dry.target)
    case .on where isSilent && quietChunks > chunksOfMemory:
      state = .asleep
      rest(frames: frames)
      return false
    default: break
    }
    let (dryMoves, wetMoves) = (dry.isMoving, wet.isMoving)
    let (dryGain, wetGain) = (dry.target, wet.target)
    if dryMoves { dry.fill(gains, frames: frames) }
    if wetMoves { wet.fill(gains + 1024, frames: frames) }
    var done = 0
    while done < frames {
      let count = min(ReverbClock.chunk &- phase, frames &- done)
      let part = sound.advanced(by: done)
      if !isSilent { inputIsSilent = false }
      part.copy(to: pending.advanced(by: phase), frames: count)
      let echo = ready.advanced(by: phase)
      if dryMoves {
        Blocks.scale(part.left, by: gains + done, to: part.left, frames: count)
        Blocks.scale(part.right, by: gains + done, to: part.right, frames: count)
      } else if dryGain != 1 {
        Blocks.scale(part.left, by: dryGain, to: part.left, frames: count)
        Blocks.scale(part.right, by: dryGain, to: part.right, frames: count)
      }
      if wetMoves {
        Blocks.add(echo.left, times: gains + 1024 + done, to: part.left, frames: count)
        Blocks.add(echo.right, times: gains + 1024 + done, to: part.right, frames: count)
      } else {
        Blocks.add(echo.left, times: wetGain, to: part.left, frames: count)
        Blocks.add(echo.right, times: wetGain, to: part.right, frames: count)
      }
      phase &+= count
      done &+= count
      if phase == ReverbClock.chunk {
        phase = 0
        makeChunk()
      }
    }
    return true
  }

  // The longest time that input can affect the output, in chunks.
  private var chunksOfMemory: Int {
    @_noLocks get {
      (lines.longest + diffuser.longest + predelay.longest) / ReverbClock.chunk + 4
    }
  }

  private var entryChunks: Int {
    @_noLocks get { max(1, Int(Self.onSeconds * sampleRate) / ReverbClock.chunk) }
  }

  /// Whether it passes sound unchanged.
  package var isOff: Bool {
    @_noLocks get { if case .off = state { !dry.isMoving } else { false } }
  }

  /// Whether the reverb is idle: in silence it may be skipped.
  package var isAtRest: Bool {
    @_noLocks get {
      switch state {
      case .off, .asleep: !dry.isMoving
      case .on, .fadingToOff, .fadingToBegin: false
      }
    }
  }

  /// Advances by `frames` frames without processing, while idle.
  @_noLocks
  package mutating func rest(frames: Int) {
    let all = phase &+ frames
    phase = all & (ReverbClock.chunk &- 1)
    let passed = all / ReverbClock.chunk
    chunks &+= passed
    lines.skip(chunks: passed)
  }

  /// Computes the next output chunk from the collected input chunk.
  @_noLocks
  private mutating func makeChunk() {
    switch state {
    case .off, .asleep:
      rt_zero(ready.left, 2 &* ReverbClock.chunk)
      lines.skip(chunks: 1)
      chunks &+= 1
      return
    case .on, .fadingToOff, .fadingToBegin: break
    }
    predelay.prepare()
    lines.prepare()
    if chunks % Self.chunksPerStep == 0 { prepareStep() }
    chunks &+= 1
    bound(pending.left)
    bound(pending.right)
    if entryDone < entryChunks {
      let fade = ReverbFade(done: entryDone, of: entryChunks)
      fade.scale(pending.left, out: false)
      fade.scale(pending.right, out: false)
      entryDone &+= 1
    }
    predelay.process(pending, clock)
    diffuser.process(
      pending, gain: moves ? 1 : level, to: diffused, clock, silence: silence)
    if moves { moveLevel() }
    diffuser.listen(diffused, to: ready)
    lines.process(diffused, left: ready.left, right: ready.right, clock)
    let isSound = watch()
    clock.advance()
    inputIsSilent = true
    switch state {
    case .fadingToOff, .fadingToBegin:
      if gateDone == gateChunks || !isSound { beginAgain() } else { fadeOut() }
    case .on, .off, .asleep:
      if !isSound { beginAgain() }
    }
  }

  /// Applies the next part of the fade-out to the current chunk.
  @_noLocks
  private mutating func fadeOut() {
    let fade = ReverbFade(done: gateDone, of: gateChunks)
    fade.scale(ready.left, out: true)
    fade.scale(ready.right, out: true)
    gateDone &+= 1
  }

  /// Clears the lines, and switches off if that was requested.
  @_noLocks
  private mutating func beginAgain() {
    switch state {
    case .fadingToOff:
      state = .off
      rt_zero(ready.left, 2 &* ReverbClock.chunk)
    case .on, .fadingToBegin, .off, .asleep: begin()
    }
  }

  /// Detects the end of the tail, and returns false if the output has diverged or is NaN.
  @_noLocks
  private mutating func watch() -> Bool {
    let left = Magnitude(ready.left, frames: ReverbClock.chunk)
    let right = Magnitude(ready.right, frames: ReverbClock.chunk)
    let peak = Float(bitPattern: max(left.bits, right.bits))
    // Also false for NaN.
    if !(peak < Self.greatestOutput) { return false }
    if inputIsSilent && max(peak, lines.peak(clock)) < Self.quiet {
      quietChunks &+= 1
    } else {
      quietChunks = 0
    }
    return true
  }

  /// Computes the parameter ramps of the next step.
  ///
  /// Steady noise should keep its level whatever changes. So when decay grows, the input level
  /// falls ahead of the losses. The losses fall no faster than the signal already in the lines
  /// allows, which entered when less of it was audible. When decay shrinks, the input level rises
  /// after the losses.
  @_noLocks
  private mutating func prepareStep() {
    let isAsked = decay.isMoving || damping.isMoving || lines.isFading
    if !isAsked && !moves { return }
    if isAsked { evenSteps = 0 }
    if moves && evenSteps > powers.steps(lines.longestLength) && !entering.isMoving {
      rest()
      return
    }
    moves = true
    decay.skip(frames: 1)
    damping.skip(frames: 1)
    level = entering.current
    let goal = lines.balance(decay: rt_exp(decay.target), frames: Self.stepFrames)
    let isEven = evenSteps > powers.steps(lines.longestLength)
    let input = isEven ? goal.input : input(for: goal)
    entering.move(to: rt_square_root(input))
    entering.skip(frames: 1)
    let next = entering.current
    levelStep = (next - level) / Float(Self.stepFrames)
    let isHeld = aimLosses(room: Self.greatestPower - 4 * next * next)
    lines.move(tangent: tangent, frames: Self.stepFrames)
    powers.write(next * next + lines.returning(powers))
    let isNear = abs(input - goal.input) < 0.02 * goal.input
    evenSteps = isAsked || isHeld || !isNear ? 0 : evenSteps &+ 1
  }

  /// Returns the input power on the way to a balance.
  ///
  /// It keeps the lines at the goal's power, but adds no more than the signal in the lines leaves
  /// room for, and never less than the smaller of the two endpoints.
  @_noLocks
  private func input(for goal: ReverbLines.Balance) -> Float {
    let missing = min(goal.entering - lines.returning(powers), (1 - lines.heard(powers).power) / 4)
    return max(missing, min(goal.input, balance.input))
  }

  /// Computes the losses of the next step so that the lines contribute no more power than `room`.
  ///
  /// Returns whether that limited them.
  @_noLocks
  private mutating func aimLosses(room: Float) -> Bool {
    var seconds = rt_exp(decay.current)
    balance = lines.aim(decay: seconds, frames: Self.stepFrames)
    // Newton's method. The power is a convex function of the inverse decay time, so the iterations
    // converge from one side. The next step takes the rest.
    for round in 0..<3 {
      let heard = lines.heard(powers)
      if heard.power <= room { return round > 0 }
      seconds = max(0.1, 1 / (1 / seconds - (heard.power - room) / heard.slope))
      balance = lines.aim(decay: seconds, frames: Self.stepFrames)
    }
    return true
  }

  /// Ramps the input level of the lines over one chunk.
  @_noLocks
  private mutating func moveLevel() {
    let ramp = level + levelStep * SIMD4<Float>(0, 1, 2, 3)
    var place = 0
    while place < 8 &* ReverbClock.chunk {
      let frame = Float(place & (ReverbClock.chunk &- 1))
      diffused.setFour(at: place, diffused.four(at: place) * (ramp + levelStep * frame))
      place &+= 4
    }
    level += levelStep * Float(ReverbClock.chunk)
  }

  /// Clips the input.
  @_noLocks
  private func bound(_ samples: UnsafeMutablePointer<Float>) {
    let (most, least) = (Self.greatestInput, -Self.greatestInput)
    for frame in 0..<ReverbClock.chunk {
      samples[frame] = min(max(samples[frame], least), most)
    }
  }
}
