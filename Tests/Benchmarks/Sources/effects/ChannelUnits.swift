import DSP
import Harness

/// The gate of the channel strip: 100 ms of hold, and 60 dB of range.
struct GateUnit: ~Copyable {
  private var gate: NoiseGate

  init(rate: Double) {
    gate = NoiseGate(sampleRate: Float(rate))
    gate.setHold(seconds: 0.1)
    gate.setRange(gain: 0.001)
    gate.setOn(true)
  }

  mutating func set(_ key: effect_key, _ value: Float) {
    if key == EFFECT_THRESHOLD { gate.setThreshold(Level.gain(decibels: value)) }
  }

  mutating func process(_ sound: Stereo, frames: Int) { _ = gate.process(sound, frames: frames) }
}

/// The compressor of the channel strip, at its usual amount.
struct LevelUnit: ~Copyable {
  private var leveler: Leveler

  init(rate: Double) {
    leveler = Leveler(sampleRate: Float(rate))
    leveler.setAmount(0.5)
    leveler.setOn(true)
    leveler.settle()
  }

  mutating func process(_ sound: Stereo, frames: Int) { leveler.process(sound, frames: frames) }
}

/// Four harmony voices at fixed intervals.
struct HarmonyUnit: ~Copyable {
  private static let intervals: [Float] = [4, 7, -5, -12]

  private var voice: SungVoice
  private let bank = SincBank()
  private let voices: UnsafeMutablePointer<HarmonyVoice>

  init(rate: Double) {
    voice = SungVoice(sampleRate: rate)
    voices = .allocate(capacity: Self.intervals.count)
    for (index, interval) in Self.intervals.enumerated() {
      (voices + index).initialize(to: HarmonyVoice(sampleRate: rate))
      voices[index].setOn(true)
      voices[index].setShift(interval)
      voices[index].settle()
    }
  }

  deinit {
    voices.deinitialize(count: Self.intervals.count)
    voices.deallocate()
  }

  /// The latency in frames, at 48 kHz.
  var delay: Int { Int(HarmonyVoice.delaySeconds * 48_000) }

  mutating func process(_ input: Stereo, to out: Stereo, frames: Int) {
    out.clear(frames: frames)
    var done = 0
    while done < frames {
      let untilResult = voice.framesToRound
      let left = (untilResult - 1) % WarpStep.longest + 1
      let count = min(frames - done, left)
      let lead = voice.tracked
      let hasResult = voice.write(input.advanced(by: done), frames: count)
      for index in 0..<Self.intervals.count {
        voices[index].add(
          voice.tape, lead, shares: voice.shares, behind: 0,
          startsStep: left == WarpStep.longest, bank: bank, to: out.advanced(by: done),
          frames: count)
        // As in the node: silent in consonants.
        if hasResult { voices[index].setShift(voice.pitch == nil ? nil : Self.intervals[index]) }
      }
      done += count
    }
  }
}

/// The pitch correction, to the notes of equal temperament at once.
struct TuneUnit: ~Copyable {
  private static let keys = 128

  private var tuner: VoiceTuner
  private let cents: UnsafeMutablePointer<Float>

  init(rate: Double, engine: WarpEngine) {
    tuner = VoiceTuner(sampleRate: rate)
    tuner.corrector.speed = 0.02
    tuner.setEngine(engine)
    tuner.settle()
    cents = .allocate(capacity: Self.keys)
    for key in 0..<Self.keys { cents[key] = Float(100 * key) }
  }

  deinit { cents.deallocate() }

  /// The latency in frames.
  var delay: Int { tuner.delay }

  mutating func process(_ input: Stereo, to out: Stereo, frames: Int) {
    let targets = PitchTargets(cents: cents, count: Self.keys, inAllOctaves: false)
    if !tuner.process(input, toward: targets, to: out, frames: frames) {
      Blocks.clear(out.left, frames: frames)
      Blocks.clear(out.right, frames: frames)
    }
  }
}
