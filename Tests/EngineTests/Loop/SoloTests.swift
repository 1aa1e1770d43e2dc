import Engine
import TestSupport
import Testing

/// Loops heard alone, and loops recorded one after the other.
@Suite struct SoloTests {
  private func playing(_ loops: Int) -> LoopStage {
    let stage = LoopStage()
    stage.record(level: 0.3, frames: 4800, loops: loops)
    return stage
  }

  private func heard(_ stage: LoopStage) -> [Bool] { stage.stems.map { ($0.last ?? 0) > 0.29 } }

  @Test func `a solo mutes all others, and their own mutes stay`() {
    let stage = playing(3)
    stage.set(.solo, of: 1, 1)
    stage.rest(1000)
    #expect(heard(stage) == [false, true, false, false])
    #expect((0..<3).map(stage.activity) == [.muted, .playing, .muted])
    stage.set(.solo, of: 2, 1)
    stage.set(.mute, of: 0, 1)
    stage.rest(1000)
    #expect(heard(stage) == [false, true, true, false])
    stage.set(.solo, of: 1, 0)
    stage.set(.solo, of: 2, 0)
    stage.rest(1000)
    #expect(heard(stage) == [false, true, true, false])
    stage.set(.mute, of: 0, 0)
    stage.rest(1000)
    #expect(heard(stage) == [true, true, true, false])
  }

  @Test func `the next loop records into the first empty one, and ends that recording`() {
    let stage = LoopStage(count: 2)
    for loop in 0..<2 {
      stage.host.send(Command(.nextLoop))
      stage.play(Tone.constant(0.3, frames: 4800))
      #expect(stage.activity(loop) == .recording)
      stage.host.send(Command(.nextLoop))
      stage.rest(1000)
      #expect(stage.activity(loop) == .playing)
    }
    stage.host.send(Command(.nextLoop))
    stage.rest(64)
    #expect(stage.refusal == .noEmptyLoop)
  }

  @Test(arguments: [Parameter.loop(.quantize, 0), .beat(.countIn), .loop(.threshold, 0)])
  func `while the next loop waits, another press changes nothing`(parameter: Parameter) {
    let stage = LoopStage(count: 3)
    stage.host.send(Command(.set(.metronome(.on), 1)))
    stage.rest(4800)
    stage.set(parameter, parameter == .loop(.threshold, 0) ? -20 : 2)
    stage.host.send(Command(.nextLoop))
    stage.rest(4800)
    let waiting = stage.reading(0).waiting
    for _ in 0..<3 {
      stage.host.send(Command(.nextLoop))
      stage.rest(64)
    }
    #expect(stage.reading(0).activityToCome == .recording)
    if let waiting { #expect(stage.reading(0).waiting == waiting - 192) }
    #expect(stage.reading(1).activityToCome == nil && stage.reading(2).activityToCome == nil)
  }
}
