import DSP
import Engine
import Foundation
import TestSupport
import Testing

@Suite struct EngineTests {
  private static let blocks = [1, 16, 64, 333, 1024, 3000]

  @Test(arguments: blocks)
  func `initially its output is its input, bit for bit`(block: Int) {
    let host = OfflineHost()
    let noise = Tone.noise(amplitude: 0.9, frames: 9000)
    let other = Tone.noise(amplitude: 0.9, frames: 9000, seed: 2)
    let output = host.render(noise, right: other, block: block)
    #expect(output.left == noise)
    #expect(output.right == other)
    #expect(output.live == noise)
  }

  @Test(arguments: blocks)
  func `the effect of commands doesn't depend on the block size`(block: Int) {
    func render(_ block: Int) -> [Float] {
      let host = OfflineHost()
      let start = Int64(host.frame)
      host.send(Command(.set(.mixer(.liveGain), -12), at: start + 1001))
      host.send(
        Command(.set(.mixer(.outGain), 3), at: start + 1500),
        Command(.set(.mixer(.inGain), -3), at: start + 1500))
      host.send(Command(.set(.mixer(.liveRoute), 1), at: start + 2345))
      host.send(Command(.set(.mixer(.mute), 1), at: start + 6000))
      return host.render(Tone.noise(frames: 9000), block: block).left
    }
    #expect(render(block) == render(9000))
  }

  @Test func `a command takes effect on its frame`() {
    for offset in [0, 1, 63, 64, 65, 1000] {
      let host = OfflineHost()
      host.send(Command(.set(.mixer(.liveGain), -6), at: Int64(host.frame) + Int64(offset)))
      let output = host.render(Tone.constant(0.5, frames: 2048), block: 64).left
      #expect(output.firstIndex { $0 != 0.5 } == offset)
    }
  }

