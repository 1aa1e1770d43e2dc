import DSP
import Foundation
import TestSupport
import Testing

@Suite struct WarpTests {
  // Low, so that a test can run through a ten-second tape.
  private static let rate = 8000.0

  @Test func `below rate 1 it falls behind to the end of the tape, then leaps to the present`() {
    var host = WarpHost(sampleRate: Self.rate)
    host.warp.setRate(0.5)
    host.warp.settle()
    // A tone that rises by 100 Hz per second reveals when it was recorded.
    var phase = 0.0
    let sweep = (0..<200_000).map { frame -> Float in
      phase += 2 * .pi * (200 + 100 * Double(frame) / Self.rate) / Self.rate
      return Float(0.5 * sin(phase))
    }
    let output = host.render(sweep).left
    func secondsBehind(at second: Double) -> Double {
      // Counts zero crossings over a quarter of a second, at the recorded pitch.
      let start = Int(second * Self.rate)
      let crossings = (start..<start + 2000).filter { output[$0 - 1] < 0 && output[$0] >= 0 }
      let hertz =
        Double(crossings.count - 1) * Self.rate / Double(crossings.last! - crossings.first!)
      return second + 0.125 - (hertz - 200) / 100
    }
    // The tone moves within the quarter of a second, which limits the accuracy to that.
    #expect(abs(secondsBehind(at: 4) - 2) < 0.25)
    #expect(abs(secondsBehind(at: 18) - 9) < 0.25)
    #expect(abs(secondsBehind(at: 20.5) - 0.3) < 0.25)
    #expect(abs(secondsBehind(at: 22) - 1) < 0.25)
  }

  @Test func `back at rate 1 it returns to the present within 50 ms without a click`() {
    let sampleRate = 16_000.0
    // Long enough for a rate above 1 to go back into the tone.
    let (start, end) = (18_000, 40_000)
    let back = end + 800
    let tone = Tone.sine(200, frames: 44_000, sampleRate: sampleRate)
    for rate: Float in [0.25, 0.7, 1.5, 4] {
      var host = WarpHost(sampleRate: sampleRate)
      var output = host.render(Array(tone[..<start]), block: 64).left
      host.warp.setRate(rate)
      output += host.render(Array(tone[start..<end]), block: 64).left
      host.warp.setRate(1)
      output += host.render(Array(tone[end...]), block: 64).left
      #expect(Measure.firstDifference(output[back...], tone[back...]) == nil)
      #expect(Measure.roughness(output) < 2 * Measure.roughness(tone), "at \(rate)")
      // It was active in between.
      #expect(Measure.firstDifference(output[30_000..<35_000], tone[30_000..<35_000]) != nil)
    }
  }

  @Test(arguments: [12 as Float, 24, -12])
  func `leaps don't click at another pitch`(semitones: Float) {
    var host = WarpHost(sampleRate: 16_000)
    host.warp.setPitch(semitones: semitones)
    host.warp.settle()
    let tone = Tone.sine(100, frames: 60_000, sampleRate: 16_000)
    var output = host.render(Array(tone[..<18_000]), block: 64).left
    for (rate, end) in [(0.5 as Float, 30_000), (1, 34_000), (2, 50_000), (1, 60_000)] {
      host.warp.setRate(rate)
      output += host.render(Array(tone[output.count..<end]), block: 64).left
    }
    let steady = Measure.roughness(output[8000..<18_000])
    #expect(Measure.roughness(output[8000...]) < 2 * steady)
  }

  // Above rate 1, part of the first second is the silence from before the tone.
  @Test(arguments: [
    (0.5 as Float, 4000..<12_000), (0.8, 4000..<12_000), (1.5, 33_000..<40_000),
    (2, 18_000..<30_000),
  ])
  func `another rate keeps the pitch`(rate: Float, window: Range<Int>) {
    var host = WarpHost(sampleRate: 16_000)
    host.warp.setRate(rate)
    host.warp.settle()
    let tone = Tone.sine(440, frames: window.upperBound, sampleRate: 16_000)
    let output = host.render(tone).left[window]
    // Each jump preserves the phase.
    #expect(Measure.residue(output, hertz: 440, sampleRate: 16_000) < -60)
  }

