import DSP
import Foundation
import TestSupport
import Testing

@Suite struct LiveWarpTests {
  private static let rate = 48_000.0

  private func shifted(
    _ left: [Float], by semitones: Float, rate: Float = 1, block: Int = 512
  ) -> [Float] {
    var host = WarpHost()
    host.warp.setPitch(semitones: semitones)
    host.warp.setRate(rate)
    host.warp.settle()
    return host.render(left, block: block).left
  }

  /// A tone with a varying level, which makes its latency measurable.
  private func wanderingTone(_ hertz: Double, frames: Int) -> [Float] {
    (0..<frames).map { frame in
      let time = Double(frame) / Self.rate
      let loudness = 0.3 + 0.1 * sin(2 * .pi * 2.3 * time) + 0.1 * sin(2 * .pi * 5.1 * time)
      return Float(loudness * sin(2 * .pi * hertz * time))
    }
  }

  @Test(arguments: [(12 as Float, 3.0), (0, 0.5), (-12, 2.7)])
  func `the mean latency at 440 Hz is a few milliseconds`(semitones: Float, most: Double) {
    let tone = wanderingTone(440, frames: 60_000)
    let output = shifted(tone, by: semitones)
    let delay = Measure.delay(of: output, against: tone, atMost: 480, smoothing: 400)
    // The maximum of the envelope correlation is accurate to a few hundredths of a millisecond.
    #expect(delay / 48 < most + 0.03, "\(delay / 48) ms")
    #expect(delay / 48 > -0.05)
    // The reported latency is correct within the jitter of half a period.
    var host = WarpHost()
    host.warp.setPitch(semitones: semitones)
    #expect(abs(Double(host.warp.delay) - delay) < 55)
  }

  /// A tone with twelve partials that has a period of whole frames after shifting.
  private func harmonicTone(period: Int, semitones: Float, frames: Int) -> [Float] {
    let hertz = Self.rate / Double(period) / pow(2, Double(semitones) / 12)
    let partials = (1...12).map(Double.init).filter { hertz * $0 * 1.5 < 20_000 }
    return (0..<frames).map { frame in
      let angle = 2 * Double.pi * hertz * Double(frame) / Self.rate
      var sum = 0.0
      for partial in partials { sum += 0.25 * sin(partial * (angle + 0.7)) / partial }
      return Float(sum)
    }
  }

  @Test func `harmonic tones of 82 to 659 Hz have artifacts below -50 dB, on average -65`() {
    var sum = 0.0
    var count = 0.0
    for hertz in [82.41, 98, 130.81, 196, 329.63, 659.26] {
      for semitones: Float in [7, -7] {
        let period = Int((Self.rate / hertz / pow(2, Double(semitones) / 12)).rounded())
        let tone = harmonicTone(period: period, semitones: semitones, frames: 24_000)
        let output = shifted(tone, by: semitones)
        let clean = -Measure.aperiodicity(output[9000...], period: period)
        #expect(clean > 50, "\(hertz) Hz by \(semitones): \(clean) dB")
        sum += clean
        count += 1
      }
    }
    #expect(sum / count > 65, "\(sum / count) dB")
  }

  @Test func `aliases are at most -90 dB`() {
    let tone = Tone.sine(15_000, frames: 24_000)
    let output = shifted(tone, by: 12)[6000...]
    #expect(20 * log10(Measure.level(output) / Measure.level(tone)) < -90)
  }

  @Test func `the pitch is accurate to a hundredth of a cent`() {
    for semitones: Float in [-12, -3.3, 1, 7, 12] {
      let output = shifted(Tone.sine(440, frames: 40_000), by: semitones)[16_000...]
      let hertz = 440 * pow(2, Double(semitones) / 12)
      // An error of a hundredth of a cent at 440 Hz would accumulate to an 800th of a cycle in half
      // a second: -46 dB.
      #expect(Measure.residue(output, hertz: hertz, sampleRate: Self.rate) < -50)
    }
  }

