import Engine
import TestSupport
import Testing

/// Retroactive recording.
@Suite struct LoopKeepingTests {
  private func keep(_ amount: Float, isBars: Bool, _ loop: Int, on stage: LoopStage) {
    stage.host.send(Command(.keep(amount, isBars: isBars, loop: UInt8(loop))))
  }

  @Test(arguments: [1, 64, 777])
  func `the last second becomes a loop, exact to the frame, like a recording`(block: Int) {
    let sound = Tone.noise(frames: 120_000)
    let stage = LoopStage(block: block)
    stage.play(Array(sound[..<96_000]))
    keep(1, isBars: false, 1, on: stage)
    stage.play(Array(sound[96_000...]))
    #expect(stage.activity(1) == .playing && stage.reading(1).length == 48_000)
    stage.rest(96_000)
    // A second cycle, after the loop crossfade.
    let start = 96_000 + 48_000
    for frame in 300..<47_700 {
      let (found, expected) = (stage.stems[1][start + frame], sound[48_000 + frame])
      guard found != expected else { continue }
      Issue.record("frame \(frame) is \(found), not \(expected)")
      break
    }
    // And the first one, from the frame of the request.
    for frame in 100..<2000 {
      #expect(stage.stems[1][96_000 + frame] == sound[48_000 + frame])
    }
  }

  @Test func `bars recorded retroactively end at the bar, and continue in time`() {
    let stage = LoopStage()
    stage.set(.quantize, of: 0, 2)
    // The beat is in use, so it must not move.
    stage.set(.metronome(.on), 1)
    let sound = Tone.noise(amplitude: 0.3, frames: 300_000)
    let before = stage.time
    stage.play(Array(sound[..<250_000]))
    keep(2, isBars: true, 0, on: stage)
    stage.play(Array(sound[250_000..<260_000]))
    #expect(stage.activity(0) == .playing && stage.reading(0).length == 192_000)
    // The end of the last bar, computed from the position.
    let position = stage.reading(0).position
    let end = stage.time - before - position
    let start = stage.time
    stage.play(Tone.constant(0, frames: 4000))
    for frame in 0..<4000 {
      let place = (start - before - end + frame) % 192_000 + end - 192_000
      #expect(abs(stage.stems[0][start + frame] - sound[place]) < 1e-6)
    }
    #expect(end <= 250_000 && end > 250_000 - 96_000)
  }

  @Test(arguments: [44_100, 96_000])
  func `the past is converted to the rate of another server`(rate: Int) {
    let host = OfflineHost()
    _ = host.render(Tone.sine(440, amplitude: 0.5, frames: 96_000), block: 64)
    let other = OfflineHost(takingOver: host.engine, sampleRate: Double(rate))
    _ = other.render(Tone.constant(0, frames: rate / 2), block: 64)
    other.send(Command(.keep(2, isBars: false, loop: 0)))
    _ = other.render(Tone.constant(0, frames: rate / 4), block: 64)
    #expect(other.engine.shared.loops[0].state.read().length == 2 * rate)
    other.send(Command(.loop(.stop)))
    _ = other.render(Tone.constant(0, frames: rate / 4), block: 64)
    other.send(Command(.loop(.play)))
    let heard = other.render(Tone.constant(0, frames: 2 * rate), block: 64).loop
    // The seam is crossfaded at the start, and the tone ends within the filter of the conversion.
    let tone = heard[(rate / 10)..<(3 * rate / 2 - 100)]
    #expect(Measure.residue(tone, hertz: 440, sampleRate: Double(rate)) < -80)
    #expect(abs(Measure.peak(tone) - 0.5) < 0.001)
    #expect(Measure.peak(heard[(3 * rate / 2 + 100)..<(2 * rate - rate / 10)]) < 1e-4)
  }

