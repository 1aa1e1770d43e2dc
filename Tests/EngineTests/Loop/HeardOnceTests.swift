import DSP
import Engine
import TestSupport
import Testing

/// Clips that are opened to be heard once.
@Suite struct HeardOnceTests {
  private static let length = 12_000
  // The crossfade after the end of a clip.
  private static let seam = 240

  /// A stage whose first loop has such a clip, stopped, after a recorded one.
  private func stage() -> LoopStage {
    let stage = LoopStage()
    stage.record(Tone.sine(400, amplitude: 0.3, frames: 9600), 0)
    stage.rest(1200)
    stage.press(.stop, 0)
    stage.rest(1200)
    load(stage)
    #expect(stage.reading(0).state == .playReady && stage.reading(0).length == Self.length)
    return stage
  }

  private func load(_ stage: LoopStage, amplitude: Float = 0.6, once: Bool = true) {
    let transfer = ClipTransfer(sampleRate: 48_000)
    transfer.length = Self.length
    transfer.playsOnce = once
    for (frame, sample) in Tone.sine(400, amplitude: amplitude, frames: Self.length).enumerated() {
      transfer.sound.left[frame] = sample
      transfer.sound.right[frame] = sample
    }
    stage.host.send(Command(.load(ClipPointer(transfer))))
    stage.rest(4800)
  }

  private func addLayer(_ stage: LoopStage) {
    stage.press(.play, 0)
    stage.rest(2400)
    stage.press(.overdub, 0)
    stage.rest(4800)
    stage.press(.overdub, 0)
    stage.rest(4800)
  }

  /// The peak at the loop's port over the last frames.
  private func level(_ stage: LoopStage, last frames: Int = 2400) -> Float {
    Measure.peak(stage.stems[0].suffix(frames))
  }

  @Test func `it ends each time it is played, and starts at its beginning`() {
    let stage = stage()
    for _ in 0..<2 {
      let start = stage.time
      stage.send(.play, 0)
      stage.rest(Self.length + 2 * Self.seam)
      #expect(Measure.peak(stage.stems[0][start..<start + 4800]) > 0.55)
      #expect(level(stage, last: Self.seam) == 0)
      #expect(stage.reading(0).state == .playReady)
      stage.rest(3 * Self.length)
      #expect(level(stage, last: 3 * Self.length) == 0)
    }
  }

  @Test(arguments: [0, 1] as [Float])
  func `a loaded clip is never recorded over, and the loop stays usable`(quantize: Float) {
    let stage = LoopStage()
    load(stage, once: false)
    stage.set(.loop(.quantize, 0), quantize)
    stage.send(.play, 0)
    stage.rest(30_000)
    #expect(stage.reading(0).state == .playingLoaded)
    #expect(stage.press(.recordOn, 0) == .meaningless)
    stage.rest(30_000)
    #expect(stage.reading(0).state == .playingLoaded)
    let copy = ClipTransfer(sampleRate: 48_000)
    stage.host.send(Command(.copyOut(ClipPointer(copy))))
    stage.rest(4800)
    #expect(copy.length == Self.length)
  }

  @Test
  func `a recording that waits for the beat does not begin over a clip that was loaded meanwhile`()
  {
    let stage = LoopStage()
    stage.record(Tone.noise(frames: 48_000), 0)
    stage.set(.loop(.quantize, 0), 2)
    stage.rest(1000)
    stage.send(.recordOn, 0)
    load(stage, once: false)
    stage.rest(4 * 96_000)
    #expect(stage.reading(0).state.isRecording == false)
    let copy = ClipTransfer(sampleRate: 48_000)
    stage.host.send(Command(.copyOut(ClipPointer(copy))))
    stage.rest(9600)
    #expect(copy.length == Self.length)
  }

  @Test func `play pauses it, and it ends after it has resumed`() {
    let stage = stage()
    stage.send(.play, 0)
    stage.rest(6000)
    #expect(stage.press(.play, 0) == nil)
    #expect(stage.reading(0).state == .pausedLoaded)
    stage.rest(2 * Self.length)
    #expect(level(stage) == 0)
    stage.send(.play, 0)
    stage.rest(3000)
    #expect(level(stage, last: 1200) > 0.55)
    stage.rest(4800)
    #expect(stage.reading(0).state == .playReady)
  }

  @Test func `with quantization it starts on a beat, but at its beginning`() {
    let stage = stage()
    stage.set(.quantize, of: 0, 1)
    stage.rest(10_000)
    stage.send(.play, 0)
    // On another beat than the first of a bar, too.
    for _ in 0..<3 {
      while stage.activity(0) != .playing { stage.play([0]) }
      #expect(stage.reading(0).position <= 1)
      stage.rest(Self.length + 2 * Self.seam)
      #expect(stage.activity(0) == .stopped)
      stage.send(.play, 0)
    }
  }

