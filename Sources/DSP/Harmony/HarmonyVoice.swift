internal import CRealtime

/// A harmony voice: a formant-preserving pitch shifter with gate, delay, gain and pan, muted while there is no note.
///
/// The latency is that of the voice engine plus the delay.
package struct HarmonyVoice: ~Copyable {
  /// The latency of the engine, in seconds.
  package static var delaySeconds: Double { VoiceOverlap.delaySeconds }
  /// The longest delay of its own, in seconds.
  package static var longestDelaySeconds: Float { @_noLocks get { 0.2 } }
  // The time constant of the gate is shorter than a consonant.
  private static var gateSeconds: Float { @_noLocks get { 0.002 } }
  private static var glideSeconds: Float { @_noLocks get { 0.003 } }
  private static var delayFadeSeconds: Float { @_noLocks get { 0.02 } }

  private let sampleRate: Float
  private var overlap: VoiceOverlap
  private var isRunning = false
  private var lastShares = SIMD2<Float>(repeating: 0.5)
  private var shift: Glide
  private var formant: Glide
  private var gate: Glide
  private var gain: Glide
  private var leftShare: Glide
  private var rightShare: Glide
  private var isOn = false
  // False in consonants, too.
  private var hasNote = false

  private let buffers = Buffers()
  // The mono sound, for the delay.
  private let ring: UnsafeMutablePointer<Float>
  private let ringFrames: Int
  private var head = 0
  private var delayFrames = 0
  private var nextDelayFrames = 0
  private var fadeLeft = 0
  private let fadeFrames: Int
  // The number of frames until the ring is silent.
  private var framesToEnd = 0
  private var isRingClear = true
  // The pitch ratio of the present step.
  private var pitch: Float = 1
  private let rendered: Stereo
  private let weights: UnsafeMutablePointer<Float>

  /// Creates a voice that is off.
  package init(sampleRate: Double) {
    let rate = Float(sampleRate)
    self.sampleRate = rate
    overlap = VoiceOverlap(sampleRate: sampleRate)
    shift = Glide(at: 0, sampleRate: rate, seconds: Self.glideSeconds)
    formant = Glide(at: 0, sampleRate: rate)
    gate = Glide(at: 0, sampleRate: rate, seconds: Self.gateSeconds)
    gain = Glide(at: 1, sampleRate: rate)
    leftShare = Glide(at: 1, sampleRate: rate)
    rightShare = Glide(at: 1, sampleRate: rate)
    ringFrames = .powerOfTwo(
      atLeast: Int(Self.longestDelaySeconds * rate) + 2 * WarpStep.longest)
    ring = buffers.floats(ringFrames)
    fadeFrames = Int(Self.delayFadeSeconds * rate)
    rendered = buffers.stereo(WarpStep.longest)
    weights = buffers.floats(WarpStep.longest)
  }

  // MARK: - Parameters

  /// Turns the voice on or off.
  @_noLocks
  package mutating func setOn(_ value: Bool) {
    isOn = value
    open()
  }

  /// Sets the gain.
  @_noLocks
  package mutating func setGain(_ value: Float) { gain.move(to: value) }

  /// Sets the pan: -1 is left, 1 is right.
  @_noLocks
  package mutating func setPan(_ place: Float) {
    leftShare.move(to: min(1, 1 - place))
    rightShare.move(to: min(1, 1 + place))
  }

  /// Sets the formant shift, in semitones.
  @_noLocks
  package mutating func setFormant(semitones: Float) { formant.move(to: semitones) }

  /// Sets the delay, in seconds.
  @_noLocks
  package mutating func setDelay(seconds: Float) {
    let longest = ringFrames &- 2 &* WarpStep.longest
    nextDelayFrames = max(0, min(Int(seconds * sampleRate), longest))
  }

  /// Sets the shift in semitones; nil is silence.
  @_noLocks
  package mutating func setShift(_ semitones: Float?) {
    if let semitones {
      // A silent voice doesn't glide.
      if !hasNote && gate.current < 0.01 { shift.jump(to: semitones) }
      if shift.target != semitones { shift.move(to: semitones) }
    }
    hasNote = semitones != nil
    open()
  }

  @_noLocks
  private mutating func open() {
    let target: Float = isOn && hasNote ? 1 : 0
    if gate.target != target { gate.move(to: target) }
  }

  /// Applies all settings at once, before the first block.
  @_noLocks
  package mutating func settle() {
    shift.jump(to: shift.target)
    formant.jump(to: formant.target)
    gain.jump(to: gain.target)
    leftShare.jump(to: leftShare.target)
    rightShare.jump(to: rightShare.target)
    delayFrames = nextDelayFrames
    fadeLeft = 0
  }

  /// Whether it is off, and silent.
  package var isOff: Bool {
    @_noLocks get { !isOn && !gate.isMoving && framesToEnd <= 0 }
  }

  /// Whether it is on and has a note.
  package var isSinging: Bool { @_noLocks get { isOn && hasNote } }

  // MARK: - Sound

  /// Advances while the tape is silent.
  @_noLocks
  package mutating func rest(frames: Int) {
    isRunning = false
    // The next sound can start in the middle of a step.
    pitch = Self.ratio(shift.target)
    shift.jump(to: shift.target)
    formant.jump(to: formant.target)
    gate.skip(frames: frames)
    gain.skip(frames: frames)
    leftShare.skip(frames: frames)
    rightShare.skip(frames: frames)
    if !isRingClear {
      rt_zero(ring, ringFrames)
      isRingClear = true
    }
    framesToEnd = 0
    delayFrames = nextDelayFrames
    fadeLeft = 0
  }

  /// Adds the next frames of a step to `out`; they end `behind` frames before the end of the tape.
  ///
  /// `lead` is the pitch of the tape, and `shares` are the gains of its sides in the mono sound.
  @_noLocks
  package mutating func add(
    _ tape: borrowing Tape, _ lead: VoicePitch, shares: SIMD2<Float>, behind: Int,
    startsStep: Bool, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    let place = (tape.head &- Int64(behind &+ frames)) << 32
    if !isRunning {
      isRunning = true
      overlap.start()
    }
    if startsStep {
      shift.skip(frames: WarpStep.longest)
      formant.skip(frames: WarpStep.longest)
      pitch = Self.ratio(shift.current)
    }
    let step = WarpStep(
      place: place, rate: WarpStep.unity, pitch: pitch,
      formant: Self.ratio(formant.current))
    overlap.process(tape, step, lead, bank: bank, to: rendered, frames: frames)
    // Antiphase sides are subtracted.
    write(SIMD2(shares.x, lead.mono.rightShare < 0 ? -shares.y : shares.y), frames: frames)
    if framesToEnd <= 0 {
      gain.skip(frames: frames)
      leftShare.skip(frames: frames)
      rightShare.skip(frames: frames)
      delayFrames = nextDelayFrames
      return
    }
    read(frames: frames)
    addSides(to: out, frames: frames)
  }

  /// Writes the mono sound, through the gate, to the ring.
  @_noLocks
  private mutating func write(_ shares: SIMD2<Float>, frames: Int) {
    if gate.isMoving || gate.target != 0 {
      framesToEnd = delayFrames &+ nextDelayFrames &+ fadeFrames &+ frames
    }
    framesToEnd = max(0, framesToEnd &- frames)
    isRingClear = false
    gate.fill(weights, frames: frames)
    let step = (shares - lastShares) / Float(frames)
    var gains = lastShares
    let mask = ringFrames &- 1
    for frame in 0..<frames {
      gains += step
      ring[(head &+ frame) & mask] =
        weights[frame] * (gains.x * rendered.left[frame] + gains.y * rendered.right[frame])
    }
    lastShares = shares
    head = (head &+ frames) & mask
  }

  /// Reads the frames written last, after the delay, to `rendered`.
  @_noLocks
  private mutating func read(frames: Int) {
    let mask = ringFrames &- 1
    if fadeLeft == 0 && delayFrames != nextDelayFrames { fadeLeft = fadeFrames }
    let sound = rendered.left
    let first = head &- frames &- delayFrames
    for frame in 0..<frames { sound[frame] = ring[(first &+ frame) & mask] }
    if fadeLeft == 0 { return }
    let next = head &- frames &- nextDelayFrames
    let scale = 1 / Float(fadeFrames)
    for frame in 0..<frames {
      let share = Crossfade.eased(min(1, Float(fadeFrames &- fadeLeft &+ frame) * scale))
      sound[frame] += share * (ring[(next &+ frame) & mask] - sound[frame])
    }
    fadeLeft = max(0, fadeLeft &- frames)
    if fadeLeft == 0 { delayFrames = nextDelayFrames }
  }

  /// Adds the mono sound in `rendered` to both sides.
  @_noLocks
  private mutating func addSides(to out: Stereo, frames: Int) {
    let sound = rendered.left
    gain.fill(weights, frames: frames)
    for frame in 0..<frames { sound[frame] *= weights[frame] }
    leftShare.fill(weights, frames: frames)
    for frame in 0..<frames { out.left[frame] += weights[frame] * sound[frame] }
    rightShare.fill(weights, frames: frames)
    for frame in 0..<frames { out.right[frame] += weights[frame] * sound[frame] }
  }

  @_noLocks
  private static func ratio(_ semitones: Float) -> Float {
    max(0.25, min(Semitones.ratio(semitones), 4))
  }
}
