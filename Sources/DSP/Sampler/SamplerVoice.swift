internal import CRealtime

/// A voice: one region of one note in progress.
///
/// It works in steps of 32 frames, counted from its own start. Parameters are computed for the end
/// of a step and ramped linearly, so the result doesn't depend on the block size.
struct SamplerVoice: ~Copyable, @unchecked Sendable {
  // Smoothing time of controllers.
  private static var followSeconds: Float { @_noLocks get { 0.006 } }
  private static var octave: Float { @_noLocks get { 0.693_147_18 / 1200 } }

  private let anchor = Anchor()
  private(set) var note = VoiceNote(
    number: 0, finger: 0, instrument: 0, key: 0, cents: 0, velocity: 0, isLegato: false)
  private(set) var offBy: Int32 = 0
  private(set) var isReleased = false
  private(set) var isFading = false
  // Whether no frame has been rendered yet.
  var isUnheard = true
  private var region: UnsafePointer<SamplerRegion>
  private var modulators: UnsafePointer<SamplerModulator>
  private var looped: UnsafePointer<SamplerSound>
  private var plain: UnsafePointer<SamplerSound>
  private var sampleRate: Float = 48_000
  private var follow: Float = 0.1
  private var velocity: Float = 0
  private var key: Float = 0

  // Position and speed in samples, 32.32 fixed-point, and the sound's level, -1 before the first
  // step.
  var sound: UnsafePointer<SamplerSound>
  var position: Int64 = 0
  var speed: Int64 = 0
  var change: Int64 = 0
  var level = -1
  // The current step: its samples before gain, its length, and the frames already output.
  let step: Stereo
  var stepFrames = 0
  var stepDone = 0
  // The gains at the start of the step, and their slopes per frame.
  var left: Float = 0
  var right: Float = 0
  var leftSlope: Float = 0
  var rightSlope: Float = 0
  var tone = VoiceTone()
  private(set) var isFiltered = false
  // The step is part of the envelope's delay.
  private(set) var isSilent = false

  private var leftEnd: Float = 0
  private var rightEnd: Float = 0
  private(set) var speedEnd: Int64 = 0
  private var baseCents: Double = 0
  private var baseGain: Float = 0
  private var ratio: Double = 1
  private var cents: Float = .nan
  private var attenuation: Float = .nan
  private var amplitude: Float = 0
  private var pan: Float = .nan
  private var panLeft: Float = 0
  private var panRight: Float = 0
  private var cutoff: Float = .nan
  private var resonance: Float = .nan
  private var fade: Float = 1
  private var fadeSlope: Float = 0
  private var envelope: VoiceEnvelope
  private var modulation: VoiceEnvelope
  private var tremolo: VoiceOscillator
  private var vibrato: VoiceOscillator
  private var moved = VoiceModulation()

  /// Creates an idle voice.
  ///
  /// The pointers aren't dereferenced before `begin`.
  init(
    region: UnsafePointer<SamplerRegion>, modulators: UnsafePointer<SamplerModulator>,
    sound: UnsafePointer<SamplerSound>, step: Stereo
  ) {
    self.step = step
    self.region = region
    self.modulators = modulators
    self.sound = sound
    (looped, plain) = (sound, sound)
    let times = SamplerRegion.Envelope()
    envelope = VoiceEnvelope(times, isLoudness: true, sampleRate: 48_000)
    modulation = VoiceEnvelope(times, isLoudness: false, sampleRate: 48_000)
    tremolo = VoiceOscillator(delay: 0, frequency: 1, isUsed: false, sampleRate: 48_000)
    vibrato = tremolo
  }

  // MARK: - Start and end

  /// Starts playing a region of an instrument.
  @_noLocks
  mutating func begin(
    _ note: VoiceNote, _ region: UnsafePointer<SamplerRegion>, of instrument: InstrumentPointer,
    _ controllers: borrowing SamplerControllers, sampleRate: Float
  ) {
    self.note = note
    self.region = region
    self.sampleRate = sampleRate
    let data = region.pointee
    modulators = UnsafePointer(instrument.modulators + Int(data.modulators.first))
    looped = UnsafePointer(instrument.sounds + Int(data.looped))
    plain = UnsafePointer(instrument.sounds + Int(data.plain))
    sound = looped
    offBy = data.offBy
    (isReleased, isFading, isUnheard) = (false, false, true)
    follow = 1 - rt_exp(-Float(VoiceEnvelope.usualStep) / (Self.followSeconds * sampleRate))
    let isFixed = data.fixedKey != SamplerRegion.noKey
    let noteKey = isFixed ? Float(data.fixedKey) : Float(note.key)
    let noteCents = isFixed ? 100 * noteKey : note.cents
    velocity = data.fixedVelocity > 0 ? data.fixedVelocity : note.velocity
    key = noteKey / 127
    let once = moved.begin(region, modulators, controllers, velocity: velocity, key: key)
    typealias Target = SamplerModulator.Target
    let tracking = (data.keyTracking + once[Target.keyTracking.number]) / 100
    baseCents = Double(noteCents - 100 * data.rootKey) * Double(tracking) + Double(data.tune)
    baseGain = data.gain
    ratio = Double(data.rate) / Double(sampleRate)
    beginMovement(data, once, key: noteKey)
    isFiltered = data.isFiltered
    (cents, attenuation, pan, cutoff, resonance) = (.nan, .nan, .nan, .nan, .nan)
    (fade, fadeSlope) = (1, 0)
    position = Int64(data.start) << 32
    level = -1
    if isFiltered { tone = VoiceTone() }
    settle()
  }

