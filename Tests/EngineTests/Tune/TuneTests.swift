import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// The pitch correction of the live input.
@Suite struct TuneTests {
  private let voice = SungTone()

  private func set(_ parameter: Parameter.Tune, _ value: Float, on host: OfflineHost) {
    host.send(Command(.set(.tune(parameter), value)))
  }

  private func host(speed: Float = 0, _ others: [(Parameter.Tune, Float)] = []) -> OfflineHost {
    let host = OfflineHost()
    set(.on, 1, on: host)
    set(.speed, speed, on: host)
    for (parameter, value) in others { set(parameter, value, on: host) }
    return host
  }

  @Test func `off, it changes nothing`() {
    let sound = voice.sound(seconds: 0.5) { _ in 57.3 }
    let host = OfflineHost()
    set(.speed, 0, on: host)
    #expect(host.render(sound, block: 64).left == sound)
  }

  @Test(arguments: [40.0, 45, 52, 57, 64, 69, 76])
  func `a steady note is in tune within 3 cents`(note: Double) {
    for off in [-0.4, -0.2, 0.1, 0.3] {
      let sound = voice.sound(seconds: 1) { _ in note + off }
      let output = host().render(sound, block: 64).left
      // From 150 ms on: the tracker needs two results.
      let pitches = voice.pitches(of: output[7200...], near: note)
      let worst = pitches.map { abs($0 - note) }.max()!
      #expect(worst < 0.03, "\(note + off): \(100 * worst) cents")
    }
  }

  @Test(arguments: [(45.0, 0.008), (69, 0.004)])
  func `the delay is at most 8 ms at 110 Hz, and 4 ms at 440 Hz`(note: Double, most: Double) {
    // Random swells, whose envelope shows the delay.
    let tone = voice.sound(seconds: 4) { _ in note + 0.3 }
    let steps = Tone.noise(amplitude: 0.5, frames: tone.count / 3000 + 1)
    var level: Float = 0
    let sound = tone.indices.map { frame in
      level += (0.5 + steps[frame / 3000] - level) / 800
      return tone[frame] * level
    }
    let output = host().render(sound, block: 64).left
    // Smoothed over a period of 110 Hz.
    let delay = Measure.delay(
      of: Array(output[24_000...]), against: Array(sound[24_000...]), atMost: 1000, smoothing: 436)
    #expect(delay > -48 && delay <= most * 48_000, "\(delay) frames")
  }

  @Test func `a vibrato is flattened at speed 0, and kept if asked`() {
    let sound = voice.sound(seconds: 2) { 57.2 + 0.35 * sin(2 * .pi * 5.5 * $0) }
    func swing(_ vibrato: Float) -> Double {
      let output = host(speed: 0, [(.vibrato, vibrato)]).render(sound, block: 64).left
      let pitches = voice.pitches(of: output[24_000...], near: 57, length: 1600)
      return (pitches.max()! - pitches.min()!) / 2
    }
    // The tracker is 17 ms late; the extrapolation of its results leaves less than half of the swing.
    #expect(swing(0) < 0.17, "\(swing(0))")
    #expect((0.32...0.38).contains(swing(1)), "\(swing(1))")
  }

  @Test func `a slide becomes steps at speed 0, and stays a slide at low speed`() {
    // Five semitones in two seconds.
    let sound = voice.sound(seconds: 2) { 57 + 2.5 * $0 }
    func shareOnNotes(_ speed: Float) -> Double {
      let output = host(speed: speed).render(sound, block: 64).left
      let pitches = voice.pitches(of: output[9600..<86_400], near: 59.5, length: 1600)
      let onNotes = pitches.filter { abs($0 - $0.rounded()) < 0.12 }
      return Double(onNotes.count) / Double(pitches.count)
    }
    #expect(shareOnNotes(0) > 0.75, "\(shareOnNotes(0))")
    #expect(shareOnNotes(400) < 0.45, "\(shareOnNotes(400))")
  }

