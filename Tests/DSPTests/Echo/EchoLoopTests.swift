import DSP
import Foundation
import TestSupport
import Testing

@Suite struct EchoLoopTests {
  @Test func `feedback above 1 grows to a bound and stays there`() {
    let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 1.1)
    _ = rig.play(Tone.noise(amplitude: 0.01, frames: 80))
    // 1000 repeats: unbounded, the gain would be 10^41.
    let output = rig.rest(80_000).left
    #expect(output.allSatisfy { abs($0) <= 1.1 })
    // A limiter that removes more than the feedback adds would let it decay.
    #expect(Measure.peak(output[72_000...]) > 0.4)
  }

  @Test func `with a loud input the output stays below the input plus the ceiling`() {
    let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 1.1)
    let output = rig.play(Tone.sine(500, amplitude: 1, frames: 16_000, sampleRate: 8000)).left
    // The delay holds whole periods of 500 Hz, so all repeats add in phase.
    #expect(Measure.peak(output) < 2.05)
  }

  @Test func `DC doesn't recirculate`() {
    let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 1.1)
    _ = rig.play(Tone.constant(0.5, frames: 8000))
    let output = rig.play(Tone.constant(0.5, frames: 8000)).left
    let mean = output.reduce(0, +) / 8000
    // Recirculating, it would reach the ceiling.
    #expect(abs(mean) < 0.01, "\(mean)")
  }

  @Test func `the saturator is bit-transparent below half of full scale`() {
    func echoed(_ amplitude: Float) -> [Float] {
      let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 0.9)
      return rig.play(Tone.noise(amplitude: amplitude, frames: 80) + Tone.constant(0, frames: 800))
        .left
    }
    // A saturator is nonlinear at every amplitude, while doubling is exact in binary.
    #expect(echoed(0.2) == echoed(0.1).map { $0 * 2 })
    #expect(echoed(0.8) != echoed(0.4).map { $0 * 2 })
  }

  @Test func `the held loop repeats bit for bit`() {
    let rig = EchoRig(rate: 8000, seconds: 0.05, feedback: 0.3)
    rig.echo.setHighCut(hertz: 1000)
    rig.echo.setSpread(1)
    _ = rig.play(Tone.noise(frames: 1600), Tone.noise(frames: 1600, seed: 2))
    rig.echo.setHold(true)
    _ = rig.play(Tone.noise(frames: 240), Tone.noise(frames: 240, seed: 3))
    let first = rig.play(Tone.noise(frames: 400, seed: 4))
    _ = rig.play(Tone.noise(frames: 400 * 49, seed: 5))
    let later = rig.play(Tone.noise(frames: 400, seed: 6))
    #expect(first.left == later.left)
    #expect(first.right == later.right)
    #expect(Measure.peak(first.left) > 0.1 && Measure.peak(first.right) > 0.05)
  }

  @Test func `hold starts, loops and ends without a click`() {
    let rig = EchoRig(seconds: 0.1, feedback: 0.2)
    rig.echo.setLowCut(hertz: 500)
    rig.echo.setHighCut(hertz: 2000)
    rig.echo.settle()
    // The delay holds 43.7 periods: looped without a crossfade, they would meet in a corner.
    let tone = Tone.sine(437, frames: 48_000)
    var output = rig.play(Array(tone[..<14_400])).left
    let steady = Measure.roughness(output[9600...])
    rig.echo.setHold(true)
    output += rig.play(Array(tone[14_400..<33_600])).left
    rig.echo.setHold(false)
    output += rig.play(Array(tone[33_600...])).left
    // The held loop bypasses the filters: 1.5 times as loud at 437 Hz.
    #expect(Measure.roughness(output[9600...]) < 2 * 1.5 * steady)
    #expect(Measure.peak(output[20_000..<33_600]) > 0.3)
  }

  @Test(arguments: [false, true])
  func `a reset fades out the tail and continues`(isWithinGlide: Bool) {
    let rig = EchoRig(seconds: 0.2, feedback: 1)
    let tone = Tone.sine(440, frames: 54_000)
    var output = rig.play(Array(tone[..<24_000])).left
    let steady = Measure.roughness(output[12_000...])
    if isWithinGlide {
      rig.echo.setGlides(true)
      rig.echo.setSeconds(0.4)
    }
    rig.echo.reset()
    output += rig.play(Array(tone[24_000...])).left
    #expect(Measure.roughness(output[12_000...]) < 2 * steady)
    // 25 ms of fade, then silence for 0.2 s, then the new input.
    let emptied = 24_000 + 1200
    #expect(output[emptied..<(emptied + 9600)].allSatisfy { $0 == 0 })
    #expect(Measure.peak(output[(emptied + 9600)...]) > 0.45)
  }

  @Test(arguments: [600, 2400, 9600])
  func `turning the echo off and on clears old content`(pause: Int) {
    let rig = EchoRig(seconds: 0.05, feedback: 1)
    _ = rig.play(Tone.noise(frames: 4800))
    rig.echo.setOn(false)
    // The fade lasts 1200 frames and also ends if the pause is shorter.
    var output = rig.play(Tone.constant(0, frames: pause)).left
    rig.echo.setOn(true)
    output += rig.rest(9600).left
    #expect(output[1200...].allSatisfy { $0 == 0 })
    #expect(output[..<600].contains { abs($0) > 0.1 })
  }

  @Test func `input from before the end of the fade is cleared too`() {
    let rig = EchoRig(seconds: 0.05, feedback: 1)
    _ = rig.play(Tone.noise(frames: 4800))
    rig.echo.setOn(false)
    _ = rig.play(Tone.noise(frames: 4800))
    rig.echo.setOn(true)
    let output = rig.play(click(frames: 2400) + Tone.constant(0, frames: 2400)).left
    // The mix moves from dry to wet. The input of the delay line fades in over 10 ms, so a click at
    // the switch doesn't enter it.
    #expect(output[1...].allSatisfy { abs($0) < 1e-3 })
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 3e38, -3e38])
  func `recovers from non-finite and huge input`(bad: Float) {
    let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 1.1)
    var noise = Tone.noise(frames: 800)
    noise[100] = bad
    noise[101] = -bad
    noise[200] = bad
    _ = rig.play(noise)
    let output = rig.rest(8000).left
    #expect(output.allSatisfy { $0.isFinite })
    #expect(Measure.peak(output[4000...]) < 1.1)
    rig.echo.setSeconds(.nan)
    rig.echo.setFeedback(.nan)
    rig.echo.setMix(.infinity)
    #expect(rig.play(Tone.noise(frames: 800)).left.allSatisfy { $0.isFinite })
  }

  @Test func `becomes idle once the tail has decayed`() {
    let rig = EchoRig(rate: 8000, seconds: 0.1, feedback: 0.5)
    _ = rig.play(click(frames: 64), block: 64)
    var blocks = 0
    while rig.sounds && blocks < 1000 {
      _ = rig.rest(64, block: 64)
      blocks += 1
    }
    // At 0.5 the 19th repeat falls below -120 dB, at 15 200 frames. One more delay time and the
    // low-cut's tail follow.
    #expect(blocks > 15_200 / 64 && blocks < 17_600 / 64, "\(blocks)")
    // The first sound wakes it, and its repeat is on time.
    let output = rig.play(click(frames: 900)).left
    #expect(abs(output[800] - 0.5 * 0.9922) < 1e-4)
  }
}
