import DSP
import Foundation
import TestSupport
import Testing

@testable import Engine

/// The metronome: the frames of its clicks, and the outputs they reach.
@Suite struct MetronomeTests {
  // Shorter than any beat, but longer than any click.
  private static let quiet = 500

  private func host(_ settings: (Parameter, Float)...) -> OfflineHost {
    let host = OfflineHost()
    for (parameter, value) in settings { host.send(Command(.set(parameter, value))) }
    return host
  }

  private func silence(_ frames: Int) -> [Float] { Tone.constant(0, frames: frames) }

  /// The first frame and the peak of each click.
  private func clicks(_ sound: [Float]) -> [(frame: Int, peak: Float)] {
    var found: [(frame: Int, peak: Float)] = []
    var silent = Self.quiet
    for (frame, sample) in sound.enumerated() {
      if sample == 0 {
        silent += 1
        continue
      }
      if silent >= Self.quiet { found.append((frame, 0)) }
      silent = 0
      found[found.count - 1].peak = max(found[found.count - 1].peak, abs(sample))
    }
    return found
  }

  /// The beats published during a number of frames, with their frames from the start.
  private func beats(_ host: OfflineHost, frames: Int) -> [(frame: Int, beat: Int, of: Int)] {
    var found: [(frame: Int, beat: Int, of: Int)] = []
    var latest = host.engine.shared.latestBeat.frame
    let start = Int64(host.frame)
    for _ in 0..<frames / 64 {
      _ = host.render(silence(64), block: 64)
      let reading = host.engine.shared.latestBeat
      #expect(reading.nextFrame > reading.frame && reading.nextFrame >= Int64(host.frame))
      guard reading.frame != latest else { continue }
      latest = reading.frame
      found.append((Int(reading.frame - start), reading.beat, reading.beatsPerBar))
    }
    return found
  }

