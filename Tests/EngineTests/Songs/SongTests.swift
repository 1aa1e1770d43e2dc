import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// Songs in the engine: samples through the ring, to the frame.
@Suite struct SongTests {
  /// A host with a song, whose ring it retains.
  private final class Stage {
    let host: OfflineHost
    private(set) var mix: [Float] = []
    private var rings: [SongRing] = []
    let block: Int

    init(block: Int = 64, sampleRate: Double = 48_000) {
      self.block = block
      host = OfflineHost(sampleRate: sampleRate)
    }

    func set(_ parameter: Parameter, _ value: Float) {
      host.send(Command(.set(parameter, value)))
      _ = host.render(Tone.constant(0, frames: 64), block: 64)
    }

    /// Sends all of a song, or its beginning.
    @discardableResult
    func play(_ samples: [Float], isWhole: Bool = true, seconds: Double = 20) -> SongRing {
      let ring = SongRing(seconds: seconds, sampleRate: 48_000)
      SongTests.fill(ring, samples)
      if isWhole { ring.end() }
      rings.append(ring)
      host.send(Command(.playSong(ring.pointer)))
      return ring
    }

    func stop() { host.send(Command(.playSong(nil))) }

    /// Renders silence.
    func pass(_ frames: Int) {
      mix += host.render(Tone.constant(0, frames: frames), block: block).left
    }

    /// The results of the commands.
    var outcomes: [EngineRefusal?] {
      host.events().compactMap { event in
        switch event.kind {
        case .done: .some(nil)
        case .refused(let refusal): .some(refusal)
        default: nil
        }
      }
    }
  }

  private static func fill(_ ring: SongRing, _ samples: [Float]) {
    var copy = samples
    copy.withUnsafeMutableBufferPointer {
      ring.write(Stereo($0.baseAddress!, $0.baseAddress!), frames: $0.count)
    }
  }

  /// The greatest second difference of a tone.
  ///
  /// That of a sound without clicks is less than twice as large.
  private static func bend(_ hertz: Double) -> Float {
    Measure.roughness(Tone.sine(hertz, frames: 4800))
  }

  @Test(arguments: [1, 64, 333, 2048], [Float(0), 1])
  func `a song plays bit for bit, from its first frame to its last`(block: Int, route: Float) {
    let song = Tone.noise(frames: 30_000)
    let stage = Stage(block: block)
    stage.set(.mixer(.musicRoute), route)
    // The fade of the route has ended: silent sources reach their targets at once.
    stage.pass(9600)
    let ring = stage.play(song)
    stage.pass(40_000)
    let played = Array(stage.mix[9600...])
    #expect(Measure.firstDifference(played[..<30_000], song) == nil)
    #expect(Measure.peak(played[30_000...]) == 0)
    #expect(ring.isOver && ring.framesRead == 30_000 && ring.waits == 0)
    #expect(stage.outcomes == [nil])
  }

  @Test func `on the route off it is silent, but continues`() {
    let stage = Stage()
    stage.set(.mixer(.musicRoute), 2)
    stage.pass(9600)
    let ring = stage.play(Tone.sine(440, frames: 48_000))
    stage.pass(24_000)
    #expect(Measure.peak(stage.mix) == 0)
    #expect(abs(ring.framesRead - 24_000) < 500)
  }

  @Test func `the gain and the route change without a click`() {
    let stage = Stage()
    stage.play(Tone.sine(200, frames: 200_000))
    stage.pass(9600)
    for (parameter, value) in [
      (Parameter.mixer(.musicGain), Float(-12)), (.mixer(.musicGain), 0), (.mixer(.musicRoute), 1),
      (.mixer(.musicRoute), 2),
      (.mixer(.musicRoute), 0),
    ] {
      stage.host.send(Command(.set(parameter, value)))
      stage.pass(9600)
    }
    #expect(Measure.roughness(stage.mix) < 2 * Self.bend(200))
    #expect(Measure.peak(stage.mix[20_000..<28_800]) > 0.45)
    #expect(Measure.peak(stage.mix[45_000..<48_000]) == 0)
  }

