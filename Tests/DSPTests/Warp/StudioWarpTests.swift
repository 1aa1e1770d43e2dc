import DSP
import Foundation
import TestSupport
import Testing

@Suite struct StudioWarpTests {
  private static let bank = SincBank()

  /// Runs an engine over a tape, with the position advancing at `rate` from 0.
  private func warped(
    _ left: [Float], right: [Float]? = nil, frames: Int, sampleRate: Double = 48_000,
    block: Int = 32, pitch: (Int) -> Float = { _ in 1 }, rate: Double = 1,
    leap: (at: Int, by: Int64)? = nil, startingAgainAt again: Int? = nil
  ) -> (left: [Float], right: [Float]) {
    var left = left
    var right = right ?? left
    var tape = Tape(
      seconds: Double(left.count + 8192) / sampleRate, reach: 1024, sampleRate: sampleRate)
    let length = left.count
    withStereo(&left, &right) { tape.write($0, frames: length) }
    var engine = StudioWarp(sampleRate: sampleRate)
    engine.start(at: 0)
    var outLeft = [Float](repeating: .nan, count: frames)
    var outRight = outLeft
    var place: Int64 = 0
    let speed = Int64(rate * 4_294_967_296)
    withStereo(&outLeft, &outRight) { out in
      var frame = 0
      while frame < frames {
        if frame == again {
          engine.start(at: 0)
          place = 0
        }
        let isLeap = frame == leap?.at
        if isLeap { place += leap!.by << 32 }
        // Steps end on a grid of 32 frames, whatever the block size.
        let count = min(32 - frame % 32, block - frame % block, frames - frame)
        let step = WarpStep(
          place: place, rate: speed, pitch: pitch(frame / 32 * 32), isLeap: isLeap)
        engine.process(tape, step, bank: Self.bank, to: out.advanced(by: frame), frames: count)
        place &+= speed &* Int64(count)
        frame += count
      }
    }
    return (outLeft, outRight)
  }

  private func ratio(semitones: Double) -> Float { Float(exp2(semitones / 12)) }

  /// The residue after fitting partials, in dB relative to them.
  private func residue(_ samples: ArraySlice<Float>, hertz: [Double]) -> Double {
    let sound = samples.map(Double.init)
    let left = rest(samples, hertz: hertz)
    let rest = dot(left, left)
    return 10 * log10(rest / (dot(sound, sound) - rest))
  }

  /// The signal minus the fitted partials.
  private func rest(_ samples: ArraySlice<Float>, hertz: [Double]) -> [Double] {
    var waves: [[Double]] = []
    for hertz in hertz {
      let step = 2 * Double.pi * hertz / 48_000
      waves.append(samples.indices.map { cos(step * Double($0)) })
      waves.append(samples.indices.map { sin(step * Double($0)) })
    }
    // Orthogonalizes the waves and removes each from the sound (Gram-Schmidt).
    var left = samples.map(Double.init)
    for index in waves.indices {
      let wave = waves[index]
      let power = dot(wave, wave)
      for later in (index + 1)..<max(index + 1, waves.count) {
        take(wave, dot(wave, waves[later]) / power, from: &waves[later])
      }
      take(wave, dot(wave, left) / power, from: &left)
    }
    return left
  }

