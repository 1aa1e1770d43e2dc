import Engine
import TestSupport
import Testing

/// The pedal: one button for all actions of a loop, and its timing.
@Suite struct PedalTests {
  private func tap(_ stage: LoopStage, _ loop: Int = 0) {
    stage.send(.press, loop)
    stage.send(.release, loop)
  }

  /// A stage whose first loop has recorded half a second, and plays it for as long.
  private func playing() -> LoopStage {
    let stage = LoopStage()
    tap(stage)
    stage.rest(24_000)
    tap(stage)
    stage.rest(24_000)
    return stage
  }

  /// A stage whose first loop has half a second and a layer, and plays.
  private func layered() -> LoopStage {
    let stage = LoopStage()
    for hertz in [400.0, 1000] {
      tap(stage)
      stage.play(Tone.sine(hertz, frames: 24_000))
      tap(stage)
      stage.rest(24_000)
    }
    return stage
  }

  @Test func `presses cycle through record, play, overdub, play`() {
    let stage = LoopStage()
    let states: [LoopActivity] = [.recording, .playing, .overdubbing, .playing, .overdubbing]
    for state in states {
      tap(stage, 1)
      stage.rest(24_000)
      #expect(stage.activity(1) == state)
    }
    #expect(stage.reading(1).length == 24_000)
  }

  @Test func `a long press stops, and another one clears`() {
    let stage = playing()
    stage.send(.press, 0)
    stage.rest(23_000)
    // The effect of the press is undone when it has become a long one, and not before.
    #expect(stage.activity(0) == .overdubbing)
    stage.rest(2000)
    #expect(stage.activity(0) == .stopped && stage.reading(0).overdubs == 0)
    stage.send(.release, 0)
    stage.rest(24_000)
    stage.send(.press, 0)
    stage.rest(37_000)
    #expect(stage.activity(0) == .empty)
    stage.press(.undo, 0)
    #expect(stage.reading(0).length == 24_000)
  }