  @Test func `retroactive recording compensates latency`() {
    let stage = LoopStage()
    stage.host.engine.shared.setInputDelay(500)
    let sound = Tone.noise(frames: 120_000)
    stage.play(Array(sound[..<96_000]))
    keep(0.5, isBars: false, 0, on: stage)
    stage.play(Array(sound[96_000..<108_000]))
    stage.rest(48_000)
    let start = 96_000 + 24_000
    for frame in 300..<23_000 {
      let (found, expected) = (stage.stems[0][start + frame], sound[72_500 + frame])
      guard found != expected else { continue }
      Issue.record("frame \(frame) is \(found), not \(expected)")
      break
    }
  }

  @Test(arguments: [0, 500])
  func `an overdub that follows at once adds to all of it`(latency: Int) {
    let stage = LoopStage()
    stage.host.engine.shared.setInputDelay(latency)
    stage.set(.after, of: 0, 1)
    let sound = Tone.noise(frames: 96_000)
    stage.play(sound)
    keep(1.5, isBars: false, 0, on: stage)
    stage.rest(72_000)
    #expect(stage.activity(0) == .overdubbing && stage.reading(0).length == 72_000)
    let start = stage.time
    stage.rest(72_000)
    let wrong = (300..<71_000 - latency).first { frame in
      stage.stems[0][start + frame] != sound[24_000 + latency + frame]
    }
    #expect(wrong == nil)
  }

  @Test(arguments: [LoopAction.overdub, .replace, .substitute])
  func `a layer that is still on is not changed where the new clip ends`(kind: LoopAction) {
    let stage = LoopStage()
    stage.record(Tone.sine(400, amplitude: 0.25, frames: 20_000), 0)
    stage.rest(8000)
    stage.send(kind, 0)
    stage.play(Tone.sine(400, amplitude: 0.2, frames: 8000))
    keep(0.1, isBars: false, 0, on: stage)
    stage.play(Tone.constant(0.9, frames: 24_000))
    stage.send(.undo, 0)
    stage.rest(300)
    let start = stage.time
    stage.rest(20_000)
    // The layer's own fade-out is that loud for half of its 240 frames. The tail of the new clip, in the wrong
    // one, would be so for 240 more.
    #expect(stage.stems[0][start...].count { abs($0) > 0.5 } < 200)
  }

  @Test func `a clip shorter than the time since the bar continues in time`() {
    let stage = LoopStage()
    stage.set(.quantize, of: 0, 2)
    stage.set(.metronome(.on), 1)
    stage.play([0])
    let bar = stage.time - 1
    let sound = Tone.noise(frames: 96_000 + 60_000)
    stage.play(sound)
    keep(0.25, isBars: true, 0, on: stage)
    stage.rest(30_000)
    #expect(stage.reading(0).length == 24_000)
    // The clip ends at the bar, which starts with the second beat of the sound.
    let wrong = (300..<29_000).first { frame in
      let place = (stage.time - 30_000 - bar + frame) % 24_000
      let expected = sound[96_000 - 24_000 - 1 + place]
      return place >= 240 && stage.stems[0][stage.time - 30_000 + frame] != expected
    }
    #expect(wrong == nil)
  }

  @Test func `more than the history has, or than fits, is refused`() {
    let stage = LoopStage(count: 2, seconds: 2, kept: 1)
    stage.rest(480)
    keep(3, isBars: false, 0, on: stage)
    stage.rest(64)
    #expect(stage.refusal == .tooLong)
    keep(1.5, isBars: false, 0, on: stage)
    stage.rest(64)
    #expect(stage.refusal == .nothingKept)
    #expect(stage.activity(0) == .empty)
  }

  @Test func `silence is recorded as silence, wherever it was in memory`() {
    let stage = LoopStage(count: 1, kept: 2)
    stage.play(Tone.noise(frames: 100_000))
    stage.rest(70_001)
    stage.play(Tone.constant(0.5, frames: 1000))
    keep(1, isBars: false, 0, on: stage)
    stage.rest(48_000 * 2)
    let round = stage.stems[0][(171_001 + 48_000)...].prefix(48_000)
    #expect(Measure.peak(round.dropFirst(300).prefix(46_000)) == 0)
    #expect(Measure.peak(round.suffix(900)) == 0.5)
  }
}
