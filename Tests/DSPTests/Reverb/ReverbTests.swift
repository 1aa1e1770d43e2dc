import CRealtime
import DSP
import Foundation
import TestSupport
import Testing

/// The response of a reverb to its controls.
@Suite struct ReverbTests {
  /// Processes a signal in blocks, calling `each` before each block with its first frame.
  private func render(
    _ reverb: inout Reverb, _ left: [Float], _ right: [Float]? = nil, block: Int = 256,
    isSilent: Bool = false, each: ((Int, inout Reverb) -> Void)? = nil
  ) -> (left: [Float], right: [Float], sounds: Bool) {
    rt_flush_denormals()
    var (left, right) = (left, right ?? left)
    var sounds = false
    inBlocks(of: block, &left, &right) {
      each?($0.start, &reverb)
      sounds = reverb.process($0.sound, frames: $0.frames, isSilent: isSilent)
    }
    return (left, right, sounds)
  }

  private func reverb(
    mix: Float = 1, decay: Float = 1, size: Float = 0.2, sampleRate: Float = 48_000
  ) -> Reverb {
    var reverb = Reverb(sampleRate: sampleRate)
    reverb.setMix(mix)
    reverb.setDecay(seconds: decay)
    reverb.setSize(size)
    reverb.setOn(true)
    reverb.settle()
    return reverb
  }

  private func power(_ samples: some Collection<Float>) -> Double {
    var sum = 0.0
    for sample in Array(samples) { sum += Double(sample * sample) }
    return sum / Double(samples.count)
  }

  private func decibels(_ a: some Collection<Float>, to b: some Collection<Float>) -> Double {
    10 * log10((power(a) + 1e-30) / power(b))
  }

  private let silence = Tone.constant(0, frames: 4800)

  @Test func `a click on the first frame has the same tail as one a second later`() {
    func tail(after frame: Int) -> ArraySlice<Float> {
      var reverb = reverb()
      var click = Tone.constant(0, frames: 96_000)
      click[frame] = 1
      return render(&reverb, click).left[frame..<frame + 24_000]
    }
    // The second one has another modulation phase, which gives another sum of the same tail.
    #expect(abs(decibels(tail(after: 0), to: tail(after: 48_000))) < 0.5)
  }

  @Test func `bypass is bit-transparent`() {
    var reverb = Reverb(sampleRate: 48_000)
    let noise = Tone.noise(frames: 4800)
    let output = render(&reverb, noise)
    #expect(output.left == noise && output.right == noise && output.sounds)
    #expect(!render(&reverb, silence, isSilent: true).sounds)
  }

  @Test func `a dry mix passes the input unchanged`() {
    var reverb = reverb(mix: 0)
    let noise = Tone.noise(frames: 9600)
    #expect(render(&reverb, noise).left == noise)
  }

  @Test(arguments: [1, 16, 333, 1024])
  func `the result doesn't depend on the block size`(block: Int) {
    // Long enough for the decay, damping, predelay and all lines to change.
    func output(_ block: Int) -> [Float] {
      var reverb = reverb(mix: 0.5)
      let noise = Tone.noise(frames: 999)
      var all: [Float] = []
      for part in 0..<6 {
        if part == 1 {
          reverb.setDecay(seconds: 3)
          reverb.setSize(0.4)
        }
        if part == 2 {
          reverb.setDamping(hertz: 2000)
          reverb.setPredelay(seconds: 0.02)
        }
        if part == 3 { reverb.setMix(0.8) }
        if part == 4 { reverb.reset() }
        if part == 5 { reverb.setOn(false) }
        let output = render(&reverb, noise, block: block)
        all += output.left + output.right
      }
      return all
    }
    #expect(output(block) == output(64))
  }

