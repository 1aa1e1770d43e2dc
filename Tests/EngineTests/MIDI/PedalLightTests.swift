import TestSupport
import Testing

@testable import Engine

/// Pedal lights in the engine, to the frame.
@Suite struct PedalLightTests {
  private func silence(_ frames: Int) -> [Float] { Tone.constant(0, frames: frames) }

  private let note = Trigger(.note, 60)!, other = Trigger(.controller, 20)!

  private func light(
    _ trigger: Trigger, _ light: LoopLight, slot: UInt8 = 0, channel: UInt8 = 2
  ) -> PedalLight { PedalLight(trigger, channel: channel, .loop(slot: slot, light)) }

  private func show(_ host: OfflineHost, _ map: LightMap, again: Bool = false) {
    host.send(Command(.setLightMap(map.pointer, sendsAgain: again)))
  }

  /// Renders, and returns the MIDI output with its frames.
  private func midi(_ host: OfflineHost, _ frames: Int, block: Int = 64) -> [[Int]] {
    host.render(silence(frames), block: block).midi.map { message in
      [message.frame] + message.bytes.map(Int.init)
    }
  }

  @Test func `a light is lit exactly while its state holds`() {
    let host = OfflineHost()
    let map = LightMap([light(note, .record), light(other, .play)])
    show(host, map)
    #expect(midi(host, 64) == [[0, 0x92, 60, 0], [0, 0xB2, 20, 0]])
    #expect(midi(host, 640) == [])
    let start = Int64(host.frame)
    host.send(Command(.loop(.record), at: start + 200), Command(.loop(.stop), at: start + 900))
    // Within the block of the change.
    #expect(midi(host, 1024) == [[200, 0x92, 60, 127], [900, 0x92, 60, 0]])
    host.send(Command(.loop(.play)))
    #expect(midi(host, 64) == [[0, 0xB2, 20, 127]])
    withExtendedLifetime(map) {}
  }

  @Test(arguments: [16, 64, 256, 1024])
  func `a light follows the sound within a block, also when playback ends on its own`(block: Int) {
    let host = OfflineHost()
    let map = LightMap([light(note, .record), light(other, .play)])
    host.send(Command(.set(.loop(.loop), 0)), Command(.set(.loop(.beats), 0.5)))
    show(host, map)
    _ = midi(host, 1024, block: block)
    let start = Int64(host.frame)
    host.send(Command(.loop(.record), at: start + 333))
    let lit = midi(host, 20_480, block: block)
    // Half a beat at 120 bpm is 12,000 frames.
    #expect(lit.map { $0[3] } == [127, 0])
    for (message, sound) in zip(lit, [333, 12_333]) {
      #expect(sound...(sound + block) ~= message[0])
    }
    withExtendedLifetime(map) {}
  }

  @Test func `a queued action blinks with the beat`() {
    let host = OfflineHost()
    let map = LightMap([light(note, .record)])
    host.send(Command(.set(.loop(.quantize), 2)), Command(.set(.metronome(.on), 1)))
    show(host, map)
    _ = midi(host, 64)
    let start = host.frame
    host.send(Command(.loop(.record)))
    var blinks = midi(host, 96_000)
    // The metronome started a bar of two seconds at 120 bpm in the block before. A beat has 24,000
    // frames.
    let bar = -64
    let wanted = [(0, 127), (12_000, 0), (24_000, 127), (36_000, 0), (48_000, 127)]
    #expect(blinks.first == [0, 0x92, 60, 127])
    for (place, (frame, value)) in wanted.enumerated() {
      let message = blinks[place]
      #expect(message[3] == value)
      #expect(max(0, frame + bar)...(frame + bar + 64) ~= message[0])
    }
    // On the bar recording starts, and the light is steady.
    blinks += midi(host, 48_000)
    #expect(blinks.last?[3] == 127)
    #expect(96_000 + bar...96_000 + 64 ~= blinks.last?[0] ?? 0)
    _ = start
    withExtendedLifetime(map) {}
  }

  /// The values of a light over two bars, in order.
  private func values(_ lit: [[Int]], of number: Int) -> [Int] {
    lit.filter { $0[2] == number }.map { $0[3] }
  }

