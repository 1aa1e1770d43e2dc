internal import DSP

extension InstrumentImage {
  /// Appends the modulators of a region: first those evaluated once per note, then those evaluated
  /// while it sounds.
  static func take(
    _ modulators: [Modulator], into region: inout SamplerRegion, _ all: inout [SamplerModulator]
  ) {
    var (once, live) = ([SamplerModulator](), [SamplerModulator]())
    // The bend arrives in semitones. Its modulators only scale it.
    region.bend = 0
    for modulator in modulators where modulator.amount != 0 {
      if let share = bend(modulator) {
        region.bend += share
      } else if let image = image(of: modulator) {
        let isLive = image.target.isLive && (isLive(modulator.source) || isLive(modulator.scale))
        if isLive { live.append(image) } else { once.append(image) }
      }
    }
    region.modulators = (Int32(all.count), Int32(once.count), Int32(live.count))
    all += once + live
  }

  /// Returns the factor that a modulator applies to the bend if it is a plain bend modulator, else
  /// nil.
  ///
  /// The default range of the pitch wheel is two semitones.
  private static func bend(_ modulator: Modulator) -> Float? {
    guard modulator.target == .pitch, modulator.source.controller == .pitchWheel,
      modulator.source.isBipolar, modulator.source.curve == .linear, !modulator.isAbsolute
    else { return nil }
    let sign: Float = modulator.source.isReversed ? -1 : 1
    switch modulator.scale.controller {
    case .constant: return sign * Float(modulator.amount) / 200
    case .pitchWheelRange: return sign * Float(modulator.amount) / 12_700
    default: return nil
    }
  }

  private static func isLive(_ source: Modulator.Source) -> Bool {
    switch source.controller {
    case .channelPressure, .pitchWheel, .control: true
    case .constant, .velocity, .key, .keyPressure, .pitchWheelRange: false
    }
  }

  /// Converts a modulator to its form for the audio thread, or nil if that doesn't support it.
  private static func image(of modulator: Modulator) -> SamplerModulator? {
    guard let source = image(of: modulator.source), let scale = image(of: modulator.scale),
      let target = target(modulator.target)
    else { return nil }
    var amount = modulator.amount
    for part in [modulator.source, modulator.scale] where part.controller == .pitchWheelRange {
      // The pitch wheel range is fixed: two semitones, out of 127.
      amount *= part.value(2.0 / 127)
    }
    return SamplerModulator(
      source: source, scale: scale, target: target, amount: Float(amount),
      isAbsolute: modulator.isAbsolute)
  }

  private static func image(of source: Modulator.Source) -> SamplerModulator.Source? {
    let controller: SamplerModulator.Controller
    switch source.controller {
    case .constant, .pitchWheelRange: return SamplerModulator.Source(.constant)
    case .velocity: controller = .velocity
    case .key: controller = .key
    case .channelPressure: controller = .pressure
    case .pitchWheel: controller = .wheel
    case .control(let number):
      guard (0...127).contains(number) else { return nil }
      controller = .control(UInt8(number))
    // Polyphonic key pressure is not received.
    case .keyPressure: return nil
    }
    let curve: SamplerModulator.Curve =
      switch source.curve {
      case .linear: .linear
      case .concave: .concave
      case .convex: .convex
      case .step: .step
      }
    return SamplerModulator.Source(
      controller, curve: curve, isReversed: source.isReversed, isBipolar: source.isBipolar)
  }

  private static func target(_ target: Modulator.Target) -> SamplerModulator.Target? {
    switch target {
    case .pitch: .pitch
    case .keyTracking: .keyTracking
    case .attenuation: .attenuation
    case .pan: .pan
    case .cutoff: .cutoff
    case .resonance: .resonance
    case .tremoloToPitch: .tremoloToPitch
    case .tremoloToFilter: .tremoloToFilter
    case .tremoloToGain: .tremoloToGain
    case .vibratoToPitch: .vibratoToPitch
    case .modulationToPitch: .modulationToPitch
    case .modulationToFilter: .modulationToFilter
    case .tremoloFrequency: .tremoloFrequency
    case .vibratoFrequency: .vibratoFrequency
    case .tremoloDelay: .tremoloDelay
    case .vibratoDelay: .vibratoDelay
    case .delay: .delay
    case .attack: .attack
    case .hold: .hold
    case .decay: .decay
    case .release: .release
    case .sustain: .sustain
    case .modulationDelay: .modulationDelay
    case .modulationAttack: .modulationAttack
    case .modulationHold: .modulationHold
    case .modulationDecay: .modulationDecay
    case .modulationRelease: .modulationRelease
    case .modulationSustain: .modulationSustain
    case .holdPerKey: .holdPerKey
    case .decayPerKey: .decayPerKey
    case .modulationHoldPerKey: .modulationHoldPerKey
    case .modulationDecayPerKey: .modulationDecayPerKey
    case .reverb, .chorus: nil
    }
  }
}
