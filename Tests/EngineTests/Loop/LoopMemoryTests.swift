import DSP
import Engine
import TestSupport
import Testing

/// The memory of loops and of the history of their sources, as counted by the engine.
@Suite struct LoopMemoryTests {
  private let sources = (live: Float(0), grid: Float(1), mix: Float(2))

  private func keep(_ seconds: Float, _ loop: Int, on stage: LoopStage) {
    stage.host.send(Command(.keep(seconds, isBars: false, loop: UInt8(loop))))
  }

  /// Stops the loop, and returns the second cycle of a loop of one second that was recorded
  /// retroactively at a frame.
  private func secondCycle(_ loop: Int, keptAt frame: Int, on stage: LoopStage) -> ArraySlice<Float>
  {
    stage.set(.mixer(.liveRoute), 2)
    stage.rest(frame + 96_000 + 480 - stage.time)
    return stage.stems[loop][(frame + 48_000)..<(frame + 96_000)]
  }

  private func expectEqual(
    _ found: ArraySlice<Float>, _ expected: ArraySlice<Float>, in frames: Range<Int>
  ) {
    for frame in frames {
      let pair = (found[found.startIndex + frame], expected[expected.startIndex + frame])
      guard pair.0 != pair.1 else { continue }
      Issue.record("frame \(frame) is \(pair.0), not \(pair.1)")
      return
    }
  }

  private func tend(_ stage: LoopStage, seconds: Double = 0) {
    _ = stage.host.engine.tendMemory(seconds * 1_000_000)
  }

  @Test(arguments: [64, 777])
  func `a source has a history from the frame on which a loop selects it`(block: Int) {
    let stage = LoopStage(block: block)
    stage.set(.mixer(.liveRoute), 1)
    stage.play(Tone.noise(amplitude: 0.3, frames: 48_000))
    stage.set(.source, of: 1, sources.mix)
    let chosen = stage.time
    stage.play(Tone.noise(amplitude: 0.3, frames: 24_000, seed: 2))
    let kept = stage.time
    keep(1, 1, on: stage)
    let cycle = secondCycle(1, keptAt: kept, on: stage)
    let silent = 48_000 - (kept - chosen)
    #expect(Measure.peak(cycle.dropFirst(300).prefix(silent - 300)) == 0)
    expectEqual(cycle, stage.mix[(kept - 48_000)..<kept], in: silent..<47_700)
    #expect(Measure.peak(cycle.suffix(24_000)) > 0.1)
  }

  @Test func `a loop has the history of a source that another loop used before`() {
    let stage = LoopStage()
    stage.set(.source, of: 3, sources.mix)
    stage.set(.mixer(.liveRoute), 1)
    stage.play(Tone.noise(amplitude: 0.3, frames: 60_000))
    stage.set(.source, of: 1, sources.mix)
    stage.set(.source, of: 3, sources.live)
    stage.play(Tone.noise(amplitude: 0.3, frames: 6000, seed: 2))
    let kept = stage.time
    keep(1, 1, on: stage)
    let cycle = secondCycle(1, keptAt: kept, on: stage)
    expectEqual(cycle, stage.mix[(kept - 48_000)..<kept], in: 300..<47_700)
  }

  @Test func `retroactive recording is complete even if the source changes during the copy`() {
    let stage = LoopStage(count: 2, block: 16)
    let sound = Tone.noise(frames: 48_000)
    stage.play(sound)
    tend(stage)
    let before = stage.host.engine.memoryUsage.live
    let kept = stage.time
    keep(1, 0, on: stage)
    for loop in 0..<2 { stage.set(.source, of: loop, sources.grid) }
    stage.play([0])
    tend(stage)
    #expect(stage.host.engine.memoryUsage.live == before, "the copy is in progress")
    let cycle = secondCycle(0, keptAt: kept, on: stage)
    expectEqual(cycle, sound[...], in: 300..<47_700)
    tend(stage)
    #expect(stage.host.engine.memoryUsage.live < before)
  }

