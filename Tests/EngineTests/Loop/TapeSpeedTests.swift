import Engine
import TestSupport
import Testing

/// The varispeed of a loop.
@Suite struct TapeSpeedTests {
  // A tone of 60 periods a cycle: the loop is seamless.
  private func playing(_ speed: Float) -> LoopStage {
    let stage = LoopStage()
    let tone = Tone.sine(300, amplitude: 0.5, frames: 10_200)
    stage.record(Array(tone[..<9600]), 0)
    stage.play(Array(tone[9600...]))
    stage.set(.speed, of: 0, speed)
    stage.rest(9600)
    return stage
  }

  @Test(arguments: [0.25, 0.5, 0.75, 1, 1.5, 2, 4] as [Float])
  func `the pitch moves with the speed, without residue`(speed: Float) {
    let stage = playing(speed)
    let start = stage.time
    stage.rest(48_000)
    let heard = Array(stage.stems[0][start...])
    let wanted = 300 * Double(speed)
    let found = Measure.frequency(heard, near: wanted, sampleRate: 48_000) ?? 0
    #expect(abs(found / wanted - 1) < 1e-4)
    // Below -60 dB of the tone: it is read continuously, as from a tape.
    #expect(Measure.residue(heard, hertz: wanted, sampleRate: 48_000) < -60)
  }

  @Test func `the cycle takes as much longer, and growth is refused`() {
    let stage = playing(0.5)
    let place = stage.reading(0).position
    stage.rest(9600)
    let moved = (stage.reading(0).position - place + 9600) % 9600
    #expect(abs(moved - 4800) <= 2)
    #expect(stage.press(.multiply, 0) == .notAsRecorded)
    stage.set(.speed, of: 0, 1)
    stage.rest(4800)
    #expect(stage.press(.multiply, 0) == nil)
  }

  @Test(arguments: ["speed", "direction", "jump"])
  func `a queued end goes with a layer that something else ends`(cause: String) {
    let stage = LoopStage()
    stage.record(Tone.noise(frames: 96_000), 0)
    stage.rest(2400)
    #expect(stage.press(.overdub, 0) == nil)
    stage.rest(4800)
    stage.set(.quantize, of: 0, 2)
    stage.send(.overdub, 0)
    stage.rest(64)
    #expect(stage.reading(0).isOverdubbing && stage.reading(0).pending == .overdub)
    switch cause {
    case "speed": stage.set(.speed, of: 0, 0.5)
    case "direction": stage.set(.direction, of: 0, -1)
    default: stage.send(.rewind, 0)
    }
    for _ in 0..<100 {
      stage.rest(2400)
      #expect(!stage.reading(0).isOverdubbing && stage.reading(0).pending == nil)
    }
    #expect(stage.reading(0).overdubs == 1)
  }
}
