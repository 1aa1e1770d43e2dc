internal import DSP
internal import Glibc
internal import Tones

/// A synthesized sound that sustains for as long as it is held.
struct SustainedSound {
  var keys = stride(from: 36, through: 96, by: 5)
  /// The amplitude of each multiple of half the pitch, counted from 1.
  var harmonic: @Sendable (_ number: Int, _ hertz: Double) -> Double
  /// The depth of the slow random amplitude modulation of each harmonic, from 0 to 1.
  var unrest = 0.0
  /// The amplitude of the noise between the harmonics, relative to them.
  var noise = 0.0
  /// Further SFZ opcodes of its regions.
  var words: [(String, String)]

  /// A bowed string with the resonances of a wooden body.
  static var violin: SustainedSound {
    SustainedSound(
      harmonic: { number, hertz in
        guard number % 2 == 0 else { return 0 }
        // The air and wood resonances, and the bridge hill around 2.5 kHz, which lets a violin cut
        // through other instruments.
        let body =
          0.5 + exp(-pow(log2(hertz / 280) / 0.25, 2)) + 1.2 * exp(-pow(log2(hertz / 500) / 0.3, 2))
          + 1.1 * exp(-pow(log2(hertz / 2500) / 0.5, 2))
        return body / Double(number) / (1 + pow(hertz / 5500, 4))
      },
      unrest: 0.25, noise: 0.004,
      words: [
        ("ampeg_attack", "0.07"), ("ampeg_release", "0.12"), ("pitchlfo_delay", "0.25"),
        ("pitchlfo_freq", "5.6"), ("pitchlfo_depth", "12"),
      ])
  }

  /// Drawbars 16', 8', 5 1/3', 4', 2 2/3' and 2'.
  static var organ: SustainedSound {
    let drawbars = [1: 0.5, 2: 1, 3: 0.5, 4: 0.6, 6: 0.25, 8: 0.3]
    return SustainedSound(
      harmonic: { number, hertz in hertz < 12_000 ? drawbars[number] ?? 0 : 0 },
      words: [("ampeg_attack", "0.008"), ("ampeg_release", "0.06")])
  }
}

extension BuiltInKit {
  // 0.7 s: long enough to hide the repetition.
  private static let loopFrames = 32_768

  /// Adds a looped sample of the sound for each of its keys.
  mutating func addSustained(_ kind: SustainedSound) {
    let keys = Array(kind.keys)
    for (key, range) in zip(keys, KeySplit.ranges(of: keys)) {
      var dice = NoiseDice(seed: UInt64(key))
      let tone = PeriodicTone(frames: Self.loopFrames)
      let wanted = Self.hertz(key: key)
      // The loop holds a whole number of periods. Fine tuning corrects the remaining pitch error.
      let cycles = Int((wanted / Self.rate * Double(Self.loopFrames)).rounded())
      let hertz = Double(cycles) * Self.rate / Double(Self.loopFrames)
      for number in 1...200 {
        let place = number * cycles / 2
        guard number % 2 == 0 || cycles % 2 == 0, place < Self.loopFrames / 2 - 8 else { continue }
        let loudness = kind.harmonic(number, Double(number) * hertz / 2)
        guard loudness > 1e-4 else { continue }
        let phase = dice.nextPart()
        tone.add(cycles: place, amplitude: loudness, phase: phase)
        for swing in 1...3 where kind.unrest > 0 {
          // A symmetrical pair of sidebands modulates amplitude and not frequency.
          let turn = dice.nextPart()
          let depth = loudness * kind.unrest / 6
          tone.add(cycles: place + swing, amplitude: depth, phase: phase + turn)
          tone.add(cycles: place - swing, amplitude: depth, phase: phase - turn)
        }
      }
      if kind.noise > 0 {
        for place in stride(from: 200, to: Self.loopFrames / 6, by: 3) {
          tone.add(cycles: place, amplitude: kind.noise * dice.nextPart(), phase: dice.nextPart())
        }
      }
      var sound = tone.sound()
      Self.level(&sound, by: sound.indices)
      let cents = 1200 * log2(wanted / hertz)
      add(
        sound, key: key, for: range, loop: sound.indices,
        kind.words + [("tune", "\(cents)")])
    }
  }
}