  @_noLocks
  private mutating func beginMovement(
    _ data: SamplerRegion, _ once: SIMD32<Float>, key: Float
  ) {
    typealias Target = SamplerModulator.Target
    var loudness = Self.times(
      data.envelope, once, key: key, velocity: velocity, first: Target.delay.number,
      perKey: Target.holdPerKey.number)
    loudness.sustain *= rt_exp(once[Target.sustain.number] * -0.115_129_25)
    // An instant release would click.
    loudness.release = max(loudness.release, loudness.isWhole ? 0.015 : 0.01)
    envelope = VoiceEnvelope(loudness, isLoudness: true, sampleRate: sampleRate)
    var movement = Self.times(
      data.modulation, once, key: key, velocity: velocity, first: Target.modulationDelay.number,
      perKey: Target.modulationHoldPerKey.number)
    movement.sustain -= once[Target.modulationSustain.number]
    modulation = VoiceEnvelope(movement, isLoudness: false, sampleRate: sampleRate)
    let delay = once[Target.tremoloDelay.number]
    tremolo = VoiceOscillator(
      delay: data.tremolo.delay * Self.factor(delay),
      frequency: data.tremolo.frequency * Self.factor(once[Target.tremoloFrequency.number]),
      isUsed: true, sampleRate: sampleRate)
    vibrato = VoiceOscillator(
      delay: data.vibrato.delay * Self.factor(once[Target.vibratoDelay.number]),
      frequency: data.vibrato.frequency * Self.factor(once[Target.vibratoFrequency.number]),
      isUsed: true, sampleRate: sampleRate)
  }

  /// Returns the times of an envelope for a key and a velocity, scaled by five consecutive modulator
  /// outputs from `first` on, and by two from `perKey` on.
  @_noLocks
  private static func times(
    _ envelope: SamplerRegion.Envelope, _ once: SIMD32<Float>, key: Float, velocity: Float,
    first: Int, perKey: Int
  ) -> SamplerRegion.Envelope {
    var times = envelope
    times.attack = max(0, times.attack + velocity * envelope.attackByVelocity)
    times.decay = max(0, times.decay + velocity * envelope.decayByVelocity)
    times.release = max(0, times.release + velocity * envelope.releaseByVelocity)
    times.sustain = max(0, min(1, times.sustain + velocity * envelope.sustainByVelocity))
    times.delay *= factor(once[first])
    times.attack *= factor(once[first &+ 1])
    times.hold *= factor(once[first &+ 2])
    times.decay *= factor(once[first &+ 3])
    times.release *= factor(once[first &+ 4])
    times.hold *= factor((60 - key) * (envelope.holdPerKey + once[perKey]))
    times.decay *= factor((60 - key) * (envelope.decayPerKey + once[perKey &+ 1]))
    return times
  }

  /// Converts cents to a ratio.
  @_noLocks
  private static func factor(_ cents: Float) -> Float {
    cents == 0 ? 1 : rt_exp(max(-24_000, min(24_000, cents)) * octave)
  }

  /// Converts cents to a ratio, accurate to a ten-thousandth of a cent.
  @_noLocks
  private static func ratio(cents: Double) -> Double {
    let octaves = max(-20, min(20, cents * (1 / 1200)))
    let whole = Int(octaves + 20.5) &- 20
    // A Taylor series of the remainder.
    let x = (octaves - Double(whole)) * 0.693_147_180_559_945_3
    var sum = 1 + x / 9
    sum = 1 + x / 8 * sum
    sum = 1 + x * (1 / 7.0) * sum
    sum = 1 + x * (1 / 6.0) * sum
    sum = 1 + x * (1 / 5.0) * sum
    sum = 1 + x * (1 / 4.0) * sum
    sum = 1 + x * (1 / 3.0) * sum
    sum = 1 + x * (1 / 2.0) * sum
    sum = 1 + x * sum
    return whole >= 0 ? sum * Double(1 << whole) : sum / Double(1 << -whole)
  }

  /// Whether the voice plays a region.
  @_noLocks
  func plays(_ region: UnsafeMutablePointer<SamplerRegion>) -> Bool {
    self.region == UnsafePointer(region)
  }

  /// Releases the note.
  ///
  /// One-shot samples play on to their end.
  @_noLocks
  mutating func release() {
    if isReleased { return }
    isReleased = true
    let mode = region.pointee.loopMode
    if case .oneShot = mode { return }
    envelope.release()
    modulation.release()
    if case .untilRelease = mode {
      // Continues after the loop, from the same position within it.
      let end = Int64(region.pointee.loop.end) << 32
      if position >= end {
        position &-=
          ((position &- end) / sound.pointee.loopLength &+ 1)
          &* sound.pointee.loopLength
      }
      sound = plain
      level = -1
    }
  }

