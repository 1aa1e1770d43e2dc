import DSP
import Foundation
import TestSupport
import Testing

@Suite struct LoopTapeTests {
  /// The output of a loop that plays a clip.
  private func play(
    _ clip: [Float], frames: Int, block: Int = 512, _ set: (inout Warp) -> Void = { _ in }
  ) -> [Float] {
    let pool = ClipPool(seconds: 100, longest: 10, sampleRate: 48_000)
    var loop = LoopTape(pool, seconds: 10, reach: 16_384, sampleRate: 48_000)
    var warp = Warp(seconds: 10, sampleRate: 48_000)
    set(&warp)
    warp.settle()
    // The tail continues with the start of the clip, so the loop crossfade is transparent.
    var sound = clip + clip.prefix(loop.seam)
    sound.withUnsafeMutableBufferPointer {
      let side = $0.baseAddress!
      let version = loop.beginClip()!
      loop.load(Stereo(side, side), into: version, at: 0, frames: $0.count)
      loop.finishLoading(version, length: clip.count, framesBehind: loop.seam)
      loop.rewind()
    }
    var (left, right) = (
      [Float](repeating: .nan, count: frames), [Float](repeating: 0, count: frames)
    )
    inBlocks(of: block, &left, &right) { warp.process(&loop, to: $0.sound, frames: $0.frames) }
    return left
  }

  @Test(arguments: [1, 64, 1024])
  func `at pitch 0 and rate 1 the loop is bit-exact`(block: Int) {
    let clip = Tone.noise(frames: 1000)
    let output = play(clip, frames: 5500, block: block)
    let expected = (0..<5500).map { clip[$0 % 1000] }
    #expect(Measure.firstDifference(output, expected) == nil)
  }

  @Test(arguments: WarpEngine.allCases, [0.25 as Float, 0.7, 1.5, 4])
  func `any rate can be sustained at the clip's pitch`(engine: WarpEngine, rate: Float) {
    // Half a second with whole periods: the loop point is seamless.
    let clip = Tone.sine(400, frames: 24_000)
    let output = play(clip, frames: 72_000) {
      $0.setEngine(engine)
      $0.setRate(rate)
    }
    // Eight cycles at the highest rate. The voice and studio engines lose a little purity and level
    // on a single tone, more so further from rate 1.
    let least: Double = engine == .live ? -60 : -20
    #expect(
      Measure.residue(output[48_000...], hertz: 400, sampleRate: 48_000) < least,
      "\\(engine) at \\(rate)")
    #expect(
      abs(Measure.level(output[48_000...]) / Measure.level(clip) - 1)
        < (engine == .live ? 0.01 : 0.2))
  }

  // The voice engine preserves formants, which for a single tone means the tone itself.
  @Test(arguments: [WarpEngine.live, .studio])
  func `pitch and rate are independent`(engine: WarpEngine) {
    let clip = Tone.sine(400, frames: 24_000)
    let output = play(clip, frames: 72_000) {
      $0.setEngine(engine)
      $0.setRate(0.8)
      $0.setPitch(semitones: 12)
    }
    #expect(Measure.residue(output[48_000...], hertz: 800, sampleRate: 48_000) < -20)
  }

  @Test func `half the rate takes twice the time`() {
    // Two tones in sequence: the start of the second shows the speed of time.
    let clip = Tone.sine(300, frames: 12_000) + Tone.sine(900, frames: 12_000)
    for (rate, middle) in [(0.5 as Float, 24_000), (1, 12_000), (2, 6000)] {
      let output = play(clip, frames: 48_000) { $0.setRate(rate) }
      // The residue of each tone, 0.01 s before and after the transition.
      let before = output[(middle - 1200)..<(middle - 480)]
      let behind = output[(middle + 1200)..<(middle + 1920)]
      #expect(Measure.residue(before, hertz: 300, sampleRate: 48_000) < -30)
      #expect(Measure.residue(behind, hertz: 900, sampleRate: 48_000) < -30)
    }
  }

  @Test func `an empty loop is silent`() {
    #expect(play([], frames: 2000).allSatisfy { $0 == 0 })
  }

  @Test(arguments: WarpEngine.allCases, [0.7 as Float, 1, 1.6])
  func `the result doesn't depend on the block size`(
    engine: WarpEngine, rate: Float
  ) {
    let clip = Tone.noise(amplitude: 0.3, frames: 16_900)
    for pitch in [0 as Float, 5, -7, 12] {
      func run(block: Int) -> [Float] {
        play(clip, frames: 48_000, block: block) {
          $0.setEngine(engine)
          $0.setRate(rate)
          $0.setPitch(semitones: pitch)
        }
      }
      let whole = run(block: 64)
      for block in [1, 17, 333] {
        #expect(
          Measure.firstDifference(run(block: block), whole) == nil, "\(pitch) in \(block)")
      }
    }
  }
}
