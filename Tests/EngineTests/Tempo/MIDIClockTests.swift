import Engine
import Foundation
import TestSupport
import Testing

/// Beats that follow MIDI clock, and MIDI clock that follows the beats.
@Suite struct MIDIClockTests {
  private static let block = 64

  private func host(_ settings: (Parameter, Float)...) -> OfflineHost {
    let host = OfflineHost()
    for (parameter, value) in settings { host.send(Command(.set(parameter, value))) }
    return host
  }

  /// What was sent and heard.
  private struct Outcome {
    var click: [Float] = []
    var midi: [OfflineHost.MIDIMessage] = []
    /// The frames of the beats, and their numbers in the bar.
    var beats: [(frame: Int, beat: Int)] = []
    /// The messages of MIDI clock.
    var clock: [OfflineHost.MIDIMessage] { midi.filter { $0.bytes[0] >= 0xF0 } }
  }

  /// Renders silence.
  private func run(_ host: OfflineHost, frames: Int) -> Outcome {
    var outcome = Outcome()
    var latest = host.engine.shared.latestBeat.frame
    for start in stride(from: 0, to: frames, by: Self.block) {
      let part = host.render(Tone.constant(0, frames: Self.block), block: Self.block)
      outcome.click += part.click
      outcome.midi += part.midi.map { OfflineHost.MIDIMessage($0.frame + start, $0.bytes) }
      let reading = host.engine.shared.latestBeat
      if reading.frame != latest {
        latest = reading.frame
        outcome.beats.append((Int(latest), reading.beat))
      }
    }
    return outcome
  }

  private func send(_ host: OfflineHost, _ messages: [(frame: Int, bytes: [UInt8])]) {
    let start = Int(host.frame)
    host.midi += messages.map { (UInt32(start + $0.frame), $0.bytes) }
  }

  /// The ticks of a train, after a Start.
  private func started(_ train: ClockTrain) -> [(frame: Int, bytes: [UInt8])] {
    [(train.received[0], [0xFA])] + train.received.map { ($0, [0xF8]) }
  }

  /// The distances of clicks from the nearest beat of a train, in milliseconds, from a time on.
  private func errors(
    _ beats: [(frame: Int, beat: Int)], _ train: ClockTrain, start: Int, from: Double
  )
    -> [Double]
  {
    let exact = stride(from: 0, to: train.exact.count, by: 24).map { train.exact[$0] }
    return beats.map { Double($0.frame - start) }
      .filter { $0 > from * 48_000 && $0 < exact.last! - 100 }
      .map { frame in exact.map { (frame - $0) / 48 }.min { abs($0) < abs($1) }! }
  }

  @Test func `beats follow a clock with jitter, and count from its Start`() {
    let host = host((.beat(.source), 1), (.metronome(.on), 1))
    _ = run(host, frames: 4800)
    let train = ClockTrain(seconds: 20, jitter: .uniform(1), tempo: { _ in 97.3 })
    let start = Int(host.frame)
    send(host, started(train))
    let beats = run(host, frames: 19 * 48_000).beats
    let found = errors(beats, train, start: start, from: 3)
    #expect(found.count > 25)
    // 0.1 ms rms of the estimate, and half of a frame.
    #expect(found.allSatisfy { abs($0) < 0.4 }, "\(found)")
    // The first beat after Start is the first of a bar.
    let after = beats.filter { $0.frame - start >= train.received[0] - 1 }
    #expect(after.prefix(9).map(\.beat) == [1, 2, 3, 4, 1, 2, 3, 4, 1])
    let reading = host.engine.shared.tempoReading
    #expect(reading.isLocked)
    #expect(abs(reading.beatsPerMinute - 97.3) < 0.02)
    #expect(abs((host.engine.shared.sourceTempo ?? 0) - 97.3) < 0.04)
    #expect(reading.error > 0.005 && reading.error < 0.2)
  }

  @Test func `beats stay within 1 ms in a ramp, and none is repeated or left out`() {
    let host = host((.beat(.source), 1), (.metronome(.on), 1))
    let train = ClockTrain(seconds: 45, jitter: .uniform(1)) {
      120 + 10 * min(max(0, ($0 - 10) / 15.36), 1)
    }
    let start = Int(host.frame)
    send(host, started(train))
    let outcome = run(host, frames: 44 * 48_000)
    let beats = outcome.beats
    #expect(errors(beats, train, start: start, from: 3).allSatisfy { abs($0) < 1 })
    #expect(zip(beats.dropFirst(), beats.dropFirst(2)).allSatisfy { $1.beat == $0.beat % 4 + 1 })
    // Each of them clicks.
    let exact = stride(from: 0, to: train.exact.count, by: 24).map { train.exact[$0] }
    for beat in exact where beat > 3 * 48_000 && beat < 43 * 48_000 {
      let window = Int(beat) - 48..<Int(beat) + 100
      #expect(window.contains { outcome.click[$0] != 0 }, "beat at \(beat / 48_000) s")
    }
  }