  private func dot(_ a: [Double], _ b: [Double]) -> Double {
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        var sum = 0.0
        for index in 0..<a.count { sum += a[index] * b[index] }
        return sum
      }
    }
  }

  private func take(_ wave: [Double], _ share: Double, from: inout [Double]) {
    wave.withUnsafeBufferPointer { wave in
      from.withUnsafeMutableBufferPointer { from in
        for index in 0..<wave.count { from[index] -= share * wave[index] }
      }
    }
  }

  /// The partials of a chord in just intonation, in Hz: none is close enough to another to beat.
  private func partials(_ base: Double, _ ratios: [Double], count: Int) -> [Double] {
    var all: Set<Int> = []
    for ratio in ratios {
      for partial in 1...count { all.insert(Int((ratio * Double(partial) * 60).rounded())) }
    }
    return all.sorted().map { base * Double($0) / 60 }
  }

  private func sum(_ hertz: [Double], frames: Int) -> [Float] {
    (0..<frames).map { frame in
      let time = 2 * Double.pi * Double(frame) / 48_000
      return hertz.enumerated().reduce(Float(0)) {
        $0 + 0.05 * Float(sin(time * $1.element + 0.7 * Double($1.offset)))
      }
    }
  }

  @Test(arguments: [
    (semitones: 7.0, most: -41.0), (-7, -55),
  ])
  func `a chord stays clean`(semitones: Double, most: Double) {
    let ratio = ratio(semitones: semitones)
    let hertz = partials(261.63, [1, 1.25, 1.5], count: 3)
    let output = warped(
      sum(hertz, frames: 13_000), frames: 13_000, pitch: { _ in ratio }
    ).left
    // After the latency and the onset.
    let rest = residue(output[6500...], hertz: hertz.map { $0 * Double(ratio) })
    #expect(rest < most, "\(rest) dB")
  }

  @Test(arguments: [0.8, 1.25]) func `a chord keeps its pitch at another rate`(rate: Double) {
    let hertz = partials(261.63, [1, 1.25, 1.5], count: 3)
    let output = warped(sum(hertz, frames: 18_000), frames: 13_000, rate: rate).left
    let rest = residue(output[6500...], hertz: hertz)
    #expect(rest < -42, "\(rest) dB")
  }

  @Test(arguments: [0.8, 0.9, 1.1, 1.25])
  func `impulses over a chord keep their shape at another rate`(rate: Double) {
    let hertz = partials(261.63, [1, 1.25, 1.5], count: 3)
    var sound = sum(hertz, frames: 36_000)
    let places = [7000, 12_345, 17_001, 21_500, 25_000]
    for place in places { sound[place] += 0.9 }
    let output = warped(sound, frames: 28_000, rate: rate).left
    let delay = StudioWarp(sampleRate: 48_000).delay(pitch: 1)
    for place in places {
      // The lookahead takes longer or shorter, but never by this much.
      let about = Int(Double(place) / rate) + delay
      guard about < 26_000 else { continue }
      let left = rest(output[(about - 1000)..<(about + 1000)], hertz: hertz)
      let peak = left.indices.max { abs(left[$0]) < abs(left[$1]) }!
      // 0.1 ms holds nine tenths of the energy, or slightly less between two samples.
      let near = Array(left[(peak - 2)...(peak + 2)])
      let share = dot(near, near) / dot(left, left)
      #expect(share > 0.85, "\(share) of it at \(place)")
      // Its polarity is kept. The total is 0.9; the part below 1.2 kHz follows the tones there.
      let height = near.reduce(0, +)
      #expect(height > 0.65, "\(height) at \(place)")
    }
  }

  @Test(arguments: [0.25, 0.667_42, 1, 1.498_31, 4])
  func `an impulse has the reported latency`(pitch: Float) {
    var impulse = [Float](repeating: 0, count: 2048)
    impulse[1001] = 1
    let output = warped(impulse, frames: 4500, pitch: { _ in pitch }).left
    let engine = StudioWarp(sampleRate: 48_000)
    let peak = output.indices.max { abs(output[$0]) < abs(output[$1]) }!
    #expect(abs(peak - 1001 - engine.delay(pitch: pitch)) <= 1, "\(peak - 1001)")
    #expect(Double(engine.delay(pitch: pitch)) <= 0.043 * 48_000)
    // Outside of 0.25 ms around the peak it is 15 dB lower; at two octaves down, the longer waves
    // reach that far.
    let energy = output.reduce(0) { $0 + $1 * $1 }
    let near = output[(peak - 12)...(peak + 12)].reduce(0) { $0 + $1 * $1 }
    #expect(energy - near < 0.03 * energy)
  }

  @Test(arguments: [0.5 as Float, 1.498_31, 2])
  func `an impulse after noise has the reported latency`(pitch: Float) {
    // Noise selects the short window, which has less lookahead. The impulse is beyond the reach of
    // any frame with noise.
    var sound = Tone.noise(frames: 24_000)
    for index in 14_000..<24_000 { sound[index] = 0 }
    sound[20_000] = 1
    let output = warped(sound, frames: 24_000, pitch: { _ in pitch }).left
    let delay = StudioWarp(sampleRate: 48_000).delay(pitch: pitch)
    let peak = (19_000..<24_000).max { abs(output[$0]) < abs(output[$1]) }!
    #expect(abs(peak - 20_000 - delay) <= 1, "\(peak - 20_000), not \(delay)")
  }

  @Test(arguments: [
    (semitones: 7.0, most: -33.5), (-7, -23), (-12, -19.5),
  ])
  func `gaps between noise bursts stay quiet`(semitones: Double, most: Double) {
    let ratio = ratio(semitones: semitones)
    let sound = Tone.noise(frames: 40_000).enumerated().map { $0 % 6000 < 2400 ? $1 : 0 }
    let output = warped(sound, frames: 40_000, pitch: { _ in ratio }).left
    let delay = StudioWarp(sampleRate: 48_000).delay(pitch: ratio)
    var energies = (burst: 0.0, gap: 0.0)
    for frame in (delay + 6000)..<40_000 {
      let energy = Double(output[frame] * output[frame])
      // Excludes 4 ms around the edges.
      switch (frame - delay) % 6000 {
      case ..<2400: energies.burst += energy / 2400
      case 2600..<5800: energies.gap += energy / 3200
      default: break
      }
    }
    // With a fall of 21 ms it would be -33, -20 and -17 dB; if noise bins continued from their own
    // past, -17 and -10 at seven semitones up and down.
    let level = 10 * log10(energies.gap / energies.burst)
    #expect(level < most, "\(level) dB")
  }

  @Test(arguments: [8000.0, 44_100, 192_000])
  func `the latency is as reported at every sample rate`(sampleRate: Double) {
    let engine = StudioWarp(sampleRate: sampleRate)
    let delay = engine.delay(pitch: 1.5)
    // The interpolator has the same number of taps at every rate, which takes longer at a low one.
    #expect(Double(delay) < (sampleRate < 40_000 ? 0.053 : 0.043) * sampleRate)
    var impulse = [Float](repeating: 0, count: delay)
    impulse[delay / 4] = 1
    let output = warped(
      impulse, frames: delay / 2 * 3, sampleRate: sampleRate, pitch: { _ in 1.5 }
    ).left
    let peak = output.indices.max { abs(output[$0]) < abs(output[$1]) }!
    #expect(abs(peak - delay / 4 - delay) <= 1, "\(peak - delay / 4), not \(delay)")
  }

  @Test func `at neutral pitch and rate it is the delayed tape`() {
    let noise = Tone.noise(frames: 6000)
    let output = warped(noise, frames: 6000).left
    let engine = StudioWarp(sampleRate: 48_000)
    let delay = engine.delay(pitch: 1)
    // Valid from the warm-up on, including what was on the tape before.
    let difference = (engine.warmUp..<6000).map {
      abs(output[$0] - ($0 < delay ? 0 : noise[$0 - delay]))
    }
    // -100 dB for noise at -6 dB: the rounding of transforms, sines and window sums.
    #expect(difference.max()! < 5e-6, "\(difference.max()!)")
  }

  @Test(arguments: [Float(1), 1.3])
  func `becomes bit-identical to the tape when nothing changes`(pitchBefore: Float) {
    let noise = Tone.noise(frames: 66_000)
    let output = warped(noise, frames: 66_000, pitch: { $0 < 5000 ? pitchBefore : 1 }).left
    let delay = StudioWarp(sampleRate: 48_000).delay(pitch: 1)
    // A pitch shift leaves the position between two samples; it settles on the nearest one.
    let late = [delay - 1, delay, delay + 1].filter { late in
      Measure.firstDifference(output[63_000...], noise[(63_000 - late)...].prefix(3000)) == nil
    }
    #expect(late.count == 1)
    if pitchBefore == 1 { #expect(late == [delay]) }
  }

  @Test(arguments: [(pitch: Float(1.2), leap: Int64(0)), (0.7, 0), (1, -1500), (1, 777)])
  func `coming to rest and resuming are inaudible`(pitch: Float, leap: Int64) {
    // While idle, this tone gains half a cycle per hop, so an outdated spectrum would be as wrong
    // as possible.
    let hertz: Float = 377.5
    let tone = Tone.sine(Double(hertz), frames: 80_000)
    let output = warped(
      tone, frames: 76_000, pitch: { $0 < 5000 ? 1.3 : $0 < 66_016 ? 1 : pitch },
      leap: leap == 0 ? nil : (at: 66_016, by: leap)
    ).left
    // For an amplitude of 0.5 at the higher pitch.
    let steepest = pow(2 * Float.pi * hertz * max(1, pitch) / 48_000, 2) * 0.5
    #expect(Measure.roughness(output[50_000...]) < 1.3 * steepest)
    // Two to four periods each.
    let levels = stride(from: 50_000, to: 75_600, by: 382).map { start in
      output[start..<(start + 382)].reduce(Float(0)) { $0 + $1 * $1 }
    }
    #expect(levels.min()! > 0.6 * levels.max()!, "\(levels.min()!) of \(levels.max()!)")
  }

  @Test(arguments: [Float(0.5), 0.9]) func `slowing down doesn't click`(rate: Float) {
    var host = WarpHost(sampleRate: 48_000)
    host.warp.setEngine(.studio)
    host.warp.settle()
    let tone = Tone.sine(440, frames: 76_000)
    var output = host.render(Array(tone[..<62_000]), block: 100).left
    host.warp.setRate(rate)
    output += host.render(Array(tone[62_000...]), block: 100).left
    let steepest = pow(2 * Float.pi * 440 / 48_000, 2) * 0.5
    #expect(Measure.roughness(output[50_000...]) < 1.3 * steepest)
    let levels = stride(from: 50_000, to: 75_700, by: 327).map { start in
      // Three periods.
      output[start..<(start + 327)].reduce(Float(0)) { $0 + $1 * $1 }
    }
    #expect(levels.min()! > 0.6 * levels.max()!, "\(levels.min()!) of \(levels.max()!)")
  }

  @Test(arguments: [1, 7, 64, 333]) func `the result doesn't depend on the block size`(block: Int) {
    let noise = Tone.noise(frames: 4000)
    let whole = warped(noise, frames: 2500, pitch: { _ in 1.3 }, rate: 0.9).left
    let cut = warped(noise, frames: 2500, block: block, pitch: { _ in 1.3 }, rate: 0.9).left
    #expect(Measure.firstDifference(whole, cut) == nil)
  }

  @Test func `a restart resets all state`() {
    let noise = Tone.noise(frames: 4096)
    let fresh = warped(noise, frames: 2400, pitch: { _ in 0.8 }).left
    let again = warped(
      noise, frames: 2400 + 2016, pitch: { _ in 0.8 }, startingAgainAt: 2016
    ).left
    #expect(Measure.firstDifference(fresh, again[2016...]) == nil)
  }

  @Test func `both channels keep their relative level and phase`() {
    let noise = Tone.noise(frames: 8192)
    let output = warped(noise, right: noise.map { -0.5 * $0 }, frames: 5000, pitch: { _ in 1.4 })
    let peak = Measure.peak(output.left)
    // The rounding of the transform: both channels are parts of the same complex values.
    #expect(zip(output.left, output.right).allSatisfy { abs($0 * -0.5 - $1) < 2e-6 * max(1, peak) })
  }

  @Test func `pitch sweeps don't click`() {
    let tone = Tone.sine(440, frames: 14_000)
    let output = warped(
      tone, frames: 14_000, pitch: { Float(exp2(sin(Double($0) / 2000))) }
    ).left
    // The largest second difference of 880 Hz at 0.5; a click would have many times that.
    let steepest = pow(2 * Float.pi * 880 / 48_000, 2) * 0.5
    #expect(Measure.roughness(output[3000...]) < 1.3 * steepest)
  }

  @Test(arguments: [Int64(-1500), 1234]) func `a leap doesn't click`(distance: Int64) {
    let tone = Tone.sine(440, frames: 30_000)
    let output = warped(
      tone, frames: 9000, pitch: { _ in 0.75 }, leap: (at: 5024, by: distance)
    ).left
    let steepest = pow(2 * Float.pi * 330 / 48_000, 2) * 0.5
    #expect(Measure.roughness(output[4000...]) < 1.3 * steepest)
    // Frequencies carry on: the crossfaded parts add up instead of cancelling.
    let levels = stride(from: 4000, to: 8700, by: 291).map { start in
      // Two periods.
      output[start..<(start + 291)].reduce(Float(0)) { $0 + $1 * $1 }
    }
    #expect(levels.min()! > 0.6 * levels.max()!)
  }

  @Test func `the pitch may jump by four octaves`() {
    let tone = Tone.sine(440, frames: 12_000)
    let output = warped(
      tone, frames: 12_000, pitch: { $0 / 1024 % 2 == 0 ? 4 : 0.25 }
    ).left
    // Tones of 0.5 keep about that level, however many frames overlap.
    #expect(Measure.peak(output) < 0.9)
  }

  @Test func `silence stays silent, and a constant stays constant`() {
    let silence = warped(Tone.constant(0, frames: 100), frames: 4000, pitch: { _ in 1.2 }).left
    #expect(silence.allSatisfy { $0 == 0 })
    let constant = warped(
      Tone.constant(1, frames: 6500), frames: 6500, pitch: { _ in 1.2 }
    ).left
    // The window's shape moves with the group delay, so the sum is only approximate.
    #expect(constant[5200...].allSatisfy { abs($0 - 1) < 0.03 })
  }

  @Test(arguments: [Float.nan, 1e30]) func `recovers from non-finite and huge input`(value: Float) {
    var input = Tone.constant(0, frames: 700)
    for index in 500..<600 { input[index] = value }
    let output = warped(input, frames: 8000, pitch: { _ in 1.2 }).left
    // Once no window contains it, nothing of it remains.
    #expect(output[7000...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [8000.0, 16_000, 22_050, 32_000, 44_100])
  func `pitch jumps stay in bounds at any sample rate`(sampleRate: Double) {
    var host = WarpHost(sampleRate: sampleRate)
    host.warp.setEngine(.studio)
    host.warp.setPitch(semitones: -24)
    host.warp.settle()
    var output = host.render(Tone.noise(frames: 6000), block: 100).left
    for round in 0..<40 {
      host.warp.setPitch(semitones: round % 2 == 0 ? 24 : -24)
      host.warp.setRate([1, 0.25, 4, 1][round % 4])
      output += host.render(Tone.noise(frames: 150 + 37 * (round % 11)), block: 100).left
    }
    // The address sanitizer finds writes out of bounds that the output doesn't show.
    #expect(output.allSatisfy { $0.isFinite && abs($0) < 8 })
  }
}
