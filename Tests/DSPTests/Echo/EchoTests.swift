import DSP
import Foundation
import TestSupport
import Testing

/// A test host that runs an echo block by block.
final class EchoRig {
  var echo: Echo
  let rate: Double
  /// Whether the last block had output.
  private(set) var sounds = true

  /// Creates an echo that is on, fully wet, with open filters.
  init(rate: Double = 48_000, seconds: Float, feedback: Float = 0, mix: Float = 1) {
    self.rate = rate
    echo = Echo(sampleRate: Float(rate))
    echo.setSeconds(seconds)
    echo.setFeedback(feedback)
    echo.setMix(mix)
    echo.setLowCut(hertz: 20)
    echo.setHighCut(hertz: 20_000)
    echo.setOn(true)
    echo.settle()
  }

  /// Processes both channels in blocks and returns the output.
  func play(
    _ left: [Float], _ right: [Float]? = nil, block: Int = 512
  ) -> (left: [Float], right: [Float]) {
    var left = left
    var right = right ?? left
    inBlocks(of: block, &left, &right) {
      sounds = echo.process($0.sound, frames: $0.frames, isSilent: $0.isSilent)
    }
    return (left, right)
  }

  /// Processes silence.
  func rest(_ frames: Int, block: Int = 512) -> (left: [Float], right: [Float]) {
    play(Tone.constant(0, frames: frames), block: block)
  }
}

/// An impulse followed by silence.
func click(_ amplitude: Float = 0.5, frames: Int) -> [Float] {
  [amplitude] + Tone.constant(0, frames: frames - 1)
}

