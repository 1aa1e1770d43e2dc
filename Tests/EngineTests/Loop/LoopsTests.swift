import Engine
import TestSupport
import Testing

/// Several loops: playback of each, and their alignment.
@Suite struct LoopsTests {
  // The length of the tail stored after a clip, and of its crossfades, at 48 kHz.
  private static let seam = 240

  @Test func `each loop plays its own clip on its own stem, and the mix has all of them`() {
    let stage = LoopStage()
    let tones = [400.0, 600, 800, 1200].map { Tone.sine($0, amplitude: 0.1, frames: 4800) }
    for (loop, tone) in tones.enumerated() { stage.record(tone, loop) }
    stage.rest(4800)
    let start = stage.time
    stage.rest(9600)
    for (loop, hertz) in [400.0, 600, 800, 1200].enumerated() {
      #expect(stage.activity(loop) == .playing)
      let stem = Array(stage.stems[loop][start...])
      #expect(abs((Measure.frequency(stem, near: hertz, sampleRate: 48_000) ?? 0) - hertz) < 0.1)
      #expect(stage.reading(loop).length == 4800)
    }
    for frame in stride(from: start, to: stage.time, by: 97) {
      let sum = stage.stems.reduce(0) { $0 + $1[frame] }
      #expect(abs(stage.mix[frame] - sum) < 1e-5)
    }
  }

  @Test(arguments: [1, 64, 1000])
  func `a recording that continues as a loop has no gap at any block size`(block: Int) {
    let tone = Tone.sine(400, frames: 48_000)
    let stage = LoopStage(block: block)
    stage.record(Array(tone[..<12_000]), 2)
    stage.play(Array(tone[12_000...]))
    let difference = zip(stage.stems[2][12_048...], tone[12_048...]).map { $0 - $1 }
    #expect(Measure.peak(difference) < 1e-6)
  }

  @Test(arguments: [(0, LoopActivity.playing), (1, .overdubbing), (2, .stopped)])
  func `the action after a recording can be set`(after: Int, activity: LoopActivity) {
    let stage = LoopStage()
    stage.set(.after, of: 1, Float(after))
    stage.record(Tone.sine(400, frames: 4800), 1)
    stage.rest(64)
    #expect(stage.activity(1) == activity)
  }

  @Test func `play ends a recording and plays it from that frame`() {
    let tone = Tone.sine(400, frames: 24_000)
    let stage = LoopStage()
    stage.send(.record, 0)
    stage.play(Array(tone[..<12_000]))
    stage.send(.play, 0)
    stage.play(Array(tone[12_000...]))
    #expect(stage.activity(0) == .playing && stage.reading(0).length == 12_000)
    let difference = zip(stage.stems[0][12_048...], tone[12_048...]).map { $0 - $1 }
    #expect(Measure.peak(difference) < 1e-6)
  }

  @Test func `loops of one bar and of four stay aligned to the frame for an hour`() {
    // A low rate, to render an hour in seconds. A beat has 4102.56 frames, so no length is a whole
    // number of them.
    let stage = LoopStage(kept: 1, sampleRate: 8000)
    stage.set(.beat(.tempo), 117)
    for loop in 0..<2 { stage.set(.quantize, of: loop, 2) }
    stage.send(.recordOn, 0)
    stage.send(.recordOn, 1)
    // One bar, and four.
    stage.play(Tone.noise(frames: 16_500))
    stage.send(.recordOn, 0)
    stage.play(Tone.noise(frames: 16_411 * 3, seed: 2))
    stage.send(.recordOn, 1)
    while stage.activity(1) == .recording { stage.play(Tone.noise(frames: 640)) }
    let bar = 8000.0 * 60 / 117 * 4
    #expect(stage.activity(0) == .playing && stage.activity(1) == .playing)
    #expect(abs(Double(stage.reading(0).length) - bar) < 1)
    #expect(abs(Double(stage.reading(1).length) - 4 * bar) < 1)
    func difference() -> Double {
      let (short, long) = (stage.reading(0).position, stage.reading(1).position)
      let rest = Double(long).truncatingRemainder(dividingBy: bar) - Double(short)
      return rest > bar / 2 ? rest - bar : rest < -bar / 2 ? rest + bar : rest
    }
    var worst = abs(difference())
    let silence = Tone.constant(0, frames: 80_000)
    // 360 times ten seconds. Whole lengths would drift by half a frame per cycle, 439 in total.
    for _ in 0..<360 {
      _ = stage.host.render(silence, block: 1000)
      _ = stage.host.events()
      worst = max(worst, abs(difference()))
    }
    // The position of each is rounded, and a bar of the long one starts within a frame.
    #expect(worst <= 1.01, "\(worst)")
  }

  @Test func `the first recording sets the tempo, and the others are multiples of its cycle`() {
    let stage = LoopStage()
    stage.set(.beat(.fitsFirst), 1)
    stage.record(Tone.noise(frames: 50_021), 0)
    stage.set(.quantize, of: 1, 3)
    stage.rest(10_000)
    stage.send(.recordOn, 1)
    stage.rest(50_021 * 2)
    stage.send(.recordOn, 1)
    stage.rest(50_021)
    #expect(stage.activity(1) == .playing)
    #expect(stage.reading(1).length == 2 * 50_021)
    let tempo = stage.host.engine.shared.loops[0].state.tempo ?? 0
    #expect(abs(Double(tempo) - 48_000 * 60 * 2 / 50_021) < 0.01)
    #expect(stage.reading(0).position == stage.reading(1).position % 50_021)
  }