  @Test(arguments: [LoopAction.record, .recordOn])
  func `a recording whose end is queued blinks until the bar`(action: LoopAction) {
    let host = OfflineHost()
    let map = LightMap([
      light(note, .record), light(Trigger(.note, 61)!, .pedal), light(other, .play),
    ])
    host.send(Command(.set(.loop(.quantize), 2)), Command(.set(.metronome(.on), 1)))
    show(host, map)
    _ = midi(host, 64)
    host.send(Command(.set(.metronome(.on), 0)), Command(.loop(action)))
    _ = midi(host, 96_000)
    // Nothing is queued: the loop records, and all lights are steady.
    #expect(host.engine.shared.loops[0].state.read().activity == .recording)
    #expect(midi(host, 48_000) == [])
    host.send(Command(.loop(action)))
    let lit = midi(host, 48_064)
    // Two beats, each dark in its second half. After that the lights are steady.
    for number in [60, 61] { #expect(values(lit, of: number) == [0, 127, 0]) }
    #expect(values(lit, of: 20) == (action == .record ? [] : [127, 0, 127, 0, 127]))
    #expect(midi(host, 96_000) == [])
    withExtendedLifetime(map) {}
  }

  @Test func `an overdub with its end queued blinks, and the loop that continues does not`() {
    let host = OfflineHost()
    let map = LightMap([
      light(note, .overdub), light(Trigger(.note, 61)!, .pedal), light(other, .play),
    ])
    host.send(Command(.loop(.recordOn)))
    _ = midi(host, 24_000)
    host.send(Command(.loop(.recordOn)), Command(.loop(.overdub)))
    _ = midi(host, 24_000)
    show(host, map)
    #expect(midi(host, 64).map { $0[3] } == [127, 127, 127])
    host.send(Command(.set(.loop(.quantize), 2)), Command(.loop(.overdub)))
    let lit = midi(host, 96_000)
    for number in [60, 61] {
      #expect(values(lit, of: number).last == 0)
      #expect(values(lit, of: number).contains(127))
    }
    #expect(values(lit, of: 20) == [])
    withExtendedLifetime(map) {}
  }

  @Test func `with colors the ending activity keeps its color, and the queued one has its own`() {
    let host = OfflineHost()
    var values = LightValues()
    for (activity, color) in [(LoopActivity.recording, 5), (.overdubbing, 7), (.playing, 9)] {
      values.colors[Int(activity.rawValue)] = UInt8(color)
    }
    let map = LightMap([light(note, .pedal)], values: values)
    host.send(Command(.set(.loop(.quantize), 2)), Command(.set(.metronome(.on), 1)))
    show(host, map)
    _ = midi(host, 64)
    host.send(Command(.set(.metronome(.on), 0)), Command(.loop(.recordOn)))
    #expect(midi(host, 96_000).map { $0[3] } == [5, 0, 5, 0, 5, 0, 5, 0, 5])
    host.send(Command(.loop(.recordOn)))
    #expect(midi(host, 96_000).map { $0[3] } == [0, 5, 0, 5, 0, 5, 0, 9])
    host.send(Command(.loop(.overdub)))
    #expect(midi(host, 96_000).map { $0[3] } == [7, 0, 7, 0, 7, 0, 7, 0, 7])
    withExtendedLifetime(map) {}
  }

  @Test func `no light blinks more than three times per second`() {
    for tempo: Float in [60, 120, 180, 181, 300] {
      let host = OfflineHost()
      let map = LightMap([light(note, .record)])
      host.send(
        Command(.set(.loop(.threshold), -6)), Command(.set(.beat(.tempo), tempo)),
        Command(.loop(.record)))
      show(host, map)
      let seconds = 8
      let lit = midi(host, seconds * 48_000).filter { $0[3] == 127 }.count
      let wanted = Double(seconds) * Double(tempo) / 60 / (tempo > 180 ? 2 : 1)
      #expect(abs(Double(lit) - wanted) <= 1)
      #expect(lit <= 3 * seconds + 1)
      withExtendedLifetime(map) {}
    }
  }

  @Test
  func `values, beats and control-side states have lights, and a shared light is lit if any is`() {
    let host = OfflineHost()
    let map = LightMap([
      PedalLight(note, channel: 255, .parameter(.metronome(.on), 1)),
      PedalLight(note, channel: 255, .fixed(false)),
      PedalLight(other, channel: 255, .fixed(true)),
      PedalLight(Trigger(.controller, 21)!, channel: 255, .beat),
      // A program change has no light.
      PedalLight(Trigger(.program, 5)!, channel: 255, .fixed(true)),
    ])
    show(host, map)
    host.send(Command(.set(.metronome(.on), 1)))
    #expect(
      midi(host, 64) == [[0, 0x90, 60, 127], [0, 0xB0, 20, 127], [0, 0xB0, 21, 127]])
    let beats = midi(host, 48_000)
    #expect(beats.map { $0[3] } == [0, 127, 0, 127])
    withExtendedLifetime(map) {}
  }