  @Test func `the targets are the notes of the scale, or held notes in any octave`() {
    // F minor pentatonic: no A.
    let scale = [5, 8, 10, 0, 3]
    let snapped = (0..<128).map { key -> Float in
      let distance = (0..<7).flatMap { [-$0, $0] }.first { scale.contains((key + $0 + 120) % 12) }
      return Float(100 * (key + distance!))
    }
    let map = KeyMap(snapped: snapped, own: (0..<128).map { Float(100 * $0) })
    let sound = voice.sound(seconds: 1) { _ in 57.1 }
    for (targets, expected) in [(0, 58.0), (1, 57), (2, 59)] {
      let host = host(speed: 0, [(.scale, Float(targets))])
      host.send(Command(.keyMap(map.pointer)))
      host.send(
        Command(.note(.on(NoteStart(finger: .cell(1), key: 35, cents: 3500, velocity: 1)))))
      let output = host.render(sound, block: 64).left
      let pitches = voice.pitches(of: output[24_000...], near: expected)
      #expect(pitches.allSatisfy { abs($0 - expected) < 0.03 }, "\(targets): \(pitches)")
    }
    withExtendedLifetime(map) {}
  }

  @Test func `noise and pauses keep their level, and no octaves are heard`() {
    let noise = Tone.noise(amplitude: 0.1, frames: 24_000)
    let note = voice.sound(seconds: 0.5) { _ in 52.2 }
    let output = host().render(noise + note + noise, block: 64).left
    for part in [2000..<22_000, 52_000..<71_000] {
      let level = 20 * log10(Measure.level(output[part]) / Measure.level(noise))
      #expect(abs(level) < 0.5, "\(level)")
    }
    // Near one octave above and below, the voice has no fundamental.
    let found = voice.pitches(of: output[30_000..<47_000], near: 52)
    #expect(found.allSatisfy { abs($0 - 52) < 0.05 }, "\(found)")
  }

  @Test(arguments: [46.9, 59.2, 68.3])
  func `it is turned on and off without clicks, again and again`(note: Double) {
    let hertz = SungTone.hertz(note)
    let sound = Tone.sine(hertz, amplitude: 0.25, frames: 160_000)
    let host = OfflineHost()
    var output: [Float] = []
    for part in 0..<10 {
      set(.on, Float(part % 2), on: host)
      output +=
        host.render(
          Array(sound[(part * 16_000)..<((part + 1) * 16_000)]), block: 64
        ).left
    }
    // The tone itself has 1. A jump of phase or level in a millisecond has more than 10.
    let step = 2 * Double.pi * hertz / 48_000
    #expect(Double(Measure.roughness(output)) < 1.6 * 0.25 * step * step)
    // Off again, it passes the sound unchanged.
    #expect(Array(output[40_000..<48_000]) == Array(sound[40_000..<48_000]))
  }

  @Test(arguments: [1, 96, 1024])
  func `the result doesn't depend on the block size`(block: Int) {
    // Without the silent first frame, after which it would begin in the second block of one frame.
    let sound =
      voice.sound(seconds: 0.3) { 55 + 3 * $0 }.dropFirst() + Tone.constant(0, frames: 3000)
      + voice.sound(seconds: 0.1) { _ in 60.4 }
    let expected = host(speed: 20).render(Array(sound), block: 64).left
    let output = host(speed: 20).render(Array(sound), block: block).left
    // The interpolator adds in another order at the end of a block.
    #expect(zip(output, expected).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func `it comes before the pitch shift, and with the voice engine it keeps formants`() {
    let sound = voice.sound(seconds: 1) { _ in 57.3 }
    let host = host()
    host.send(Command(.set(.warp(.semitones), 7)))
    let output = host.render(sound, block: 64).left
    let pitches = voice.pitches(of: output[24_000...], near: 64)
    #expect(pitches.allSatisfy { abs($0 - 64) < 0.03 }, "\(pitches)")

    let other = self.host()
    other.send(Command(.set(.warp(.pitchOn), 0)))
    other.send(Command(.set(.warp(.engine), 1)))
    let kept = other.render(sound, block: 64).left
    let found = voice.pitches(of: kept[24_000...], near: 57)
    #expect(found.allSatisfy { abs($0 - 57) < 0.03 }, "\(found)")
    // 20 ms, as the voice engine.
    #expect(other.engine.shared.chainDelayFrames <= 960)
  }
}
