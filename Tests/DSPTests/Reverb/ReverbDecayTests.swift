import CRealtime
import DSP
import Foundation
import TestSupport
import Testing

/// The loudness of a reverb while its decay is played.
@Suite struct ReverbDecayTests {
  /// Runs two noises through a wet reverb and measures the power in windows of 20 ms.
  private struct Noise: ~Copyable {
    // Whole windows at all sample rates here, and longer than any measurement.
    private static let left = Tone.noise(frames: 230_400)
    private static let right = Tone.noise(frames: 230_400, seed: 2)

    private var reverb: Reverb
    private let frames: Int
    private var windows = 0
    private(set) var powers: [Double] = []
    private(set) var peak: Float = 0

    init(decay: Float, size: Float, damping: Float, sampleRate: Float = 48_000) {
      rt_flush_denormals()
      frames = Int(sampleRate) / 50
      reverb = Reverb(sampleRate: sampleRate)
      reverb.setMix(1)
      reverb.setDecay(seconds: decay)
      reverb.setSize(size)
      reverb.setDamping(hertz: damping)
      reverb.setOn(true)
      reverb.settle()
    }

    mutating func setDecay(_ seconds: Float) { reverb.setDecay(seconds: seconds) }

    /// Processes noise, and measures the output if `isHeard`.
    mutating func run(seconds: Double, isHeard: Bool = true) {
      for _ in 0..<Int(seconds * 50) {
        let start = windows * frames % Self.left.count
        var left = Array(Self.left[start..<(start + frames)])
        var right = Array(Self.right[start..<(start + frames)])
        windows += 1
        _ = withStereo(&left, &right) {
          reverb.process($0, frames: frames, isSilent: false)
        }
        guard isHeard else { continue }
        let (l, r) = (Measure.level(left), Measure.level(right))
        powers.append((l * l + r * r) / 2)
        peak = max(peak, max(Measure.peak(left), Measure.peak(right)))
      }
    }

    /// The mean power of the last second.
    var lately: Double { powers.suffix(50).reduce(0, +) / 50 }

    /// The power from a window on, smoothed over five windows or 100 ms.
    func smoothed(from first: Int) -> [Double] {
      (first..<(powers.count - 5)).map { powers[$0..<($0 + 5)].reduce(0, +) / 5 }
    }
  }

  @Test(arguments: [(Float(0.1), Float(30)), (0.3, 10), (30, 0.1)], [Float(0), 0.5, 1])
  func `steady noise keeps its level when the decay jumps`(
    step: (from: Float, to: Float), size: Float
  ) {
    // Half of the longest decay loses 30 dB: all but a thousandth of the power is there.
    var before = Noise(decay: step.from, size: size, damping: 20_000)
    before.run(seconds: Double(step.from) / 2 + 0.5, isHeard: false)
    before.run(seconds: 1)
    let old = before.lately
    var after = Noise(decay: step.to, size: size, damping: 20_000)
    after.run(seconds: Double(step.to) / 2 + 0.5, isHeard: false)
    after.run(seconds: 1)
    let new = after.lately
    let begin = before.powers.count
    before.setDecay(step.to)
    before.run(seconds: 3)
    let powers = before.smoothed(from: begin - 2)
    // The transition may be 0.4 dB louder, and 0.1 s of noise varies by 0.2 dB at these decays.
    let swell = 10 * log10(powers.max()! / max(old, new))
    #expect(swell < 0.8, "\(swell) dB")
    let dip = 10 * log10(powers.min()! / min(old, new))
    #expect(dip > -0.8, "\(dip) dB")
  }

  @Test(arguments: [2, 10, 25])
  func `steady noise keeps its level while the decay changes repeatedly`(timesASecond: Int) {
    var noise = Noise(decay: 1, size: 0.5, damping: 20_000)
    noise.run(seconds: 1)
    var state: UInt64 = 7
    for _ in 0..<(5 * timesASecond) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      noise.setDecay(0.1 * pow(300, Float(state >> 40) / Float(1 << 24)))
      noise.run(seconds: 1 / Double(timesASecond))
    }
    let dry = Measure.level(Tone.noise(frames: 48_000))
    let powers = noise.smoothed(from: 25).map { 10 * log10($0 / (dry * dry)) }
    // The power in the lines can't fall faster than with the shorter decay, nor can it be created.
    #expect(powers.max()! < 1, "\(powers.max()!) dB")
    #expect(powers.min()! > -4, "\(powers.min()!) dB")
  }

  @Test(arguments: [(Float(500), Float(48_000)), (8000, 48_000), (500, 192_000)])
  func `the shortest decay in the largest room doesn't ring`(
    damping: Float, sampleRate: Float
  ) {
    // A pass loses 200 dB there: single precision can't represent the poles.
    var noise = Noise(decay: 30, size: 1, damping: damping, sampleRate: sampleRate)
    noise.run(seconds: 0.5, isHeard: false)
    noise.setDecay(0.1)
    noise.run(seconds: 3.5)
    // Steady noise up to 0.5 keeps its level of 0.29, with peaks below four times that.
    #expect(noise.peak < 2, "\(noise.peak)")
  }
}