  @Test(arguments: [1, 16, 64, 333, 1024])
  func `at pitch 0 and rate 1 it is bit-transparent`(block: Int) {
    let noise = Tone.noise(frames: 5000)
    #expect(Measure.firstDifference(shifted(noise, by: 0, block: block), noise) == nil)
  }

  @Test(arguments: [
    (7 as Float, 1 as Float), (-5, 1), (0, 0.6), (3, 1.7), (24, 1), (-12, 1.6),
  ])
  func `the result doesn't depend on the block size`(semitones: Float, rate: Float) {
    // A sound that starts in the middle of a block of any size, followed by noise and hits.
    let tone =
      Tone.constant(0, frames: 1777) + Tone.sine(220, frames: 9000) + Tone.noise(frames: 6000)
      + train(.shortNoise, background: 0.000_1).sound[..<15_000]
    let whole = shifted(tone, by: semitones, rate: rate, block: 1024)
    for block in [1, 64, 333] {
      let cut = shifted(tone, by: semitones, rate: rate, block: block)
      #expect(Measure.firstDifference(cut, whole) == nil)
    }
  }

  @Test func `both channels are shifted alike`() {
    var host = WarpHost()
    host.warp.setPitch(semitones: 5)
    host.warp.settle()
    let tone = Tone.sine(330, frames: 24_000)
    let output = host.render(tone, right: tone.map { $0 * -0.5 })
    // The rounding of two 64-term products.
    #expect(zip(output.left, output.right).allSatisfy { abs($0 * -0.5 - $1) < 1e-5 })
  }

  @Test func `noise keeps its level and stays tonefree`() {
    for semitones: Float in [-7, 5] {
      let noise = Tone.noise(frames: 48_000)
      let output = shifted(noise, by: semitones)[9600...]
      // Upward, part of the noise leaves the band; downward, the band ends lower. Within it, each
      // frequency keeps its level: the total loses what left the band, and slightly at the
      // equal-power crossfades.
      let kept = semitones > 0 ? 0.92 / 1.12 / 1.3348 : 1
      let level = Measure.level(output) / Measure.level(noise)
      #expect(20 * log10(level / kept.squareRoot()) < 1.5)
      #expect(20 * log10(level / kept.squareRoot()) > -1.5)
      // Repetition at a fixed distance would show up in the autocorrelation.
      let samples = Array(output)
      let power = samples.reduce(0) { $0 + $1 * $1 }
      for lag in stride(from: 60, to: 1000, by: 7) {
        let product = zip(samples, samples[lag...]).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(abs(product / power) < 0.3, "at \(lag) frames")
      }
    }
  }

  @Test func `pitch sweeps don't click`() {
    var host = WarpHost()
    let tone = Tone.sine(220, frames: 50_000)
    // Enough of the tone to jump in before the pitch moves.
    var start = 4000
    var output = host.render(Array(tone[..<start]), block: 64).left
    // Between the extremes, in steps of any size at any time.
    for (frames, semitones) in zip(
      [3001, 2002, 1500, 9000, 4000, 7777, 5000, 9999], [24 as Float, -24, 24, 3, -12, 12, 0, 0.1])
    {
      host.warp.setPitch(semitones: semitones)
      output += host.render(Array(tone[start..<start + frames]), block: 64).left
      start += frames
    }
    let steady = Measure.roughness(Tone.sine(880, frames: 4800))
    #expect(Measure.roughness(output) < 2 * steady)
  }

  @Test func `a constant stays constant, and full scale isn't exceeded`() {
    let output = shifted(Tone.constant(0.5, frames: 24_000), by: 7)[9600...]
    // Each read passes a constant to a few parts per million, and so does each crossfade.
    #expect(output.allSatisfy { abs($0 - 0.5) < 1e-4 })
    let loud = shifted(Tone.sine(300, amplitude: 1, frames: 24_000), by: -7)[9600...]
    #expect(Measure.peak(loud) < 1.01)
  }

