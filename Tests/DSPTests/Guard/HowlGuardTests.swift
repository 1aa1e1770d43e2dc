import DSP
import Foundation
import Howl
import TestSupport
import Testing

/// The feedback suppressor in a simulated room, with held tones, and in isolation.
@Suite struct HowlGuardTests {
  /// Processes a signal without feedback, in blocks.
  private func guarded(
    _ left: [Float], _ right: [Float]? = nil, block: Int, sampleRate: Double = 48_000,
    isOn: Bool = true
  ) -> (left: [Float], right: [Float], probes: Int) {
    var guardian = HowlGuard(sampleRate: sampleRate)
    guardian.setOn(isOn)
    var (left, right) = (left, right ?? left)
    inBlocks(of: block, &left, &right) {
      guardian.process($0.sound, peak: $0.peak, frames: $0.frames)
    }
    return (left, right, guardian.probeCount)
  }

  /// A stage whose gain jumps above its feedback limit after one second below.
  private func howling(
    seed: Int, decibels: Double, seconds: Double, isGuarded: Bool = true, hold: Float = 600
  ) -> HowlStage {
    let stage = HowlStage(
      HowlRoom(seed: seed, delay: 400, tail: 0.3), isGuarded: isGuarded, holdSeconds: hold)
    let speech = MadeSpeech.sound(seconds: 1 + seconds, seed: seed).map { 0.02 * $0 }
    stage.play(Array(speech[..<48_000]), decibels: -6)
    stage.play(Array(speech[48_000...]), decibels: decibels)
    return stage
  }

  @Test(arguments: [1, 3, 6])
  func `suppresses a howl that would persist`(seed: Int) {
    // Without suppression the loudspeaker reaches its limit. With it, the level is like that of
    // speech, which is 0.02, or twice that in a resonant room.
    let plain = howling(seed: seed, decibels: 1.5, seconds: 4, isGuarded: false)
    #expect(Measure.level(plain.heard.suffix(24_000)) > 0.25)
    let stage = howling(seed: seed, decibels: 1.5, seconds: 4)
    #expect(Measure.level(stage.heard.suffix(24_000)) < 0.08)
    #expect((1...8).contains(stage.notches.count))
  }

