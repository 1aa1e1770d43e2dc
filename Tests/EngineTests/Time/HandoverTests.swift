import DSP
import Engine
import TestSupport
import Testing

/// The change to another driver after a time without one, as when a sound card was unplugged.
@Suite struct HandoverTests {
  // At 120 bpm and 48 kHz.
  private static let beat = 24_000
  private static let pulse = 6000
  private static let width = 100

  private static func silence(_ seconds: Double, _ rate: Double) -> [Float] {
    Tone.constant(0, frames: Int(seconds * rate))
  }

  /// A host with a metronome.
  private func host(tempo: Float = 120) -> OfflineHost {
    let host = OfflineHost()
    host.send(
      Command(.set(.mixer(.liveRoute), 2)), Command(.set(.beat(.tempo), tempo)),
      Command(.set(.metronome(.on), 1)))
    _ = host.render(Self.silence(0.1, 48_000), block: 64)
    return host
  }

  /// Records a clip of two beats with a pulse in each.
  private func record(_ host: OfflineHost, frames: Int = 2 * beat, isQuantized: Bool = false) {
    var sound = Tone.constant(0, frames: frames)
    for start in [Self.pulse, frames / 2 + Self.pulse] {
      sound.replaceSubrange(
        start..<start + Self.width, with: Tone.constant(0.5, frames: Self.width))
    }
    if isQuantized { host.send(Command(.set(.loop(.quantize), 1))) }
    host.send(Command(.loop(.recordOn)))
    _ = host.render(sound, block: 64)
    host.send(Command(.loop(.recordOn)))
    _ = host.render(Tone.constant(0, frames: isQuantized ? frames : 3000), block: 64)
    _ = host.events()
  }

  /// The centers of the pulses in a sound, in seconds.
  private func pulses(_ sound: [Float], rate: Double, after start: Double = 0) -> [Double] {
    let gap = Int(0.05 * rate)
    var found: [Double] = []
    var (sum, moment, last) = (0.0, 0.0, Int.min / 2)
    for (frame, sample) in sound.enumerated() where abs(sample) > 0.01 {
      if frame - last > gap, sum > 0 {
        found.append(moment / sum / rate)
        (sum, moment) = (0, 0)
      }
      last = frame
      sum += Double(sample)
      moment += Double(sample) * Double(frame)
    }
    // The last one may be incomplete, as may the first.
    return found.filter { $0 > start + 0.01 }
  }

  /// The starts of the clicks, in seconds.
  private func clicks(_ sound: [Float], rate: Double) -> [Double] {
    let quiet = Int(0.05 * rate)
    var found: [Double] = []
    var last = Int.min / 2
    for (frame, sample) in sound.enumerated() where sample != 0 {
      if frame - last > quiet { found.append(Double(frame) / rate) }
      last = frame
    }
    return found.filter { $0 > 0.05 }
  }

  /// Whether each time is one of the others, within two frames at 44.1 kHz.
  private func expectSame(_ times: [Double], _ others: [Double], _ comment: String) {
    #expect(times.count >= 2, "\(comment): \(times)")
    for time in times {
      let nearest = others.min { abs($0 - time) < abs($1 - time) } ?? .infinity
      let frames = (time - nearest) * 44_100
      #expect(abs(frames) < 2, "\(comment): \(frames) frames, \(times) \(others)")
    }
  }

  @Test(arguments: [44_100.0, 48_000, 96_000], [0.0, 0.3137, 10.1])
  func `loops and beats go on in time, at any rate`(rate: Double, gap: Double) {
    let reference = host()
    let former = host()
    for host in [reference, former] { record(host) }
    let whole = reference.render(Self.silence(gap + 2.6, 48_000), block: 64)
    let later = OfflineHost(takingOver: former, sampleRate: rate, after: gap)
    let output = later.render(Self.silence(2.5, rate), block: 256)
    #expect(later.engine.shared.loops[0].state.read().state == .playing)
    let offset = { (times: [Double]) in times.map { $0 - gap } }
    expectSame(
      pulses(output.loop, rate: rate), offset(pulses(whole.loop, rate: 48_000)), "pulses")
    expectSame(
      clicks(output.click, rate: rate), offset(clicks(whole.click, rate: 48_000)), "clicks")
  }

