import DSP
import Foundation
import TestSupport
import Testing

/// The latency of onsets after silence, compared with the reported latency.
@Suite struct LiveOnsetTests {
  private static let pitches: [Float] = [-24, -12, -7, -3, -1, 0, 1, 3, 7, 12, 24]
  private static let rate = 48_000.0

  /// Runs a sound through a warp in the left or right channel.
  ///
  /// Returns the output and the reported latency.
  private func shifted(
    _ sound: [Float], by semitones: Float, sampleRate: Double = rate, block: Int = 512,
    isOnTheRight: Bool = false
  ) -> (sound: [Float], delay: Int) {
    var host = WarpHost(sampleRate: sampleRate)
    host.warp.setPitch(semitones: semitones)
    host.warp.settle()
    let silence = isOnTheRight ? Tone.constant(0, frames: sound.count) : sound
    let output = host.render(silence, right: sound, block: block)
    return (isOnTheRight ? output.right : output.left, host.warp.delay)
  }

  /// Positions at pseudorandom distances, reproducible by seed.
  private func places(_ count: Int, apart distances: ClosedRange<Int>, seed: UInt64) -> [Int] {
    var state = seed
    var places = [distances.lowerBound]
    for _ in 1..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      places.append(places.last! + distances.lowerBound + Int(state >> 33) % distances.count)
    }
    return places
  }

  private func clicks(at places: [Int]) -> [Float] {
    var sound = Tone.constant(0, frames: places.last! + 4800)
    for place in places { sound[place] = 0.5 }
    return sound
  }

  /// The time of a click after `start` in frames, interpolated.
  private func heard(_ output: [Float], after start: Int) -> Double {
    let window = Array(output[start..<start + 2350])
    let most = Measure.peak(window)
    guard most > 0, var top = window.firstIndex(where: { abs($0) > 0.7 * most }) else {
      return .infinity
    }
    while top + 1 < window.count && abs(window[top + 1]) > abs(window[top]) { top += 1 }
    guard top > 0 && top + 1 < window.count else { return Double(top) }
    let (before, here, behind) = (
      Double(abs(window[top - 1])), Double(abs(window[top])), Double(abs(window[top + 1]))
    )
    return Double(top) + 0.5 * (before - behind) / (before - 2 * here + behind)
  }

  private func expectAsTold(
    _ output: (sound: [Float], delay: Int), at places: [Int], _ what: String
  ) {
    let errors = places.map { heard(output.sound, after: $0) - Double(output.delay) }.sorted()
    let (least, most) = (errors.first!, errors.last!)
    // A DAW that compensates by whole frames aligns it exactly.
    #expect(least >= -1 && most <= 1, "\(what): \(least) to \(most) frames late")
  }

  @Test(arguments: pitches)
  func `a click after silence has the reported latency`(semitones: Float) {
    let places = places(40, apart: 9600...28_800, seed: 1)
    expectAsTold(shifted(clicks(at: places), by: semitones), at: places, "\(semitones)")
  }

  @Test(arguments: pitches)
  func `a click after a short pause has the reported latency`(semitones: Float) {
    // Two octaves up, the silence is read in a quarter of its duration, and the engine has to find
    // that much of it.
    let places = places(80, apart: 1440...2880, seed: 2)
    expectAsTold(shifted(clicks(at: places), by: semitones), at: places, "\(semitones)")
  }

  // Two octaves up, the pause isn't always long enough beyond what the engine still reads.
  @Test(arguments: pitches.filter { $0 != 0 && $0 < 24 })
  func `a click over microphone noise has the reported latency`(semitones: Float) {
    let places = places(80, apart: 1440...2880, seed: 6)
    let noise = Tone.noise(amplitude: 0.000_05, frames: places.last! + 4800)
    let sound = zip(clicks(at: places), noise).map { $0 + $1 }
    expectAsTold(shifted(sound, by: semitones), at: places, "\(semitones)")
  }

  @Test(arguments: [32_000.0, 44_100, 96_000, 192_000])
  func `a click has the reported latency at any sample rate`(sampleRate: Double) {
    for semitones: Float in [-12, -5, 0.3, 7, 24] {
      let places = places(10, apart: 9600...28_800, seed: 3)
      expectAsTold(
        shifted(clicks(at: places), by: semitones, sampleRate: sampleRate), at: places,
        "\(semitones)")
    }
  }

  @Test(arguments: [1, 64, 333], [false, true])
  func `a click in one channel has the reported latency at any block size`(
    block: Int, isOnTheRight: Bool
  ) {
    for semitones: Float in [-7, 7] {
      let places = places(10, apart: 2000...9600, seed: 4)
      expectAsTold(
        shifted(clicks(at: places), by: semitones, block: block, isOnTheRight: isOnTheRight),
        at: places, "\(semitones)")
    }
  }

  @Test(arguments: [-24 as Float, -7, 1, 7, 24], [0 as Float, 0.000_05])
  func `the result after pauses doesn't depend on the block size`(
    semitones: Float, background: Float
  ) {
    let places = places(12, apart: 300...2880, seed: 7)
    let noise = Tone.noise(amplitude: background, frames: places.last! + 4800)
    let sound = zip(clicks(at: places), noise).map { $0 + $1 }
    let whole = shifted(sound, by: semitones, block: 1024).sound
    for block in [1, 48, 333] {
      let cut = shifted(sound, by: semitones, block: block).sound
      #expect(Measure.firstDifference(cut, whole) == nil)
    }
  }

  @Test(arguments: pitches)
  func `a burst after silence has the reported latency`(semitones: Float) {
    let speed = exp2(Double(semitones) / 12)
    // Inharmonic, and low enough to be shifted up by two octaves.
    func burst(_ time: Double) -> Double {
      guard time >= 0 && time < 0.02 else { return 0 }
      let hertz = [1310, 1990, 2870, 4130.0]
      return hertz.reduce(0) { $0 + 0.1 * cos(2 * .pi * $1 * time + $1) }
    }
    let places = places(40, apart: 4800...9600, seed: 5)
    var sound = Tone.constant(0, frames: places.last! + 4800)
    for place in places {
      for frame in 0..<960 { sound[place + frame] = Float(burst(Double(frame) / Self.rate)) }
    }
    let (output, delay) = shifted(sound, by: semitones)
    // The expected first millisecond, compared at every offset.
    let first = (0..<48).map { Float(burst(Double($0) / Self.rate * speed)) }
    var errors: [Int] = []
    for place in places {
      let differences = (-60...200).map { offset in
        let heard = output[(place + delay + offset)...].prefix(48)
        return zip(first, heard).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      }
      errors.append(differences.firstIndex(of: differences.min()!)! - 60)
    }
    #expect(errors.allSatisfy { abs($0) <= 1 }, "\(errors.min()!) to \(errors.max()!) late")
  }
}