  @Test func `beats are published where clicks start, and also with the metronome off`() {
    let host = host((.beat(.tempo), 130), (.beat(.beatsPerBar), 3), (.metronome(.on), 1))
    var latest = host.engine.shared.latestBeat.frame
    var found: [Int] = []
    var numbers: [Int] = []
    var sound: [Float] = []
    let start = Int64(host.frame)
    for _ in 0..<3000 {
      sound += host.render(silence(64), block: 64).click
      let reading = host.engine.shared.latestBeat
      guard reading.frame != latest else { continue }
      latest = reading.frame
      found.append(Int(reading.frame - start))
      numbers.append(reading.beat)
      #expect(reading.beatsPerBar == 3)
    }
    #expect(found.count == 9)
    #expect(numbers == numbers.indices.map { $0 % 3 + 1 })
    // A click starts with its first nonzero sample.
    #expect(zip(found, clicks(sound)).allSatisfy { abs($0 - $1.frame) <= 1 })
    host.send(Command(.set(.metronome(.on), 0)))
    let silent = beats(host, frames: 192_000)
    #expect(silent.count >= 8)
    let period = 48_000 * 60 / 130.0
    #expect(
      zip(silent, silent.dropFirst()).allSatisfy { abs(Double($1.frame - $0.frame) - period) <= 1 })
  }

  @Test func `a tempo that changes continuously repeats no beat`() {
    let host = host((.beat(.tempo), 120))
    _ = host.render(silence(64), block: 64)
    var found: [(frame: Int, beat: Int, of: Int)] = []
    var start = 0
    for turn in 0..<100 {
      host.send(Command(.set(.beat(.tempo), turn % 2 == 0 ? 120.1 : 119.9)))
      found += beats(host, frames: 4800).map { ($0.frame + start, $0.beat, $0.of) }
      start += 4800
    }
    // Ten seconds at two beats per second.
    #expect((19...21).contains(found.count))
    #expect(zip(found, found.dropFirst()).allSatisfy { $1.beat == $0.beat % 4 + 1 })
  }

  @Test func `beats follow the transport`() {
    let host = host((.beat(.source), 3))
    host.transport = { frame in
      Transport(
        isRolling: true, frame: frame, beatsPerMinute: 90, beatsPerBar: 3,
        beat: (Double(frame) / 32_000).truncatingRemainder(dividingBy: 3))
    }
    _ = host.render(silence(64), block: 64)
    let start = Int(host.frame)
    for beat in beats(host, frames: 320_000) {
      #expect((beat.frame + start) % 32_000 == 0)
      #expect(beat.beat == (beat.frame + start) / 32_000 % 3 + 1 && beat.of == 3)
    }
  }

  @Test(arguments: [133.7, 97.3, 299.99] as [Float])
  func `for an hour each click is on the frame nearest to its beat`(tempo: Float) {
    let period = 48_000 * 60 / Double(tempo)
    var beats = BeatClock(sampleRate: 48_000)
    beats.setBeatsPerBar(7)
    // At an arbitrary late time.
    let start: Int64 = 3_000_000_017
    beats.setTempo(tempo, at: start - 1)
    beats.beginBar(at: start)
    var metronome = Metronome(sampleRate: 48_000)
    let hour: Int64 = 3600 * 48_000
    var frame = start
    var (count, wrong, blocks) = (0, 0, 0)
    while frame < start + hour {
      if metronome.advance(to: frame, beats: beats, isWanted: true) {
        if frame - start != Int64((Double(count) * period).rounded()) { wrong += 1 }
        count += 1
      }
      // The block is split where the metronome requests it, and sometimes at block ends.
      blocks += 1
      frame += Int64(min(metronome.framesToGo(at: frame), blocks % 3 == 0 ? 1024 : 1 << 20))
    }
    #expect(wrong == 0)
    #expect(count == Int((Double(hour - 1) / period).rounded(.down)) + 1)
  }

  @Test func `audible clicks are on those frames, also in freewheel`() {
    let period = 48_000 * 60 / Double(Float(133.7))
    let host = host((.beat(.tempo), 133.7), (.metronome(.on), 1))
    let sound = host.render(silence(30 * 48_000), block: 1000, isFreewheeling: true).click
    #expect(clicks(sound).map(\.frame) == (0..<67).map { Int((Double($0) * period).rounded()) })
  }

  @Test(arguments: [1, 64, 1000])
  func `it starts with a bar, whose first click is louder and higher`(block: Int) {
    let host = host((.beat(.beatsPerBar), 3), (.metronome(.on), 1))
    let sound = host.render(silence(24_000 * 7), block: block).click
    let found = clicks(sound)
    #expect(found.map(\.frame) == (0..<7).map { $0 * 24_000 })
    for (index, click) in found.enumerated() {
      // -6 and -10 dB, within float precision.
      #expect(abs(click.peak - (index % 3 == 0 ? 0.5 : 0.32)) < 1e-6)
    }
    func turns(_ at: Int) -> Int {
      let click = sound[at..<at + 480]
      return zip(click, click.dropFirst()).count { $0 * $1 < 0 }
    }
    // Ten milliseconds of 2000 Hz cross zero 40 times, of 1250 Hz 25 times.
    #expect(abs(turns(0) - 40) <= 1)
    #expect(abs(turns(24_000) - 25) <= 1)
  }

  @Test func `a click rises and decays without a step, within 30 ms`() {
    let sound = host((.metronome(.on), 1)).render(silence(24_000), block: 64).click
    #expect(sound[1440...].allSatisfy { $0 == 0 })
    // A tone of 2 kHz at -6 dB changes by at most 0.13 per frame. The attack is much slower, and
    // the end is below 24 bits.
    #expect(abs(sound[0]) < 0.002)
    #expect(abs(sound[1439]) < 1e-7)
    let step = zip(sound, sound.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    #expect(step < 0.14)
  }

  @Test func `a new tempo applies within the current beat`() {
    let host = host((.metronome(.on), 1))
    var sound = host.render(silence(36_000), block: 64).click
    // Half of the second beat has passed. The other half takes half a beat at 60 bpm.
    host.send(Command(.set(.beat(.tempo), 60)))
    sound += host.render(silence(100_000), block: 64).click
    #expect(clicks(sound).map(\.frame) == [0, 24_000, 60_000, 108_000])
  }

  @Test func `many tempo changes in a row repeat no click`() {
    let host = host((.metronome(.on), 1))
    var sound: [Float] = []
    for step in 0..<400 {
      host.send(Command(.set(.beat(.tempo), Float(60 + step % 200))))
      sound += host.render(silence(480), block: 480).click
    }
    let frames = clicks(sound).map(\.frame)
    // The fastest beat has 11,000 frames.
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 - $0 > 10_000 })
    #expect(frames.count > 4)
  }

  @Test func `a beat that a new tempo moves by some frames is not repeated`() {
    var beats = BeatClock(sampleRate: 48_000)
    beats.setTempo(133.7, at: 0)
    var metronome = Metronome(sampleRate: 48_000)
    // The fourth beat is 0.29 frames after this one, which is the nearest frame.
    let clicked = metronome.advance(to: 64_622, beats: beats, isWanted: true)
    #expect(clicked)
    // At the slowest tempo, that is two frames.
    beats.setTempo(20, at: 64_622)
    for frame in Int64(64_623)..<64_700 {
      let again = metronome.advance(to: frame, beats: beats, isWanted: true)
      #expect(!again)
    }
  }

  @Test func `its gain is separate, and moves without a step`() {
    let host = host((.metronome(.gain), -20), (.metronome(.on), 1))
    // A glide takes about 2000 frames.
    let sound = host.render(silence(48_000), block: 64).click
    #expect(abs((clicks(sound).last?.peak ?? 0) - 0.032) < 1e-5)
  }

  @Test func `it is on both channels of the mix, and not in the chain`() {
    let host = host(
      (.echo(.on), 1), (.echo(.time), 0.1), (.echo(.mix), 1), (.reverb(.on), 1),
      (.metronome(.on), 1))
    let output = host.render(silence(48_000), block: 64)
    #expect(Measure.firstDifference(output.left, output.click) == nil)
    #expect(Measure.firstDifference(output.right, output.click) == nil)
    #expect(output.live.allSatisfy { $0 == 0 })
    #expect(output.loop.allSatisfy { $0 == 0 })
  }

  @Test func `the output's gain and mute affect it in the mix only`() {
    let host = host((.mixer(.outGain), -20))
    _ = host.render(silence(48_000), block: 64)
    host.send(Command(.set(.metronome(.on), 1)))
    let quiet = host.render(silence(24_000), block: 64)
    #expect(abs(Measure.peak(quiet.left) - 0.05) < 1e-5)
    #expect(abs(Measure.peak(quiet.click) - 0.5) < 1e-5)
    host.send(Command(.set(.mixer(.mute), 1)))
    _ = host.render(silence(24_000), block: 64)
    let mute = host.render(silence(24_000), block: 64)
    #expect(Measure.peak(mute.left) == 0)
    #expect(Measure.peak(mute.click) > 0.3)
  }

  @Test func `over a full-scale mix the limiter still holds`() {
    let host = host((.metronome(.gain), 24), (.metronome(.on), 1))
    let output = host.render(Tone.sine(100, frames: 96_000), block: 64)
    #expect(Measure.peak(output.left) <= 0.99)
  }

  @Test func `a recording of the mix has no clicks`() {
    let host = host((.loop(.source), 2), (.loop(.loop), 0), (.metronome(.on), 1))
    host.send(Command(.loop(.record)))
    _ = host.render(silence(30_000), block: 64)
    host.send(Command(.loop(.stop)))
    _ = host.render(silence(1000), block: 64)
    host.send(Command(.loop(.play)))
    let output = host.render(silence(30_000), block: 64)
    #expect(output.loop.allSatisfy { $0 == 0 })
    #expect(Measure.peak(output.left) > 0.3)
  }

  @Test func `a recording quantized to the bar starts on an accent`() {
    let host = host((.beat(.tempo), 133.7), (.loop(.quantize), 2), (.metronome(.on), 1))
    _ = host.render(silence(10_000), block: 64)
    host.send(Command(.loop(.record)))
    var sound: [Float] = []
    while host.engine.shared.loops[0].state.read().state != .recording {
      sound += host.render(silence(1), block: 1).click
      if sound.count > 200_000 { break }
    }
    let begin = 10_000 + sound.count - 1
    let period = 48_000 * 60 / Double(Float(133.7))
    #expect(begin == Int((4 * period).rounded()))
    #expect(clicks(sound).last?.frame == sound.count - 1)
  }

  @Test func `turned on while a loop plays to the beat it keeps the beats`() {
    let host = host((.loop(.quantize), 1))
    host.send(Command(.loop(.record)))
    // The first block starts within a beat, and the recording with the next beat.
    _ = host.render(silence(48_000), block: 64)
    host.send(Command(.loop(.stop)))
    _ = host.render(silence(48_000), block: 64)
    host.send(Command(.loop(.play)))
    _ = host.render(silence(48_000), block: 64)
    #expect(host.engine.shared.loops[0].state.read().state == .playing)
    host.send(Command(.set(.metronome(.on), 1)))
    let start = Int(host.frame)
    let found = clicks(host.render(silence(72_000), block: 64).click)
    // From the engine's first frame on.
    #expect(found.map { ($0.frame + start) % 24_000 } == [0, 0, 0])
  }

  @Test func `the engine is idle between clicks, and wakes up for the next`() {
    let host = host((.metronome(.on), 1))
    _ = host.render(silence(24_000 * 20), block: 64)
    let found = clicks(host.render(silence(48_000), block: 64).click)
    #expect(found.map(\.frame) == [0, 24_000])
    host.send(Command(.set(.metronome(.on), 0)))
    let after = host.render(silence(48_000), block: 64)
    #expect(after.click.allSatisfy { $0 == 0 })
  }

  @Test func `a timebase master follows the transport's position, but not its tempo`() {
    let host = host((.beat(.source), 3), (.metronome(.on), 1))
    host.engine.shared.setTransportLed(true)
    let start = Int64(host.frame) + 10_000
    host.transport = { frame in
      // Its beats belong to another time.
      Transport(
        isRolling: frame >= start, frame: max(0, frame - start), beatsPerMinute: 90, beat: 0.3)
    }
    var sound = host.render(silence(46_000), block: 1000).click
    #expect(host.engine.shared.sourceTempo == nil)
    // Half a beat ahead, at another tempo. The metronome follows only jumps.
    host.send(Command(.set(.beat(.tempo), 60)))
    sound += host.render(silence(54_000), block: 1000).click
    let found = clicks(sound)
    #expect(found.map(\.frame) == [10_000, 34_000, 70_000])
    #expect(found.map { $0.peak > 0.4 } == [true, false, false])
  }

  // MARK: - Count-in

  @Test func `a recording starts after the count-in, which is audible without the metronome`() {
    let host = host((.beat(.tempo), 133.7), (.beat(.beatsPerBar), 3), (.beat(.countIn), 2))
    _ = host.render(silence(12_345), block: 64)
    host.send(Command(.loop(.record)))
    let period = 48_000 * 60 / Double(Float(133.7))
    let wanted = Int((6 * period).rounded())
    let first = host.render(silence(1000), block: 64)
    let waiting = host.engine.shared.loops[0].state.read()
    #expect(waiting.pending == .record)
    #expect(waiting.waiting == wanted - 1000)
    var sound = first.click
    while host.engine.shared.loops[0].state.read().state != .recording, sound.count < 400_000 {
      sound += host.render(silence(1), block: 1).click
    }
    // The first frame of the recording has the accent, too.
    #expect(sound.count - 1 == wanted)
    sound += host.render(silence(60_000), block: 64).click
    let found = clicks(sound)
    #expect(found.map(\.frame) == (0..<6).map { Int((Double($0) * period).rounded()) })
    #expect(found.map { $0.peak > 0.4 } == [true, false, false, true, false, false])
    #expect(host.engine.shared.loops[0].state.read().length == 60_001)
  }

  @Test func `with the metronome on the count-in starts with the next bar`() {
    let host = host((.beat(.countIn), 1), (.metronome(.on), 1))
    _ = host.render(silence(30_000), block: 64)
    host.send(Command(.loop(.record)))
    _ = host.render(silence(64), block: 64)
    // The next bar starts after four beats, and one more bar is counted in.
    #expect(host.engine.shared.loops[0].state.read().waiting == 8 * 24_000 - 30_064)
  }

  @Test(arguments: [LoopAction.cancel, .stop])
  func `a count-in can be canceled`(action: LoopAction) {
    let host = host((.beat(.countIn), 1))
    host.send(Command(.loop(.record)))
    _ = host.render(silence(30_000), block: 64)
    host.send(Command(.loop(action)))
    _ = host.render(silence(2000), block: 64)
    #expect(host.engine.shared.loops[0].state.read().pending == nil)
    let after = host.render(silence(200_000), block: 64)
    #expect(after.click.allSatisfy { $0 == 0 })
    #expect(host.engine.shared.loops[0].state.read().state != .recording)
  }

  @Test func `a new tempo during the count-in keeps the number of remaining beats`() {
    let host = host((.beat(.countIn), 1))
    host.send(Command(.loop(.record)))
    var sound = host.render(silence(24_000), block: 64).click
    // One of four beats has passed.
    host.send(Command(.set(.beat(.tempo), 240)))
    sound += host.render(silence(64), block: 64).click
    #expect(host.engine.shared.loops[0].state.read().waiting == 3 * 12_000 - 64)
    sound += host.render(silence(48_000), block: 64).click
    #expect(clicks(sound).map(\.frame) == [0, 24_000, 36_000, 48_000])
    #expect(host.engine.shared.loops[0].state.read().state == .recording)
  }

  @Test func `another press during the count-in does not end it`() {
    let host = host((.beat(.countIn), 1))
    host.send(Command(.loop(.record)))
    _ = host.render(silence(30_000), block: 64)
    host.send(Command(.loop(.record)))
    _ = host.render(silence(64), block: 64)
    #expect(host.engine.shared.loops[0].state.read().waiting == 96_000 - 30_064)
  }

  @Test func `it waits for sound after the count-in, and not before`() {
    let host = host((.beat(.countIn), 1), (.loop(.threshold), -20))
    host.send(Command(.loop(.record)))
    _ = host.render(Tone.constant(0.5, frames: 95_000), block: 64)
    #expect(host.engine.shared.loops[0].state.read().state != .recording)
    _ = host.render(silence(5000), block: 64)
    #expect(host.engine.shared.loops[0].state.read().state != .recording)
    _ = host.render(Tone.constant(0.5, frames: 64), block: 64)
    #expect(host.engine.shared.loops[0].state.read().state == .recording)
  }
}

