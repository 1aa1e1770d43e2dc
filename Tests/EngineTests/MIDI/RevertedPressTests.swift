import Engine
import TestSupport
import Testing

/// Presses of the pedal that become long or double ones: the overdub that they started leaves no trace.
@Suite struct RevertedPressTests {
  // Layers add their level to the loop, so that each version has its own.
  private static let clip: Float = 0.01, layer: Float = 0.02, press: Float = 0.3
  private static let length = 12_000

  private enum End: CaseIterable {
    case long, double
  }

  /// A playing loop with layers, the last of which are undone.
  private func stage(
    layers: Int, undone: Int, block: Int = 64, latency: Int = 0, seconds: Double = 1
  ) -> LoopStage {
    let stage = LoopStage(count: 1, seconds: seconds, block: block, kept: 40)
    stage.host.engine.shared.setInputDelay(latency)
    stage.record(Tone.constant(Self.clip, frames: Self.length), 0)
    stage.play(Tone.constant(Self.clip, frames: 1200))
    for _ in 0..<layers {
      stage.press(.overdub, 0)
      stage.play(Tone.constant(Self.layer, frames: Self.length))
      stage.press(.overdub, 0)
      // Its sound and its fade.
      stage.play(Tone.constant(Self.layer, frames: 480 + latency))
      stage.rest(64)
    }
    for _ in 0..<undone { stage.press(.undo, 0) }
    stage.rest(1000)
    return stage
  }

  /// The level of the loop, far from the ends of its layers.
  private func level(_ stage: LoopStage) -> Float {
    if stage.activity(0) != .playing { stage.press(.play, 0) }
    stage.rest(Self.length)
    let start = stage.time
    stage.rest(Self.length)
    // The layers overlap by a few hundred frames at their ends, where the level is higher.
    return stage.stems[0][start...].sorted()[Self.length / 2]
  }

  private func steps(_ stage: LoopStage) -> [Int] {
    [stage.reading(0).stepsBack, stage.reading(0).stepsForth]
  }

  /// Walks through the whole history, and checks the level of each version.
  private func checkHistory(_ stage: LoopStage, layers: Int, oldest: Int = 1, _ what: String) {
    while stage.reading(0).stepsBack > oldest { stage.press(.undo, 0) }
    for layer in 0...layers {
      if layer > 0 { stage.press(.redo, 0) }
      let expected = Self.clip + Float(layer) * Self.layer
      #expect(abs(level(stage) - expected) < 1e-5, "\(what), layer \(layer)")
    }
    #expect(stage.reading(0).stepsForth == 0, "\(what)")
  }

  @Test(arguments: [0, 1, 2], [64, 1000])
  func `the redo steps are as before a press that became long or double`(undone: Int, block: Int) {
    let layers = 3
    for latency in [0, 900] {
      for meaning in [PedalMeaning.stop, .once, .undo, .redo, .off] {
        for end in End.allCases where meaning != .off || end == .long {
          let stage = stage(layers: layers, undone: undone, block: block, latency: latency)
          stage.set(
            .long, of: 0, Float(end == .long ? meaning.rawValue : PedalMeaning.off.rawValue))
          stage.set(.double, of: 0, Float(end == .double ? meaning.rawValue : 5))
          let before = steps(stage)
          #expect(before == [1 + layers - undone, undone])
          stage.send(.press, 0)
          stage.play(Tone.constant(Self.press, frames: 8000))
          #expect(stage.activity(0) == .overdubbing)
          if end == .double {
            stage.send(.release, 0)
            stage.play(Tone.constant(Self.press, frames: 3000))
            stage.send(.press, 0)
          }
          stage.play(Tone.constant(Self.press, frames: 30_000))
          stage.send(.release, 0)
          stage.rest(4000)
          let what = "\(end) \(meaning), \(undone) undone, latency \(latency), block \(block)"
          if meaning == .off {
            // Nothing but a short press is left: a layer, which replaces the redo steps.
            #expect(steps(stage) == [before[0] + 1, 0], "\(what)")
            continue
          }
          let change = meaning == .undo ? -1 : meaning == .redo && undone > 0 ? 1 : 0
          #expect(steps(stage) == [before[0] + change, before[1] - change], "\(what)")
          #expect(stage.reading(0).overdubs == before[0] - 1 + change, "\(what)")
          checkHistory(stage, layers: layers, what)
        }
      }
    }
  }

  @Test func `a short press drops the redo steps, as /loop/overdub does`() {
    let stage = stage(layers: 2, undone: 1)
    stage.set(.double, of: 0, Float(PedalMeaning.off.rawValue))
    stage.send(.press, 0)
    stage.play(Tone.constant(Self.layer, frames: 4000))
    stage.send(.release, 0)
    #expect(steps(stage) == [3, 0])
    stage.play(Tone.constant(Self.layer, frames: Self.length - 4000))
    stage.send(.press, 0)
    stage.send(.release, 0)
    stage.play(Tone.constant(Self.layer, frames: 480))
    stage.rest(20_000)
    #expect(steps(stage) == [3, 0])
    checkHistory(stage, layers: 2, "short")
  }

  @Test func `a full history keeps its oldest step`() {
    // More layers than there are steps.
    let stage = stage(layers: 34, undone: 0)
    #expect(steps(stage) == [32, 0])
    stage.send(.press, 0)
    stage.play(Tone.constant(Self.press, frames: 30_000))
    stage.send(.release, 0)
    stage.rest(2000)
    #expect(steps(stage) == [32, 0] && stage.activity(0) == .stopped)
    while stage.reading(0).stepsBack > 0 { stage.press(.undo, 0) }
    // The clip and the first layer are too old, as before the press.
    #expect(abs(level(stage) - Self.clip - 2 * Self.layer) < 1e-5)
  }

  @Test func `an undo within a press that becomes long undoes the overdub only`() {
    let stage = stage(layers: 2, undone: 0)
    stage.send(.press, 0)
    stage.play(Tone.constant(Self.press, frames: 8000))
    #expect(stage.press(.undo, 0) == nil)
    #expect(steps(stage) == [3, 1])
    stage.rest(30_000)
    stage.send(.release, 0)
    stage.rest(2000)
    #expect(steps(stage) == [3, 1] && stage.activity(0) == .stopped)
  }

  @Test func `an overdub reverted by a long press leaves no click`() {
    let stage = LoopStage(count: 1)
    let tone = Tone.sine(301, amplitude: 0.2, frames: 48_160)
    stage.record(Array(tone[..<24_000]), 0)
    stage.play(Array(tone[24_000..<24_400]))
    stage.set(.long, of: 0, Float(PedalMeaning.redo.rawValue))
    let start = stage.time + 600
    stage.rest(1000)
    stage.send(.press, 0)
    stage.play(Tone.sine(197, amplitude: 0.2, frames: 60_000))
    stage.send(.release, 0)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 0)
    // A step of 0.01 has a roughness of 0.01. That of the two tones at once is below 0.0005.
    #expect(Measure.roughness(stage.stems[0][start...]) < 0.0015)
  }
}
