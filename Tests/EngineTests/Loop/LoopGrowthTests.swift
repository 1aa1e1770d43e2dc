import Engine
import TestSupport
import Testing

/// Multiply and insert: loops that grow.
@Suite struct LoopGrowthTests {
  private static let seam = 240

  /// A stage with a loop of a quarter of a second, which plays at a quarter of its second cycle.
  private func playing(_ loop: Int, block: Int) -> (stage: LoopStage, clip: [Float]) {
    let clip = Tone.sine(400, amplitude: 0.25, frames: 12_000)
    let stage = LoopStage(block: block)
    stage.record(clip, loop)
    // The frames after its end equal its beginning.
    stage.play(Array(clip[..<480]))
    stage.rest(12_000 + 3000 - 480)
    return (stage, clip)
  }

  @Test(arguments: [1, 64, 777])
  func `multiply repeats the loop under the overdub, to the end of the cycle`(block: Int) {
    let (stage, clip) = playing(0, block: block)
    stage.send(.multiply, 0)
    // To a quarter of the third cycle.
    let voice = Tone.sine(1000, amplitude: 0.1, frames: 24_000)
    stage.play(Array(voice[..<24_000]))
    #expect(stage.activity(0) == .multiplying)
    stage.send(.multiply, 0)
    stage.rest(33_000)
    #expect(stage.activity(0) == .playing)
    #expect(stage.reading(0).length == 36_000)
    #expect(stage.reading(0).overdubs == 1)
    // The loop is audible unchanged all the time. The overdub is audible from the next cycle on.
    let heard = stage.stems[0]
    let begin = 12_000 + 12_000 + 3000
    for frame in stride(from: begin - 2000, to: begin + 24_000, by: 31) {
      #expect(abs(heard[frame] - clip[frame % 12_000]) < 1e-5, "\(frame)")
    }
    let start = stage.time
    stage.rest(36_000)
    let from = 24_000
    for frame in stride(from: start + 1, to: start + 36_000, by: 17) {
      // The position in the long cycle, which started two cycles after the end of the recording.
      let place = (frame - from) % 36_000
      var expected = clip[place % 12_000]
      if place >= 3000 + Self.seam, place < 27_000 { expected += voice[place - 3000] }
      if place >= 3000 && place < 3000 + Self.seam || place >= 27_000 && place < 27_000 + Self.seam
      {
        continue
      }
      #expect(abs(stage.stems[0][frame] - expected) < 1e-5, "\(place)")
    }
    // One undo step removes it.
    stage.press(.undo, 0)
    #expect(stage.reading(0).length == 12_000)
  }

  @Test(arguments: [1, 64, 777])
  func `insert splits the loop, which continues after the insert`(block: Int) {
    let (stage, clip) = playing(1, block: block)
    stage.send(.insert, 1)
    // It continues for a moment: no source is muted on a single frame.
    let voice = Tone.sine(1000, amplitude: 0.1, frames: 7480)
    stage.play(Array(voice[..<7000]))
    #expect(stage.activity(1) == .inserting)
    // The loop is silent meanwhile.
    #expect(Measure.peak(stage.stems[1][(stage.time - 6000)...]) == 0)
    stage.send(.insert, 1)
    let from = stage.time
    stage.play(Array(voice[7000...]))
    stage.rest(40_000 - 480)
    #expect(stage.activity(1) == .playing && stage.reading(1).length == 19_000)
    for frame in stride(from: from + 300, to: from + 38_000, by: 13) {
      let place = (10_000 + frame - from) % 19_000
      let expected: Float
      switch place {
      case 0..<3000: expected = clip[place]
      case 3000 + Self.seam..<10_000: expected = voice[place - 3000]
      case 10_000 + Self.seam..<19_000: expected = clip[place - 7000]
      default: continue
      }
      #expect(abs(stage.stems[1][frame] - expected) < 1e-5, "\(place)")
    }
    // There is no click where it was split.
    let whole = Array(stage.stems[1][(from + 9000)..<(from + 9000 + 19_000)])
    #expect(Measure.roughness(whole) < 1.5 * Measure.roughness(voice))
    stage.press(.undo, 1)
    #expect(stage.reading(1).length == 12_000)
  }