  @Test func `the memory of a source is freed when no loop uses it any more`() {
    let stage = LoopStage(count: 2, seconds: 1)
    let engine = stage.host.engine
    let atFirst = engine.memoryUsage
    #expect(atFirst.live == atFirst.grid && atFirst.grid == atFirst.mix)
    stage.play(Tone.noise(frames: 5 * 48_000))
    tend(stage)
    #expect(engine.memoryUsage.live > 5 * 48_000 * 8)
    #expect(engine.memoryUsage.grid == atFirst.grid && engine.memoryUsage.mix == atFirst.mix)
    stage.set(.source, of: 0, sources.mix)
    stage.play([0])
    tend(stage)
    #expect(engine.memoryUsage.live > 5 * 48_000 * 8, "the other loop still uses the source")
    stage.set(.source, of: 1, sources.grid)
    stage.play([0])
    tend(stage)
    #expect(engine.memoryUsage.live == atFirst.live)
    // From its new memory.
    stage.set(.source, of: 1, sources.live)
    let sound = Tone.noise(frames: 48_000, seed: 2)
    stage.play(sound)
    let kept = stage.time
    keep(1, 1, on: stage)
    let cycle = secondCycle(1, keptAt: kept, on: stage)
    expectEqual(cycle, sound[...], in: 300..<47_700)
  }

  @Test func `silence needs no memory, and frees that of sound`() {
    let stage = LoopStage(count: 1, seconds: 1)
    let engine = stage.host.engine
    let atFirst = engine.memoryUsage
    stage.rest(5 * 48_000)
    tend(stage)
    #expect(engine.memoryUsage == atFirst)
    // Sound and silence alternate, for three times the length of the history.
    for _ in 0..<3 {
      stage.play(Tone.noise(frames: 9600))
      tend(stage)
      stage.rest(12 * 48_000)
      tend(stage)
    }
    // A fifth of a second is stored, and memory for four seconds is ready.
    #expect(engine.memoryUsage.live < 5 * 48_000 * 8)
    #expect(engine.memoryUsage.latePages == 0)
  }

  @Test func `no page is late if memory is prepared every second`() {
    let stage = LoopStage(count: 4, seconds: 6, kept: 12)
    for loop in 0..<4 { stage.send(.recordOn, loop) }
    for second in 0..<6 {
      stage.play(Tone.noise(frames: 48_000, seed: UInt64(second)))
      tend(stage, seconds: Double(second))
    }
    stage.rest(480)
    #expect(stage.reading(3).length > 5 * 48_000)
    #expect(stage.host.engine.memoryUsage.latePages == 0)
    // The number of clips that arrive faster than real time.
    let engine = stage.host.engine
    engine.expectClips(4)
    tend(stage, seconds: 6)
    for loop in 0..<4 { keep(5, loop, on: stage) }
    stage.rest(48_000)
    #expect(stage.reading(3).length == 5 * 48_000)
    #expect(engine.memoryUsage.latePages == 0)
  }

  @Test func `without prepared memory clips are still recorded, and late pages counted`() {
    let stage = LoopStage(count: 4, seconds: 6, kept: 12)
    let sound = Tone.noise(frames: 6 * 48_000)
    for loop in 0..<4 { stage.send(.recordOn, loop) }
    stage.play(sound)
    // All of them play now.
    let start = stage.time
    stage.rest(6 * 48_000)
    #expect(stage.host.engine.memoryUsage.latePages > 0)
    for loop in 0..<4 {
      expectEqual(
        stage.stems[loop][start..<(start + 6 * 48_000)], sound[...], in: 300..<(6 * 48_000 - 300))
    }
  }

  @Test func `another sample rate frees the memory of the previous one`() {
    let host = OfflineHost(loops: LoopSetup(count: 1, seconds: 1, keptSeconds: 12))
    let atFirst = host.engine.memoryUsage
    _ = host.render(Tone.noise(frames: 4 * 48_000), block: 256)
    _ = host.engine.tendMemory(0)
    #expect(host.engine.memoryUsage.live > atFirst.live)
    _ = OfflineHost(takingOver: host.engine, sampleRate: 96_000)
    // The past of a source that was in use is converted, and of 12 s.
    #expect(host.engine.memoryUsage.live < 13 * 96_000 * 8)
    _ = host.engine.tendMemory(1_000_000)
    _ = OfflineHost(takingOver: host.engine, sampleRate: 48_000)
    let back = host.engine.memoryUsage
    #expect(back.live < 13 * 48_000 * 8)
    #expect((back.clips, back.grid, back.mix) == (atFirst.clips, atFirst.grid, atFirst.mix))
    for rate in [96_000.0, 48_000] {
      _ = host.engine.tendMemory(1_000_000)
      _ = OfflineHost(takingOver: host.engine, sampleRate: rate)
    }
    #expect(host.engine.memoryUsage == back)
  }
}