  @Test func `a double press undoes the previous layer, and what the first press started`() {
    let stage = layered()
    #expect(stage.reading(0).overdubs == 1)
    tap(stage)
    stage.rest(8000)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 0)
    // Two presses with a longer interval count separately.
    tap(stage)
    stage.rest(20_000)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 1)
  }

  @Test func `a layer that a long or a double press began is neither an undo nor a redo step`() {
    let stage = layered()
    func steps() -> [Int] { [stage.reading(0).stepsBack, stage.reading(0).stepsForth] }
    let before = steps()
    #expect(before[1] == 0)
    // The double press undoes the wanted layer; the one of its first press is gone.
    tap(stage)
    stage.play(Tone.sine(2000, frames: 8000))
    tap(stage)
    stage.rest(24_000)
    #expect(steps() == [before[0] - 1, 1])
    // So does a long press, and the wanted layer can still be redone.
    stage.send(.press, 0)
    stage.play(Tone.sine(2000, frames: 25_000))
    stage.send(.release, 0)
    stage.rest(24_000)
    #expect(stage.activity(0) == .stopped && steps() == [before[0] - 1, 1])
    stage.press(.redo, 0)
    stage.rest(480)
    #expect(steps() == before && stage.reading(0).overdubs == 1)
  }

  @Test func `the actions of a long and a double press can be set, or be off`() {
    let stage = LoopStage()
    stage.set(.long, of: 0, Float(PedalMeaning.off.rawValue))
    stage.set(.double, of: 0, Float(PedalMeaning.off.rawValue))
    tap(stage)
    stage.rest(24_000)
    stage.send(.press, 0)
    stage.rest(60_000)
    #expect(stage.activity(0) == .playing)
    stage.send(.release, 0)
    stage.rest(4000)
    tap(stage)
    stage.rest(4000)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 1)
    stage.set(.double, of: 0, Float(PedalMeaning.once.rawValue))
    tap(stage)
    stage.rest(4000)
    tap(stage)
    stage.rest(26_000)
    #expect(stage.activity(0) == .stopped)
  }

  @Test func `recording continues while the first press is held`() {
    let stage = LoopStage()
    stage.send(.press, 0)
    stage.rest(60_000)
    #expect(stage.activity(0) == .recording)
  }

  @Test func `presses within 25 ms count once, and the other times can be set`() {
    let stage = LoopStage()
    tap(stage)
    stage.rest(1100)
    tap(stage)
    stage.rest(22_900)
    #expect(stage.activity(0) == .recording)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).length == 24_000)
    stage.set(.press(.long), 1)
    stage.set(.press(.double), 0.1)
    stage.send(.press, 0)
    stage.rest(47_000)
    #expect(stage.activity(0) == .overdubbing)
    stage.rest(2000)
    #expect(stage.activity(0) == .stopped)
    stage.send(.release, 0)
    stage.press(.play, 0)
    stage.rest(1200)
    // Two presses 0.2 s apart count separately.
    tap(stage)
    stage.rest(9600)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 1)
  }

  @Test func `a switch that bounces when it opens does not press the pedal again`() {
    let stage = playing()
    stage.send(.press, 0)
    stage.rest(4800)
    for action in [LoopAction.release, .press, .release, .press, .release] {
      stage.send(action, 0)
      stage.rest(48)
    }
    stage.rest(24_000)
    #expect(stage.activity(0) == .overdubbing && stage.reading(0).length == 24_000)
  }

  @Test(arguments: [0.5, 2] as [Float])
  func `a press that can't overdub reports why, once`(rate: Float) {
    let stage = LoopStage()
    // Of stretched loops, one takes overdubs.
    stage.record(Tone.constant(0.1, frames: 9600), 1)
    stage.rest(9600)
    stage.set(.rate, of: 1, rate)
    stage.press(.overdub, 1)
    _ = stage.host.events()
    stage.set(.long, of: 0, Float(PedalMeaning.off.rawValue))
    tap(stage)
    stage.rest(24_000)
    tap(stage)
    stage.rest(24_000)
    stage.set(.rate, of: 0, rate)
    for quantize in 0...3 {
      stage.set(.quantize, of: 0, Float(quantize))
      for actions in [[LoopAction.overdub], [.press], [.release], [.press, .release]] {
        // Apart from each other, except for both on one frame.
        stage.rest(24_000)
        _ = stage.host.events()
        for action in actions { stage.send(action, 0) }
        _ = stage.host.render([0], block: 1)
        let refusals = stage.host.events().compactMap { event in
          if case .refused(let refusal) = event.kind { refusal } else { nil }
        }
        #expect(refusals == (actions == [.release] ? [] : [.notAsRecorded]), "\(actions)")
      }
      #expect(stage.activity(0) == .playing && stage.reading(0).pending == nil)
    }
  }

  @Test func `the actions of a double and a long press report why they are refused, too`() {
    let stage = LoopStage()
    stage.set(.double, of: 0, Float(PedalMeaning.redo.rawValue))
    stage.set(.long, of: 0, Float(PedalMeaning.redo.rawValue))
    tap(stage)
    stage.rest(24_000)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.press(.press, 0) == nil)
    #expect(stage.press(.release, 0) == nil)
    stage.rest(6000)
    #expect(stage.press(.press, 0) == .nothingToRedo)
    #expect(stage.press(.release, 0) == nil)
    stage.rest(24_000)
    #expect(stage.press(.press, 0) == nil)
    stage.rest(30_000)
    // The foot is still down when a press becomes a long one, which is reported when it lifts.
    #expect(stage.press(.release, 0) == .nothingToRedo)
    #expect(stage.activity(0) == .playing)
  }

  @Test func `forty presses give the expected clip, frame by frame`() {
    // A performance with two loops, in frames. The effect of each press is computed separately.
    let stage = LoopStage(count: 2, block: 64)
    let sound = Tone.noise(amplitude: 0.05, frames: 1_200_000, seed: 9)
    var presses: [(frame: Int, loop: Int)] = [(1000, 0), (49_003, 0), (60_001, 1), (156_007, 1)]
    var place = 170_000
    for index in 0..<36 {
      presses.append((place, index % 2))
      place += 25_013 + index * 37
    }
    #expect(presses.count == 40)
    var start = 0
    // Exact to the frame, in freewheel. Presses are on any frame of a block.
    for (index, press) in presses.enumerated() {
      let end = index + 1 < presses.count ? presses[index + 1].frame : press.frame + 24_000
      stage.play(Array(sound[start..<press.frame]))
      tap(stage, press.loop)
      stage.play(Array(sound[press.frame..<end]))
      start = end
    }
    // The expected clip: the recording plus the input between each two presses.
    for loop in 0..<2 {
      let own = presses.filter { $0.loop == loop }.map(\.frame)
      let (from, length) = (own[0], own[1] - own[0])
      var clip = (0..<length).map { Double(sound[from + $0]) }
      for pair in stride(from: 2, to: own.count - 1, by: 2) {
        for frame in own[pair]..<own[pair + 1] {
          clip[(frame - own[1]) % length] += Double(sound[frame])
        }
      }
      #expect(stage.reading(loop).length == length)
      #expect(stage.activity(loop) == (own.count % 2 == 0 ? .playing : .overdubbing))
      stage.press(.stop, loop)
      stage.rest(4800)
      let begin = stage.time
      stage.send(.play, loop)
      stage.rest(length)
      // Except for the fades of overdubs, five milliseconds at each end, and the fade-in.
      var near = Set<Int>()
      for press in own.dropFirst(2) {
        for frame in -1...241 { near.insert(((press - own[1] + frame) % length + length) % length) }
      }
      for frame in 300..<length - 300 where !near.contains(frame) {
        let found = Double(stage.stems[loop][begin + frame])
        guard abs(found - clip[frame]) > 1e-6 else { continue }
        Issue.record("loop \(loop), frame \(frame): \(found), not \(clip[frame])")
        break
      }
    }
  }
}