  @Test(arguments: [1, 64, 1000])
  func `stop and another song fade out in 5 ms, and report when the ring is released`(block: Int) {
    let stage = Stage(block: block)
    // Both start, and are stopped, at a crest.
    let song = (0..<96_000).map { Float(0.5 * cos(2 * .pi * 200 * Double($0) / 48_000)) }
    let fading = Array(song[..<48].enumerated().map { Float($0) / 48 * $1 }) + song[48...]
    let first = stage.play(fading)
    stage.pass(12_000)
    #expect(stage.outcomes == [nil])
    stage.play(fading)
    stage.pass(block)
    // Still fading if the block is short.
    #expect(stage.outcomes == (block < 240 ? [] : [nil]))
    stage.pass(12_000 - block)
    #expect(stage.outcomes == (block < 240 ? [nil] : []))
    let read = first.framesRead
    stage.stop()
    stage.pass(12_000)
    #expect(stage.outcomes == [nil])
    #expect(first.framesRead == read)
    // 5 ms, and the rest of the block in which that ends.
    let end = 24_000 + 240 + block
    #expect(Measure.peak(stage.mix[(24_000 + 200)..<24_240]) < 0.05)
    #expect(Measure.peak(stage.mix[end...]) == 0)
    // The rise of 48 frames is part of the song, and has the greatest second difference. That of a
    // click from a crest would be 0.5.
    #expect(Measure.roughness(stage.mix) < 0.04)
  }

  @Test func `a change during another one is refused, and the first one is made`() {
    let stage = Stage()
    stage.play(Tone.sine(200, frames: 96_000))
    stage.pass(9600)
    _ = stage.outcomes
    stage.play(Tone.sine(300, frames: 96_000))
    stage.play(Tone.sine(500, frames: 96_000))
    stage.pass(9600)
    #expect(stage.outcomes == [.transferring, nil])
    #expect(Measure.residue(stage.mix[14_400...], hertz: 300, sampleRate: 48_000) < -100)
  }

