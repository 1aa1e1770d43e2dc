internal import DSP
internal import Glibc
internal import Tones

/// A synthesized drum or cymbal.
private struct DrumSound {
  /// The partials of its membrane or metal.
  var tones: [DampedTone] = []
  /// Noise bursts: amplitude, decay in seconds, and the cutoff in Hz of a low-pass or, if `isHigh`,
  /// a high-pass.
  var noises: [(amplitude: Float, decay: Double, cutoff: Double, isHigh: Bool)] = []
  /// Further onsets after the first, in seconds.
  var echoes: [Double] = []
  /// The length in seconds.
  var seconds = 0.5
  /// The gain relative to the other drums, in dB.
  var gain = 0.0

  /// A membrane.
  ///
  /// Its higher partials decay faster than its fundamental.
  static func skin(_ hertz: Double, decay: Double, snap: Float = 0.3) -> DrumSound {
    DrumSound(
      tones: [
        DampedTone(hertz: hertz, amplitude: 1, decay: decay),
        DampedTone(hertz: 1.25 * hertz, amplitude: 0.5, decay: 0.3 * decay),
        DampedTone(hertz: 1.9 * hertz, amplitude: 0.4, decay: 0.15 * decay),
        DampedTone(hertz: 3.1 * hertz, amplitude: 0.3, decay: 0.06 * decay),
      ], noises: [(snap, 0.03, 3000, false)], seconds: 0.9 * decay)
  }

  static func snare(_ hertz: Double) -> DrumSound {
    DrumSound(
      tones: skin(hertz, decay: 0.25).tones,
      noises: [(1, 0.3, 6000, false), (0.5, 0.2, 4000, true)], seconds: 0.4)
  }

  /// Metal: many inharmonic partials, with noise above them.
  static func metal(_ hertz: Double, decay: Double, noise: Float, gain: Double) -> DrumSound {
    let ratios = [1, 1.342, 1.2312, 1.6532, 1.9523, 2.1523, 2.87, 3.43, 4.14, 5.37]
    return DrumSound(
      tones: ratios.enumerated().map { index, ratio in
        DampedTone(
          hertz: hertz * ratio, amplitude: 0.15, decay: decay * (index % 2 == 0 ? 1 : 0.7),
          phase: Double(index) * 0.381966)
      }, noises: [(noise, decay, 7000, true)], seconds: decay, gain: gain)
  }

  static var clap: DrumSound {
    DrumSound(
      noises: [(1, 0.18, 2500, false), (0.3, 0.1, 3000, true)], echoes: [0.011, 0.023],
      seconds: 0.35)
  }

  static func bar(_ hertz: Double, decay: Double) -> DrumSound {
    DrumSound(
      tones: [
        DampedTone(hertz: hertz, amplitude: 1, decay: decay),
        DampedTone(hertz: 1.48 * hertz, amplitude: 0.6, decay: 0.6 * decay),
        DampedTone(hertz: 2.7 * hertz, amplitude: 0.2, decay: 0.3 * decay),
      ], noises: [(0.2, 0.01, 8000, false)], seconds: decay, gain: -4)
  }

  func sound(seed: UInt64, rate: Double) -> [Float] {
    var sound = [Float](repeating: 0, count: Int(seconds * rate))
    DampedTone.add(tones, to: &sound, rate: rate)
    for (index, noise) in noises.enumerated() {
      for start in [0] + echoes {
        SoundShape.addNoise(
          to: &sound, seed: seed + UInt64(index) * 1000, amplitude: noise.amplitude,
          decay: noise.decay, cutoff: noise.cutoff, takesLowAway: noise.isHigh,
          at: Int(start * rate), rate: rate)
      }
    }
    SoundShape.fade(&sound, in: 8, out: Int(0.02 * rate))
    return sound
  }
}

extension BuiltInKit {
  // A pedal hi-hat cuts off the open and closed hi-hats: one choke group.
  private static let hatGroup = 1

  private static var drums: [(key: Int, drum: DrumSound)] {
    var kick = DrumSound.skin(52, decay: 0.55, snap: 0.5)
    kick.gain = 3
    var stick = DrumSound.bar(1700, decay: 0.06)
    stick.gain = -2
    return [
      (35, kick), (36, kick), (37, stick), (38, .snare(185)), (39, .clap), (40, .snare(215)),
      (41, .skin(82, decay: 0.7)), (42, .metal(3400, decay: 0.09, noise: 0.8, gain: -4)),
      (43, .skin(98, decay: 0.65)), (44, .metal(3300, decay: 0.07, noise: 0.6, gain: -6)),
      (45, .skin(118, decay: 0.6)), (46, .metal(3400, decay: 0.7, noise: 0.7, gain: -5)),
      (47, .skin(138, decay: 0.55)), (48, .skin(165, decay: 0.5)),
      (49, .metal(2600, decay: 2.2, noise: 1, gain: -3)), (50, .skin(196, decay: 0.45)),
      (51, .metal(3100, decay: 1.6, noise: 0.25, gain: -5)),
      (52, .metal(2300, decay: 1.8, noise: 1, gain: -3)), (53, .bar(2950, decay: 1.2)),
      (54, .metal(5200, decay: 0.25, noise: 0.4, gain: -6)),
      (55, .metal(3000, decay: 1.1, noise: 0.9, gain: -4)), (56, .bar(562, decay: 0.3)),
      (57, .metal(2800, decay: 2, noise: 1, gain: -3)),
      (59, .metal(3000, decay: 1.5, noise: 0.3, gain: -5)),
      (60, .skin(390, decay: 0.25, snap: 0.2)), (61, .skin(280, decay: 0.3, snap: 0.2)),
      (62, .skin(340, decay: 0.12, snap: 0.4)), (63, .skin(330, decay: 0.3, snap: 0.2)),
      (64, .skin(240, decay: 0.35, snap: 0.2)), (75, .bar(2500, decay: 0.08)),
      (76, .bar(1200, decay: 0.1)), (77, .bar(860, decay: 0.12)),
      (81, .metal(4300, decay: 1.5, noise: 0.05, gain: -8)),
    ]
  }

  /// Adds a drum kit with the key map of General MIDI.
  mutating func addDrums() {
    for (key, drum) in Self.drums {
      var sound = drum.sound(seed: UInt64(key), rate: Self.rate)
      Self.level(&sound, by: 0..<Int(0.1 * Self.rate))
      var words = [("loop_mode", "one_shot"), ("volume", "\(drum.gain)")]
      if [42, 44, 46].contains(key) {
        words += [("group", "\(Self.hatGroup)"), ("off_by", "\(Self.hatGroup)")]
      }
      add(sound, key: key, for: key...key, words)
    }
  }
}