  @Test(arguments: [(Float(0.5), Float(0)), (0.5, 0.5), (3, 0.5)])
  func `steady noise is as loud wet as dry`(decay: Float, size: Float) {
    var reverb = reverb(decay: decay, size: size)
    reverb.setDamping(hertz: 20_000)
    reverb.settle()
    // A fifth of the decay loses 12 dB: 94 % of the power is there.
    let noise = Tone.noise(frames: Int(decay * 9600) + 4800)
    let other = Tone.noise(frames: noise.count, seed: 2)
    let output = render(&reverb, noise, other, block: 1024)
    let end = (noise.count - 4800)...
    // Damping removes some of the white noise, and 0.1 s of it varies by itself.
    #expect(abs(decibels(output.left[end], to: noise[end])) < 3)
    #expect(abs(decibels(output.right[end], to: other[end])) < 3)
  }

  /// A change that must not cause a corner sharper than the tone's own.
  enum Change: String, CaseIterable {
    case size, shrinking, decay, lengthening, damping, predelay, mix
  }

  @Test(arguments: Change.allCases)
  func `no parameter change clicks`(change: Change) {
    var reverb = reverb(decay: 0.5, size: 0.3)
    let tone = Tone.sine(440, frames: 19_200)
    let output = render(&reverb, tone) { frame, reverb in
      guard frame >= 9472 else { return }
      switch change {
      case .size: reverb.setSize(0.7)
      case .shrinking: reverb.setSize(0)
      case .decay: reverb.setDecay(seconds: 0.2)
      case .lengthening: reverb.setDecay(seconds: 30)
      case .damping: reverb.setDamping(hertz: 500)
      case .predelay: reverb.setPredelay(seconds: 0.1)
      case .mix: reverb.setMix(0.2)
      }
    }
    for side in [output.left, output.right] {
      let moving = side[9400...]
      // The second difference of the loudest sine in the output; up to twice as much is no click.
      let steady = Measure.peak(moving) * Float(pow(2 * Double.pi * 440 / 48_000, 2))
      #expect(Measure.roughness(moving) < 2 * steady)
    }
  }

  @Test func `a held tone keeps its pitch`() {
    var reverb = reverb(decay: 1, size: 0.5)
    let output = render(&reverb, Tone.sine(1000, frames: 43_200), block: 1024)
    // The phase relative to a steady tone every 10 ms, weighted by power.
    var phasors: [(Double, Double)] = []
    for start in stride(from: 19_200, to: 43_200, by: 480) {
      var (x, y) = (0.0, 0.0)
      for frame in start..<(start + 480) {
        let angle = 2 * .pi * 1000 * Double(frame) / 48_000
        x += Double(output.left[frame]) * cos(angle)
        y += Double(output.left[frame]) * sin(angle)
      }
      phasors.append((x, y))
    }
    var (squares, weights) = (0.0, 0.0)
    for (a, b) in zip(phasors, phasors.dropFirst()) {
      let turn = atan2(a.0 * b.1 - a.1 * b.0, a.0 * b.0 + a.1 * b.1)
      let cents = 1200 * log2(1 + turn * 100 / (2 * .pi) / 1000)
      let weight = b.0 * b.0 + b.1 * b.1
      squares += weight * cents * cents
      weights += weight
    }
    // Trained ears notice about five cents.
    #expect(sqrt(squares / weights) < 2.5, "\(sqrt(squares / weights)) cents")
  }

  @Test func `a reset fades out the tail and continues`() {
    var reverb = reverb(decay: 10)
    let noise = Tone.noise(frames: 9600)
    let before = render(&reverb, noise).left[4800...]
    reverb.reset()
    let after = render(&reverb, silence, silence).left
    // 20 ms, the chunk that was already computed, and an empty one.
    #expect(decibels(after[..<240], to: before) > -12)
    #expect(after[1056...].allSatisfy { $0 == 0 })
    #expect(Measure.roughness(Array(after[..<1100])) < 2 * Measure.roughness(before))
    #expect(decibels(render(&reverb, noise).left[4800...], to: before) > -6)
  }

  @Test func `turning it off fades out the tail, and on again starts empty`() {
    var reverb = reverb(mix: 0.5, decay: 10)
    let noise = Tone.noise(frames: 9600)
    _ = render(&reverb, noise)
    reverb.setOn(false)
    let fading = render(&reverb, silence).left
    #expect(Measure.peak(fading[..<480]) > 0.01)
    #expect(fading[1600...].allSatisfy { $0 == 0 })
    #expect(!render(&reverb, silence, isSilent: true).sounds)
    #expect(render(&reverb, noise).left == noise)
    reverb.setOn(true)
    #expect(render(&reverb, silence, silence).left.allSatisfy { $0 == 0 })
    #expect(decibels(render(&reverb, noise).left, to: noise) > 0.2)
  }

