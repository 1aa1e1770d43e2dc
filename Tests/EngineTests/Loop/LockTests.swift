import Engine
import TestSupport
import Testing

/// The lock, under which no clip is lost.
@Suite struct LockTests {
  private func locked(layers: Int) -> LoopStage {
    let stage = LoopStage()
    stage.record(Tone.constant(0.3, frames: 4800), 0)
    stage.play(Tone.constant(0.3, frames: 600))
    for _ in 0..<layers {
      stage.send(.overdub, 0)
      stage.play(Tone.constant(0.1, frames: 4800))
      stage.send(.overdub, 0)
      stage.rest(600)
    }
    stage.set(.mixer(.lock), 1)
    stage.rest(64)
    return stage
  }

  @Test func `a clip is neither cleared, nor recorded or loaded over, nor undone`() {
    let stage = locked(layers: 0)
    for action in [LoopAction.clear, .record, .recordOn, .keep, .undo] {
      #expect(stage.press(action, 0) == .locked, "\(action)")
    }
    stage.press(.stop, 0)
    #expect(stage.press(.record, 0) == .locked)
    let clip = ClipTransfer(sampleRate: 48_000, seconds: 10)
    stage.host.send(Command(.load(ClipPointer(clip))))
    _ = stage.host.render([0], block: 1)
    #expect(stage.refusal == .locked)
    withExtendedLifetime(clip) {}
    stage.host.send(Command(.keep(0.05, isBars: false)))
    _ = stage.host.render([0], block: 1)
    #expect(stage.refusal == .locked)
    stage.press(.play, 0)
    stage.rest(1000)
    #expect(stage.stems[0].last == 0.3)
    stage.set(.mixer(.lock), 0)
    #expect(stage.press(.clear, 0) == nil)
  }

  @Test func `layers are undone and redone, but not the clip`() {
    let stage = locked(layers: 2)
    #expect(stage.press(.undo, 0) == nil && stage.press(.undo, 0) == nil)
    #expect(stage.press(.undo, 0) == .locked)
    stage.rest(1000)
    #expect(stage.stems[0].last == 0.3)
    #expect(stage.press(.redo, 0) == nil && stage.press(.redo, 0) == nil)
    #expect(stage.press(.redo, 0) == .nothingToRedo)
  }

  @Test func `a clear that was undone is not redone`() {
    let stage = locked(layers: 0)
    stage.set(.mixer(.lock), 0)
    stage.press(.clear, 0)
    stage.press(.undo, 0)
    stage.set(.mixer(.lock), 1)
    #expect(stage.press(.redo, 0) == .locked)
  }

  @Test func `a long press of the pedal stops, and does not clear`() {
    let stage = locked(layers: 0)
    for _ in 0..<3 {
      stage.send(.press, 0)
      stage.rest(30_000)
      stage.send(.release, 0)
      stage.rest(30_000)
    }
    #expect(stage.activity(0) == .stopped)
    #expect(stage.reading(0).length == 4800)
  }

  @Test func `a refused long press takes back the start of a stopped loop`() {
    let stage = locked(layers: 0)
    stage.press(.stop, 0)
    stage.set(.long, of: 0, 1)
    stage.rest(4800)
    stage.send(.press, 0)
    stage.rest(2400)
    #expect(stage.activity(0) == .playing)
    stage.rest(30_000)
    stage.send(.release, 0)
    stage.rest(2400)
    #expect(stage.activity(0) == .stopped && stage.reading(0).length == 4800)
  }

  @Test func `in a million random presses nothing is lost`() {
    let stage = LoopStage(block: 32)
    stage.set(.mixer(.lock), 1)
    var random = Random(seed: 1)
    // The clip of each loop, once it has one.
    var clips: [Int?] = Array(repeating: nil, count: 4)
    for _ in 0..<62_500 {
      for _ in 0..<16 {
        let loop = UInt8(random.next() % 4)
        switch random.next() % 24 {
        case 0: stage.host.send(Command(.keep(0.05, isBars: false, loop: loop)))
        case 1: stage.host.send(Command(.seek(Float(random.next() % 100) / 100, loop: loop)))
        case 2:
          stage.host.send(
            Command(.fade(random.next() % 2 == 0 ? 0.01 : -0.01, isBars: false, loop: loop)))
        case 3: stage.host.send(Command(.nextLoop))
        case 4:
          let settings: [(Parameter.Loop, Float)] = [
            (.quantize, Float(random.next() % 4)), (.stopAt, Float(random.next() % 4)),
            (.after, Float(random.next() % 3)), (.long, Float(random.next() % 6)),
            (.direction, random.next() % 2 == 0 ? 1 : -1),
          ]
          let (parameter, value) = settings[Int(random.next() % 5)]
          stage.host.send(Command(.set(.loop(parameter, loop), value)))
        default:
          let action = LoopAction.allCases[Int(random.next() % UInt64(LoopAction.allCases.count))]
          stage.host.send(Command(.loop(action, loop: loop)))
        }
      }
      _ = stage.host.render(Tone.constant(0.01, frames: 32), block: 32)
      _ = stage.host.events()
      for loop in clips.indices {
        let reading = stage.reading(loop)
        guard !reading.state.isRecording else { continue }
        guard let clip = clips[loop] else {
          if reading.length > 0 { clips[loop] = reading.latestClip }
          continue
        }
        guard reading.length > 0, reading.latestClip == clip else {
          Issue.record("loop \(loop + 1) has lost clip \(clip): \(reading)")
          return
        }
      }
    }
    #expect(clips.allSatisfy { $0 != nil })
  }
}