  @Test func `the first notch is at the frequency of the howl`() throws {
    let stage = howling(seed: 1, decibels: 1, seconds: 3)
    let hertz = try #require(stage.found.first).hertz
    // Just above the limit the loop's strongest resonance howls. A bin is 23 Hz wide.
    let howl = try #require(
      Measure.frequency(
        howling(seed: 1, decibels: 1, seconds: 3, isGuarded: false).heard.suffix(9600),
        near: Double(hertz), sampleRate: 48_000))
    #expect(abs(howl - Double(hertz)) < 5)
  }

  @Test func `finds two close howls that sound at the same time`() {
    // This room has two howls 135 Hz apart, which is six bins. When each had to be isolated by that
    // width, they stayed loud for a second, one after the other. A loop trip takes 10 ms, and
    // either alone is found in 0.3 s.
    let stage = HowlStage(
      HowlRoom(seed: 104, delay: 500, early: 0.4, tail: 0.15), isGuarded: true)
    let speech = MadeSpeech.sound(seconds: 4, seed: 104).map { 0.02 * $0 }
    stage.play(Array(speech[..<48_000]), decibels: -6)
    stage.play(Array(speech[48_000...]), decibels: 2)
    #expect(loudSeconds(stage.heard) < 0.3)
    #expect(stage.notches.count >= 2)
  }

  @Test func `merges neighboring notches when none is free, for more gain`() {
    // 5 dB above the limit, where eight notches of a tenth of an octave don't suffice in this room.
    let stage = HowlStage(HowlRoom(seed: 2, delay: 400, tail: 0.3), isGuarded: true)
    let speech = MadeSpeech.sound(seconds: 2, seed: 2).map { 0.02 * $0 }
    for decibels in stride(from: -1.0, through: 5, by: 1) {
      stage.play(speech, decibels: decibels)
    }
    #expect(Measure.level(stage.heard.suffix(24_000)) < 0.25)
    #expect(stage.notches.count == HowlGuard.mostNotches)
    #expect(stage.found.count > HowlGuard.mostNotches)
    // Shared notches are shallower.
    #expect(Set(stage.depths) == [-30, -12])
  }

  /// The total time, in seconds, of 0.1 s segments that are louder than any speech in these tests.
  private func loudSeconds(_ sound: [Float]) -> Double {
    stride(from: 48_000, to: sound.count - 4799, by: 4800).reduce(0) {
      $0 + (Measure.level(sound[$1..<($1 + 4800)]) > 0.2 ? 0.1 : 0)
    }
  }

  @Test(arguments: HeldTones.allCases)
  func `held tones aren't taken for howls`(kind: HeldTones) {
    // `scripts/bench guard` is the long version.
    let stage = HowlStage(HowlRoom(seed: 2, delay: 600), isGuarded: true)
    stage.play(kind.sound(seconds: 12, seed: 3), decibels: -200)
    #expect(stage.found.isEmpty)
    // They were suspects.
    #expect(stage.probeCount > 0)
  }

  @Test func `a sine that rises like a howl isn't taken for one`() {
    // 40 dB/s: no property of the signal itself distinguishes it from a howl.
    let sound = Tone.sine(1234.5, amplitude: 1, frames: 96_000).enumerated().map {
      $0.element * Float(pow(10, (Double($0.offset) / 48_000 * 40 - 70) / 20))
    }
    let stage = HowlStage(HowlRoom(seed: 2, delay: 600), isGuarded: true)
    stage.play(sound, decibels: -200)
    #expect(stage.found.isEmpty)
    #expect(stage.probeCount > 0)
  }

  @Test(arguments: [110.0, 997, 7040])
  func `a probed tone keeps its level`(hertz: Double) {
    let tone = Tone.sine(hertz, frames: 96_000)
    let output = guarded(tone, block: 64)
    #expect(output.probes > 0)
    // Within 0.8 dB over each 20 ms. The filter needs 46 ms to settle at 110 Hz, less above.
    for start in stride(from: 4800, to: 95_000, by: 480) {
      let ratio =
        Measure.level(output.left[start..<(start + 960)])
        / Measure.level(tone[start..<(start + 960)])
      #expect(abs(20 * log10(ratio)) < 0.8, "\(start)")
    }
  }

  @Test func `without suspects it is bit-transparent and has no latency`() {
    let noise = Tone.noise(frames: 48_000)
    let other = Tone.noise(frames: 48_000, seed: 2)
    let output = guarded(noise, other, block: 64)
    #expect(output.left == noise)
    #expect(output.right == other)
  }

  @Test(arguments: [1, 16, 333, 1024])
  func `the result doesn't depend on the block size`(block: Int) {
    let tones = HeldTones.organ.sound(seconds: 2, seed: 4)
    let whole = guarded(tones, block: 64)
    #expect(whole.probes > 0)
    #expect(whole.left != tones)
    let other = guarded(tones, block: block)
    #expect(other.left == whole.left)
  }

  @Test(arguments: [8000.0, 22_050, 44_100, 96_000, 192_000])
  func `probes tones at any sample rate without overflow`(rate: Double) {
    let tone = Tone.sine(1000, frames: Int(rate), sampleRate: rate)
    let output = guarded(tone, block: 64, sampleRate: rate)
    #expect(output.probes > 0)
    #expect(Measure.peak(output.left) < 0.7)
  }

  @Test(arguments: [Float(1e-30), 1, 1e5, 1e30])
  func `the output stays finite`(amplitude: Float) {
    let tone = Tone.sine(1000, amplitude: amplitude, frames: 48_000)
    let output = guarded(tone, block: 64).left
    #expect(output.allSatisfy { $0.isFinite })
  }

  @Test func `a notch is a tenth of an octave wide`() throws {
    // Measures the notch with tones: -3 dB at both edges, -30 dB at the center.
    var guardian = HowlGuard(sampleRate: 48_000)
    guardian.setOn(true)
    let found = Self.notched(&guardian)
    let middle = Double(try #require(found))
    for (octaves, decibels) in [(0.0, -30.0), (-0.05, -3), (0.05, -3), (-0.5, 0), (0.5, 0)] {
      let hertz = middle * exp2(octaves)
      var sound = Tone.sine(hertz, amplitude: 0.1, frames: 9600)
      Self.process(&guardian, &sound)
      let level = 20 * log10(Measure.level(sound.suffix(4800)) / (0.1 / 2.0.squareRoot()))
      // The center is accurate to hundredths of a bin, which matters where the slope is steep.
      #expect(abs(level - decibels) < (octaves == 0 ? 6 : 0.6), "\(octaves): \(level) dB")
    }
  }

  @Test func `a notch expires after its hold time, or at once when cleared`() {
    let stage = howling(seed: 1, decibels: 1, seconds: 2, hold: 600)
    #expect(!stage.notches.isEmpty)
    stage.clear()
    #expect(stage.notches.isEmpty)
    let short = howling(seed: 1, decibels: 1, seconds: 2, hold: 1.5)
    #expect(!short.found.isEmpty)
    short.play([Float](repeating: 1e-4, count: 96_000), decibels: -40)
    #expect(short.notches.isEmpty)
  }

  @Test func `once turned off it fades out and becomes bit-transparent`() {
    var guardian = HowlGuard(sampleRate: 48_000)
    guardian.setOn(true)
    let found = Self.notched(&guardian)
    #expect(found != nil)
    guardian.setOn(false)
    var noise = Tone.noise(amplitude: 0.1, frames: 9600)
    Self.process(&guardian, &noise)
    let isActive = guardian.isActive
    #expect(!isActive)
    let before = noise
    Self.process(&guardian, &noise)
    #expect(noise == before)
  }

  // MARK: - A minimal feedback loop

  /// Runs a guard in a short feedback loop until it finds the howl, and returns the notch
  /// frequency.
  private static func notched(_ guardian: inout HowlGuard) -> Float? {
    let room = HowlRoom(seed: 1, delay: 400, tail: 0.3)
    let gain = Float(room.limit * pow(10, 1.5 / 20))
    var feedback = Tone.noise(amplitude: 0.001, frames: 64)
    for _ in 0..<3000 {
      var sound = feedback
      process(&guardian, &sound)
      feedback = room.pass(sound.map { tanhf(gain * $0) })
      let hertz = (0..<HowlGuard.mostNotches).map { guardian.notch($0).hertz }.max() ?? 0
      if hertz > 0 { return hertz }
    }
    return nil
  }

  private static func process(_ guardian: inout HowlGuard, _ sound: inout [Float]) {
    var other = sound
    inBlocks(of: 64, &sound, &other) { guardian.process($0.sound, peak: 1, frames: $0.frames) }
  }
}
