import Engine
import Foundation
import TestSupport
import Testing

/// Layers that go on when the way in which they are written changes: with another kind, or at another tempo.
@Suite struct LayerChangeTests {
  private static let length = 48_000

  /// A tone of 330 Hz that rises and falls.
  private static let burst: [Float] = Tone.sine(330, amplitude: 0.5, frames: 3000).enumerated()
    .map { $1 * Float(0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / 3000)) }

  /// A loop of silence of two beats at 120 beats per minute.
  private func playing() -> LoopStage {
    let stage = LoopStage()
    stage.record(Tone.constant(0, frames: Self.length), 0)
    stage.rest(4800)
    return stage
  }

  /// The part of a sound that changes faster than 330 Hz can, as a share of its amplitude of 0.5.
  private func roughness(_ sound: ArraySlice<Float>) -> Float {
    let values = Array(sound)
    guard values.count > 3 else { return .infinity }
    // The third difference of a sine of 330 Hz at 48 kHz is 8e-5 of its amplitude; a step's is up to 3.
    return (3..<values.count).map {
      abs(values[$0] - 3 * values[$0 - 1] + 3 * values[$0 - 2] - values[$0 - 3])
    }.max()! / 0.5
  }

  private func center(_ sound: ArraySlice<Float>) -> Double {
    var (sum, moment) = (0.0, 0.0)
    for (index, value) in sound.enumerated() {
      let power = Double(value) * Double(value)
      sum += power
      moment += power * Double(index)
    }
    return moment / sum
  }

  @Test(arguments: [0, 1, 2] as [Float], [LoopAction.clear, .undo])
  func `a loop that is emptied while its layer changes can be recorded anew`(
    engine: Float, action: LoopAction
  ) {
    for after in stride(from: 0, to: 6000, by: 250) {
      let stage = playing()
      stage.set(.engine, of: 0, engine)
      stage.set(.follow, of: 0, 2)
      stage.rest(9600)
      stage.press(.overdub, 0)
      stage.play(Self.burst)
      stage.set(.beat(.tempo), 140)
      stage.rest(after)
      // Undo takes the layer back, then the recording.
      for _ in 0..<2 { stage.press(action, 0) }
      #expect(stage.reading(0).length == 0, "\(after)")
      stage.press(.record, 0)
      stage.rest(12_000 - 1)
      stage.press(.play, 0)
      stage.rest(4800)
      #expect(stage.activity(0) == .playing && stage.reading(0).length == 12_000, "\(after)")
    }
  }

  // From 120, where the clip is passed or drifts, to where an engine stretches it; as the loop follows, and as it
  // does only since the layer began.
  @Test(arguments: [126, 140, 96] as [Float], [false, true])
  func `an overdub goes on through a tempo at which its loop is stretched`(
    tempo: Float, startsPlain: Bool
  ) {
    for engine: Float in [0, 1, 2] {
      let stage = playing()
      stage.set(.engine, of: 0, engine)
      if !startsPlain { stage.set(.follow, of: 0, 2) }
      stage.rest(9600)
      stage.press(.overdub, 0)
      stage.rest(4800)
      if startsPlain { stage.set(.follow, of: 0, 2) }
      stage.rest(4800)
      let first = stage.time
      stage.play(Self.burst)
      stage.rest(2000)
      let change = stage.time
      stage.set(.beat(.tempo), tempo)
      // While an engine starts, the loop is on its way to its position.
      stage.rest(12_000)
      let second = stage.time
      stage.play(Self.burst)
      stage.rest(12_000)
      #expect(stage.activity(0) == .overdubbing, "\(engine)")
      stage.press(.overdub, 0)
      stage.rest(3 * Self.length)
      #expect(stage.reading(0).overdubs == 1, "\(engine)")
      #expect(stage.activity(0) == .playing)
      let ratio = 120 / Double(tempo)
      // In the next cycle: what came before the change has a part of the cycle at the former tempo.
      let cycle = Double(Self.length) * ratio
      let beats = Double(change - first) / Double(Self.length)
      for (name, time) in [
        ("before", Double(change) + (1 - beats) * cycle), ("after", Double(second) + cycle),
      ] {
        // A loop that has not followed is heard as late as its engine is, and is in time only after the layer.
        let behind = startsPlain ? [0, 960, 2048][Int(engine)] * ratio : 0
        let from = Int((time - behind).rounded()) - 3000
        let heard = stage.stems[0][from..<from + 7500]
        let late = center(heard) - 3000 - 1499.5 * (name == "before" ? ratio : 1)
        let hertz = Measure.frequency(Array(heard)[3500..<5500], near: 330, sampleRate: 48_000) ?? 0
        // 4 ms; the voice engine, which places whole periods, 8. A loop that is behind is not led to its position while
        // it has a layer, and keeps what the start of an engine adds: 6 ms.
        let most: Double = (engine == 1 ? 384 : 192) + (startsPlain ? 288 : 0)
        #expect(abs(late) < most, "\(engine) \(name): \(late / 48) ms")
        #expect(abs(hertz / 330 - 1) < 0.015, "\(engine) \(name): \(hertz) Hz")
        let level = Measure.peak(Array(heard)) / 0.5
        #expect(abs(level - 1) < 0.25, "\(engine) \(name): \(level)")
      }
    }
  }

  // From one stretched tempo to the next, what is played at once comes back in its place.
  @Test(arguments: [[140, 96], [96, 140], [140, 120], [126, 140, 96, 120]] as [[Float]])
  func `an overdub on a stretched loop goes on through more tempi`(tempi: [Float]) {
    for engine: Float in [0, 1, 2] {
      let stage = playing()
      stage.set(.engine, of: 0, engine)
      stage.set(.follow, of: 0, 2)
      stage.rest(9600)
      stage.press(.overdub, 0)
      for tempo in tempi {
        stage.rest(20_000)
        stage.set(.beat(.tempo), tempo)
      }
      var starts: [Int] = []
      for _ in 0..<3 {
        stage.rest(2400)
        starts.append(stage.time)
        stage.play(Self.burst)
      }
      stage.rest(9600)
      #expect(stage.activity(0) == .overdubbing, "\(engine)")
      stage.press(.overdub, 0)
      stage.rest(3 * Self.length)
      let cycle = Double(Self.length) * 120 / Double(tempi.last!)
      for start in starts {
        let from = Int((Double(start) + 2 * cycle).rounded()) - 1200
        let late = center(stage.stems[0][from..<from + 5400]) - 1200 - 1499.5
        #expect(abs(late) < (engine == 1 ? 384 : 192), "\(engine): \(late / 48) ms")
      }
    }
  }

  @Test func `a tone that is held through such a tempo comes back without a gap or a click`() {
    let stage = playing()
    stage.set(.engine, of: 0, 2)
    stage.set(.follow, of: 0, 2)
    stage.rest(9600)
    stage.press(.overdub, 0)
    let tone = Tone.sine(330, amplitude: 0.5, frames: 36_000)
    stage.play(Array(tone[..<18_000]))
    let change = stage.time
    stage.set(.beat(.tempo), 126)
    stage.play(Array(tone[18_000...]))
    stage.press(.overdub, 0)
    stage.rest(3 * Self.length)
    // Around the change in the next cycle, half a second before and after.
    let middle = change + Int(Double(Self.length) * 120 / 126)
    let heard = stage.stems[0][middle - 12_000..<middle + 12_000]
    let levels = stride(from: 0, to: 24_000, by: 480).map { start in
      Measure.peak(Array(heard.dropFirst(start).prefix(480))) / 0.5
    }
    // Between the resampled part and the stretched one, the phases of the tone differ.
    #expect(levels.allSatisfy { $0 > 0.5 && $0 < 1.3 }, "\(levels)")
    #expect(roughness(heard) < 0.02)
  }

  @Test func `an overdub that no warp is left for ends, as another loop's is stretched`() {
    let stage = playing()
    stage.record(Tone.constant(0, frames: Self.length), 1)
    stage.rest(4800)
    for loop in 0...1 { stage.set(.follow, of: loop, 2) }
    stage.rest(4800)
    stage.press(.overdub, 0)
    stage.press(.overdub, 1)
    stage.rest(4800)
    stage.set(.beat(.tempo), 130)
    stage.rest(9600)
    #expect(stage.activity(0) == .overdubbing && stage.activity(1) == .playing)
  }

  /// The kinds that change one another, and what is left of a clip at 0.25 under an input of 0.5.
  private static let kinds: [(LoopAction, Float)] = [
    (.overdub, 0.75), (.replace, 0.5), (.substitute, 0.5),
  ]

  /// Starts a layer, and returns the frame on which it has started.
  @discardableResult
  private func start(_ action: LoopAction, in stage: LoopStage) -> Int {
    let layers: [LoopAction: LoopActivity] = [
      .overdub: .overdubbing, .replace: .replacing, .substitute: .substituting,
    ]
    stage.send(action, 0)
    repeat { stage.play([0.5]) } while stage.activity(0) != layers[action]
    return stage.time - 1
  }

  @Test(arguments: [1, -1] as [Float], [0, 0.15] as [Float])
  func `each kind of layer is a step, and begins with the sound of its press`(
    direction: Float, lateness: Float
  ) {
    for (first, under) in Self.kinds {
      for (second, over) in Self.kinds where second != first {
        let stage = LoopStage(lateness: lateness)
        stage.record(Tone.constant(0.25, frames: Self.length), 0)
        stage.set(.direction, of: 0, direction)
        stage.set(.quantize, of: 0, lateness > 0 ? 1 : 0)
        stage.play(Tone.constant(0.25, frames: 2400))
        stage.rest(9600)
        let name = "\(first) \(second)"
        // Before its press, too, which may mean the beat before.
        stage.play(Tone.constant(0.5, frames: 9600))
        start(first, in: stage)
        stage.play(Tone.constant(0.5, frames: 20_000))
        let change = start(second, in: stage)
        stage.play(Tone.constant(0.5, frames: 12_000))
        stage.press(second, 0)
        stage.play(Tone.constant(0.5, frames: Self.length))
        #expect(stage.reading(0).overdubs == 2, "\(name)")
        let cycle = stage.stems[0]
        // A quarter of a beat on each side of the change, in the next cycle.
        for (offset, level) in [(-6000, under), (-480, under), (480, over), (6000, over)] {
          let found = cycle[change + Self.length + offset]
          #expect(abs(found - level) < 0.01, "\(name) \(offset): \(found)")
        }
        stage.press(.undo, 0)
        stage.rest(2 * Self.length)
        #expect(stage.reading(0).overdubs == 1, "\(name)")
        let from = stage.time
        stage.rest(Self.length)
        let left = Array(stage.stems[0][from...])
        let distance = (change - from) % Self.length + Self.length
        for (offset, level) in [(-6000, under), (-480, under), (480, Float(0.25)), (6000, 0.25)] {
          let found = left[(distance + offset + Self.length) % Self.length]
          #expect(abs(found - level) < 0.01, "\(name) undone \(offset): \(found)")
        }
        // The part that is left fades out over 5 ms.
        let steps = zip(left, left.dropFirst()).map { abs($1 - $0) }.max()!
        #expect(steps < 0.01, "\(name): \(steps)")
        stage.press(.undo, 0)
        stage.rest(4800)
        #expect(stage.reading(0).overdubs == 0, "\(name)")
        #expect(stage.stems[0].suffix(2400).allSatisfy { abs($0 - 0.25) < 1e-4 }, "\(name)")
      }
    }
  }

  @Test func `undo before the sound of another kind has arrived reverts that kind`() {
    let stage = playing()
    stage.host.engine.shared.setInputDelay(4800)
    stage.press(.overdub, 0)
    stage.play(Tone.constant(0.5, frames: 24_000))
    stage.press(.replace, 0)
    stage.play(Tone.constant(0.5, frames: 480))
    stage.press(.undo, 0)
    stage.rest(9600)
    #expect(stage.reading(0).overdubs == 1 && stage.activity(0) == .playing)
    stage.press(.undo, 0)
    stage.rest(4800)
    #expect(stage.reading(0).overdubs == 0)
  }

  @Test func `more changes of kind than can wait are refused, and none is lost silently`() {
    let stage = playing()
    stage.host.engine.shared.setInputDelay(24_000)
    stage.press(.overdub, 0)
    var (refused, kind) = (0, LoopAction.overdub)
    for _ in 0..<40 {
      let other: LoopAction = kind == .overdub ? .replace : .overdub
      if stage.press(other, 0) == .noMemory { refused += 1 } else { kind = other }
    }
    #expect(refused > 0)
    #expect(stage.press(kind, 0) == nil)
    stage.rest(48_000)
    #expect(stage.activity(0) == .playing)
    #expect(stage.reading(0).overdubs == 40 - refused + 1)
  }

  @Test(arguments: [0, 480, 4800])
  func `an overdub after the undo of one that goes on stretched is another layer`(frames: Int) {
    let stage = playing()
    stage.set(.follow, of: 0, 2)
    stage.press(.overdub, 0)
    stage.play(Tone.constant(0.5, frames: 9600))
    stage.set(.beat(.tempo), 126)
    stage.play(Tone.constant(0.5, frames: 600 + frames))
    stage.press(.undo, 0)
    #expect(stage.press(.overdub, 0) == nil)
    stage.rest(4800)
    #expect(stage.activity(0) == .overdubbing && stage.reading(0).overdubs == 1)
    stage.press(.overdub, 0)
    stage.rest(2 * Self.length)
    // Nothing of the first one, 0.5, but for what the windows of the studio engine have of the sound before the press.
    #expect(stage.reading(0).overdubs == 1)
    #expect(Measure.peak(Array(stage.stems[0].suffix(Self.length))) < 0.15)
  }
}