  @Test func `a loop that starts on a beat plays from the position of the bar`() {
    let stage = LoopStage()
    stage.set(.quantize, of: 0, 2)
    stage.send(.recordOn, 0)
    stage.rest(24_000 * 4)
    while stage.activity(0) != .recording { stage.rest(64) }
    stage.rest(24_000 * 3)
    stage.send(.recordOn, 0)
    while stage.activity(0) == .recording { stage.rest(64) }
    #expect(stage.reading(0).length == 96_000)
    stage.press(.stop, 0)
    // On the second, third or fourth beat of a bar.
    stage.set(.quantize, of: 0, 1)
    stage.rest(30_000)
    stage.send(.play, 0)
    while stage.activity(0) != .playing { stage.play([0]) }
    let place = stage.reading(0).position
    #expect(place > 0 && (place - 1) % 24_000 == 0, "\(place)")
  }

  @Test func `a muted loop keeps running, and returns at its position`() {
    let tone = Tone.sine(400, frames: 12_000)
    let stage = LoopStage()
    stage.record(tone, 1)
    stage.rest(12_000)
    stage.set(.mute, of: 1, 1)
    stage.rest(6000)
    #expect(stage.activity(1) == .muted)
    #expect(Measure.peak(stage.stems[1][(stage.time - 5000)...]) == 0)
    stage.set(.mute, of: 1, 0)
    stage.rest(6000)
    let start = stage.time - 5000
    let expected = (start..<stage.time).map { tone[$0 % 12_000] }
    #expect(Measure.peak(zip(stage.stems[1][start...], expected).map { $0 - $1 }) < 1e-6)
  }

  @Test func `once plays to the end, and looping resumes after that`() {
    let stage = LoopStage()
    stage.record(Tone.sine(400, frames: 12_000), 0)
    stage.rest(6000)
    stage.send(.once, 0)
    stage.rest(12_000 + 2 * Self.seam)
    #expect(stage.activity(0) == .stopped)
    #expect(Measure.peak(stage.stems[0][(stage.time - Self.seam)...]) == 0)
    stage.send(.play, 0)
    stage.rest(40_000)
    #expect(stage.activity(0) == .playing)
  }

  @Test func `pan attenuates the other channel, also of the stem`() {
    let stage = LoopStage()
    stage.record(Tone.sine(400, amplitude: 0.3, frames: 4800), 0)
    stage.set(.pan, of: 0, 1)
    stage.rest(9600)
    #expect(Measure.peak(stage.stems[0][(stage.time - 4000)...]) < 1e-6)
    stage.set(.pan, of: 0, 0)
    stage.rest(9600)
    #expect(abs(Measure.peak(stage.stems[0][(stage.time - 4000)...]) - 0.3) < 1e-3)
  }

  @Test func `each loop has its own pitch and engine`() {
    let stage = LoopStage()
    stage.record(Tone.sine(400, amplitude: 0.3, frames: 24_000), 3)
    stage.set(.engine, of: 3, 2)
    stage.set(.semitones, of: 3, 12)
    stage.rest(48_000)
    let stem = Array(stage.stems[3][(stage.time - 24_000)...])
    #expect(abs((Measure.frequency(stem, near: 800, sampleRate: 48_000) ?? 0) - 800) < 0.5)
    #expect(Measure.peak(stage.stems[0]) == 0)
  }

  @Test func `when memory is short, undo steps are dropped before anything audible`() {
    // Memory for two clips and ninety seconds: eleven full clips of ten seconds.
    let stage = LoopStage(count: 2, seconds: 10, block: 480)
    stage.record(Tone.noise(frames: 480_000), 0)
    stage.record(Tone.noise(frames: 480_000, seed: 2), 1)
    stage.rest(480)
    for _ in 0..<14 {
      stage.press(.overdub, 0)
      stage.play(Tone.noise(amplitude: 0.01, frames: 490_000))
      stage.press(.overdub, 0)
      stage.rest(4800)
    }
    #expect(stage.reading(0).stepsBack < 14 && stage.reading(0).stepsBack >= 7)
    // Fourteen overdubs after the recording, which is a step, too.
    #expect(stage.host.engine.memoryUsage.droppedSteps == 15 - stage.reading(0).stepsBack)
    #expect(stage.reading(0).length == 480_000 && stage.reading(1).length == 480_000)
    #expect(Measure.peak(stage.stems[1][(stage.time - 4000)...]) > 0.1)
    // The other one can still be recorded again.
    stage.press(.stop, 1)
    stage.record(Tone.noise(frames: 470_000, seed: 5), 1)
    stage.rest(480)
    #expect(stage.reading(1).length == 470_000)
  }

  @Test func `a new layer can be undone although another loop has filled the memory`() {
    let stage = LoopStage(count: 2, seconds: 10, block: 480)
    func overdub(_ loop: Int) {
      stage.press(.overdub, loop)
      stage.play(Tone.noise(amplitude: 0.01, frames: 490_000))
      stage.press(.overdub, loop)
      stage.rest(4800)
    }
    stage.record(Tone.noise(frames: 480_000), 0)
    for _ in 0..<12 { overdub(0) }
    let before = stage.reading(0).stepsBack
    stage.record(Tone.noise(frames: 480_000, seed: 2), 1)
    stage.rest(480)
    for _ in 0..<2 { overdub(1) }
    #expect(stage.reading(1).overdubs == 2)
    for left in [1, 0] {
      stage.press(.undo, 1)
      stage.rest(480)
      #expect(stage.reading(1).overdubs == left)
    }
    #expect(stage.reading(1).length == 480_000)
    #expect(stage.reading(0).stepsBack < before)
  }

  @Test func `a missing loop is refused`() {
    let stage = LoopStage(count: 2)
    #expect(stage.press(.record, 2) == .noSuchLoop)
  }
}
