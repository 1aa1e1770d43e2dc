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
    var (source, scale) = (modulator.source, modulator.scale)
    // Polyphonic key pressure is not received.
    guard modulator.target.isPlayed, source.controller != .keyPressure,
      scale.controller != .keyPressure
    else { return nil }
    // The pitch wheel range is fixed: two semitones, out of 127.
    let amount = modulator.amount * fixed(&source) * fixed(&scale)
    return SamplerModulator(
      source: source, scale: scale, target: modulator.target, amount: Float(amount),
      isAbsolute: modulator.isAbsolute)
  }

  /// Replaces the pitch wheel range by a constant, and returns its value, else 1.
  private static func fixed(_ source: inout Modulator.Source) -> Double {
    guard source.controller == .pitchWheelRange else { return 1 }
    defer { source = Modulator.Source(.constant) }
    return Double(source.value(at: 2 / 127))
  }
}