  /// A short sound with an instant attack, as a function of time in seconds.
  enum Hit: CaseIterable {
    case click, shortNoise, longNoise, pluck

    func sound(_ time: Double) -> Double {
      guard time >= 0 else { return 0 }
      switch self {
      case .click:
        return time < 0.001 ? 0.5 * sin(2 * .pi * 1000 * time) : 0
      case .shortNoise: return time < 0.005 ? Self.noise(time) : 0
      case .longNoise: return time < 0.03 ? Self.noise(time) * exp(-40 * time) : 0
      case .pluck:
        let partials = (1...8).map { sin(2 * .pi * 196 * Double($0) * time) / Double($0) }
        return time < 0.03 ? 0.2 * partials.reduce(0, +) * exp(-40 * time) : 0
      }
    }

    /// Forty inharmonic sines, low enough to be shifted up by two octaves.
    private static func noise(_ time: Double) -> Double {
      var sum = 0.0
      for index in 0..<40 {
        let hertz = 150 + 5000 * (Double(index) * 0.618_034).truncatingRemainder(dividingBy: 1)
        sum += sin(2 * .pi * hertz * time + 1.7 * Double(index * index))
      }
      return 0.05 * sum
    }
  }

  /// Hits after pauses of 20 to 70 ms, whose lengths catch the engine in every state, and their
  /// positions.
  private func train(_ hit: Hit, background: Float) -> (sound: [Float], starts: [Int]) {
    var starts = [4800]
    for index in 0..<40 { starts.append(starts[index] + 1440 + 960 + 61 * index) }
    let noise = Tone.noise(amplitude: background, frames: starts.removeLast())
    var sound = background > 0 ? noise : Tone.constant(0, frames: noise.count)
    let samples = (0..<1440).map { Float(hit.sound(Double($0) / Self.rate)) }
    for start in starts {
      for frame in 0..<1440 { sound[start + frame] += samples[frame] }
    }
    return (sound, starts)
  }

  @Test(arguments: [-3 as Float, -5, -7, -12], Hit.allCases)
  func `shifted down, an attack after a pause keeps its peak and is hardly later`(
    semitones: Float, hit: Hit
  ) {
    // The peak of the hit itself, sampled finely.
    let peak = (0..<2000).map { abs(hit.sound(Double($0) / 400_000)) }.max()!
    for background: Float in [0, 0.000_1] {
      let (sound, starts) = train(hit, background: background)
      let output = shifted(sound, by: semitones, block: 64)
      for start in starts {
        let attack = output[start..<start + 2350]
        let level = 20 * log10(Double(Measure.peak(attack)) / peak)
        #expect(abs(level) < 2, "\(level) dB at \(start) over \(background)")
        // The longest lag, and the same again for an attack that was waited for, stretched.
        let first = attack.firstIndex { abs($0) > Float(peak) / 3 } ?? attack.endIndex
        #expect(first - start < 1200, "at \(start) over \(background)")
      }
    }
  }

  @Test(arguments: [12 as Float, 24], [Hit.shortNoise, .longNoise])
  func `shifted up, a hit has the energy of one to several repetitions`(
    semitones: Float, hit: Hit
  ) {
    let speed = Double(exp2(semitones / 12))
    let (sound, starts) = train(hit, background: 0)
    let output = shifted(sound, by: semitones, block: 64)
    var once = 0.0
    for frame in 0..<1440 {
      once += hit.sound(Double(frame) / Self.rate) * hit.sound(Double(frame) / Self.rate) / speed
    }
    for start in starts {
      let energy = output[start..<start + 2350].reduce(0) { $0 + Double($1) * Double($1) }
      // At most its edges are masked; repeated again and again it would fill its original duration.
      let level = 10 * log10(energy / once)
      #expect(level > -1, "\(level) dB at \(start)")
      #expect(level < 10 * log10(speed) + 2, "\(level) dB at \(start)")
    }
  }
}