  @Test func `a command without a time takes effect with the next block`() {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.liveGain), -6)))
    let output = host.render(Tone.constant(0.5, frames: 64), block: 64).left
    #expect(output[0] != 0.5)
  }

  @Test func `a late command takes effect at once, and is counted`() {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.liveGain), -6), at: Int64(host.frame) - 1))
    let output = host.render(Tone.constant(0.5, frames: 64), block: 64).left
    #expect(output[0] != 0.5)
    #expect(host.engine.shared.lateCount == 1)
  }

  @Test func `ten thousand timed commands land on their frames`() {
    let host = OfflineHost()
    var generator = SystemRandomNumberGenerator()
    var frames: [Int] = []
    var frame = 0
    for index in 0..<10_000 {
      frame += Int.random(in: 1...20, using: &generator)
      frames.append(frame)
      // Changes of one parameter would merge into one glide, so each command is a token, answered
      // on its frame.
      host.send(Command(.sync(UInt32(index)), at: Int64(host.frame) + Int64(frame)))
    }
    var wrong = 0
    var seen = 0
    var start = Int(host.frame)
    let origin = start
    while seen < frames.count {
      // One frame per block, so the block of the answer is the frame of the command.
      _ = host.render([0], block: 1)
      for event in host.events() {
        guard case .synced(let token) = event.kind else { continue }
        if frames[Int(token)] != start - origin { wrong += 1 }
        seen += 1
      }
      start += 1
    }
    #expect(wrong == 0)
  }

  @Test(arguments: [
    Command.Action.set(.mixer(.liveGain), -90), .set(.mixer(.liveGain), 12),
    .set(.mixer(.inGain), -20),
    .set(.mixer(.outGain), -90), .set(.mixer(.mute), 1), .set(.mixer(.liveRoute), 1),
    .set(.mixer(.liveRoute), 2), .leave,
  ])
  func `no change clicks`(action: Command.Action) {
    let host = OfflineHost()
    let tone = Tone.sine(82.4, amplitude: 0.2, frames: 48_000)
    let steady = Measure.roughness(tone)
    host.send(Command(action, at: Int64(host.frame) + 12_345))
    let output = host.render(tone, block: 64)
    // The greatest gain is 4. Twice the steady roughness times that is not audible as a click.
    #expect(Measure.roughness(output.left) < 2 * steady * 4)
    #expect(Measure.roughness(output.live) < 2 * steady * 4)
  }

  @Test func `the routes chain and direct sound alike, and off is silence`() {
    for (value, isHeard) in [(Float(0), true), (1, true), (2, false)] {
      let host = OfflineHost()
      let noise = Tone.noise(frames: 9600)
      host.send(Command(.set(.mixer(.liveRoute), value)))
      let output = host.render(noise, block: 64)
      #expect(
        Array(output.left[4800...])
          == (isHeard ? Array(noise[4800...]) : Tone.constant(0, frames: 4800)))
      #expect(output.live == noise)
    }
  }

  @Test func `changing between chain and direct keeps the level`() {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.liveRoute), 1), at: Int64(host.frame) + 1000))
    let output = host.render(Tone.constant(0.5, frames: 9600), block: 64).left
    // Both shares add up to 1 at each frame, except for rounding.
    #expect(output.allSatisfy { abs($0 - 0.5) < 1e-6 })
  }

  @Test func `gains are exact`() {
    let host = OfflineHost()
    host.send(
      Command(.set(.mixer(.inGain), -6)), Command(.set(.mixer(.liveGain), -10)),
      Command(.set(.mixer(.outGain), 4)))
    let output = host.render(Tone.constant(0.5, frames: 9600), block: 64)
    let expected = 0.5 * Float(pow(10, -12.0 / 20))
    #expect(abs(output.left.last! / expected - 1) < 1e-5)
    #expect(abs(output.live.last! / (0.5 * Float(pow(10, -16.0 / 20))) - 1) < 1e-5)
  }

  @Test func `mute silences the mix, but not the stems`() {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.mute), 1)))
    let output = host.render(Tone.constant(0.5, frames: 9600), block: 64)
    #expect(output.left.last == 0)
    #expect(output.live.last == 0.5)
  }

  @Test func `no output sample exceeds -0_1 dBFS`() {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.inGain), 24)), Command(.set(.mixer(.outGain), 24)))
    let output = host.render(Tone.noise(amplitude: 1, frames: 48_000), block: 64)
    #expect(Measure.peak(output.left) <= Float(pow(10, -0.1 / 20)))
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func `NaN is stopped and counted, and the sound continues`(bad: Float) {
    let host = OfflineHost()
    var input = Tone.constant(0.5, frames: 640)
    for index in [3, 100, 101] { input[index] = bad }
    let output = host.render(input, block: 64)
    #expect(output.left.allSatisfy { $0.isFinite })
    #expect(output.left.filter { $0 == 0.5 }.count == 637)
    #expect(host.engine.shared.nonFiniteCount == 6)
  }

  @Test(arguments: [Float.greatestFiniteMagnitude, 1e30, .leastNonzeroMagnitude])
  func `extreme samples stay finite`(value: Float) {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.inGain), 24)), Command(.set(.mixer(.outGain), 24)))
    let output = host.render(Tone.constant(value, frames: 9600), block: 64)
    #expect(output.left.allSatisfy { $0.isFinite && abs($0) <= 1 })
  }

  @Test func `each command is answered by one event, in order, which returns its credit`() {
    let host = OfflineHost()
    let free = host.engine.shared.commands.free
    let first = host.send(
      Command(.set(.mixer(.liveGain), -3)), Command(.sync(7)), Command(.set(.mixer(.mute), 1)))!
    _ = host.render(Tone.constant(0, frames: 64), block: 64)
    let events = host.events()
    #expect(events.map(\.command) == [first, first + 1, first + 2])
    guard case .applied(.mixer(.liveGain), -3) = events[0].kind, case .synced(7) = events[1].kind,
      case .applied(.mixer(.mute), 1) = events[2].kind
    else {
      Issue.record("other events: \(events)")
      return
    }
    #expect(host.engine.shared.commands.free == free)
  }

  @Test func `processes a limited number of commands per block, and eventually all`() {
    let host = OfflineHost()
    for _ in 0..<4000 { host.send(Command(.sync(0))) }
    _ = host.render([0, 0, 0, 0], block: 4)
    #expect(host.events().count == 64)
    _ = host.render(Tone.constant(0, frames: 4000), block: 64)
    #expect(host.events().count == 4000 - 64)
  }

  @Test func `starts with a fade-in, and ends with a fade-out`() {
    let host = OfflineHost(fadesIn: true)
    let beginning = host.render(Tone.constant(0.5, frames: 4800), block: 64)
    #expect(beginning.left[0] < 0.001 && beginning.left.last == 0.5)
    #expect(beginning.live[0] < 0.001 && beginning.live.last == 0.5)
    host.send(Command(.leave))
    let end = host.render(Tone.constant(0.5, frames: 4800), block: 64)
    #expect(end.left.last == 0 && end.live.last == 0)
    #expect(host.events().contains { if case .faded = $0.kind { true } else { false } })
  }

  @Test func `stays silent until its ports are connected, and then fades in`() {
    let host = OfflineHost(fadesIn: true, start: .silentUntilConnected)
    let silent = host.render(Tone.constant(0.5, frames: 4800), block: 64)
    #expect((silent.left + silent.live).allSatisfy { $0 == 0 })
    host.engine.connectionsAreMade()
    let beginning = host.render(Tone.constant(0.5, frames: 4800), block: 64)
    // JACK makes the connections with the next block.
    #expect(beginning.left[..<128].allSatisfy { $0 == 0 } && beginning.left.last == 0.5)
    let steps = zip(beginning.left, beginning.left.dropFirst()).map { abs($1 - $0) }
    // The fade takes hundreds of frames.
    #expect(steps.max()! < 0.005)
  }

  @Test func `leaves at once when its ports were never connected`() {
    let host = OfflineHost(fadesIn: true, start: .silentUntilConnected)
    host.send(Command(.leave))
    host.engine.connectionsAreMade()
    let output = host.render(Tone.constant(0.5, frames: 4800), block: 64)
    #expect(output.left.allSatisfy { $0 == 0 })
    #expect(host.events().contains { if case .faded = $0.kind { true } else { false } })
  }

  @Test func `starts at once without listeners, with a valid clock`() {
    let engine = Engine(sampleRate: 44_100)
    let renderer = engine.takeOver(sampleRate: 44_100, .atFullLevel)
    let clock = engine.shared.clockReading
    #expect(clock.frame(at: 0) == 0 && clock.frame(at: 1e6) == 44_100)
    #expect(engine.shared.commands.submit([Command(.set(.mixer(.liveGain), -6), at: 100)]) != nil)
    var memory = [Float](repeating: 0.5, count: 512 * 4)
    memory.withUnsafeMutableBufferPointer { memory in
      let input = memory.baseAddress!
      let nowhere = Stereo(input + 3 * 512, input + 3 * 512)
      let ports = Ports(
        input: Stereo(input, input), output: Stereo(input + 512, input + 2 * 512), live: nowhere,
        harmony: nowhere, grid: nowhere, click: nowhere.left)
      let cycle = Cycle(frame: 0, microseconds: 0, isFreewheeling: true)
      #expect(renderer.render(cycle, frames: 512, ports: ports))
    }
    #expect(memory[512..<1024].firstIndex { $0 != 0.5 } == 512 + 100)
  }

  @Test func `values set before the first sound apply from its first sample`() {
    let host = OfflineHost(fadesIn: true)
    host.send(Command(.set(.mixer(.mute), 1)), Command(.set(.mixer(.liveGain), -20)))
    let output = host.render(Tone.constant(0.9, frames: 4800), block: 64)
    #expect(output.left.allSatisfy { $0 == 0 })
    #expect(output.live.max()! < 0.0901)
  }

  @Test func `a glide continues during silent samples`() {
    // A tone with zeros in it, and a command on each frame that splits the block there.
    func render(cuts: Bool) -> [Float] {
      let host = OfflineHost()
      let start = Int64(host.frame)
      host.send(Command(.set(.mixer(.liveGain), -90), at: start + 1))
      if cuts {
        for frame in 1..<480 { host.send(Command(.set(.loop(.gain), 0), at: start + Int64(frame))) }
      }
      let tone = (0..<480).map { [0, 0.5, 0, -0.5][$0 % 4] as Float }
      return host.render(tone, block: 64).left
    }
    #expect(render(cuts: true) == render(cuts: false))
  }

  @Test func `a stem is finite at any gain`() {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.inGain), 24)))
    let output = host.render(Tone.constant(3e38, frames: 4800), block: 64)
    #expect(output.live.allSatisfy { $0.isFinite })
  }

  @Test func `meters return the peak since the last read`() {
    let host = OfflineHost()
    _ = host.engine.shared.meters.collect(.in1)
    var input = Tone.constant(0.1, frames: 640)
    input[333] = -0.7
    _ = host.render(input, block: 64)
    #expect(host.engine.shared.meters.collect(.in1) == 0.7)
    #expect(host.engine.shared.meters.collect(.in1) == 0)
    #expect(host.engine.shared.meters.collect(.out2) == 0.7)
  }

  @Test func `a driver that was replaced renders nothing`() {
    let engine = Engine(sampleRate: 48_000)
    let former = engine.takeOver(sampleRate: 48_000)
    let present = engine.takeOver(sampleRate: 44_100)
    var memory = [Float](repeating: 7, count: 64 * 2)
    memory.withUnsafeMutableBufferPointer { memory in
      let input = Stereo(memory.baseAddress!, memory.baseAddress!)
      let nowhere = Stereo(memory.baseAddress! + 64, memory.baseAddress! + 64)
      let ports = Ports(
        input: input, output: nowhere, live: nowhere, harmony: nowhere,
        grid: nowhere,
        click: nowhere.left)
      let cycle = Cycle(frame: 0, microseconds: 0, isFreewheeling: false)
      #expect(!former.render(cycle, frames: 64, ports: ports))
      #expect(memory[64] == 7)
      #expect(present.render(cycle, frames: 64, ports: ports))
      #expect(memory[64] != 7)
    }
  }
}
