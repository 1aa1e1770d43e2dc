import Engine
import Foundation
import TestSupport
import Testing

/// Overdubs on loops that don't pass at the speed of their recording: what is played comes back where it was played.
@Suite struct ClipTimeTests {
  private static let length = 48_000

  /// A loop of silence that plays at a speed.
  private func playing(
    _ speed: Float = 1, direction: Float = 1, quantize: Float = 0
  ) -> LoopStage {
    let stage = LoopStage(lateness: 0.15)
    stage.record(Tone.constant(0, frames: Self.length), 0)
    stage.set(.speed, of: 0, speed)
    stage.set(.direction, of: 0, direction)
    stage.set(.quantize, of: 0, quantize)
    stage.rest(4800)
    return stage
  }

  /// A tone that rises and falls, without a sound above 2 kHz.
  private static let sound: [Float] = {
    let frames = 4800
    let tone = Tone.sine(330, amplitude: 0.5, frames: frames)
    return tone.indices.map { index in
      let share = Float(index) / Float(frames)
      // Not symmetric: reversed sound differs.
      return tone[index] * share * (1 - share) * (1 - share) * 6
    }
  }()

  /// How far the heard sound differs from the played one in dB, at the offset in frames of the least difference.
  private func difference(_ heard: [Float], around offset: Int) -> (level: Double, offset: Int) {
    var least = (Double.infinity, 0)
    for shift in -40...40 {
      var sum = 0.0
      for (index, value) in Self.sound.enumerated() {
        let error = Double(heard[offset + shift + index] - value)
        sum += error * error
      }
      if sum < least.0 { least = (sum, shift) }
    }
    let whole = Self.sound.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (10 * log10(least.0 / whole), least.1)
  }

  @Test(arguments: [0.5, 0.75, 1, 2] as [Float], [1, -1] as [Float])
  func `at a tape speed and in reverse, sound comes back a cycle later`(
    speed: Float, direction: Float
  ) {
    for quantize: Float in [0, 1] {
      let stage = playing(speed, direction: direction, quantize: quantize)
      #expect(stage.press(.overdub, 0) == nil)
      // Past the beat that starts a quantized layer.
      stage.rest(25_000)
      let start = stage.time
      stage.play(Self.sound)
      stage.rest(9600)
      stage.press(.overdub, 0)
      let cycle = Int((Float(Self.length) / speed).rounded())
      stage.rest(2 * cycle)
      for number in [1, 2] {
        let found = difference(stage.stems[0], around: start + number * cycle)
        #expect(abs(found.offset) <= 1, "\(quantize) \(number)")
        // At double speed, the clip has half of the frames.
        #expect(found.level < -50, "\(quantize) \(number)")
      }
    }
  }

  @Test func `on a loop that follows the tempo, sound comes back where it was played`() {
    let stage = playing()
    stage.set(.follow, of: 0, 2)
    stage.set(.beat(.tempo), 120.1)
    stage.rest(9600)
    #expect(stage.press(.overdub, 0) == nil)
    stage.rest(9600)
    let start = stage.time
    stage.play(Self.sound)
    stage.rest(9600)
    stage.press(.overdub, 0)
    stage.rest(30 * Self.length)
    for number in [1, 10, 28] {
      let wanted = Double(start) + Double(number * Self.length) * 120 / Double(Float(120.1))
      let found = difference(stage.stems[0], around: Int(wanted.rounded()))
      #expect(abs(found.offset) <= 1, "\(number)")
      #expect(found.level < -35, "\(number): \(found)")
    }
  }

  /// The center of a sound's energy, in frames.
  private func center(_ sound: [Float]) -> Double {
    let powers = sound.map { Double($0) * Double($0) }
    return zip(powers.indices, powers).reduce(0) { $0 + Double($1.0) * $1.1 }
      / powers.reduce(0, +)
  }