/// The bar position, as reported to JACK.
@Suite struct BarPositionTests {
  @Test func `bars count from the transport's first bar, and beats from the start of the bar`() {
    var beats = BeatClock(sampleRate: 48_000)
    beats.setTempo(100, at: 0)
    beats.setBeatsPerBar(3)
    // A beat has 28,800 frames, a bar 86,400. The transport started in the second bar.
    let position = beats.position(at: 5 * 86_400 + 28_800 + 7200, framesFromStart: 4 * 86_400)
    #expect(position.bar == 4)
    #expect(abs(position.beat - 1.25) < 1e-9)
    #expect(position.beatsPerBar == 3)
    #expect(position.beatsPerMinute == 100)
  }

  @Test func `rounding does not shift a position into another beat`() {
    for frames in 90_000..<92_000 {
      var beats = BeatClock(sampleRate: 48_000)
      beats.setBeatsPerBar(1)
      // A clip of some beats, most of which end between two frames.
      _ = beats.fit(frames, from: 0)
      let position = beats.position(at: Int64(frames), framesFromStart: Int64(frames))
      #expect(position.beat == 0)
      let count = position.bar
      // If the transport started on this frame, it is still in its first bar.
      #expect(count == 4 || count == 3)
      #expect(beats.position(at: Int64(frames), framesFromStart: 0).bar == 0)
    }
  }
}