  @Test func `silence is reported, and the sound after it is complete`() {
    var host = WarpHost()
    host.warp.setPitch(semitones: 4)
    host.warp.settle()
    let tone = Tone.sine(440, frames: 4800)
    let output = host.render(
      tone + Tone.constant(0, frames: 14_400) + tone + Tone.constant(0, frames: 9600), block: 100
    ).left
    #expect(output[14_000..<19_200].allSatisfy { $0 == 0 })
    let energy = output.reduce(0.0) { $0 + Double($1 * $1) }
    #expect(abs(energy / (2 * 4800 * 0.125) - 1) < 0.1)
  }

  @Test(arguments: WarpEngine.allCases)
  func `a change of engine causes no click or gap`(engine: WarpEngine) {
    for other in WarpEngine.allCases where other != engine {
      var host = WarpHost()
      host.warp.setPitch(semitones: 4)
      host.warp.setEngine(other)
      host.warp.settle()
      let tone = Tone.sine(220, frames: 33_000)
      var output = host.render(Array(tone[..<14_400]), block: 64).left
      host.warp.setEngine(engine)
      output += host.render(Array(tone[14_400...]), block: 64).left
      let steady = Array(output[9600..<14_400])
      let change = Array(output[14_400..<26_000])
      #expect(Measure.roughness(change) < 2 * Measure.roughness(steady), "\(other) to \(engine)")
      // Every 0.01 s has sound. Where two phases meet in the crossfade, little may be left for a
      // moment.
      for start in stride(from: 0, to: change.count - 960, by: 480) {
        #expect(Measure.level(change[start..<start + 960]) > 0.02, "\(other) to \(engine)")
      }
      // It has changed in the end.
      let pitch = 220 * exp2(Double(4) / 12)
      #expect(Measure.residue(output[28_000...], hertz: pitch, sampleRate: 48_000) < -25)
    }
  }

  @Test(arguments: WarpEngine.allCases)
  func `silence stays silent, and full scale and constants stay in bounds`(
    engine: WarpEngine
  ) {
    for sound in [
      Tone.constant(0, frames: 9600), Tone.constant(1, frames: 24_000),
      Tone.noise(amplitude: 1, frames: 24_000), Tone.sine(60, amplitude: 1, frames: 24_000),
    ] {
      for semitones: Float in [-24, 0, 7, 24] {
        var host = WarpHost()
        host.warp.setPitch(semitones: semitones)
        host.warp.setEngine(engine)
        host.warp.settle()
        let output = host.render(sound, block: 256).left
        // Partials with changed phases can add up to a higher peak.
        let most: Float = Measure.peak(sound) == 0 ? 0 : 4
        #expect(output.allSatisfy { $0.isFinite && abs($0) <= most }, "\(engine) \(semitones)")
      }
    }
  }

  @Test(arguments: WarpEngine.allCases, [0.5 as Float, 2])
  func `after days of running the result is the same`(engine: WarpEngine, rate: Float) {
    func render(from head: Int64) -> [Float] {
      var host = WarpHost(sampleRate: 8000, head: head)
      host.warp.setEngine(engine)
      host.warp.setRate(rate)
      host.warp.settle()
      return host.render(Tone.sine(200, frames: 40_000, sampleRate: 8000)).left
    }
    let first = render(from: 0)
    // Beyond the first and the second wraparound of positions.
    let heads: [Int64] = [(1 << 31) + 4096, (1 << 32) + 4096]
    for head in heads {
      #expect(Measure.firstDifference(render(from: head), first) == nil, "\(head)")
    }
  }
}