  @Test func `switching it off and on within the fade restarts it`() {
    var reverb = reverb(decay: 10)
    _ = render(&reverb, Tone.noise(frames: 9600))
    reverb.setOn(false)
    _ = render(&reverb, Tone.constant(0, frames: 480))
    reverb.setOn(true)
    let after = render(&reverb, silence).left
    #expect(Measure.peak(after[..<240]) > 0.001)
    #expect(after[1600...].allSatisfy { $0 == 0 })
  }

  @Test func `once the tail has decayed it leaves the block untouched`() {
    var reverb = reverb(mix: 0.5, decay: 0.2, size: 0)
    _ = render(&reverb, Tone.noise(frames: 4800))
    // 120 dB take 0.4 s; then the lines and the predelay, 0.6 s, must drain.
    let early = render(&reverb, Tone.constant(0, frames: 12_000), isSilent: true)
    #expect(early.sounds)
    let late = render(&reverb, Tone.constant(0, frames: 57_600), isSilent: true)
    #expect(!late.sounds)
    // Where it stopped, the signal was below -120 dB.
    #expect(Measure.peak(late.left[40_000...]) < 1e-6)
    let mark = Tone.constant(0.5, frames: 64)
    #expect(render(&reverb, mark, isSilent: true).left == mark)
    // It responds to the next input.
    let noise = Tone.noise(frames: 9600)
    let again = render(&reverb, noise)
    #expect(again.sounds && decibels(again.left[4800...], to: noise) > 0.5)
  }

  @Test(arguments: [Float.nan, .infinity, .greatestFiniteMagnitude])
  func `recovers from non-finite and huge input`(bad: Float) {
    var reverb = reverb(decay: 0.2)
    var noise = Tone.noise(frames: 2400)
    noise[1000] = bad
    _ = render(&reverb, noise)
    let after = render(&reverb, Tone.noise(frames: 9600)).left
    #expect(after.allSatisfy { $0.isFinite })
    #expect(abs(decibels(after[4800...], to: Tone.noise(frames: 4800))) < 6)
  }

  @Test(arguments: [Float(0), 1])
  func `the longest decay never grows, even while the size changes`(size: Float) {
    var reverb = reverb(decay: 30, size: size)
    reverb.setDamping(hertz: 20_000)
    _ = render(&reverb, Tone.noise(frames: 12_000), block: 1024)
    let still = render(&reverb, Tone.constant(0, frames: 4800), block: 1024)
    let moved = render(&reverb, Tone.constant(0, frames: 28_800), block: 1024) { frame, reverb in
      reverb.setSize(Float(frame / 1024 % 7) / 6)
    }
    // During its 24 ms crossfade a line may be louder where it correlates with itself.
    #expect(decibels(moved.left[24_000...], to: still.left) < 1)
  }

  @Test func `stays stable at any parameter value`() {
    var reverb = reverb()
    for value in [-Float.infinity, -1, 0, 1e9, .infinity, .nan] {
      reverb.setDecay(seconds: value)
      reverb.setSize(value)
      reverb.setDamping(hertz: value)
      reverb.setPredelay(seconds: value)
      reverb.setMix(value)
      let output = render(&reverb, Tone.noise(frames: 2400)).left
      #expect(Measure.peak(output) < 10)
    }
  }

  @Test(arguments: [Float(8000), 192_000])
  func `works at the lowest and highest sample rates`(rate: Float) {
    for size in [Float(0), 1] {
      var reverb = reverb(decay: 2, size: size, sampleRate: rate)
      let noise = Tone.noise(frames: Int(rate * 0.1))
      let output = render(&reverb, noise, block: 1024).left
      #expect(abs(decibels(output[(noise.count / 2)...], to: noise)) < 10)
    }
  }
}
