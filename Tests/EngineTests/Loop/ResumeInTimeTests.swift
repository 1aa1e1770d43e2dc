import Engine
import TestSupport
import Testing

/// A quantized loop resumes where it is in time.
@Suite struct ResumeInTimeTests {
  // At 120 bpm.
  private static let beat = 24_000
  private static let length = 2 * beat
  // After the beat: the crossfade of the cycle would attenuate it there.
  private static let pulse = 6000

  /// A loop of two beats with a pulse in each, which plays in time.
  private func playing(quantize: Float) -> LoopStage {
    let stage = LoopStage()
    stage.host.send(Command(.set(.metronome(.on), 1)))
    var sound = Tone.constant(0, frames: Self.length)
    for frame in [Self.pulse, Self.beat + Self.pulse] {
      sound.replaceSubrange(frame..<frame + 100, with: Tone.constant(0.5, frames: 100))
    }
    stage.record(sound, 0)
    stage.rest(1000)
    stage.set(.quantize, of: 0, quantize)
    stage.rest(2 * Self.beat)
    return stage
  }

  /// The frames at which pulses begin after a time.
  private func pulses(_ stage: LoopStage, after time: Int) -> [Int] {
    stage.stems[0].indices.dropFirst(time + 1).filter {
      stage.stems[0][$0] > 0.25 && stage.stems[0][$0 - 1] <= 0.25
    }
  }

  @Test(arguments: [LoopAction.play, .pause], [7777, 24_000, 31_003])
  func `it waits for the place in the beat at which it was paused`(action: LoopAction, rest: Int) {
    let stage = playing(quantize: 1)
    // 15,000 frames after a beat.
    stage.rest(14_000)
    stage.press(action, 0)
    stage.rest(rest)
    #expect(stage.activity(0) == .paused)
    let start = stage.time
    stage.press(action, 0)
    #expect(stage.reading(0).activityToCome == .playing)
    stage.rest(4 * Self.beat)
    #expect(stage.activity(0) == .playing)
    let heard = pulses(stage, after: start)
    #expect(heard.count >= 3)
    // Resampling by less than a frame moves no edge of a pulse by more than one.
    for pulse in heard { #expect(abs(pulse % Self.beat - Self.pulse) <= 1, "\(pulse)") }
  }

  @Test func `with bars it resumes where it was paused in the bar`() {
    let stage = playing(quantize: 2)
    // In the second bar.
    stage.rest(2000)
    stage.press(.pause, 0)
    let paused = stage.time
    stage.rest(30_000)
    stage.press(.play, 0)
    stage.rest(64)
    let due = stage.time + (stage.reading(0).waiting ?? 0)
    // What is published is up to a block old.
    #expect(abs(due - paused - 4 * Self.beat) <= stage.block)
  }

  @Test(arguments: [Parameter.Loop.quantize, .speed, .loop])
  func `without quantization, at another speed or played once, it resumes at once`(
    parameter: Parameter.Loop
  ) {
    let stage = playing(quantize: 1)
    stage.set(parameter, of: 0, parameter == .speed ? 0.5 : 0)
    stage.rest(2000)
    stage.press(.pause, 0)
    stage.rest(5000)
    stage.press(.play, 0)
    stage.rest(64)
    #expect(stage.activity(0) == .playing)
  }

  @Test func `a stop and a cancel end the wait`() {
    for (action, activity) in [
      (LoopAction.stop, LoopActivity.stopped), (.cancel, .paused),
    ] {
      let stage = playing(quantize: 2)
      stage.rest(2000)
      stage.press(.pause, 0)
      stage.rest(1000)
      stage.press(.play, 0)
      stage.press(action, 0)
      stage.rest(6 * Self.beat)
      #expect(stage.activity(0) == activity)
    }
  }

  @Test func `the replay of a voice is heard at once, whatever the grid`() {
    let stage = playing(quantize: 2)
    stage.rest(5000)
    stage.press(.stop, 0)
    stage.rest(1000)
    let start = stage.time
    stage.press(.replay, 0)
    stage.rest(Self.length + 1000)
    #expect(pulses(stage, after: start).first.map { abs($0 - start - Self.pulse) < 64 } == true)
    #expect(stage.activity(0) == .stopped)
    #expect(LoopStage().press(.replay, 0) == .nothingRecorded)
  }
}
