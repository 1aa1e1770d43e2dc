import DSP
import Engine
import TestSupport
import Testing

/// Captures, compared bit for bit and to the frame.
@Suite struct CaptureTests {
  private static let blocks = [1, 16, 64, 333, 1024, 3000]

  /// Removes and returns the frames in a ring.
  private func drain(_ ring: CaptureRing) -> (left: [Float], right: [Float]) {
    var (left, right): ([Float], [Float]) = ([], [])
    while ring.take({ sound, frames in
      left += UnsafeBufferPointer(start: sound.left, count: frames)
      right += UnsafeBufferPointer(start: sound.right, count: frames)
    }) {}
    return (left, right)
  }

  // The samples would be too many to print.
  private func expectSame(
    _ a: some Collection<Float>, _ b: some Collection<Float>,
    at location: SourceLocation = #_sourceLocation
  ) {
    let (counts, place) = ([a.count, b.count], Measure.firstDifference(a, b))
    #expect(counts[0] == counts[1] && place == nil, sourceLocation: location)
  }

  private func begin(_ ring: CaptureRing, at frame: Int64 = Command.now) -> Command {
    Command(.capture(ring.pointer), at: frame)
  }

  private func end(at frame: Int64 = Command.now) -> Command {
    Command(.capture(nil), at: frame)
  }

  @Test(arguments: blocks, [CaptureSource.input, .output])
  func `it has the input or output between two frames, bit for bit`(
    block: Int, source: CaptureSource
  ) {
    let host = OfflineHost()
    let ring = CaptureRing(rate: 48_000)
    // The output differs from the input, also after its gain.
    host.send(
      Command(.set(.mixer(.inGain), -6)), Command(.set(.mixer(.outGain), -3)),
      Command(.set(.echo(.time), 0.01)),
      Command(.set(.echo(.on), 1)),
      Command(.set(.capture(.source), source == .input ? 0 : 1)))
    _ = host.render(Tone.constant(0, frames: 48_000), block: 64)
    let start = Int64(host.frame)
    let (left, right) = (
      Tone.noise(frames: 20_000), Tone.noise(amplitude: 0.2, frames: 20_000, seed: 2)
    )
    host.send(begin(ring, at: start + 777))
    host.send(end(at: start + 12_345))
    let output = host.render(left, right: right, block: block)
    #expect(ring.state == .ended && ring.source == source)
    let captured = drain(ring)
    #expect(captured.left.count == 12_345 - 777 && ring.frames == captured.left.count)
    let span = 777..<12_345
    if source == .output {
      expectSame(captured.left, output.left[span])
      expectSame(captured.right, output.right[span])
    } else {
      // The gain has settled, and nothing else is in the signal path.
      let gain = Level.gain(decibels: -6)
      expectSame(captured.left, left[span].map { $0 * gain })
      expectSame(captured.right, right[span].map { $0 * gain })
    }
  }

  @Test func `samples that wrap around the ring are in order`() {
    let host = OfflineHost()
    let ring = CaptureRing(rate: 48_000, capacity: 1000)
    #expect(ring.capacity == 1024)
    host.send(begin(ring))
    let sound = Tone.noise(frames: 100_000)
    var captured: [Float] = []
    for start in stride(from: 0, to: sound.count, by: 1000) {
      _ = host.render(Array(sound[start..<start + 1000]), block: 64)
      captured += drain(ring).left
    }
    #expect(ring.state == .running)
    expectSame(captured, sound)
  }

  @Test(arguments: blocks)
  func `a full ring ends it with the last frame that fits`(block: Int) {
    let host = OfflineHost()
    let ring = CaptureRing(rate: 48_000, capacity: 1024)
    host.send(begin(ring))
    let sound = Tone.noise(frames: 5000)
    let output = host.render(sound, block: block)
    #expect(ring.state == .overrun && ring.hasEnded)
    let captured = drain(ring)
    expectSame(captured.left, sound[..<1024])
    // No event is sent, and another capture can start.
    expectSame(output.left, sound)
    let next = CaptureRing(rate: 48_000, capacity: 1024)
    host.send(begin(next))
    _ = host.render(Array(sound[..<100]), block: block)
    expectSame(drain(next).left, sound[..<100])
    expectSame(drain(ring).left, [])
  }

  @Test func `silence is captured while the engine is idle, and the sound after it`() {
    let host = OfflineHost()
    let ring = CaptureRing(rate: 48_000)
    host.send(begin(ring))
    let sound = Tone.constant(0, frames: 30_000) + Tone.noise(frames: 3000)
    _ = host.render(sound, block: 64)
    expectSame(drain(ring).left, sound)
  }

  @Test func `one ends and the next starts on the same frame`() {
    let host = OfflineHost()
    let (first, second) = (CaptureRing(rate: 48_000), CaptureRing(rate: 48_000))
    let start = Int64(host.frame)
    host.send(begin(first, at: start))
    host.send(end(at: start + 500), begin(second, at: start + 500))
    let sound = Tone.noise(frames: 2000)
    _ = host.render(sound, block: 64)
    expectSame(drain(first).left + drain(second).left, sound)
    #expect(first.state == .ended && second.state == .running)
  }

