import TestSupport
import Testing

@testable import Engine

/// New quantized loops: each starts on its own beat, and stays aligned with it.
@Suite struct OwnBeatTests {
  // A low rate, to render an hour in seconds.
  private static let rate = 8000.0
  // The length of a crossfade and of the fade-in, in frames.
  private static let seam = 40

  /// Eight loops quantized to the beat, on the first frame of a bar.
  private func stage(tempo: Float) -> LoopStage {
    let stage = LoopStage(count: 8, kept: 1, sampleRate: Self.rate)
    stage.set(.beat(.tempo), tempo)
    for loop in 0..<8 { stage.set(.quantize, of: loop, 1) }
    stage.play([0])
    // Turning on the metronome starts a bar.
    stage.set(.metronome(.on), 1)
    return stage
  }

  /// Records loops of 1 to 8 beats, all from one beat of the bar.
  ///
  /// Returns the exact frame of that beat.
  private func record(
    _ stage: LoopStage, from beat: Int, of frames: Double, _ sound: [Float]
  ) -> Double {
    let bar = stage.time
    func play(until frame: Double) {
      stage.play(Array(sound[stage.time..<bar + Int(frame)]))
      _ = stage.host.events()
    }
    // The presses are half a beat before each of them.
    play(until: (Double(beat) + 3.5) * frames)
    for loop in 0..<8 { stage.send(.recordOn, loop) }
    for loop in 0..<8 {
      play(until: (Double(beat) + 4.5 + Double(loop)) * frames)
      stage.send(.recordOn, loop)
    }
    play(until: (Double(beat) + 12.5) * frames)
    return Double(bar) + Double(beat + 4) * frames
  }

  @Test(arguments: 0..<4)
  func `a new loop continues on its own beat, whichever beat of the bar it started on`(
    beat: Int
  ) {
    let frames = 4000
    let sound = Tone.noise(amplitude: 0.2, frames: 41 * frames)
    let stage = stage(tempo: 120)
    let start = Int(record(stage, from: beat, of: Double(frames), sound))
    stage.play(Array(sound[stage.time..<start + 30 * frames]))
    for loop in 0..<8 {
      let round = (loop + 1) * frames
      #expect(stage.reading(loop).length == round && stage.activity(loop) == .playing)
      #expect(stage.reading(loop).position == (stage.time - start) % round)
      // From its end on it equals the recording, except for the loop crossfades.
      let wrong = (start + round..<stage.time).first { frame in
        let place = (frame - start) % round
        let difference = abs(stage.stems[loop][frame] - sound[start + place])
        return place >= Self.seam && difference > 1e-6
      }
      #expect(wrong == nil, "\(loop + 1) beats from beat \(beat + 1)")
    }
  }

  @Test func `after an hour a new loop is still on its beat`() {
    // A beat of 4102.56 frames.
    let beat = Self.rate * 60 / 117
    let stage = stage(tempo: 117)
    let sound = Tone.noise(amplitude: 0.2, frames: Int(20 * beat))
    let start = record(stage, from: 1, of: beat, sound)
    var time = stage.time
    let silence = Tone.constant(0, frames: 80_000)
    for _ in 0..<360 {
      _ = stage.host.render(silence, block: 1000)
      _ = stage.host.events()
      time += 80_000
    }
    for loop in 0..<8 {
      let round = Double(loop + 1) * beat
      let expected = (Double(time) - start).truncatingRemainder(dividingBy: round)
      let late = abs(Double(stage.reading(loop).position) - expected)
      #expect(min(late, round - late) <= 1.01, "\(loop + 1) beats")
    }
  }