  /// Fades out within `frames` frames.
  @_noLocks
  mutating func fadeOut(frames: Int) {
    let slope = fade / Float(max(1, frames))
    if isFading && fadeSlope >= slope { return }
    isReleased = true
    isFading = true
    fadeSlope = slope
  }

  /// The loudness for voice stealing; 0 while fading out.
  ///
  /// Voices not yet rendered count with their full level, so that notes of the same chord don't
  /// steal each other.
  var loudness: Float {
    @_noLocks get {
      isFading ? 0 : amplitude * (envelope.isWaiting || isUnheard ? 1 : envelope.level)
    }
  }

  /// The current loudness of a fade-out; negative if not fading.
  var fadingLoudness: Float {
    @_noLocks get { isFading ? amplitude * envelope.level * fade : -1 }
  }

  /// Whether the voice has ended.
  var isOver: Bool {
    @_noLocks get {
      stepDone >= stepFrames
        && (envelope.isOver || fade <= 0
          || sound.pointee.loopLength == 0 && position >= sound.pointee.limit)
    }
  }

  // MARK: - Steps

  /// Jumps to the initial values of the note.
  @_noLocks
  private mutating func settle() {
    (stepFrames, stepDone) = (0, 0)
    aim(frames: 0, tremolo: 0, vibrato: 0)
    (left, right, speed) = (leftEnd, rightEnd, speedEnd)
  }

  /// Starts the next step.
  @_noLocks
  mutating func goOn(_ controllers: borrowing SamplerControllers) {
    (left, right, speed) = (leftEnd, rightEnd, speedEnd)
    isSilent = envelope.isWaiting
    let frames = envelope.longestStep
    envelope.advance(by: frames)
    modulation.advanceFar(by: frames)
    moved.advance(
      region, modulators, controllers, velocity: velocity, key: key, share: follow)
    let swing = (tremolo.advance(by: frames), vibrato.advance(by: frames))
    if isFading { fade = max(0, fade - fadeSlope * Float(frames)) }
    aim(frames: frames, tremolo: swing.0, vibrato: swing.1)
    let share = 1 / Float(frames)
    leftSlope = (leftEnd - left) * share
    rightSlope = (rightEnd - right) * share
    change = speedEnd == speed ? 0 : Int64(Double(speedEnd &- speed) * Double(share))
    stepFrames = frames
    stepDone = 0
  }

  /// Computes the parameter values at the end of the next `frames` frames.
  @_noLocks
  private mutating func aim(frames: Int, tremolo: Float, vibrato: Float) {
    let data = region
    let movement = modulation.level
    let added =
      moved.value(.pitch)
      + tremolo * (data.pointee.tremolo.toPitch + moved.value(.tremoloToPitch))
      + vibrato * (data.pointee.vibrato.toPitch + moved.value(.vibratoToPitch))
      + movement * (data.pointee.modulationToPitch + moved.value(.modulationToPitch))
    if added != cents {
      cents = added
      let speed = ratio * Self.ratio(cents: baseCents + Double(added))
      speedEnd = Int64(min(speed, Double(SamplerSound.fastest)) * 4_294_967_296)
    }
    let swing = tremolo * (data.pointee.tremolo.toGain + moved.value(.tremoloToGain))
    let loudness = baseGain + swing - max(0, moved.value(.attenuation))
    if loudness != attenuation {
      attenuation = loudness
      amplitude = rt_exp(min(loudness, 60) * 0.115_129_25)
    }
    let place = max(-1, min(1, data.pointee.pan + moved.value(.pan)))
    if place != pan {
      pan = place
      let angle = Double(place + 1) * (.pi / 4)
      // Stereo sounds keep their level at the center; mono ones get half of their power on each
      // side.
      let scale = (sound.pointee.isStereo ? 1.414_213_562_373_095 : 1) * Double(sound.pointee.gain)
      (panLeft, panRight) = (Float(scale * rt_cos(angle)), Float(scale * rt_sin(angle)))
    }
    let gain = amplitude * envelope.level * fade
    (leftEnd, rightEnd) = (gain * panLeft, gain * panRight)
    if isFiltered { aimTone(frames: frames, tremolo: tremolo, movement: movement) }
  }

  @_noLocks
  private mutating func aimTone(frames: Int, tremolo: Float, movement: Float) {
    let data = region
    let peak = data.pointee.filter.resonance + moved.value(.resonance)
    let wanted =
      moved.value(.cutoff)
      + (key * 127 - 60) * data.pointee.filter.perKey + velocity * data.pointee.filter.byVelocity
      + tremolo * (data.pointee.tremolo.toFilter + moved.value(.tremoloToFilter))
      + movement * (data.pointee.modulationToFilter + moved.value(.modulationToFilter))
    if wanted == cutoff && peak == resonance {
      tone.stay()
      return
    }
    (cutoff, resonance) = (wanted, peak)
    tone.move(
      data.pointee.filter.kind, cutoff: data.pointee.filter.cutoff * Self.factor(wanted),
      resonance: peak, sampleRate: sampleRate, frames: frames)
  }
}
