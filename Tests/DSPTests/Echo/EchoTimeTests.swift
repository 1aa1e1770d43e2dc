import DSP
import Foundation
import TestSupport
import Testing

@Suite struct EchoTimeTests {
  /// Changes the delay time at 0.48 s during a tone.
  ///
  /// Returns the output from there on, and its roughness before.
  private func change(
    _ hertz: Double, from: Float, to: Float, glides: Bool, frames: Int
  ) -> (after: [Float], steady: Float) {
    let rig = EchoRig(seconds: from)
    rig.echo.setGlides(glides)
    let tone = Tone.sine(hertz, frames: 23_040 + frames)
    let before = rig.play(Array(tone[..<23_040])).left
    rig.echo.setSeconds(to)
    let after = rig.play(Array(tone[23_040...])).left
    return (Array(before[23_030...]) + after, Measure.roughness(before[22_600...]))
  }

  // At 440 Hz the two taps are in phase, at 437 Hz almost in antiphase.
  @Test(arguments: [440.0, 437], [(Float(0.3), Float(0.45)), (0.45, 0.3)])
  func `a crossfade changes the time without a click or pitch bend`(
    hertz: Double, times: (Float, Float)
  ) {
    let (after, steady) = change(hertz, from: times.0, to: times.1, glides: false, frames: 8000)
    #expect(Measure.roughness(after) < 2 * steady)
    // After the fade only the tone is left.
    let residue = Measure.residue(after[1500..<8000], hertz: hertz, sampleRate: 48_000)
    #expect(residue < -90, "\(residue) dB")
    // During the fade each zero crossing belongs to one tap or the other; a pitch glide would shift
    // them by 7200 frames in total.
    let crossings = zip(after, after.dropFirst()).filter { $0 <= 0 && $1 > 0 }.count
    #expect(abs(Double(crossings) - hertz * Double(after.count) / 48_000) < 2)
  }

  @Test func `a crossfade between identical signals keeps the level`() {
    let after = change(440, from: 0.3, to: 0.45, glides: false, frames: 2400).after
    // The taps are 66 whole periods apart. An equal-power crossfade would gain 3 dB.
    #expect(Measure.peak(after) < 0.5 * 1.01)
  }

  @Test func `a crossfade between uncorrelated signals keeps the power`() {
    let rig = EchoRig(seconds: 0.05)
    _ = rig.play(Tone.noise(frames: 9600), Tone.noise(frames: 9600, seed: 2))
    rig.echo.setSeconds(0.1)
    let (left, right) = rig.rest(1440)
    let middle = left[480..<960] + right[480..<960]
    let power = middle.reduce(0) { $0 + $1 * $1 } / Float(middle.count)
    // The power of 960 noise samples is accurate to 0.12 dB. An equal-gain crossfade would lose 2.5
    // dB.
    #expect(abs(10 * log10(power / (0.25 / 3))) < 0.5)
  }

  @Test(arguments: [(Float(0.3), Float(0.45), 0.375), (0.45, 0.3, 1.375)])
  func `a glide bends the pitch without a click`(from: Float, to: Float, speed: Double) {
    let (after, steady) = change(440, from: from, to: to, glides: true, frames: 43_200)
    #expect(Measure.roughness(after) < 2 * steady)
    // Between 0.1 and 0.2 s after the change it runs at full speed.
    let residue = Measure.residue(
      after[4810..<9610], hertz: 440 * speed, sampleRate: 48_000)
    #expect(residue < -50, "\(residue) dB")
    let landed = Measure.residue(after[38_400...], hertz: 440, sampleRate: 48_000)
    #expect(landed < -90, "\(landed) dB")
  }

  @Test(arguments: [(Float(0.3), Float(0.45)), (0.45, 0.3), (0.3, 0.299)])
  func `a glide lands exactly on its target`(from: Float, to: Float) {
    let rig = EchoRig(seconds: from)
    rig.echo.setGlides(true)
    _ = rig.play(Tone.noise(frames: 64))
    rig.echo.setSeconds(to)
    // 0.4 s at the slower speed limit, plus 16 time constants of 15 ms. The input is tiny but not
    // silent; in silence the echo would go idle and jump to the target.
    _ = rig.play(Tone.constant(1e-30, frames: 33_600))
    let frames = Int(to * 48_000 + 0.5)
    let output = rig.play(click(frames: frames + 10)).left
    #expect(abs(output[frames] / 0.5 - 0.9987) < 0.0001)
    // An error of a thousandth of a frame would ring at 0.0005 around the click.
    #expect(abs(output[frames - 1]) < 1e-6)
  }

  @Test func `an aborted glide ends in a crossfade`() {
    let rig = EchoRig(seconds: 0.3)
    rig.echo.setGlides(true)
    let tone = Tone.sine(440, frames: 48_000)
    _ = rig.play(Array(tone[..<19_200]))
    rig.echo.setSeconds(0.35)
    var output = rig.play(Array(tone[19_200..<20_480])).left
    rig.echo.setGlides(false)
    output += rig.play(Array(tone[20_480...])).left
    let steady = Float(0.5 * pow(2 * .pi * 440 / 48_000, 2))
    #expect(Measure.roughness(output) < 2 * steady)
    // 65 ms to come to rest and 30 ms to fade.
    let residue = Measure.residue(output[6080...], hertz: 440, sampleRate: 48_000)
    #expect(residue < -90, "\(residue) dB")
  }

  @Test func `many changes in a row end at the last one`() {
    let rig = EchoRig(rate: 8000, seconds: 0.1)
    for index in 0..<20 {
      rig.echo.setSeconds(Float(index) * 0.01 + 0.05)
      _ = rig.play(Tone.noise(amplitude: 1e-4, frames: 64))
    }
    _ = rig.play(Tone.noise(amplitude: 1e-4, frames: 800))
    let output = rig.play(click(frames: 2000)).left
    #expect(abs(output[1920]) > 0.49)
  }
}
