internal import DSP

extension Modulator {
  /// Parses a modulator of a SoundFont file.
  ///
  /// Returns nil if it is not supported.
  init?(_ raw: SoundFontTables.RawModulator) {
    // Modulators of other modulators occur in no known font and are not supported.
    guard let source = Source(soundFont: raw.source), let scale = Source(soundFont: raw.scale),
      source.controller != .constant, let (target, unit) = Self.target(generator: raw.target),
      raw.transform == 0 || raw.transform == 2
    else { return nil }
    self.init(
      source: source, scale: scale, target: target, amount: Double(raw.amount) * unit,
      isAbsolute: raw.transform == 2)
  }

  /// Returns the destination for a generator, and the size of one unit of it.
  private static func target(generator: Int) -> (SamplerModulator.Target, Double)? {
    switch generator {
    case 5: (.tremoloToPitch, 1)
    case 6: (.vibratoToPitch, 1)
    case 7: (.modulationToPitch, 1)
    case 8: (.cutoff, 1)
    case 9: (.resonance, 0.1)
    case 10: (.tremoloToFilter, 1)
    case 11: (.modulationToFilter, 1)
    case 13: (.tremoloToGain, 0.1)
    case 15: (.chorus, 0.001)
    case 16: (.reverb, 0.001)
    case 17: (.pan, 0.002)
    case 21: (.tremoloDelay, 1)
    case 22: (.tremoloFrequency, 1)
    case 23: (.vibratoDelay, 1)
    case 24: (.vibratoFrequency, 1)
    case 25: (.modulationDelay, 1)
    case 26: (.modulationAttack, 1)
    case 27: (.modulationHold, 1)
    case 28: (.modulationDecay, 1)
    case 29: (.modulationSustain, 0.001)
    case 30: (.modulationRelease, 1)
    case 31: (.modulationHoldPerKey, 1)
    case 32: (.modulationDecayPerKey, 1)
    case 33: (.delay, 1)
    case 34: (.attack, 1)
    case 35: (.hold, 1)
    case 36: (.decay, 1)
    case 37: (.sustain, 0.1)
    case 38: (.release, 1)
    case 39: (.holdPerKey, 1)
    case 40: (.decayPerKey, 1)
    case 48: (.attenuation, 0.1)
    case 51: (.pitch, 100)
    // 59 is the pitch itself, a destination for modulators only.
    case 52, 59: (.pitch, 1)
    case 56: (.keyTracking, 1)
    default: nil
    }
  }

  /// The default modulators (SoundFont 2.04, 8.4), which a file may override.
  ///
  /// As in FluidSynth, velocity doesn't move the cutoff, and pan reaches hard left and right.
  static let defaults: [Modulator] = {
    func loudness(_ controller: SamplerModulator.Controller) -> Modulator {
      let source = Source(controller, curve: .concave, isReversed: true)
      return Modulator(source: source, target: .attenuation, amount: 96)
    }
    func plain(
      _ controller: SamplerModulator.Controller, _ target: SamplerModulator.Target,
      _ amount: Double
    ) -> Modulator {
      Modulator(source: Source(controller), target: target, amount: amount)
    }
    return [
      loudness(.velocity), loudness(.control(7)), loudness(.control(11)),
      plain(.channelPressure, .vibratoToPitch, 50), plain(.control(1), .vibratoToPitch, 50),
      plain(.control(91), .reverb, 0.2), plain(.control(93), .chorus, 0.2),
      Modulator(source: Source(.control(10), isBipolar: true), target: .pan, amount: 1),
      Modulator(
        source: Source(.pitchWheel, isBipolar: true),
        scale: Source(.pitchWheelRange), target: .pitch, amount: 12_700),
    ]
  }()
}

extension Modulator.Source {
  fileprivate init?(soundFont code: Int) {
    let number = code & 127
    let controller: SamplerModulator.Controller
    if code & 128 != 0 {
      controller = .control(UInt8(number))
    } else {
      switch number {
      case 0: controller = .constant
      case 2: controller = .velocity
      case 3: controller = .key
      case 10: controller = .keyPressure
      case 13: controller = .channelPressure
      case 14: controller = .pitchWheel
      case 16: controller = .pitchWheelRange
      default: return nil
      }
    }
    let curves: [SamplerModulator.Curve] = [.linear, .concave, .convex, .step]
    guard code >> 10 < curves.count else { return nil }
    // All constants equal 1.
    if controller == .constant {
      self.init(.constant)
      return
    }
    self.init(
      controller, curve: curves[code >> 10], isReversed: code & 256 != 0,
      isBipolar: code & 512 != 0)
  }
}