  /// With different pauses after the first growth: within its latency, while the clip is completed, and after that.
  @Test(arguments: [LoopAction.multiply, .insert], [LoopAction.multiply, .insert])
  func `a growth right after another one begins as soon as the clip is complete`(
    first: LoopAction, second: LoopAction
  ) {
    for gap in [0, 100, 700, 2400] {
      let (stage, _) = playing(0, block: 64)
      stage.host.engine.shared.setInputDelay(480)
      stage.press(first, 0)
      stage.play(Tone.sine(1000, amplitude: 0.1, frames: 15_000))
      stage.press(first, 0)
      stage.rest(gap)
      let (length, steps) = (stage.reading(0).length, stage.reading(0).stepsBack)
      stage.press(second, 0)
      #expect(stage.refusal == nil, "\(gap)")
      // The latency, the fade-out of the layer, and a 64th of the clip's duration.
      stage.rest(480 + 240 + 27_000 / 64 + 128)
      #expect(
        stage.activity(0) == (second == .insert ? .inserting : .multiplying), "\(gap)")
      stage.press(second, 0)
      stage.rest(2400)
      #expect(stage.activity(0) == .playing && stage.reading(0).stepsBack == steps + 1, "\(gap)")
      stage.press(.undo, 0)
      #expect(stage.reading(0).length == length, "\(gap)")
      // An undo while it waits drops it.
      stage.press(first, 0)
      stage.rest(3000)
      stage.press(first, 0)
      stage.press(second, 0)
      stage.press(.undo, 0)
      stage.rest(2400)
      #expect(stage.activity(0) == .playing && stage.reading(0).stepsBack == steps + 1, "\(gap)")
    }
  }

  @Test(arguments: [1, 64, 777], [4000, 30_000])
  func `undo during an insert goes on where the loop would be`(block: Int, after: Int) {
    let (stage, clip) = playing(0, block: block)
    stage.press(.insert, 0)
    let voice = Tone.sine(1000, amplitude: 0.1, frames: after)
    stage.play(voice)
    stage.press(.undo, 0)
    let from = stage.time
    stage.rest(15_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).length == 12_000)
    // After the fade-in, the same as without the insert.
    for frame in stride(from: from + 500, to: from + 15_000, by: 13) {
      #expect(abs(stage.stems[0][frame] - clip[frame % 12_000]) < 1e-5, "\(frame)")
    }
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `an insert on the beat that loses its server leaves the loop on the beat`(rate: Double) {
    let host = OfflineHost()
    host.send(Command(.set(.loop(.quantize), 1)), Command(.set(.metronome(.on), 1)))
    _ = host.render(Tone.constant(0, frames: 20_000), block: 64)
    // Two beats, from the first beat on, with a burst on the first.
    host.send(Command(.loop(.record)))
    var clip = Tone.constant(0, frames: 50_000)
    clip.replaceSubrange(4000..<8800, with: Tone.sine(1000, amplitude: 0.5, frames: 4800))
    _ = host.render(clip, block: 64)
    host.send(Command(.loop(.play)))
    _ = host.render(Tone.constant(0, frames: 60_000), block: 64)
    // On the beat at 144,000.
    host.send(Command(.loop(.insert)))
    _ = host.render(Tone.constant(0, frames: 44_000), block: 64)
    let reading = { host.engine.shared.loops[0].state.read() }
    #expect(reading().activity == .inserting && reading().length == 48_000)
    let other = OfflineHost(takingOver: host.engine, sampleRate: rate)
    for (length, isUndone) in [(2.0, false), (1.0, true)] {
      if isUndone { other.send(Command(.loop(.undo))) }
      let heard = other.render(Tone.constant(0, frames: Int(5 * rate)), block: 64)
      #expect(reading().length == Int(length * rate) && reading().activity == .playing)
      let quiet = Int(0.05 * rate)
      let clicks = Measure.starts(of: heard.click, above: 0.02, quiet: quiet)
      let bursts = Measure.starts(of: heard.loop, above: 0.02, quiet: quiet)
      #expect(clicks.count >= 9 && bursts.count >= Int(4 / length))
      for burst in bursts {
        let apart = clicks.map { abs($0 - burst) }.min() ?? .max
        // Both rise within a millisecond.
        #expect(Double(apart) < 0.002 * rate, "\(burst), \(isUndone)")
      }
    }
  }

  /// With different pauses between both presses: none, within the fade-out of the growth, and after it.
  @Test(arguments: [LoopAction.multiply, .insert], [LoopAction.overdub, .replace, .substitute])
  func `a layer right after a growth is added to the grown loop, which can be copied meanwhile`(
    growth: LoopAction, layer: LoopAction
  ) {
    for gap in [0, 100, 2400] {
      let (stage, _) = playing(0, block: 64)
      stage.host.engine.shared.setInputDelay(480)
      stage.press(growth, 0)
      stage.play(Tone.sine(1000, amplitude: 0.1, frames: 15_000))
      if gap > 0 {
        stage.press(growth, 0)
        stage.rest(gap)
      }
      stage.press(layer, 0)
      let length = stage.reading(0).length
      // Longer than the loop, so that all of it is in the layer.
      let voice = Tone.sine(500, amplitude: 0.125, frames: 48_000)
      stage.play(voice)
      #expect(stage.reading(0).isOverdubbing && stage.reading(0).length == length, "\(gap)")
      let copy = ClipTransfer(sampleRate: 48_000)
      _ = stage.host.events()
      stage.host.send(Command(.copyOut(ClipPointer(copy))))
      stage.play(Array(voice[..<4800]))
      #expect(stage.refusal == nil && copy.length == length, "\(gap)")
      stage.press(layer, 0)
      stage.rest(1200)
      // One more growth is possible.
      let steps = stage.reading(0).stepsBack
      stage.press(growth, 0)
      stage.rest(600)
      #expect(stage.refusal == nil && stage.activity(0) != .playing, "\(gap)")
      stage.press(.undo, 0)
      #expect(stage.reading(0).stepsBack == steps, "\(gap)")
      // All steps lead back to the loop as it was recorded.
      stage.press(.undo, 0)
      if stage.reading(0).length == length { stage.press(.undo, 0) }
      #expect(stage.reading(0).length == 12_000 && stage.reading(0).overdubs == 0, "\(gap)")
    }
  }

  @Test func `undo while the loop grows restores it`() {
    let stage = LoopStage()
    for action in [LoopAction.multiply, .insert] {
      stage.press(.clear, 0)
      stage.record(Tone.sine(400, amplitude: 0.25, frames: 12_000), 0)
      stage.rest(5000)
      stage.send(action, 0)
      stage.play(Tone.noise(frames: 20_000))
      stage.press(.undo, 0)
      stage.rest(12_000)
      #expect(stage.activity(0) == .playing && stage.reading(0).length == 12_000)
      let stem = Array(stage.stems[0][(stage.time - 6000)...])
      #expect(abs((Measure.frequency(stem, near: 400, sampleRate: 48_000) ?? 0) - 400) < 0.1)
    }
  }

  @Test func `growth ends at the longest loop on its own`() {
    let stage = LoopStage(count: 2, seconds: 1)
    stage.record(Tone.sine(400, amplitude: 0.25, frames: 20_000), 0)
    stage.rest(1000)
    stage.send(.multiply, 0)
    stage.rest(60_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).length == 40_000)
    stage.press(.insert, 0)
    stage.rest(60_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).length == 48_000)
  }

  @Test func `multiplying a loop in time keeps it in time`() {
    let stage = LoopStage()
    stage.set(.beat(.tempo), 117)
    stage.set(.quantize, of: 0, 1)
    stage.send(.recordOn, 0)
    stage.rest(40_000)
    stage.send(.recordOn, 0)
    stage.rest(40_000)
    let beat = 48_000.0 * 60 / 117
    #expect(
      abs(Double(stage.reading(0).length) - 2 * beat) < 1
        || abs(Double(stage.reading(0).length) - beat) < 1)
    let round = (Double(stage.reading(0).length) / beat).rounded() * beat
    stage.send(.multiply, 0)
    stage.rest(Int(2 * round))
    stage.send(.multiply, 0)
    stage.rest(Int(beat) + 100)
    #expect(stage.activity(0) == .playing)
    let rounds = (Double(stage.reading(0).length) / round).rounded()
    #expect(rounds >= 2)
    #expect(stage.reading(0).length == Int((rounds * round).rounded(.up)))
  }
}
