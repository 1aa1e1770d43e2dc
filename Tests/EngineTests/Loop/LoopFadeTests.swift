import Engine
import TestSupport
import Testing

/// Slow fades of loops in and out.
@Suite struct LoopFadeTests {
  private func recorded(_ loops: Int = 1) -> LoopStage {
    let stage = LoopStage()
    stage.record(level: 0.5, frames: 9600, loops: loops)
    return stage
  }

  private func fade(_ stage: LoopStage, _ seconds: Float, isBars: Bool = false, loop: UInt8 = 0) {
    stage.host.send(Command(.fade(seconds, isBars: isBars, loop: loop)))
  }

  /// The share of the loop's level at a frame.
  private func level(_ stage: LoopStage, _ loop: Int = 0) -> Float {
    (stage.stems[loop].last ?? 0) / 0.5
  }

  @Test func `a loop fades out evenly, and is stopped at the end`() {
    let stage = recorded()
    let start = stage.time
    fade(stage, -1)
    // The gain is the square of the share that is left.
    for quarter in 1...3 {
      stage.rest(12_000)
      let left = 1 - Float(quarter) / 4
      #expect(abs(level(stage) - left * left) < 0.01)
    }
    stage.rest(12_100)
    #expect(stage.activity(0) == .stopped && level(stage) == 0)
    // No steps: one frame changes the gain by two 48,000ths at most, the seam of the loop apart.
    let heard = stage.stems[0][start...]
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($1 - $0) < 0.001 })
    // The next start is at full level.
    stage.press(.play, 0)
    stage.rest(1000)
    #expect(abs(level(stage) - 1) < 0.001)
  }

  @Test func `a stopped loop fades in from its start, and a fade turns around where it is`() {
    let stage = recorded()
    stage.press(.stop, 0)
    stage.rest(1000)
    fade(stage, 1)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing)
    #expect(abs(level(stage) - 0.25) < 0.01)
    fade(stage, -1)
    stage.rest(12_000)
    #expect(abs(level(stage) - 0.0625) < 0.01)
    fade(stage, 1)
    stage.rest(36_100)
    #expect(level(stage) == 1)
    #expect(stage.activity(0) == .playing)
  }

  @Test func `a fade-in waits for the beat of a quantized loop, and a cancelled one is forgotten`()
  {
    let stage = recorded()
    stage.press(.stop, 0)
    stage.host.send(Command(.set(.metronome(.on), 1)))
    stage.rest(1000)
    stage.set(.quantize, of: 0, 1)
    fade(stage, 1)
    stage.rest(22_000)
    #expect(stage.activity(0) == .stopped)
    stage.rest(1000 + 12_000)
    #expect(abs(level(stage) - 0.0625) < 0.01)
    stage.press(.stop, 0)
    stage.rest(1000)
    fade(stage, 1)
    stage.rest(64)
    stage.press(.cancel, 0)
    stage.press(.play, 0)
    stage.rest(25_000)
    #expect(abs(level(stage) - 1) < 0.001)
  }

  @Test func `a bar is as long as the tempo says`() {
    let stage = recorded()
    stage.set(.beat(.tempo), 240)
    fade(stage, -1, isBars: true)
    stage.rest(47_900)
    #expect(stage.activity(0) == .playing)
    stage.rest(300)
    #expect(stage.activity(0) == .stopped)
  }

  @Test func `all loops fade out together, and in again`() {
    let stage = recorded(3)
    stage.host.send(Command(.fadeAll(-0.5, isBars: false)))
    stage.rest(24_200)
    #expect((0..<4).map(stage.activity) == [.stopped, .stopped, .stopped, .empty])
    stage.host.send(Command(.fadeAll(0.5, isBars: false)))
    stage.rest(12_000)
    for loop in 0..<3 { #expect(abs(level(stage, loop) - 0.25) < 0.01) }
    #expect(stage.refusal == nil)
  }

  @Test func `what is empty, recording or stopped is refused`() {
    let stage = recorded()
    fade(stage, 1, loop: 1)
    stage.rest(64)
    #expect(stage.refusal == .nothingRecorded)
    stage.press(.stop, 0)
    fade(stage, -1)
    stage.rest(64)
    #expect(stage.refusal == .notPlaying)
    stage.press(.record, 1)
    fade(stage, 1, loop: 1)
    stage.rest(64)
    #expect(stage.refusal == .meaningless)
  }
}
