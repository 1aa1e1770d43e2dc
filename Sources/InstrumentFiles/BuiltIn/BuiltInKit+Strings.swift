internal import DSP
internal import Glibc
internal import Tones

/// A synthesized struck or plucked string or bell, which decays on its own.
struct StruckSound: Sendable {
  /// The keys that have a sample.
  var keys = stride(from: 21, through: 105, by: 4)
  /// The time in which key 60 decays by 60 dB, in seconds.
  var decay = 6.0
  /// The octaves by which the decay time shrinks per octave of pitch.
  var decayPerOctave = 0.7
  /// The extra damping of higher partials, per multiple of the fundamental.
  var damping = 0.3
  /// The amplitude of each partial, counted from 1.
  var partial: @Sendable (_ number: Int, _ hertz: Double) -> Double = { number, _ in
    1 / Double(number)
  }
  /// The frequency ratios of the partials to the pitch, or empty for those of a string.
  var ratios: [Double] = []
  /// The inharmonicity of a stiff string: how far its partials lie above whole multiples.
  var stiffness = 0.0
  /// The maximum number of partials.
  var mostPartials = 24
  /// The amplitude of the attack noise, relative to the sound.
  var knock = 0.0
  /// The decay of the attack noise, in seconds.
  var knockDecay = 0.05
  /// The gain into the overdrive, or 0 for none.
  var drive: Float = 0
  /// The release of a note, in seconds.
  var release = 0.3

  /// Strings struck by a hammer at an eighth of their length.
  static let piano = StruckSound(
    decay: 7, damping: 0.22,
    partial: { number, hertz in
      // Soft felt rolls off above a few kHz.
      abs(sin(.pi * Double(number) / 8.2)) * pow(Double(number), -1.1)
        / (1 + pow(hertz / 2800, 2))
    }, stiffness: 0.0003, knock: 0.35)

  /// Nylon strings plucked with a finger at a fifth of their length.
  static let acousticGuitar = StruckSound(
    keys: stride(from: 36, through: 92, by: 4), decay: 3.2, decayPerOctave: 0.5, damping: 0.35,
    partial: { number, hertz in
      // The air and top-plate resonances of the body.
      let body = 1 + 1.2 * exp(-pow((hertz - 110) / 40, 2)) + exp(-pow((hertz - 220) / 60, 2))
      return body * abs(sin(.pi * Double(number) / 5.3)) * pow(Double(number), -1.15)
        / (1 + pow(hertz / 4000, 2))
    }, mostPartials: 32, knock: 0.2, knockDecay: 0.03, release: 0.2)

  /// Steel strings near a pickup, overdriven.
  static let electricGuitar = StruckSound(
    keys: stride(from: 36, through: 92, by: 4), decay: 9, decayPerOctave: 0.5, damping: 0.15,
    partial: { number, hertz in
      abs(sin(.pi * Double(number) / 7.1) * sin(.pi * Double(number) / 4.3))
        / pow(Double(number), 0.9) / (1 + pow(hertz / 3500, 2))
    }, drive: 3, release: 0.15)

  static let bell = StruckSound(
    keys: stride(from: 36, through: 108, by: 6), decayPerOctave: 0.4, damping: 0.5,
    partial: { number, _ in [1, 0.35, 0.3, 0.2, 0.6, 0.15, 0.12, 0.3, 0.2, 0.1][number - 1] },
    ratios: [1, 0.5, 1.2, 1.5, 2, 2.5, 2.62, 3, 4, 5.2], knock: 0.1, knockDecay: 0.01,
    release: 1.5)

  /// The frequency of a partial, counted from 1, in multiples of the fundamental.
  func ratio(_ number: Int) -> Double {
    guard ratios.isEmpty else { return ratios[number - 1] }
    let square = Double(number * number)
    return Double(number) * ((1 + stiffness * square) / (1 + stiffness)).squareRoot()
  }
}

extension BuiltInKit {
  // The maximum length in seconds. A note held longer is inaudible by then.
  private static let longest = 5.0

  /// Adds a sample of the sound for each of its keys.
  mutating func addStrings(_ kind: StruckSound) {
    let keys = Array(kind.keys)
    for (key, range) in zip(keys, KeySplit.ranges(of: keys)) {
      let hertz = Self.hertz(key: key)
      let decay = kind.decay * exp2(-kind.decayPerOctave * Double(key - 60) / 12)
      let count = kind.ratios.isEmpty ? kind.mostPartials : kind.ratios.count
      var tones: [DampedTone] = []
      for number in 1...count {
        let ratio = kind.ratio(number)
        tones.append(
          DampedTone(
            hertz: hertz * ratio, amplitude: kind.partial(number, hertz * ratio),
            decay: decay / (1 + kind.damping * max(0, ratio - 1)),
            // Scattered phases: otherwise all partials would peak at once.
            phase: Double(number * number) * 0.381966))
      }
      var sound = [Float](repeating: 0, count: Int(min(Self.longest, 0.8 * decay) * Self.rate))
      DampedTone.add(tones, to: &sound, rate: Self.rate)
      if kind.knock > 0 {
        SoundShape.addNoise(
          to: &sound, seed: UInt64(key), amplitude: Float(kind.knock), decay: kind.knockDecay,
          cutoff: min(6000, 4 * hertz + 300), rate: Self.rate)
      }
      if kind.drive > 0 {
        SoundShape.scale(&sound, by: kind.drive / max(1e-9, SoundShape.peak(sound)))
        SoundShape.drive(&sound, by: 1)
        // The loudspeaker of a guitar amplifier.
        SoundShape.darken(&sound, above: 4500, rate: Self.rate)
      }
      SoundShape.fade(&sound, in: 48, out: Int(0.15 * Self.rate))
      Self.level(&sound, by: 0..<Int(0.4 * Self.rate))
      add(sound, key: key, for: range, [("ampeg_release", "\(kind.release)")])
    }
  }
}
