import Engine
import TestSupport
import Testing

/// Runs of blocks in which nothing changes, compared with full blocks: a connected stem prevents runs.
@Suite struct SteadyRunTests {
  private let full = OfflineHost()
  private let fast = OfflineHost()
  private let inputs = PortUse.input.union(.output)

  init() { fast.use = inputs }

  private func send(_ actions: Command.Action...) {
    for action in actions {
      full.send(Command(action))
      fast.send(Command(action))
    }
  }

  /// Renders the same sound by both engines, and returns the share of blocks that belonged to a run.
  @discardableResult
  private func play(
    _ sound: [Float], block: Int, _ location: SourceLocation = #_sourceLocation
  ) -> Double {
    let wanted = full.render(sound, block: block)
    let output = fast.render(sound, block: block)
    func bits(_ samples: [Float]) -> [UInt32] { samples.map(\.bitPattern) }
    #expect(bits(output.left) == bits(wanted.left), sourceLocation: location)
    #expect(bits(output.right) == bits(wanted.right), sourceLocation: location)
    let (shared, other) = (fast.engine.shared, full.engine.shared)
    for loop in 0..<shared.loops.count {
      #expect(
        shared.loops[loop].state.read() == other.loops[loop].state.read(), sourceLocation: location)
    }
    #expect(shared.nextCycle == other.nextCycle, sourceLocation: location)
    #expect(shared.latestBeat.frame == other.latestBeat.frame, sourceLocation: location)
    #expect(shared.clockReading.frame == other.clockReading.frame, sourceLocation: location)
    #expect(
      shared.clockReading.microseconds == other.clockReading.microseconds, sourceLocation: location)
    #expect(shared.frameCount == other.frameCount, sourceLocation: location)
    for channel in Meters.Channel.allCases {
      #expect(
        shared.meters.collect(channel) == other.meters.collect(channel), sourceLocation: location)
    }
    _ = (full.events(), fast.events())
    // Full blocks use the memory of the live stem.
    return Double(output.live.count { $0.isNaN }) / Double(max(1, sound.count))
  }

  private func noise(_ frames: Int, _ amplitude: Float = 0.2) -> [Float] {
    Tone.noise(amplitude: amplitude, frames: frames)
  }

  /// Records a loop, and waits until all of its peaks are known.
  private func record(_ loop: UInt8, frames: Int, block: Int) {
    send(.loop(.recordOn, loop: loop))
    play(noise(frames), block: block)
    send(.loop(.recordOn, loop: loop))
    play(noise(20_000), block: block)
  }

  @Test(arguments: [16, 64, 100, 256])
  func `a loop with and without the live input sounds as in full blocks`(block: Int) {
    record(0, frames: 12_345, block: block)
    let least = block > 200 ? 0.2 : 0.6
    #expect(play(noise(20_000), block: block) > least)
    for route: Float in [2, 1, 0] {
      send(.set(.mixer(.liveRoute), route))
      play(noise(20_000), block: block)
      // Sources on both routes are mixed by full blocks.
      #expect(route == 1 || play(noise(20_000), block: block) > least)
    }
    send(.set(.mixer(.liveGain), -3), .set(.mixer(.outGain), 2), .set(.loop(.gain, 0), -5))
    send(.set(.loop(.pan, 0), 0.3))
    play(noise(20_000), block: block)
    #expect(play(noise(20_000), block: block) > least)
  }

  @Test(arguments: [16, 64, 100, 256], [0, 700])
  func `a layer sounds and is written as in full blocks`(block: Int, latency: Int) {
    for host in [full, fast] { host.engine.shared.setExtraDelay(latency) }
    record(0, frames: 12_345, block: block)
    let least = block > 200 ? 0.2 : 0.6
    for feedback: Float in [1, 0.7] {
      send(.set(.loop(.feedback, 0), feedback), .loop(.overdub))
      play(noise(4000), block: block)
      #expect(play(noise(30_000), block: block) > least)
      send(.loop(.overdub))
      play(noise(20_000), block: block)
    }
    for kind: LoopAction in [.replace, .substitute] {
      send(.loop(kind))
      play(noise(20_000), block: block)
      send(.loop(kind))
      play(noise(20_000), block: block)
      send(.loop(.undo))
      play(noise(20_000), block: block)
    }
    #expect(
      fast.engine.shared.loops[0].peaks.read() == full.engine.shared.loops[0].peaks.read())
  }

  @Test func `layers of silence, on several loops and on short ones are as in full blocks`() {
    record(0, frames: 600, block: 64)
    record(1, frames: 9001, block: 64)
    record(2, frames: 16_000, block: 64)
    send(.set(.loop(.feedback, 2), 0.5))
    // The sums stay below the limiter.
    for loop in UInt8(0)..<3 { send(.set(.loop(.gain, loop), -24), .loop(.overdub, loop: loop)) }
    play(noise(30_000) + Tone.constant(0, frames: 20_000) + noise(5000), block: 64)
    send(.loop(.stop))
    play(noise(5000), block: 64)
    #expect(play(noise(20_000), block: 64) > 0.4)
    // Until the tape of the live input is silent.
    play(Tone.constant(0, frames: 500_000), block: 64)
    #expect(play(Tone.constant(0, frames: 20_000), block: 64) > 0.6)
    for loop in UInt8(1)..<3 { send(.loop(.overdub, loop: loop)) }
    play(noise(40_000), block: 64)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `any actions during layers act as in full blocks`(seed: UInt64) {
    var random = Random(seed: seed)
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    for host in [full, fast] { host.engine.shared.setExtraDelay(seed > 2 ? 300 : 0) }
    record(0, frames: 12_000, block: 64)
    record(1, frames: 7000, block: 64)
    let actions: [Command.Action] = [
      .loop(.overdub), .loop(.overdub), .loop(.overdub), .loop(.overdub, loop: 1),
      .loop(.overdub, loop: 1), .loop(.replace), .loop(.substitute), .loop(.multiply),
      .loop(.insert), .loop(.undo), .loop(.redo), .loop(.undo, loop: 1), .loop(.pause),
      .loop(.play), .loop(.stop), .loop(.play, loop: 1), .loop(.press), .loop(.release),
      .loop(.press), .loop(.release), .seek(0.1), .loop(.recordOn, loop: 2), .loop(.clear, loop: 2),
      .keep(0.1, isBars: false, loop: 3), .fade(0.05, isBars: false), .fade(-0.05, isBars: false),
      .set(.loop(.feedback, 0), 0.4), .set(.loop(.feedback, 0), 1), .set(.loop(.speed, 1), 0.5),
      .set(.loop(.speed, 1), 1), .set(.loop(.direction, 0), -1), .set(.loop(.direction, 0), 1),
      .set(.loop(.source, 0), 2), .set(.loop(.source, 0), 0), .set(.loop(.mute, 1), 1),
      .set(.loop(.mute, 1), 0), .set(.mixer(.inGain), -3), .set(.mixer(.inGain), 0),
      .set(.beat(.tempo), 90), .set(.loop(.quantize, 0), 1), .set(.loop(.quantize, 0), 0),
    ]
    for _ in 0..<60 {
      send(actions[pick(actions.count)])
      let frames = 1 + pick(6000)
      play(pick(6) == 0 ? Tone.constant(0, frames: frames) : noise(frames), block: 64)
      if pick(6) == 0 {
        full.lose(frames: 300)
        fast.lose(frames: 300)
      }
    }
  }

  @Test func `silence and sound take turns`() {
    record(0, frames: 9600, block: 64)
    play(Tone.constant(0, frames: 1000) + noise(1000) + Tone.constant(0, frames: 5000), block: 64)
    #expect(play(Tone.constant(0, frames: 20_000), block: 64) > 0.6)
    // Until the tape of the live input is silent.
    play(Tone.constant(0, frames: 500_000), block: 64)
    play(noise(10_000), block: 64)
    play(Tone.constant(.nan, frames: 100) + noise(5000), block: 64)
    play(Tone.constant(.infinity, frames: 10) + noise(5000), block: 64)
  }

  @Test func `the limiter acts as in full blocks`() {
    for loop in UInt8(0)..<3 { record(loop, frames: 7001 + 500 * Int(loop), block: 64) }
    #expect(play(noise(20_000), block: 64) > 0.6)
    for gain: Float in [3, 6, 12, 0] {
      send(.set(.mixer(.outGain), gain))
      play(noise(20_000, 0.4), block: 64)
    }
    send(.set(.mixer(.mute), 1))
    play(noise(10_000), block: 64)
  }

  @Test func `after a run everything continues as after full blocks`() {
    record(0, frames: 24_000, block: 64)
    record(1, frames: 16_001, block: 64)
    let actions: [Command.Action] = [
      .loop(.overdub), .loop(.overdub), .loop(.undo), .loop(.redo), .set(.loop(.semitones, 0), 3),
      .set(.loop(.semitones, 0), 0), .set(.warp(.semitones), -2), .set(.warp(.semitones), 0),
      .set(.echo(.on), 1), .set(.echo(.on), 0), .set(.reverb(.on), 1), .set(.reverb(.on), 0),
      .loop(.pause), .loop(.play), .seek(0.1), .set(.loop(.direction, 0), -1), .loop(.overdub),
      .loop(.overdub), .set(.loop(.direction, 0), 1), .set(.loop(.speed, 1), 0.5), .stopAll,
      .loop(.play, loop: 1), .set(.loop(.speed, 1), 1), .loop(.play),
      .keep(0.4, isBars: false, loop: 2),
      .set(.channel(.gateOn), 1), .set(.channel(.gateOn), 0), .set(.metronome(.on), 1),
      .set(.metronome(.on), 0), .set(.beat(.tempo), 97), .set(.loop(.follow, 0), 2),
      .set(.loop(.follow, 0), 0), .loop(.multiply, loop: 1), .loop(.multiply, loop: 1),
      .set(.mixer(.inGain), 3), .set(.mixer(.inGain), 0), .loop(.clear),
    ]
    var random = Random(seed: 7)
    for action in actions {
      play(noise(3000 + Int(random.next() % 6000)), block: 64)
      send(action)
      if random.next() % 4 == 0 {
        full.lose(frames: 300)
        fast.lose(frames: 300)
      }
    }
    play(noise(50_000), block: 64)
  }

  @Test func `a scheduled command takes effect on its frame`() {
    record(0, frames: 9600, block: 64)
    play(noise(6400), block: 64)
    for host in [full, fast] {
      let frame = host.engine.shared.clockReading.frame
      host.send(Command(.set(.loop(.mute, 0), 1), at: frame + 2000))
    }
    play(noise(6400), block: 64)
  }

  @Test func `a run ends when stems are connected`() {
    record(0, frames: 9600, block: 64)
    play(noise(6400), block: 64)
    fast.use = .all
    #expect(play(noise(6400), block: 64) == 0)
    fast.use = inputs
    play(noise(6400), block: 64)
    play(noise(6400), block: 48)
  }
}
