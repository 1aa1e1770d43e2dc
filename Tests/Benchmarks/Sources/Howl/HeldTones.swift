internal import Foundation

/// Synthesized held tones of instruments, which must not be detected as feedback.
package enum HeldTones: String, CaseIterable, Sendable {
  case flute, organ, voice, synthesiser

  /// The parameters of a tone.
  private struct Tone {
    var hertz = 440.0
    var partials: [Double] = [1]
    var vibrato = (hertz: 5.0, depth: 0.0, delay: 0.3)
    // Slow random modulation of the frequency, relative to it; of the level; and breath noise.
    var jitter = 0.0, tremolo = 0.0, breath = 0.0
    var attack = 0.05, release = 0.1
    // Rises by equal steps in dB, as feedback does.
    var isExponential = false
  }

  /// Synthesizes tones in sequence, some of them overlapping, at 48 kHz.
  package func sound(seconds: Double, seed: Int) -> [Float] {
    var chance = Chance(seed &+ 77)
    let count = Int(seconds * 48_000)
    var sound = [Float](repeating: 0, count: count + 7 * 48_000)
    var place = 0
    while place < count {
      let frames = Int(chance.number(1.5...6) * 48_000)
      var note = [Float](repeating: 0, count: frames)
      for tone in tones(&chance, seconds: Double(frames) / 48_000) {
        Self.add(tone, to: &note, &chance)
      }
      let peak = note.reduce(0) { max($0, abs($1)) }
      let gain = Float(chance.one(of: [0.1, 0.3, 0.6])) / max(peak, 1e-6)
      for (index, sample) in note.enumerated() { sound[place + index] += gain * sample }
      place += Int(Double(frames) * chance.number(0.6...1.1))
    }
    // The microphone's noise floor.
    for index in 0..<count { sound[index] += Float(1e-4 * chance.noise()) }
    return Array(sound[..<count])
  }

  private func tones(_ chance: inout Chance, seconds: Double) -> [Tone] {
    var tone = Tone()
    tone.vibrato.hertz = chance.number(4.5...6.5)
    switch self {
    case .flute:
      tone.hertz = chance.number(260...2100)
      tone.partials = [
        1, pow(10, -0.9 * chance.number(0.2...2)), 0.1 * chance.number(0...1), 0.02,
      ]
      tone.vibrato.depth = chance.one(of: [0, 0.003, 0.01])
      tone.jitter = chance.number(0...0.001)
      tone.tremolo = chance.one(of: [0, 0.05, 0.2])
      tone.attack = chance.number(0.03...0.3)
      tone.breath = chance.number(0...0.01)
    case .organ:
      let base = chance.number(65...500)
      let depth = chance.one(of: [0, 0, 0.002])
      return [1, 1.25, 1.5, 2, 2.5, 3].filter { _ in chance.number(0...1) < 0.5 }.map { interval in
        var pipe = Tone()
        pipe.hertz = base * interval
        pipe.partials = (1...8).map { chance.number(0...1) / Double($0) }
        pipe.vibrato = (chance.number(5...7), depth, 0.3)
        pipe.tremolo = depth * 50
        pipe.attack = 0.03
        pipe.release = 0.08
        return pipe
      }
    case .voice:
      tone.hertz = chance.number(100...800)
      let formants = [chance.number(300...800), chance.number(900...2200), 2800]
      tone.partials = (1...24).map { number in
        let hertz = Double(number) * tone.hertz
        let strength = formants.reduce(0.0) { $0 + 1 / (1 + pow((hertz - $1) / 120, 2)) }
        return strength / Double(number).squareRoot() + 0.02
      }
      tone.vibrato.depth = chance.one(of: [0, 0, 0.003, 0.02])
      tone.jitter = chance.number(0.0005...0.003)
      tone.tremolo = chance.number(0...0.1)
      tone.attack = chance.number(0.05...0.2)
      tone.breath = 0.003
    case .synthesiser:
      // Like feedback: slowly rising sines, with the whole range of vibrato rates.
      tone.hertz = exp(chance.number(log(120)...log(5000)))
      let kind = chance.one(of: [0, 1, 2, 3, 4])
      if kind >= 3 { tone.partials = [1, 0.3, 0.1] }
      tone.vibrato = (
        chance.one(of: [5, chance.number(0...15)]),
        chance.one(of: [0, 0.0003, 0.001, 0.003, 0.01]),
        chance.one(of: [0, 0.5])
      )
      tone.jitter = chance.one(of: [0, 0.0002, 0.001])
      tone.tremolo = chance.one(of: [0, 0.1, 0.3])
      tone.attack = chance.number(0.1...min(4, seconds))
      tone.release = chance.number(0.05...1)
      tone.isExponential = chance.one(of: [false, true])
      if kind == 4 {
        // Its octave takes over, as a guitar's does in front of its amplifier.
        var octave = tone
        octave.hertz *= 2
        octave.partials = [1]
        octave.attack = seconds * 0.7
        octave.isExponential = true
        return [tone, octave]
      }
    }
    return [tone]
  }

  private static func add(_ tone: Tone, to note: inout [Float], _ chance: inout Chance) {
    let frames = note.count
    let seconds = Double(frames) / 48_000
    let partials = tone.partials.enumerated().filter {
      Double($0.offset + 1) * tone.hertz < 20_000 && $0.element > 0
    }
    let offsets = partials.map { _ in chance.number(0...1) }
    var (phase, wander) = (0.0, 0.0)
    for frame in 0..<frames {
      let time = Double(frame) / 48_000
      if tone.jitter > 0 { wander += 0.0005 * (60 * chance.noise() - wander) }
      let swing = sin(2 * Double.pi * tone.vibrato.hertz * time)
      let depth = tone.vibrato.depth * min(max((time - tone.vibrato.delay) / 0.5, 0), 1)
      phase += tone.hertz * (1 + depth * swing + tone.jitter * wander) / 48_000
      var value = 0.0
      for (index, partial) in partials.enumerated() {
        let turns = phase * Double(partial.offset + 1) + offsets[index]
        value += partial.element * sin(2 * Double.pi * (turns - turns.rounded(.down)))
      }
      if tone.breath > 0 { value += tone.breath * chance.noise() }
      var level = min(time / tone.attack, 1)
      if tone.isExponential { level = pow(10, 2.5 * (level - 1)) * min(time / 0.005, 1) }
      level *= min((seconds - time) / tone.release, 1)
      value *= level * (1 + tone.tremolo * sin(2 * Double.pi * (tone.vibrato.hertz + 0.3) * time))
      note[frame] += Float(value)
    }
  }
}