@Suite struct EchoTests {
  /// The amplitude of a sine component of a signal.
  private func level(_ samples: ArraySlice<Float>, hertz: Double, rate: Double) -> Double {
    var (sine, cosine) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle = 2 * Double.pi * hertz * Double(index) / rate
      sine += Double(sample) * sin(angle)
      cosine += Double(sample) * cos(angle)
    }
    return 2 * (sine * sine + cosine * cosine).squareRoot() / Double(samples.count)
  }

  @Test(
    arguments: [(Float(0.001), 48), (0.0013125, 63), (0.05, 2400), (0.3, 14_400)], [64, 333, 1024])
  func `the first repeat arrives exactly after the delay time`(
    time: (seconds: Float, frames: Int), block: Int
  ) {
    let rig = EchoRig(seconds: time.seconds)
    let output = rig.play(click(frames: time.frames + 1000), block: block).left
    #expect(output[..<time.frames].allSatisfy { $0 == 0 })
    // A low-cut at 20 Hz takes 0.13 % of an impulse's peak at 48 kHz and spreads it over what
    // follows.
    #expect(abs(output[time.frames] / 0.5 - 0.9987) < 0.0001)
    #expect(output[(time.frames + 1)...].allSatisfy { abs($0) < 0.002 })
  }

  @Test(arguments: [Float(0), 0.25, 0.5, 1])
  func `repeats decay by the feedback gain`(feedback: Float) {
    let rig = EchoRig(rate: 8000, seconds: 0.1, feedback: feedback)
    let output = rig.play(click(0.4, frames: 4100)).left
    for index in 1...4 {
      // A tone in mid-band would show the feedback gain alone; an impulse's peak loses 0.78 % per
      // repeat to a low-cut of 20 Hz at 8 kHz.
      let expected = 0.4 * pow(feedback, Float(index)) * pow(0.9922, Float(index + 1))
      #expect(abs(output[800 * (index + 1)] - expected) < 0.0005)
    }
  }

  @Test(arguments: [(8000.0, 500.0, Float(20), Float(2000)), (200, 4000, 500, 20_000)])
  func `the cut filters attenuate each repeat`(
    lost: Double, kept: Double, lowCut: Float, highCut: Float
  ) {
    let rig = EchoRig(seconds: 0.1, feedback: 1)
    rig.echo.setLowCut(hertz: lowCut)
    rig.echo.setHighCut(hertz: highCut)
    rig.echo.settle()
    let tones = zip(
      Tone.sine(lost, amplitude: 0.2, frames: 4320), Tone.sine(kept, amplitude: 0.2, frames: 4320)
    ).map { $0 + $1 }
    let output = rig.play(tones + Tone.constant(0, frames: 4 * 4800)).left
    // First-order bilinear sections.
    func loss(_ hertz: Double) -> Double {
      let here = tan(.pi * hertz / 48_000)
      let low = tan(.pi * Double(lowCut) / 48_000) / here
      let high = highCut < 20_000 ? here / tan(.pi * Double(highCut) / 48_000) : 0
      return -10 * log10((1 + low * low) * (1 + high * high))
    }
    for index in [1, 4] {
      // After the filters have settled, over whole periods of both tones.
      let part = output[(4800 * index + 1920)..<(4800 * index + 4320)]
      let measured =
        20 * log10(level(part, hertz: lost, rate: 48_000) / level(part, hertz: kept, rate: 48_000))
      let expected = Double(index) * (loss(lost) - loss(kept))
      // Leakage from the other tone and the onset, into a repeat at -50 dB.
      #expect(abs(measured - expected) < 0.2, "\(index): \(measured) dB for \(expected)")
    }
  }

  @Test func `without spread each channel repeats in place`() {
    let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 0.9)
    let (left, right) = rig.play(click(frames: 800), Tone.constant(0, frames: 800))
    #expect(right.allSatisfy { $0 == 0 })
    #expect(left[80] > 0.49 && left[160] > 0.43)
  }

  @Test func `at full spread repeats alternate between left and right`() {
    let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 0.5)
    rig.echo.setSpread(1)
    rig.echo.settle()
    // Mono: half of a signal on one channel only.
    let (left, right) = rig.play(click(frames: 800), Tone.constant(0, frames: 800))
    for (index, gain) in [(1, Float(1)), (2, 0.5), (3, 0.25), (4, 0.125)] {
      let (near, far) = index % 2 == 1 ? (left, right) : (right, left)
      // The peak loss of the low-cut, and its residue of the repeats before.
      #expect(abs(near[80 * index] - 0.25 * gain * pow(0.9922, Float(index))) < 0.005)
      #expect(abs(far[80 * index]) < 0.005)
    }
  }

  @Test func `at a spread of three quarters repeats pan three quarters to the sides`() {
    let rig = EchoRig(rate: 8000, seconds: 0.01, feedback: 1)
    rig.echo.setSpread(0.75)
    rig.echo.settle()
    let (left, right) = rig.play(click(frames: 800))
    for index in 1...4 {
      let (near, far) = index % 2 == 1 ? (left, right) : (right, left)
      // The low-cut's residue of the repeats before.
      #expect(abs(far[80 * index] / near[80 * index] - 0.25) < 0.03)
    }
  }

  @Test(arguments: [
    (Float(0), Float(1), Float(0)), (0.25, 1, 0.5), (0.5, 1, 1), (0.75, 0.5, 1), (1, 0, 1),
  ])
  func `dry and wet are at full level up to the middle of the mix`(
    mix: Float, dry: Float, wet: Float
  ) {
    let rig = EchoRig(rate: 8000, seconds: 0.01, mix: mix)
    let output = rig.play(click(frames: 100)).left
    #expect(output[0] == 0.5 * dry)
    #expect(abs(output[80] - 0.5 * 0.9922 * wet) < 1e-4)
  }

  @Test func `bypass is bit-transparent`() {
    let rig = EchoRig(seconds: 0.01, feedback: 0.5)
    rig.echo.setOn(false)
    rig.echo.settle()
    let noise = Tone.noise(frames: 4800)
    #expect(rig.play(noise).left == noise)
    #expect(rig.sounds)
    _ = rig.rest(64)
    #expect(!rig.sounds)
  }

  @Test(arguments: [Float(0.2), 0.5, 0.9])
  func `a fractional delay is exact and flat up to 10 kHz`(fraction: Float) {
    let rig = EchoRig(seconds: (480 + fraction) / 48_000)
    let output = rig.play(Tone.sine(10_000, frames: 4800)).left
    let step = 2 * Double.pi * 10_000 / 48_000
    // The low-cut shifts the phase by 0.0017, a difference of a thousandth of full scale.
    for frame in 2400..<4800 {
      let expected = 0.5 * Float(sin(step * (Double(frame) - 480 - Double(fraction)) + 0.0017))
      #expect(abs(output[frame] - expected) < 1e-4)
    }
  }

  @Test(arguments: [(Float(0.05), Float(0.5), 0.375), (0.5, 0.05, 1.375)])
  func `a glide has artifacts below -90 dB at 10 kHz`(from: Float, to: Float, speed: Double) {
    let rig = EchoRig(seconds: from)
    rig.echo.setGlides(true)
    let tone = Tone.sine(10_000, frames: 40_000)
    _ = rig.play(Array(tone[..<25_000]))
    rig.echo.setSeconds(to)
    // After 0.2 s it has reached full speed, which is a binary fraction.
    let output = rig.play(Array(tone[25_000...])).left
    let residue = Measure.residue(
      output[9600..<14_400], hertz: 10_000 * speed, sampleRate: 48_000)
    #expect(residue < -90, "\(residue) dB")
  }

  @Test func `a whole-frame delay is bit-exact`() {
    // The filters see the same signal, so without spread and feedback the outputs are equal apart
    // from the delay.
    let noise = Tone.noise(frames: 4800)
    let near = EchoRig(seconds: 0.01)
    let far = EchoRig(seconds: 0.02)
    let first = near.play(noise).left
    let second = far.play(noise).left
    #expect(Array(first[480..<4320]) == Array(second[960...]))
  }
}
