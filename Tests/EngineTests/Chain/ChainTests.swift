import DSP
import Engine
import Foundation
import TestSupport
import Testing

@Suite struct ChainTests {
  @Test func `a change of pitch changes the reported latency`() {
    let host = OfflineHost()
    #expect(host.engine.shared.chainDelayFrames == 0)
    host.send(Command(.set(.warp(.semitones), 12)))
    let output = host.render(Tone.sine(440, frames: 24_000), block: 64)
    #expect(
      Measure.residue(output.left[12_000...], hertz: 880, sampleRate: 48_000) < -60)
    // The stem is unchanged.
    #expect(Measure.residue(output.live[12_000...], hertz: 440, sampleRate: 48_000) < -100)
    #expect((96...144).contains(host.engine.shared.chainDelayFrames))
    host.send(Command(.set(.mixer(.liveRoute), 1)))
    let direct = host.render(Tone.sine(440, frames: 24_000), block: 64)
    #expect(Measure.residue(direct.left[12_000...], hertz: 440, sampleRate: 48_000) < -100)
    #expect(host.engine.shared.chainDelayFrames == 0)
  }

  @Test(arguments: [Parameter.mixer(.bypass), .warp(.pitchOn)])
  func `bypassed, the output equals the input, and switching doesn't click`(parameter: Parameter) {
    let host = OfflineHost()
    let tone = Tone.sine(200, frames: 60_000)
    var output: [Float] = []
    func play(_ frames: Int) {
      let range = output.count..<output.count + frames
      output += host.render(Array(tone[range]), block: 64).left
    }
    play(4800)
    host.send(Command(.set(.warp(.semitones), 7)))
    play(14_400)
    host.send(Command(.set(parameter, parameter == .warp(.pitchOn) ? 0 : 1)))
    play(14_400)
    #expect(Measure.firstDifference(output[28_000...], tone[28_000..<33_600]) == nil)
    #expect(host.engine.shared.chainDelayFrames == 0)
    host.send(Command(.set(parameter, parameter == .warp(.pitchOn) ? 1 : 0)))
    play(14_400)
    #expect(
      Measure.residue(output[42_000...], hertz: 200 * pow(2, 7 / 12), sampleRate: 48_000) < -60)
    #expect(
      Measure.roughness(output) < 2 * Measure.roughness(Tone.sine(300, frames: 480)))
  }

  @Test(arguments: [Float(0), 1, 2], [Float(1), 2])
  func `back from another route, the sound is complete and crossfades without a click`(
    engine: Float, route: Float
  ) {
    let host = OfflineHost()
    host.send(
      Command(.set(.warp(.engine), engine)), Command(.set(.warp(.semitones), 7)))
    _ = host.render(Tone.sine(200, frames: 9600), block: 64)
    let tone = Tone.sine(200, frames: 48_000)
    host.send(Command(.set(.mixer(.liveRoute), route)))
    let away = host.render(Array(tone[..<19_200]), block: 64).left
    if route == 1 {
      #expect(Measure.firstDifference(away[9600...], tone[9600..<19_200]) == nil)
    } else {
      #expect(Measure.peak(away[9600...]) == 0)
    }
    host.send(Command(.set(.mixer(.liveRoute), 0)))
    let back = host.render(Array(tone[19_200...]), block: 64).left
    // The warm-up is at most 50 ms, the crossfade takes 20 ms more.
    #expect(
      Measure.residue(back[4800...], hertz: 200 * pow(2, 7 / 12), sampleRate: 48_000) < -45)
    #expect(
      Measure.roughness(away[4800...] + back) < 2 * Measure.roughness(Tone.sine(300, frames: 480)))
  }

  @Test func `after idling the output is bit-identical`() {
    func run(resting: Bool) -> [Float] {
      let host = OfflineHost()
      host.send(
        Command(.set(.warp(.semitones), 5)), Command(.set(.reverb(.on), 1)),
        Command(.set(.echo(.on), 1)), Command(.set(.reverb(.decay), 0.2)))
      _ = host.render(Tone.noise(amplitude: 0.2, frames: 4800), block: 64)
      // The tape of ten seconds is empty after less than thirty. A block with a command is not
      // idle.
      for _ in 0..<30 {
        _ = host.render(Tone.constant(0, frames: 48_000), block: 960)
      }
      for _ in 0..<100 {
        if !resting { host.send(Command(.sync(1))) }
        _ = host.render(Tone.constant(0, frames: 77), block: 77)
        _ = host.events()
      }
      return host.render(Tone.noise(amplitude: 0.2, frames: 48_000, seed: 7), block: 64).left
    }
    #expect(Measure.firstDifference(run(resting: true), run(resting: false)) == nil)
  }

  @Test func `the stem fades in like the mix`() {
    let host = OfflineHost(fadesIn: true)
    let output = host.render(Tone.constant(0.5, frames: 9600), block: 64)
    // No fade is applied twice: at first the mix through the chain equals the stem, bit for bit.
    #expect(Measure.firstDifference(output.left[...], output.live[...]) == nil)
    #expect(output.left[9000] == 0.5 && output.left[0] < 0.01)
  }

  @Test func `the dry part of a mix has the latency of the wet part`() {
    let host = OfflineHost()
    host.send(Command(.set(.warp(.semitones), 7)), Command(.set(.warp(.mix), 0.5)))
    _ = host.render(Tone.constant(0, frames: 9600), block: 64)
    var click = Tone.constant(0, frames: 4800)
    click[1000] = 0.5
    let output = host.render(click, block: 64).left
    let delay = host.engine.shared.chainDelayFrames
    #expect(delay > 0)
    // Half of the click is the dry part. The filter of the wet part leaves 0.647 of it, on the same
    // frame.
    #expect(abs(output[1000 + delay] - 0.25 * 1.647) < 0.005)
    #expect(output[..<(1000 + 30)].allSatisfy { abs($0) < 0.01 })
  }

  @Test func `after a reset the output has no old sound`() {
    let host = OfflineHost()
    host.send(Command(.set(.warp(.rate), 0.5)))
    // A second of tone, then silence. Half a second of the tone is still in the tape.
    _ = host.render(Tone.sine(300, frames: 48_000), block: 64)
    host.send(Command(.resetChain))
    let output = host.render(Tone.constant(0, frames: 24_000), block: 64).left
    #expect(Measure.peak(output[4800...]) < 1e-4)
    // Without a reset it is audible.
    _ = host.render(Tone.sine(300, frames: 48_000), block: 64)
    let slow = host.render(Tone.constant(0, frames: 24_000), block: 64).left
    #expect(Measure.level(slow[4800..<20_000]) > 0.3)
  }

  @Test(arguments: [16, 333, 3000])
  func `the chain's output doesn't depend on the block size`(block: Int) {
    func render(_ block: Int) -> [Float] {
      let host = OfflineHost()
      let start = Int64(host.frame)
      host.send(Command(.set(.warp(.semitones), 5), at: start + 1001))
      host.send(Command(.set(.warp(.mix), 0.4), at: start + 3000))
      host.send(Command(.set(.warp(.rate), 0.8), at: start + 4500))
      host.send(Command(.set(.mixer(.bypass), 1), at: start + 9000))
      host.send(Command(.set(.mixer(.bypass), 0), at: start + 15_000))
      let sound = Tone.sine(220, frames: 9000) + Tone.noise(frames: 9000)
      return host.render(sound, block: block).left
    }
    #expect(Measure.firstDifference(render(block), render(64)) == nil)
  }

  @Test func `an echo repeats after its time, in seconds or in beats`() {
    for inBeats in [false, true] {
      let host = OfflineHost()
      host.send(Command(.set(.echo(.on), 1)), Command(.set(.echo(.time), 0.1)))
      if inBeats {
        // Half a beat at 300 bpm.
        host.send(Command(.set(.beat(.tempo), 300)), Command(.set(.echo(.beats), 0.5)))
      }
      host.send(
        Command(.set(.echo(.tone), 20_000)), Command(.set(.echo(.mix), 0.5)),
        Command(.set(.echo(.feedback), 0.5)))
      _ = host.render(Tone.constant(0, frames: 4800), block: 64)
      var click = Tone.constant(0, frames: 20_000)
      click[100] = 0.5
      let output = host.render(click, block: 64).left
      #expect(output[100] == 0.5)
      let places = output.indices.filter { abs(output[$0]) > 0.15 }
      // The second is half of the first, and both lose some treble.
      #expect(places == [100, 4900, 9700])
      #expect(abs(output[9700] / output[4900] - 0.5) < 0.06)
    }
  }

  @Test func `a time in beats beyond the longest echo stays on the beat`() {
    let host = OfflineHost()
    host.send(
      Command(.set(.echo(.on), 1)), Command(.set(.echo(.mix), 1)), Command(.set(.beat(.tempo), 20)),
      Command(.set(.echo(.beats), 4)), Command(.set(.echo(.feedback), 0)),
      Command(.set(.echo(.tone), 20_000)))
    _ = host.render(Tone.constant(0, frames: 4800), block: 1024)
    var click = Tone.constant(0, frames: 400_000)
    click[0] = 0.5
    let output = host.render(click, block: 1024).left
    // Twelve seconds become six.
    #expect(output.indices.filter { abs(output[$0]) > 0.2 } == [288_000])
  }

  @Test func `the reverb tail continues after the sound, and ends at a reset and on bypass`() {
    for ending in [Command.Action.resetChain, .set(.mixer(.bypass), 1)] {
      let host = OfflineHost()
      host.send(Command(.set(.reverb(.on), 1)), Command(.set(.reverb(.mix), 0.5)))
      _ = host.render(Tone.noise(frames: 48_000), block: 64)
      let tail = host.render(Tone.constant(0, frames: 24_000), block: 64).left
      #expect(Measure.level(tail[12_000...]) > 0.01)
      host.send(Command(ending))
      let rest = host.render(Tone.constant(0, frames: 24_000), block: 64).left
      #expect(Measure.peak(rest[4800...]) == 0)
      #expect(Measure.peak(rest) > 0.001)
    }
  }
}