  @Test func `a Start moves the beat and not the tempo, and a Stop neither`() {
    let host = host((.beat(.source), 1))
    let train = ClockTrain(seconds: 12, jitter: .uniform(0), tempo: { _ in 120 })
    // A Start between two beats, at the tick 24 * 8 + 10, and a Stop.
    let start = Int(host.frame)
    var messages = started(train)
    messages.append((train.received[202] - 5, [0xFA]))
    messages.append((train.received[350] - 5, [0xFC]))
    messages.sort { $0.frame < $1.frame }
    send(host, messages)
    let beats = run(host, frames: 11 * 48_000).beats
    let second = start + train.received[202]
    let after = beats.filter { $0.frame >= second - 2 }
    #expect(abs(after[0].frame - second) <= 1)
    for (number, beat) in after.enumerated() {
      #expect(beat.beat == number % 4 + 1)
      #expect(abs(beat.frame - after[0].frame - 24_000 * number) <= 1)
    }
  }

  @Test func `a Start during a count-in begins it again`() {
    for (bars, again) in [(1, 9), (2, 10), (1, 11)] {
      let stage = LoopStage()
      stage.set(.beat(.source), 1)
      stage.set(.beat(.countIn), Float(bars))
      stage.rest(64)
      let first = stage.host.frame
      stage.host.midi = (0..<24 * 30).flatMap { tick in
        let frame = first + UInt32(1000 * tick)
        let start: [(frame: UInt32, bytes: [UInt8])] =
          tick == 0 || tick == 24 * again ? [(frame, [0xFA])] : []
        return start + [(frame: frame, bytes: [UInt8(0xF8)])]
      }
      // Counted from the eighth beat on.
      stage.rest(24_000 * 5 + 12_000)
      stage.send(.recordOn, 0)
      let end = 24_000 * (again + 4 * bars) - 24_000 * 5 - 12_000
      stage.rest(end - 200)
      #expect(stage.activity(0) != .recording, "\(bars) \(again)")
      stage.rest(400)
      #expect(stage.activity(0) == .recording, "\(bars) \(again)")
    }
  }

  @Test func `Continue goes on at the Song Position`() {
    let host = host((.beat(.source), 1))
    let train = ClockTrain(seconds: 8, jitter: .uniform(0), tempo: { _ in 120 })
    // The sixth sixteenth: half of the second beat.
    let messages: [(frame: Int, bytes: [UInt8])] =
      train.received.prefix(100).map { ($0, [0xF8]) } + [
        (train.received[100] - 9, [0xF2, 6, 0]), (train.received[100] - 8, [0xFB]),
      ] + train.received.dropFirst(100).map { ($0, [0xF8]) }
    let start = Int(host.frame)
    send(host, messages)
    let beats = run(host, frames: 7 * 48_000).beats
    let place = start + train.received[100]
    let after = beats.filter { $0.frame > place }
    #expect(after[0].beat == 3)
    #expect(abs(after[0].frame - place - 12_000) <= 1)
  }

  @Test func `a clock that pauses leaves the beats running, and is no leap when it returns`() {
    let host = host((.beat(.source), 1))
    let train = ClockTrain(seconds: 20, jitter: .uniform(0), tempo: { _ in 120 })
    let start = Int(host.frame)
    // Three beats and a third without ticks.
    let kept = started(train).filter { !(240_000..<320_000).contains($0.frame) }
    send(host, kept)
    let beats = run(host, frames: 10 * 48_000).beats
    #expect(host.engine.shared.tempoReading.isLocked)
    for (one, next) in zip(beats.dropFirst(2), beats.dropFirst(3)) {
      #expect(abs(next.frame - one.frame - 24_000) <= 2, "at \(one.frame - start)")
    }
  }

  @Test func `beats are delayed by the offset`() {
    for offset in [-20, 35] as [Float] {
      let host = host((.beat(.source), 1), (.beat(.offset), offset))
      let train = ClockTrain(seconds: 9, jitter: .uniform(0), tempo: { _ in 120 })
      let start = Int(host.frame)
      send(host, started(train))
      let beats = run(host, frames: 8 * 48_000).beats
      for beat in beats.suffix(6) {
        let late = (Double(beat.frame - start) - 480 - Double(offset) * 48)
          .remainder(dividingBy: 24_000)
        #expect(abs(late) <= 1, "\(offset) ms")
      }
    }
  }