  @Test(arguments: [44_100.0, 48_000])
  func `a cycle of a fraction of a frame stays on its beat for minutes`(rate: Double) {
    let reference = host(tempo: 97.3)
    let former = host(tempo: 97.3)
    let frames = Int(2 * 60 / 97.3 * 48_000)
    for host in [reference, former] { record(host, frames: frames, isQuantized: true) }
    let gap = 100.2
    let whole = reference.render(Self.silence(gap + 4.1, 48_000), block: 256)
    let later = OfflineHost(takingOver: former, sampleRate: rate, after: gap)
    let output = later.render(Self.silence(4, rate), block: 256)
    let offset = { (times: [Double]) in times.map { $0 - gap } }
    expectSame(
      pulses(output.loop, rate: rate), offset(pulses(whole.loop, rate: 48_000)), "pulses")
    expectSame(
      clicks(output.click, rate: rate), offset(clicks(whole.click, rate: 48_000)), "clicks")
  }

  @Test(arguments: [(-1, 1), (1, 0.5), (-1, 2)] as [(Float, Float)], [44_100.0, 48_000])
  func `so do loops in reverse, and at another speed of the tape`(
    way: (direction: Float, speed: Float), rate: Double
  ) {
    let reference = host()
    let former = host()
    for host in [reference, former] {
      record(host)
      host.send(
        Command(.set(.loop(.direction), way.direction)), Command(.set(.loop(.speed), way.speed)))
      _ = host.render(Self.silence(0.5, 48_000), block: 64)
    }
    let gap = 3.3
    let whole = reference.render(Self.silence(gap + 4.1, 48_000), block: 64)
    let later = OfflineHost(takingOver: former, sampleRate: rate, after: gap)
    let output = later.render(Self.silence(4, rate), block: 64)
    expectSame(
      pulses(output.loop, rate: rate), pulses(whole.loop, rate: 48_000).map { $0 - gap },
      "\(way)")
  }

  @Test(arguments: [44_100.0, 48_000])
  func `a change of the driver drops a queued layer, reports that once, and keeps a queued start`(
    rate: Double
  ) {
    let former = host()
    for index: UInt8 in [0, 1, 2] {
      former.send(
        Command(.set(.loop(.quantize, index), 2)), Command(.loop(.recordOn, loop: index)))
    }
    _ = former.render(Tone.constant(0.25, frames: 110_000), block: 64)
    former.send(Command(.loop(.recordOn, loop: 0)), Command(.loop(.recordOn, loop: 1)))
    _ = former.render(Tone.constant(0.25, frames: 100_000), block: 64)
    former.send(Command(.loop(.stop, loop: 1)))
    _ = former.render(Self.silence(0.1, 48_000), block: 64)
    former.send(Command(.loop(.overdub, loop: 0)), Command(.loop(.play, loop: 1)))
    _ = former.render(Self.silence(0.1, 48_000), block: 64)
    let pending = { (host: OfflineHost) in
      (0..<2).map { host.engine.shared.loops[$0].state.read().pending }
    }
    #expect(pending(former) == [.overdub, .play])
    #expect(former.engine.shared.nextInterrupted() == ([], []))
    let later = OfflineHost(takingOver: former, sampleRate: rate, after: 0.2)
    _ = later.render(Self.silence(0.01, rate), block: 64)
    #expect(pending(later) == [nil, .play])
    #expect(later.engine.shared.nextInterrupted() == ([0], [2]))
    #expect(later.engine.shared.nextInterrupted() == ([], []))
  }

  @Test(arguments: [44_100.0, 48_000])
  func `an overdub is kept up to the end of its driver, and the loop plays on`(rate: Double) {
    let former = host()
    former.send(Command(.set(.metronome(.on), 0)), Command(.loop(.recordOn)))
    _ = former.render(Tone.constant(0.25, frames: 48_000), block: 64)
    former.send(Command(.loop(.recordOn)))
    _ = former.render(Tone.constant(0.25, frames: 4800), block: 64)
    former.send(Command(.loop(.overdub)))
    _ = former.render(Tone.constant(0.25, frames: 24_000), block: 64)
    let later = OfflineHost(takingOver: former, sampleRate: rate, after: 0.2)
    // The loop has played for 0.6 s, and then another 0.2 s.
    let loop = later.render(Self.silence(1.3, rate), block: 64).loop
    let reading = later.engine.shared.loops[0].state.read()
    #expect(reading.state == .playing && !reading.isOverdubbing && reading.stepsBack == 2)
    func level(at place: Double) -> Float {
      loop[Int((place - 0.8 + (place < 0.85 ? 1 : 0)) * rate)]
    }
    #expect(abs(level(at: 0.05) - 0.25) < 0.01, "before the overdub")
    #expect(abs(level(at: 0.2) - 0.5) < 0.01 && abs(level(at: 0.55) - 0.5) < 0.01, "in it")
    #expect(abs(level(at: 0.65) - 0.25) < 0.01 && abs(level(at: 0.95) - 0.25) < 0.01, "after it")
    // The fade at its end has 240 frames.
    #expect(Measure.roughness(loop[1000...]) < 0.25 / 50)
  }