  // The layer is stretched to the clip, and back. Its envelope comes as late as the engine splices or smears.
  @Test(arguments: [0, 1, 2] as [Float], [1, -1] as [Float])
  func `on a stretched loop, sound comes back where it was played, at its pitch`(
    engine: Float, direction: Float
  ) {
    for (tempo, rate): (Float, Float) in [(130, 1), (120, 0.8), (105, 1), (120, 1.5)] {
      let stage = playing(direction: direction)
      stage.set(.engine, of: 0, engine)
      stage.set(.follow, of: 0, 1)
      stage.set(.rate, of: 0, rate)
      stage.set(.beat(.tempo), tempo)
      stage.rest(24_000)
      #expect(stage.press(.overdub, 0) == nil)
      stage.rest(24_000)
      let start = stage.time
      stage.play(Self.sound)
      stage.rest(9600)
      stage.press(.overdub, 0)
      let cycle = Double(Self.length) * 120 / Double(tempo) / Double(rate)
      stage.rest(80_000)
      let from = start + Int(cycle.rounded()) - 2400
      let heard = Array(stage.stems[0][from..<from + 9600])
      let delay = center(heard) - center(Self.sound) - 2400
      let hertz = Measure.frequency(heard[3000..<6000], near: 330, sampleRate: 48_000) ?? 0
      // 4 ms; the voice engine, which places whole periods, puts the energy of a slow sound 7 ms late.
      #expect(abs(delay) < (engine == 1 ? 384 : 192), "\(tempo) \(rate): \(delay / 48) ms")
      #expect(abs(hertz / 330 - 1) < 0.01, "\(tempo) \(rate): \(hertz) Hz")
      #expect(abs(Measure.peak(heard) / Measure.peak(Self.sound) - 1) < 0.25)
    }
  }

  @Test func `one stretched loop takes a layer at a time`() {
    let stage = LoopStage(lateness: 0.15)
    for loop in 0...1 {
      stage.record(Tone.constant(0, frames: Self.length), loop)
      stage.rest(4800)
      stage.set(.rate, of: loop, 0.8)
    }
    stage.rest(4800)
    #expect(stage.press(.overdub, 0) == nil)
    #expect(stage.press(.overdub, 1) == .notAsRecorded)
    stage.press(.overdub, 0)
    stage.rest(24_000)
    #expect(stage.press(.overdub, 1) == nil)
    stage.rest(24_000)
    #expect(stage.activity(1) == .overdubbing)
  }

  @Test func `feedback, replace and undo work in reverse, too`() {
    let stage = playing(direction: -1)
    stage.press(.replace, 0)
    stage.play(Tone.constant(0.25, frames: Self.length))
    stage.press(.replace, 0)
    stage.rest(9600)
    let level = stage.stems[0].suffix(4800)
    #expect(level.allSatisfy { abs($0 - 0.25) < 0.01 })
    stage.set(.feedback, of: 0, 0.5)
    stage.press(.overdub, 0)
    stage.rest(Self.length)
    stage.press(.overdub, 0)
    stage.rest(9600)
    #expect(stage.stems[0].suffix(4800).allSatisfy { abs($0 - 0.125) < 0.01 })
    stage.press(.undo, 0)
    stage.rest(9600)
    #expect(stage.stems[0].suffix(4800).allSatisfy { abs($0 - 0.25) < 0.01 })
  }

  @Test func `a loop is cleared while its last layer is still being written`() {
    for (speed, rate): (Float, Float) in [(-1, 1), (0.5, 1), (1, 0.8)] {
      let stage = playing(abs(speed), direction: speed < 0 ? -1 : 1, quantize: 1)
      stage.set(.rate, of: 0, rate)
      stage.press(.overdub, 0)
      stage.rest(40_000)
      #expect(stage.activity(0) == .overdubbing)
      stage.press(.clear, 0)
      stage.rest(24_000)
      #expect(stage.reading(0).length == 0)
      stage.press(.undo, 0)
      stage.rest(4800)
      #expect(stage.reading(0).length == Self.length && stage.reading(0).overdubs == 1)
    }
  }

  @Test func `a change of speed or direction ends a layer`() {
    for (parameter, value): (Parameter.Loop, Float) in [
      (.speed, 0.5), (.direction, -1), (.rate, 0.5),
    ] {
      let stage = playing()
      stage.press(.overdub, 0)
      stage.rest(4800)
      #expect(stage.activity(0) == .overdubbing)
      stage.set(parameter, of: 0, value)
      stage.rest(4800)
      #expect(stage.activity(0) == .playing, "\(parameter)")
    }
  }
}