  @Test func `an overdub makes it a loop`() {
    let stage = stage()
    stage.send(.play, 0)
    stage.rest(2400)
    stage.send(.overdub, 0)
    stage.rest(4800)
    stage.send(.overdub, 0)
    stage.rest(3 * Self.length)
    #expect(stage.activity(0) == .playing && level(stage) > 0.55)
    stage.press(.stop, 0)
    stage.send(.play, 0)
    stage.rest(3 * Self.length)
    #expect(stage.activity(0) == .playing)
  }

  @Test func `the loop before it repeats after an undo, and it ends again after a redo`() {
    let stage = stage()
    stage.send(.play, 0)
    stage.rest(2400)
    stage.send(.undo, 0)
    stage.rest(3 * Self.length)
    #expect(stage.activity(0) == .playing && level(stage) > 0.25 && level(stage) < 0.35)
    stage.send(.redo, 0)
    stage.rest(Self.length + 2 * Self.seam)
    #expect(stage.activity(0) == .stopped)
  }

  @Test func `one after another leaves the recording one undo away`() {
    let stage = stage()
    let steps = stage.reading(0).stepsBack
    for amplitude: Float in [0.5, 0.8, 0.7] {
      // Also while the one before plays.
      stage.send(.play, 0)
      stage.rest(2400)
      load(stage, amplitude: amplitude)
    }
    #expect(stage.reading(0).stepsBack == steps)
    stage.press(.play, 0)
    stage.rest(4800)
    #expect(level(stage) > 0.65 && level(stage) < 0.75)
    stage.press(.undo, 0)
    stage.rest(3 * Self.length)
    #expect(level(stage) > 0.25 && level(stage) < 0.35)
    #expect(stage.reading(0).stepsForth == 1)
  }

  @Test func `back closes it and leads to the recording, once, and only from it`() {
    let stage = stage()
    let steps = stage.reading(0).stepsBack
    load(stage, amplitude: 0.8)
    stage.press(.play, 0)
    stage.rest(2400)
    // As from two surfaces.
    for _ in 0..<2 {
      #expect(stage.press(.back, 0) == nil)
      stage.rest(1000)
      #expect(stage.reading(0).state == .standby && stage.reading(0).length == 9600)
      #expect(stage.reading(0).stepsBack == steps - 1 && level(stage, last: 64) == 0)
    }
    stage.press(.redo, 0)
    #expect(stage.press(.back, 0) == nil)
    #expect(stage.reading(0).length == 9600)
    // A layer makes it a clip of one's own.
    stage.press(.redo, 0)
    addLayer(stage)
    stage.press(.back, 0)
    #expect(stage.reading(0).length == Self.length)
  }

  @Test func `with an overdub, and loaded as a loop, it is a step of its own`() {
    let stage = stage()
    let steps = stage.reading(0).stepsBack
    addLayer(stage)
    #expect(stage.reading(0).stepsBack == steps + 1)
    load(stage)
    #expect(stage.reading(0).stepsBack == steps + 2)
    load(stage, once: false)
    #expect(stage.reading(0).stepsBack == steps + 3)
    load(stage)
    #expect(stage.reading(0).stepsBack == steps + 4)
  }

  @Test func `a recording that replaces it repeats`() {
    let stage = stage()
    stage.send(.play, 0)
    stage.rest(2400)
    // Paused, it is not recorded over, until it is closed.
    stage.send(.play, 0)
    stage.rest(2400)
    stage.send(.play, 0)
    stage.rest(2400)
    _ = stage.host.events()
    stage.send(.record, 0)
    stage.rest(64)
    #expect(stage.refusal == .meaningless)
    stage.send(.done, 0)
    stage.send(.record, 0)
    stage.play(Tone.sine(400, amplitude: 0.4, frames: 4800))
    stage.send(.play, 0)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && level(stage) > 0.35)
  }

  @Test func `it ends on a server at another rate, too`() {
    let stage = stage()
    let other = OfflineHost(takingOver: stage.host.engine, sampleRate: 44_100)
    other.send(Command(.loop(.play)))
    let sound = other.render(Tone.constant(0, frames: 44_100), block: 64).loop
    #expect(Measure.peak(sound.prefix(8000)) > 0.55)
    #expect(Measure.peak(sound.suffix(22_050)) == 0)
    #expect(other.engine.shared.loops[0].state.read().state == .playReady)
  }
}