  @Test(arguments: [Float(0.25), 0.5, 2, 4], [Float(0), 1, 2])
  func `a rate changes the length and keeps the pitch`(rate: Float, engine: Float) {
    let stage = Stage()
    stage.set(.warp(.engine), engine)
    stage.set(.warp(.rate), rate)
    let frames = 96_000
    let ring = stage.play(Tone.sine(441, frames: frames))
    let expected = Int(Float(frames) / rate)
    stage.pass(expected + 40_000)
    // Measured in the steady part. Engines that preserve formants, or stretch chords fourfold,
    // degrade the purity of a tone a little.
    let middle = stage.mix[(expected / 4)..<(expected * 3 / 4)]
    #expect(
      Measure.residue(middle.prefix(12_000), hertz: 441, sampleRate: 48_000)
        < (engine == 0 ? -45 : -25))
    // The expected length, except for the latency of the engine: up to 52 ms, and at rate 0.25 the
    // length of its window in slow motion.
    let end = stage.mix.lastIndex { abs($0) > 0.05 } ?? 0
    #expect(abs(end - expected) < 9600)
    #expect(ring.isOver && ring.waits == 0)
    #expect(Measure.peak(stage.mix.suffix(2000)) == 0)
  }

  @Test(arguments: [Float(90), 120, 180])
  func `where asked, a song is played at the speed of the tempo and at its own pitch`(tempo: Float)
  {
    let stage = Stage()
    stage.set(.mixer(.musicTempo), 120)
    stage.set(.beat(.tempo), tempo)
    let frames = 192_000
    let song = Tone.sine(441, frames: frames)
    stage.play(song)
    stage.pass(frames + 9600)
    // Not asked, it plays bit for bit.
    #expect(Measure.firstDifference(stage.mix[..<frames], song) == nil)
    stage.set(.mixer(.musicFollow), 1)
    let start = stage.mix.count
    let ring = stage.play(song)
    let expected = frames * 120 / Int(tempo)
    stage.pass(expected + 20_000)
    let played = stage.mix[start...]
    // At the tempo of the song, too, it plays bit for bit.
    if tempo == 120 { #expect(Measure.firstDifference(played.prefix(frames), song) == nil) }
    // A stretched tone has a residue of -25 dB at most in the engine for chords.
    let middle = played.dropFirst(expected / 4).prefix(24_000)
    #expect(Measure.residue(middle, hertz: 441, sampleRate: 48_000) < -25)
    // The latency of that engine is 52 ms at most, in slow motion.
    let end = (played.lastIndex { abs($0) > 0.05 } ?? 0) - start
    #expect(Double(abs(end - expected)) < 0.052 * 48_000 * max(1, 120 / Double(tempo)))
    #expect(ring.isOver && ring.waits == 0)
  }

  @Test func `a song follows changes of the tempo without a click`() {
    let stage = Stage()
    stage.set(.mixer(.musicTempo), 120)
    stage.set(.mixer(.musicFollow), 1)
    let ring = stage.play(Tone.sine(200, frames: 960_000))
    var read = ring.framesRead
    for (tempo, speed) in [(Float(120), 1.0), (126, 1.05), (90, 0.75), (120, 1)] {
      stage.host.send(Command(.set(.beat(.tempo), tempo)))
      // The engine ends half a second after the song is in time, and what it has read ahead is read again.
      stage.pass(48_000)
      read = ring.framesRead
      stage.pass(48_000)
      #expect(abs(Double(ring.framesRead - read) - 48_000 * speed) < 500)
    }
    // A click would have the amplitude of the tone. Engines crossfade in different phases.
    #expect(Measure.roughness(stage.mix[4800...]) < 0.02)
    #expect(ring.waits == 0)
  }

  @Test func `a song that follows the tempo is not late by the engine's delay, and skips nothing`()
  {
    let stage = Stage()
    stage.set(.mixer(.musicTempo), 120)
    stage.set(.mixer(.musicFollow), 1)
    stage.pass(9600)
    // A pulse in the middle of each half of a beat.
    var song = Tone.constant(0, frames: 1_200_000)
    for start in stride(from: 5928, to: song.count - 144, by: 12_000) {
      for (index, value) in PulseLoop.sound.enumerated() { song[start + index] = value }
    }
    stage.play(song, seconds: 30)
    // The frame of the song that is due at the present one.
    var (due, place) = ([Double](), 0.0)
    let first = stage.mix.count
    for (tempo, frames) in [
      (Float(120), 64_000), (130, 128_000), (120, 96_000), (120.2, 96_000), (121, 96_000),
      (100, 128_000), (120, 192_000),
    ] {
      stage.host.send(Command(.set(.beat(.tempo), tempo)))
      stage.pass(frames)
      for _ in 0..<frames {
        due.append(place)
        place += Double(tempo) / 120
      }
    }
    var late: [Double] = []
    for number in 0..<Int(place / 12_000) {
      let wanted = Double(12_000 * number + 6000)
      guard let frame = due.firstIndex(where: { $0 >= wanted }), frame + 3000 < due.count else {
        break
      }
      let found = PulseLoop.find(
        in: stage.mix, around: Double(first + frame) - (due[frame] - wanted), way: 3000)
      late.append(found.late)
      #expect(found.stray < 0.1, "\(number)")
    }
    #expect(late.count > 60)
    #expect(late.allSatisfy { abs($0) < 2.5 }, "\(late)")
    // An engine that sets in, or ends, may find its first grain a millisecond off.
    #expect(zip(late, late.dropFirst()).allSatisfy { abs($0 - $1) < 1.5 }, "\(late)")
    // At its own tempo again, it is passed.
    let end = stage.mix.suffix(48_000)
    let peak = end.indices.first { abs(stage.mix[$0]) == Measure.peak(song) } ?? 0
    let start = peak - (PulseLoop.sound.firstIndex { abs($0) == Measure.peak(song) } ?? 0)
    #expect(Array(stage.mix[start..<start + 144]) == PulseLoop.sound)
  }

  @Test func `the chain's pitch applies to a song on the route chain, and not on bypass`() {
    let stage = Stage()
    stage.set(.warp(.semitones), 12)
    let song = Tone.sine(220, frames: 400_000)
    stage.play(song)
    stage.pass(48_000)
    #expect(Measure.residue(stage.mix[24_000...], hertz: 440, sampleRate: 48_000) < -60)
    stage.set(.mixer(.musicRoute), 1)
    stage.pass(48_000)
    #expect(Measure.residue(stage.mix[72_000...], hertz: 220, sampleRate: 48_000) < -100)
    stage.set(.mixer(.musicRoute), 0)
    stage.pass(48_000)
    #expect(Measure.residue(stage.mix[120_000...], hertz: 440, sampleRate: 48_000) < -60)
    stage.set(.mixer(.bypass), 1)
    stage.pass(48_000)
    #expect(Measure.residue(stage.mix[168_000...], hertz: 220, sampleRate: 48_000) < -100)
  }

  @Test(arguments: [Float(0.5), 1, 4], [Float(0), 2])
  func `a disk that is too slow causes a pause without a click, and is counted`(
    rate: Float, engine: Float
  ) {
    let stage = Stage()
    stage.set(.warp(.engine), engine)
    stage.set(.warp(.rate), rate)
    let song = Tone.sine(200, frames: 400_000)
    let ring = stage.play(Array(song[..<100_000]), isWhole: false)
    stage.pass(Int(100_000 / rate) + 9600)
    #expect(ring.waits == 1 && ring.isWaitedFor)
    #expect(Measure.peak(stage.mix.suffix(4800)) == 0)
    // A few frames are not enough to continue.
    Self.fill(ring, Array(song[100_000..<110_000]))
    stage.pass(4800)
    #expect(ring.isWaitedFor && Measure.peak(stage.mix.suffix(4800)) == 0)
    Self.fill(ring, Array(song[110_000..<300_000]))
    let pause = stage.mix.count
    stage.pass(24_000)
    #expect(!ring.isWaitedFor && ring.waits == 1)
    #expect(Measure.peak(stage.mix[(pause + 9600)...]) > 0.4)
    // Except for jumps of the pitch engines, the second difference of a click would be the
    // amplitude of the tone. At four times the rate the rise on the tape is faster, too: 60 frames.
    #expect(Measure.roughness(stage.mix[4800...]) < 0.02)
  }

  @Test func `the engine is idle after the end, and after a stop`() {
    let stage = Stage()
    // When idle, it does not publish the limiter's reduction either.
    func isAwake() -> Bool {
      _ = stage.host.engine.shared.meters.collect(.limiter)
      stage.pass(4800)
      return stage.host.engine.shared.meters.collect(.limiter) > 0
    }
    stage.pass(9600)
    #expect(!isAwake())
    let ring = stage.play(Tone.sine(200, frames: 48_000))
    #expect(isAwake())
    stage.pass(96_000)
    #expect(ring.isOver && !isAwake())
    stage.play(Tone.sine(200, frames: 480_000))
    #expect(isAwake())
    stage.stop()
    stage.pass(9600)
    #expect(!isAwake())
    // An underrun is taken into account.
    stage.play(Tone.sine(200, frames: 4800), isWhole: false)
    stage.pass(9600)
    #expect(isAwake())
    #expect(stage.outcomes == [nil, nil, nil, nil])
  }

  @Test func `a server at another rate releases the song, and refuses one at the previous rate`() {
    let stage = Stage()
    let ring = stage.play(Tone.sine(200, frames: 96_000))
    stage.pass(9600)
    _ = stage.outcomes
    let later = OfflineHost(takingOver: stage.host.engine, sampleRate: 44_100)
    let read = ring.framesRead
    let output = later.render(Tone.constant(0, frames: 9600), block: 64)
    #expect(Measure.peak(output.left) == 0 && ring.framesRead == read)
    later.send(Command(.playSong(ring.pointer)))
    _ = later.render([0], block: 1)
    let refusals = later.events().compactMap { event -> EngineRefusal? in
      if case .refused(let refusal) = event.kind { refusal } else { nil }
    }
    #expect(refusals == [.otherRate])
  }

  @Test func `a change that is pending while the rate changes is answered`() {
    let stage = Stage()
    stage.play(Tone.sine(200, frames: 96_000))
    stage.pass(9600)
    _ = stage.outcomes
    stage.play(Tone.sine(300, frames: 96_000))
    stage.pass(64)
    #expect(stage.outcomes.isEmpty)
    _ = OfflineHost(takingOver: stage.host.engine, sampleRate: 44_100)
    #expect(stage.outcomes == [.otherRate])
  }

  @Test(arguments: [Float(0), 1, 2])
  func `the output doesn't depend on the block size`(engine: Float) {
    func run(_ block: Int) -> [Float] {
      let stage = Stage(block: block)
      stage.set(.warp(.engine), engine)
      stage.set(.warp(.rate), 0.8)
      stage.set(.warp(.semitones), 3)
      stage.play(Tone.noise(frames: 48_000))
      stage.pass(64_000)
      return stage.mix
    }
    #expect(Measure.firstDifference(run(64), run(1000)) == nil)
  }
}
