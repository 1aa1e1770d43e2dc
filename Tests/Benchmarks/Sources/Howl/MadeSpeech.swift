internal import Foundation

/// Synthesized speech-like sound: syllables of a voice with formants, sibilants and pauses.
package enum MadeSpeech {
  /// Synthesizes speech at 48 kHz with an RMS level of 1.
  package static func sound(seconds: Double, seed: Int = 3) -> [Float] {
    var chance = Chance(seed)
    let count = Int(seconds * 48_000)
    var sound = [Double](repeating: 0, count: count + 48_000)
    var place = 0
    while place < count {
      let frames = Int(chance.number(0.08...0.25) * 48_000)
      let isHiss = chance.number(0...1) < 0.25
      let formants: [(hertz: Double, width: Double)] =
        isHiss
        ? [(chance.number(3000...6000), 800)]
        : [
          (chance.number(300...800), 80), (chance.number(900...2200), 100),
          (chance.number(2300...3000), 150),
        ]
      let (base, bend) = (chance.number(95...140), chance.number(-0.15...0.15))
      let strength = chance.number(0.4...1)
      var state = [(Double, Double)](repeating: (0, 0), count: formants.count)
      var phase = 0.0
      for frame in 0..<frames {
        phase += base * (1 + bend * Double(frame) / Double(frames)) / 48_000
        var source = (isHiss ? 0.3 : 0.02) * chance.noise()
        if phase >= 1 {
          phase -= 1
          if !isHiss { source += 8 }
        }
        var value = 0.0
        for (index, formant) in formants.enumerated() {
          let radius = exp(-Double.pi * formant.width / 48_000)
          let next =
            (1 - radius) * source
            + 2 * radius * cos(2 * Double.pi * formant.hertz / 48_000) * state[index].0
            - radius * radius * state[index].1
          state[index] = (next, state[index].0)
          value += next
        }
        let edge = min(1, Double(min(frame, frames - 1 - frame)) / 720)
        sound[place + frame] += value * strength * edge
      }
      place += frames + Int(chance.one(of: [0, 0, 0.02, 0.3]) * 48_000)
    }
    let power = sound[..<count].reduce(0) { $0 + $1 * $1 } / Double(count)
    return sound[..<count].map { Float($0 / power.squareRoot()) }
  }
}