  /// Two loops that sound started, at different times.
  ///
  /// A beat has 4102.56 frames, so no length is a whole number of them.
  @Test(arguments: [(1, 0), (1, 1), (2, 0), (2, 1)])
  func `loops that sound started are whole beats from there, and stay in phase for an hour`(
    quantize: Int, countIn: Int
  ) {
    let beat = Self.rate * 60 / 117
    let stage = LoopStage(count: 2, seconds: 30, kept: 1, sampleRate: Self.rate)
    stage.set(.beat(.tempo), 117)
    stage.set(.beat(.countIn), Float(countIn))
    for (loop, wait) in [(0, 700), (1, 1900)] {
      stage.set(.quantize, of: loop, Float(quantize))
      stage.set(.threshold, of: loop, -20)
      stage.send(.recordOn, loop)
      // The bar, the count-in, and a while.
      stage.rest(Int(8 * beat) + wait)
      #expect(stage.activity(loop) == .empty)
      stage.play(Tone.noise(frames: Int(2.3 * beat), seed: 3))
      #expect(stage.activity(loop) == .recording)
      stage.send(.recordOn, loop)
      stage.play(Tone.noise(frames: Int(4 * beat), seed: 4))
      #expect(stage.activity(loop) == .playing)
      let count = quantize == 1 ? 3.0 : 4
      #expect(stage.reading(loop).length == Int((count * beat).rounded(.up)))
    }
    let round = quantize == 1 ? 3 * beat : 4 * beat
    func apart() -> Double {
      let rest = Double(stage.reading(1).position - stage.reading(0).position)
      return rest < 0 ? rest + round : rest
    }
    let first = apart()
    let silence = Tone.constant(0, frames: 80_000)
    for _ in 0..<360 {
      _ = stage.host.render(silence, block: 1000)
      _ = stage.host.events()
    }
    let moved = abs(apart() - first)
    #expect(min(moved, round - moved) <= 2.01, "\(first), then \(apart())")
  }

  @Test func `where nothing depends on the beat, it starts with a recording that sound starts`() {
    let stage = LoopStage(count: 2, seconds: 30, kept: 1, sampleRate: Self.rate)
    stage.set(.quantize, of: 0, 2)
    stage.set(.threshold, of: 0, -20)
    stage.send(.recordOn, 0)
    stage.rest(20_123)
    let start = stage.time
    stage.play([0.5] + Tone.noise(frames: 8999))
    stage.send(.recordOn, 0)
    stage.play(Tone.noise(frames: 20_000, seed: 2))
    #expect(stage.reading(0).length == 16_000)
    // An overdub starts on the loop's own bar.
    stage.send(.overdub, 0)
    stage.play([0])
    #expect(stage.reading(0).waiting == start + 32_000 - stage.time)
    // Another loop depends on that beat from now on.
    stage.send(.cancel, 0)
    stage.set(.quantize, of: 1, 2)
    stage.set(.threshold, of: 1, -20)
    stage.send(.recordOn, 1)
    stage.rest(20_000)
    stage.play(Tone.noise(frames: 9000, seed: 3))
    stage.send(.overdub, 0)
    stage.play([0])
    let rest = (stage.time - start + (stage.reading(0).waiting ?? 1)) % 16_000
    #expect(rest == 0 && stage.activity(1) == .recording)
  }

  @Test func `a clip recorded retroactively on a beat continues from there`() {
    let frames = 4000
    let sound = Tone.noise(amplitude: 0.2, frames: 12 * frames)
    let stage = stage(tempo: 120)
    let bar = stage.time
    // A quarter of a beat before the third beat, which is the nearest.
    stage.play(Array(sound[stage.time..<bar + 5 * frames + 3 * frames / 4]))
    stage.host.send(Command(.keep(1, isBars: false)))
    stage.play(Array(sound[stage.time..<bar + 10 * frames]))
    #expect(stage.reading(0).length == 8000)
    let end = bar + 6 * frames
    let wrong = (end + Self.seam..<stage.time).first { frame in
      let place = (frame - end) % 8000
      return place >= Self.seam && abs(stage.stems[0][frame] - sound[end - 8000 + place]) > 1e-6
    }
    #expect(wrong == nil)
  }
}
