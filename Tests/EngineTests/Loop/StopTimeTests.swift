import Engine
import TestSupport
import Testing

/// When a stop takes effect: at once, on the grid, or at the end of the cycle.
@Suite struct StopTimeTests {
  // At 120 bpm.
  private static let beat = 24_000
  private static let length = 30_000

  /// A loop that plays, whose first frame was on a beat.
  private func playing(_ stopAt: Float) -> LoopStage {
    let stage = LoopStage()
    stage.host.send(Command(.set(.metronome(.on), 1)))
    stage.set(.stopAt, of: 0, stopAt)
    stage.record(Tone.constant(0.5, frames: Self.length), 0)
    stage.play(Tone.constant(0.5, frames: 600))
    stage.rest(10_000 - 600)
    return stage
  }

  /// The frames from the start of the recording to the end of the sound.
  private func end(_ stage: LoopStage) -> Int {
    (stage.stems[0].lastIndex { abs($0) > 0.25 } ?? 0) + 1
  }

  // The recording and the first bar begin at frame 0; the stop comes at 40,000. Half of the fade-out is 120 frames.
  @Test(arguments: [(Float(0), 40_000), (1, 48_000), (2, 96_000), (3, 60_000)])
  func `a stop takes effect at its time`(stopAt: Float, expected: Int) {
    let stage = playing(stopAt)
    stage.send(.stop, 0)
    stage.rest(100)
    #expect((stage.reading(0).activityToCome == .stopped) == (stopAt != 0))
    stage.rest(200_000)
    #expect(abs(end(stage) - expected - 120) <= 64)
    #expect(stage.activity(0) == .stopped)
  }

  @Test(arguments: [Float(1), 2, 3]) func `a second stop takes effect at once`(stopAt: Float) {
    let stage = playing(stopAt)
    stage.press(.stop, 0)
    stage.rest(100)
    #expect(stage.activity(0) == .playing)
    stage.press(.stop, 0)
    stage.rest(1000)
    #expect(stage.activity(0) == .stopped)
    #expect(end(stage) < 40_400)
  }

  @Test(arguments: [LoopAction.cancel, .play, .once])
  func `another action takes its place`(action: LoopAction) {
    let stage = playing(2)
    stage.press(.stop, 0)
    stage.press(action, 0)
    stage.rest(100_000)
    #expect(stage.activity(0) == [.cancel: .playing, .play: .paused, .once: .stopped][action])
  }

  @Test(arguments: [Parameter.loop(.speed, 0), .warp(.rate)])
  func `the end of the cycle moves with the speed of the loop and of the chain`(
    parameter: Parameter
  ) {
    let stage = playing(3)
    stage.press(.stop, 0)
    // 20,000 frames of the cycle are left.
    stage.set(parameter, 0.5)
    stage.rest(39_000)
    #expect(stage.activity(0) == .playing)
    stage.rest(2000)
    #expect(stage.activity(0) == .stopped)
  }

  @Test func `a recording ends as before, and an empty loop has nothing to stop`() {
    let stage = LoopStage()
    stage.set(.stopAt, of: 0, 3)
    #expect(stage.press(.stop, 0) == .meaningless)
    stage.press(.record, 0)
    stage.rest(5000)
    stage.press(.stop, 0)
    #expect(stage.activity(0) == .stopped)
  }
}