  @Test(arguments: [Float(0), 1]) func `a Stop stops the loops, if that is set, and nothing else`(
    stops: Float
  ) {
    let host = host((.beat(.source), 1), (.beat(.stopsLoops), stops))
    host.send(Command(.loop(.record)))
    _ = host.render(Tone.sine(300, frames: 4800), block: Self.block)
    host.send(Command(.loop(.play)))
    let train = ClockTrain(seconds: 8, jitter: .uniform(0), tempo: { _ in 120 })
    send(host, (started(train) + [(96_000, [0xFC])]).sorted { $0.frame < $1.frame })
    _ = run(host, frames: 90_000)
    #expect(host.engine.shared.loops[0].state.read().activity == .playing)
    // The ticks go on.
    let beats = run(host, frames: 90_000).beats
    #expect(host.engine.shared.loops[0].state.read().activity == (stops == 1 ? .stopped : .playing))
    #expect(beats.count >= 3)
  }

  // MARK: - Sending

  @Test func `each tick is on its frame, from a Start on the first beat`() throws {
    let host = host((.beat(.tempo), 133.7), (.beat(.sendsClock), 1))
    _ = run(host, frames: 12_800)
    host.send(Command(.set(.metronome(.on), 1)))
    let start = Int(host.frame)
    let outcome = run(host, frames: 10 * 48_000)
    let (sent, beats) = (outcome.clock, outcome.beats)
    // Before the first beat of the metronome, which starts a bar at once.
    let first = try #require(sent.firstIndex { $0.bytes == [0xFA] })
    #expect(sent[first].frame == beats[0].frame - start)
    #expect(sent[first + 1] == OfflineHost.MIDIMessage(sent[first].frame, [0xF8]))
    let ticks = sent[(first + 1)...]
    #expect(ticks.allSatisfy { $0.bytes == [0xF8] })
    let period = 48_000 * 60 / Double(Float(133.7)) / 24
    for (number, tick) in ticks.enumerated() {
      #expect(tick.frame == sent[first].frame + Int((Double(number) * period).rounded()))
    }
    host.send(Command(.set(.metronome(.on), 0)))
    let end = run(host, frames: 4800).clock
    #expect(end.first?.bytes == [0xFC])
    #expect(end.count { $0.bytes == [0xF8] } >= 5)
  }

  @Test func `within a bar it continues at the Song Position`() throws {
    let host = host((.beat(.tempo), 120), (.metronome(.on), 1))
    // The second beat and a bit.
    _ = run(host, frames: 25_600)
    host.send(Command(.set(.beat(.sendsClock), 1)))
    let start = Int(host.frame)
    let sent = run(host, frames: 48_000).clock
    let place = try #require(sent.firstIndex { $0.bytes[0] == 0xF2 })
    #expect(sent[place + 1].bytes == [0xFB] && sent[place + 2].bytes == [0xF8])
    let sixteenth = Int(sent[place].bytes[1])
    // Sixteenths of 6000 frames.
    let reading = host.engine.shared.latestBeat
    let bar = Int(reading.frame) - (reading.beat - 1) * 24_000
    #expect(abs(start + sent[place].frame - bar - sixteenth * 6000) <= 1)
    #expect(!sent.contains { $0.bytes == [0xFA] })
  }

  @Test func `it is later or earlier by the offset, and no echo of the clock that is received`() {
    for offset in [-12.5, 20] as [Float] {
      let host = host(
        (.beat(.source), 1), (.beat(.sendsClock), 1), (.beat(.clockOffset), offset))
      let train = ClockTrain(seconds: 12, jitter: .uniform(3), tempo: { _ in 120 })
      let first = Int(host.frame)
      send(host, started(train))
      _ = run(host, frames: 8 * 48_000)
      let start = Int(host.frame)
      let ticks = run(host, frames: 3 * 48_000).clock.filter { $0.bytes == [0xF8] }
      #expect((143...145).contains(ticks.count))
      // The received ones are up to 1.5 ms off.
      for (one, next) in zip(ticks, ticks.dropFirst()) {
        #expect(abs(next.frame - one.frame - 1000) < 8)
      }
      let exact = train.exact.map { $0 + Double(offset) * 48 - Double(start - first) }
      for tick in ticks {
        let late = exact.map { Double(tick.frame) - $0 }.min { abs($0) < abs($1) }!
        // 0.3 ms: the uncertainty with such jitter.
        #expect(abs(late) < 15, "\(offset) ms")
      }
    }
  }
}