  @Test func `a second start changes nothing, and does not use its ring`() {
    let host = OfflineHost()
    let (first, second) = (CaptureRing(rate: 48_000), CaptureRing(rate: 48_000))
    host.send(begin(first))
    host.send(begin(second))
    host.send(Command(.sync(0)))
    _ = host.render(Tone.noise(frames: 640), block: 64)
    #expect(host.events().count == 3)
    #expect(first.frames == 640 && first.state == .running)
    #expect(second.frames == 0 && second.state == .waiting)
  }

  @Test func `the format is that at its start`() {
    let host = OfflineHost()
    let (first, second) = (CaptureRing(rate: 48_000), CaptureRing(rate: 48_000))
    host.send(
      Command(.set(.capture(.format), 1)), begin(first), Command(.set(.capture(.format), 0)), end(),
      begin(second))
    _ = host.render(Tone.noise(frames: 64), block: 64)
    #expect(first.isFine && !second.isFine)
  }

  @Test(arguments: blocks)
  func `a change of source crossfades there and back, without a corner`(block: Int) {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.outGain), -20)))
    _ = host.render(Tone.constant(0, frames: 48_000), block: 64)
    let ring = CaptureRing(rate: 48_000)
    let start = Int64(host.frame)
    host.send(begin(ring))
    host.send(Command(.set(.capture(.source), 1), at: start + 4000))
    // Changed back before the crossfade ends.
    host.send(Command(.set(.capture(.source), 0), at: start + 8000))
    host.send(Command(.set(.capture(.source), 1), at: start + 8120))
    let sound = Tone.sine(100, frames: 16_000)
    let output = host.render(sound, block: block)
    let captured = drain(ring).left
    #expect(ring.source == .input)
    expectSame(captured[..<4000], sound[..<4000])
    // 240 frames are five milliseconds.
    expectSame(captured[4240..<8000], output.left[4240..<8000])
    // The first crossfade ends before the one back starts.
    expectSame(captured[8480...], output.left[8480...])
    // The steepest corner of the S-curve over 240 frames, times the difference of 0.45, plus the
    // tone's own.
    let corner = Float(6 * 0.45 / (240 * 240.0)) + Measure.roughness(sound)
    #expect(Measure.roughness(captured) < 1.5 * corner)
  }

  @Test func `at another rate it waits for the right one`() {
    let host = OfflineHost()
    let ring = CaptureRing(rate: 48_000)
    host.send(begin(ring))
    let sound = Tone.noise(frames: 640)
    _ = host.render(sound, block: 64)
    #expect(host.engine.shared.sampleRate == 48_000)
    let other = OfflineHost(takingOver: host.engine, sampleRate: 44_100)
    #expect(host.engine.shared.sampleRate == 44_100)
    _ = other.render(sound + Tone.constant(0, frames: 50_000), block: 64)
    #expect(ring.frames == 640 && ring.state == .running)
    let back = OfflineHost(takingOver: host.engine, sampleRate: 48_000)
    let silent = ring.frames - 640
    _ = back.render(sound, block: 64)
    expectSame(drain(ring).left, sound + Tone.constant(0, frames: silent) + sound)
    back.send(end())
    _ = back.render([0], block: 1)
    #expect(ring.state == .ended)
  }

  @Test func `the result doesn't depend on the block size`() {
    func run(block: Int) -> [Float] {
      let host = OfflineHost()
      let ring = CaptureRing(rate: 48_000)
      let start = Int64(host.frame)
      host.send(Command(.set(.reverb(.on), 1)))
      host.send(Command(.set(.capture(.source), 1), at: start + 10))
      host.send(begin(ring, at: start + 1001))
      host.send(Command(.set(.capture(.source), 0), at: start + 7007))
      host.send(end(at: start + 19_999))
      _ = host.render(Tone.noise(frames: 20_000), block: block)
      return drain(ring).left
    }
    let whole = run(block: 64)
    #expect(whole.count == 18_998)
    for block in [1, 333, 3000] {
      expectSame(run(block: block), whole)
    }
  }

  @Test(arguments: blocks)
  func `the tuner has the input after its gain, during a capture of the output`(block: Int) {
    let host = OfflineHost()
    let (ring, other) = (CaptureRing(rate: 48_000, capacity: 48_000), CaptureRing(rate: 48_000))
    host.send(Command(.set(.mixer(.inGain), -6)), Command(.set(.capture(.source), 1)), begin(other))
    _ = host.render(Tone.constant(0, frames: 48_000), block: 64)
    let (left, right) = (Tone.noise(frames: 9000), Tone.noise(frames: 9000, seed: 2))
    host.send(Command(.captureForTuner(ring.pointer)))
    _ = host.render(left, right: right, block: block)
    // In silence the engine becomes idle, and time advances all the same.
    _ = host.render(Tone.constant(0, frames: 20_000), block: block)
    host.send(Command(.captureForTuner(nil)))
    _ = host.render(left, block: block)
    #expect(ring.state == .ended && ring.source == .input && other.state == .running)
    let heard = drain(ring)
    let gain: Float = 0.501_187_2
    #expect(heard.left.count == 29_000 && Measure.peak(heard.left[9000...]) == 0)
    #expect(zip(heard.left, left).allSatisfy { abs($0 - gain * $1) < 1e-6 })
    #expect(zip(heard.right, right).allSatisfy { abs($0 - gain * $1) < 1e-6 })
  }
}