  @Test func `a light is sent on the channel of the last press`() {
    let host = OfflineHost()
    var entry = PressMap.Entry(note)
    entry.presses = PressBits.short
    entry.short = [BoundAction(binding: 1, .command(.loop(.record)))]
    let presses = PressMap([entry])
    let map = LightMap([light(note, .record, channel: 2)])
    host.send(Command(.setPressMap(presses.pointer)))
    show(host, map)
    #expect(midi(host, 64) == [[0, 0x92, 60, 0]])
    host.midi = [(host.frame + 10, [0x97, 60, 100])]
    // On the frame of the press, or after it if that is too soon after the last change.
    let lit = midi(host, 64)
    #expect(lit.last.map { Array($0[1...]) } == [0x97, 60, 127])
    withExtendedLifetime((presses, map)) {}
  }

  @Test func `states differ by color`() {
    let host = OfflineHost()
    var values = LightValues()
    values.off = 1
    values.colors[Int(LoopActivity.recording.rawValue)] = 5
    values.colors[Int(LoopActivity.playing.rawValue)] = 9
    let map = LightMap([light(note, .pedal), light(other, .record)], values: values)
    show(host, map)
    #expect(midi(host, 64).map { $0[3] } == [1, 1])
    host.send(Command(.loop(.record)))
    #expect(midi(host, 6400).map { $0[3] } == [5, 5])
    host.send(Command(.loop(.record)), Command(.loop(.play)))
    // The pedal itself shows every state that has a color.
    #expect(midi(host, 64).map { $0[3] } == [9, 1])
    withExtendedLifetime(map) {}
  }

  @Test func `all lights are sent again on request, and after a server restart`() {
    let host = OfflineHost()
    let map = LightMap([light(note, .clear)])
    show(host, map)
    #expect(midi(host, 64) == [[0, 0x92, 60, 127]])
    show(host, map)
    #expect(midi(host, 64) == [])
    show(host, map, again: true)
    #expect(midi(host, 64) == [[0, 0x92, 60, 127]])
    let next = OfflineHost(takingOver: host.engine, sampleRate: 48_000)
    show(next, map, again: true)
    #expect(midi(next, 64) == [[0, 0x92, 60, 127]])
    withExtendedLifetime(map) {}
  }

  @Test func `removed lights go dark, and all do when the node exits`() {
    let host = OfflineHost()
    let both = LightMap([light(note, .clear), light(other, .clear)])
    show(host, both)
    _ = midi(host, 64)
    let one = LightMap([light(note, .clear)])
    show(host, one)
    #expect(midi(host, 64) == [[0, 0xB2, 20, 0]])
    host.send(Command(.leave))
    #expect(midi(host, 640) == [[0, 0x92, 60, 0]])
    withExtendedLifetime((both, one)) {}
  }

  @Test func `the table of lights covers every activity that has a button`() {
    let shown = LoopActivity.allCases.filter { activity in
      LoopLight.allCases.contains { $0 != .play && $0.isLit(activity) }
    }
    #expect(shown == LoopActivity.allCases.filter { ![.playing, .muted].contains($0) })
    #expect(LoopLight.play.isLit(.playing))
  }
}