  @Test func `the undo history is converted to another rate`() {
    let former = host()
    former.send(Command(.set(.metronome(.on), 0)), Command(.loop(.recordOn)))
    _ = former.render(Tone.constant(0.25, frames: 24_000), block: 64)
    former.send(Command(.loop(.recordOn)))
    _ = former.render(Tone.constant(0.25, frames: 4800), block: 64)
    for _ in 0..<2 {
      former.send(Command(.loop(.overdub)))
      _ = former.render(Tone.constant(0.125, frames: 24_000), block: 64)
      former.send(Command(.loop(.overdub)))
      _ = former.render(Tone.constant(0, frames: 24_000), block: 64)
    }
    former.send(Command(.loop(.undo)))
    _ = former.render(Tone.constant(0, frames: 4800), block: 64)
    let memory = former.engine.memoryUsage.clips
    let later = OfflineHost(takingOver: former, sampleRate: 96_000, after: 1)
    func level() -> Float { later.render(Self.silence(0.13, 96_000), block: 64).loop.last ?? 0 }
    #expect(abs(level() - 0.375) < 1e-3)
    let reading = later.engine.shared.loops[0].state.read()
    #expect(reading.stepsBack == 2 && reading.stepsForth == 1)
    later.send(Command(.loop(.redo)))
    #expect(abs(level() - 0.5) < 1e-3)
    for expected: Float in [0.375, 0.25] {
      later.send(Command(.loop(.undo)))
      #expect(abs(level() - expected) < 1e-3)
    }
    // Unlike the reserve, the pages are as many as before, with twice as many frames.
    #expect(later.engine.memoryUsage.clips < 3 * memory)
  }

  @Test func `a loop that is stopped or paused stays so, at its position`() {
    for action: LoopAction in [.stop, .pause] {
      let former = host()
      record(former)
      former.send(Command(.loop(action)))
      _ = former.render(Self.silence(0.1, 48_000), block: 64)
      let before = former.engine.shared.loops[0].state.read()
      let later = OfflineHost(takingOver: former, sampleRate: 96_000, after: 5)
      let loop = later.render(Self.silence(1, 96_000), block: 64).loop
      #expect(Measure.peak(loop) == 0)
      let reading = later.engine.shared.loops[0].state.read()
      #expect(reading.state == before.state && reading.position == 2 * before.position)
    }
  }

  @Test(arguments: [48_000.0, 96_000], [true, false])
  func `a scheduled command takes effect at its time`(rate: Double, isReceived: Bool) {
    let former = OfflineHost()
    _ = former.render(Tone.constant(0.5, frames: 4800), block: 64)
    // In a second.
    former.send(Command(.set(.mixer(.liveGain), -90), at: Int64(former.frame) + 48_000))
    if isReceived { _ = former.render(Tone.constant(0.5, frames: 24_000), block: 64) }
    let later = OfflineHost(takingOver: former, sampleRate: rate, after: 0.3)
    let sound = later.render(Tone.constant(0.5, frames: Int(rate)), block: 64).left
    let start = sound.firstIndex { $0 != 0.5 } ?? 0
    #expect(abs(Double(start) / rate - (isReceived ? 0.2 : 0.7)) < 2 / rate, "\(start)")
  }

  @Test(arguments: [48_000.0, 44_100])
  func `a queued start waits for its bar`(rate: Double) {
    let former = host()
    record(former)
    former.send(Command(.loop(.stop)), Command(.set(.loop(.quantize), 2)))
    _ = former.render(Self.silence(0.2, 48_000), block: 64)
    former.send(Command(.loop(.play)))
    _ = former.render(Self.silence(0.05, 48_000), block: 64)
    let later = OfflineHost(takingOver: former, sampleRate: rate, after: 0.1)
    let output = later.render(Self.silence(3, rate), block: 64)
    let starts = clicks(output.click, rate: rate)
    let first = pulses(output.loop, rate: rate).first ?? 0
    let delay = (Double(Self.pulse) + Double(Self.width - 1) / 2) / 48_000
    #expect(starts.contains { abs(first - delay - $0) < 3 / rate }, "\(first) \(starts)")
  }
}
