import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// Loop 1 in the engine: recording, playback and overdubs, to the frame.
@Suite struct LoopTests {
  /// The length of the tail stored after a clip, and of its crossfades, at 48 kHz.
  private static let seam = 240

  private final class Stage {
    let host: OfflineHost
    private(set) var loop: [Float] = []
    private(set) var played: [Float] = []
    private(set) var mix: [Float] = []
    let block: Int

    init(block: Int = 64, sampleRate: Double = 48_000) {
      self.block = block
      host = OfflineHost(sampleRate: sampleRate)
    }

    var state: LoopState { host.engine.shared.loops[0].state.read().state }

    func set(_ parameter: Parameter, _ value: Float) {
      host.send(Command(.set(parameter, value)))
    }

    /// Sends actions, renders one frame, and returns the result of each.
    @discardableResult
    func press(_ actions: LoopAction...) -> [EngineRefusal?] {
      for action in actions { host.send(Command(.loop(action))) }
      play([0])
      return host.events().compactMap { event in
        switch event.kind {
        case .done: .some(nil)
        case .refused(let refusal): .some(refusal)
        default: nil
        }
      }
    }

    /// Renders input.
    ///
    /// Actions sent before take effect on its first frame.
    func play(_ sound: [Float]) {
      let output = host.render(sound, block: block)
      played += sound
      loop += output.loop
      mix += output.left
    }
  }

  /// A stage with a recorded loop, of which only the stem is compared.
  private func stage(
    recording clip: [Float], followedBy rest: [Float], block: Int = 64
  ) -> Stage {
    let stage = Stage(block: block)
    stage.set(.mixer(.liveRoute), 2)
    stage.host.send(Command(.loop(.record)))
    stage.play(clip)
    stage.host.send(Command(.loop(.stop)))
    stage.play(rest)
    _ = stage.host.events()
    return stage
  }

  @Test(arguments: [1, 64, 1000])
  func `playback equals the recording, from its first frame to its last`(block: Int) {
    let clip = Tone.noise(frames: 5000)
    let stage = stage(
      recording: clip, followedBy: Tone.constant(0, frames: 1000), block: block)
    #expect(stage.state == .standby)
    stage.set(.loop(.loop), 0)
    stage.host.send(Command(.loop(.play)))
    stage.play(Tone.constant(0, frames: 8000))
    let played = Array(stage.loop[6000...])
    // It fades in within a millisecond.
    #expect(Measure.firstDifference(played[48..<5000], clip[48..<5000]) == nil)
    #expect(abs(played[0]) < 1e-3)
    // Then the tail after its end fades out.
    #expect(Measure.peak(played[(5000 + Self.seam)...]) == 0)
    #expect(stage.state == .standby)
  }

  @Test(arguments: [1, 64, 777])
  func `there is no gap from recording to playing, and no step at the loop crossfade`(block: Int) {
    // A hundred periods of a tone, whose continuation the loop must match.
    let tone = Tone.sine(400, frames: 48_000)
    let stage = Stage(block: block)
    stage.set(.mixer(.liveRoute), 2)
    stage.host.send(Command(.loop(.record)))
    stage.play(Array(tone[..<12_000]))
    stage.host.send(Command(.loop(.stop)), Command(.loop(.play)))
    stage.play(Array(tone[12_000...]))
    // Three cycles. Except for its fade-in, the loop equals the tone within the precision of the
    // tone itself.
    let difference = zip(stage.loop[12_048...], tone[12_048...]).map { $0 - $1 }
    #expect(Measure.peak(difference) < 1e-6)
  }

  @Test func `a loop crossfade between different sounds does not click`() {
    // It ends on a crest, and starts in a trough.
    let clip = (0..<10_000).map { Float(-cos(Double($0) * 2 * .pi * 100.5 / 10_000)) * 0.5 }
    let stage = stage(recording: clip, followedBy: Tone.constant(0, frames: 0))
    stage.host.send(Command(.loop(.play)))
    stage.play(Tone.constant(0.5, frames: 40_000))
    let steady = Measure.roughness(clip)
    #expect(Measure.roughness(Array(stage.loop[11_000...])) < 4 * steady)
  }

  @Test func `an overdub is audible from the next cycle on, and undone and redone bit for bit`() {
    let clip = Tone.noise(amplitude: 0.25, frames: 9600)
    let stage = stage(recording: clip + clip[..<0], followedBy: Array(clip[..<480]))
    stage.host.send(Command(.loop(.play)))
    stage.play(Tone.constant(0, frames: 9600))
    let before = Array(stage.loop.suffix(9600))
    let addition = Tone.sine(441, frames: 9600).map { $0 * 0.1 }
    stage.host.send(Command(.loop(.overdub)))
    stage.play(addition)
    stage.host.send(Command(.loop(.overdub)))
    stage.play(Tone.constant(0, frames: 9600))
    let after = Array(stage.loop.suffix(9600))
    // Outside the fades the loop is the sum.
    let difference = (300..<9300).map { after[$0] - before[$0] - addition[$0] }
    #expect(Measure.peak(difference) < 1e-6)
    #expect(stage.host.engine.shared.loops[0].state.read().overdubs == 1)
    stage.host.send(Command(.loop(.undo)))
    stage.play(Tone.constant(0, frames: 19_200))
    #expect(Measure.firstDifference(stage.loop.suffix(9600), clip[...]) == nil)
    stage.host.send(Command(.loop(.redo)))
    stage.play(Tone.constant(0, frames: 19_200))
    #expect(Measure.firstDifference(stage.loop.suffix(9600), after[...]) == nil)
  }

  @Test func `latency is compensated in recordings and overdubs`() {
    let clip = Tone.noise(amplitude: 0.25, frames: 9600)
    let stage = Stage()
    stage.set(.mixer(.liveRoute), 2)
    stage.host.engine.shared.setInputDelay(300)
    stage.host.engine.shared.setOutputDelay(500)
    stage.host.send(Command(.loop(.record)))
    // Input played on the first frame arrives 300 frames later.
    stage.play(Tone.constant(0, frames: 300) + Array(clip[..<9300]))
    stage.host.send(Command(.loop(.stop)), Command(.loop(.play)))
    stage.play(Array(clip[9300...]) + Array(clip[..<240]) + Tone.constant(0, frames: 9060))
    #expect(Measure.firstDifference(stage.loop[(9600 + 48)...], clip[48...]) == nil)
    // The performer hears the loop 500 frames late, and is recorded 300 frames late.
    let addition = Tone.sine(441, frames: 4800).map { $0 * 0.1 }
    stage.host.send(Command(.loop(.overdub)))
    stage.play(Tone.constant(0, frames: 800) + addition + Tone.constant(0, frames: 4000))
    stage.play(Tone.constant(0, frames: 9600))
    let added = stage.loop.suffix(9600)
    let difference = zip(added, clip).map { $0 - $1 }
    let expected = addition[300..<4800]
    let residue = zip(difference[300..<4800], expected).map { abs($0 - $1) }.max()!
    #expect(residue < 1e-6)
  }

  @Test(arguments: [0, 1, 63, 1440], [(0, 0), (1024, 2048)])
  func `two overdub presses in quick succession are one step, which undo removes`(
    gap: Int, delays: (input: Int, output: Int)
  ) {
    for pause in [0, 100, 9600] {
      let stage = Stage()
      stage.host.engine.shared.setInputDelay(delays.input)
      stage.host.engine.shared.setOutputDelay(delays.output)
      stage.set(.mixer(.liveRoute), 2)
      stage.host.send(Command(.loop(.record)))
      stage.play(Tone.noise(frames: 24_000))
      stage.host.send(Command(.loop(.stop)), Command(.loop(.play)))
      stage.play(Tone.noise(frames: 9600))
      var reading: PublishedLoop.Reading { stage.host.engine.shared.loops[0].state.read() }
      func pressTwice() {
        let start = Int64(stage.host.frame)
        stage.host.send(
          Command(.loop(.overdub), at: start), Command(.loop(.overdub), at: start + Int64(gap)))
        stage.play(Tone.noise(frames: gap + 1 + pause))
      }
      pressTwice()
      _ = stage.host.events()
      #expect(stage.press(.undo) == [nil])
      stage.play(Tone.constant(0, frames: 9600))
      #expect(reading.length == 24_000 && reading.state == .playing)
      #expect(reading.stepsBack == 1 && reading.overdubs == 0)
      // Without undo it is one step, and the layer before it is unchanged.
      pressTwice()
      stage.play(Tone.constant(0, frames: 9600))
      #expect(reading.stepsBack == 2 && reading.overdubs == 1)
      pressTwice()
      _ = stage.host.events()
      #expect(stage.press(.undo) == [nil])
      stage.play(Tone.constant(0, frames: 9600))
      #expect(reading.stepsBack == 2 && reading.overdubs == 1)
    }
  }

  @Test func `eight full overdubs can be undone and redone`() {
    // The lowest rate, for the shortest rendering of ten seconds.
    let stage = Stage(block: 1024, sampleRate: 8000)
    stage.set(.mixer(.liveRoute), 2)
    let clip = Tone.noise(amplitude: 0.1, frames: 80_000)
    stage.host.send(Command(.loop(.record)))
    stage.play(clip + Array(clip[..<480]))
    #expect(stage.state == .standby, "the recording ended on its own at ten seconds")
    stage.host.send(Command(.loop(.play)))
    for _ in 0..<8 {
      stage.host.send(Command(.loop(.overdub)))
      stage.play(Tone.constant(0.01, frames: 80_000))
      stage.host.send(Command(.loop(.overdub)))
      // Until its fade-out has ended.
      stage.play(Tone.constant(0, frames: 2048))
    }
    _ = stage.host.events()
    #expect(stage.host.engine.shared.loops[0].state.read().overdubs == 8)
    for _ in 0..<8 { #expect(stage.press(.undo) == [nil]) }
    stage.play(Tone.constant(0, frames: 80_000))
    // Its position is taken from the published state.
    let position = stage.host.engine.shared.loops[0].state.read().position
    let rest = (0..<1000).map { clip[(position + 79_000 + $0) % 80_000] }
    #expect(Measure.firstDifference(stage.loop.suffix(1000), rest) == nil)
    for _ in 0..<8 { #expect(stage.press(.redo) == [nil]) }
    #expect(stage.press(.redo) == [.nothingToRedo])
    #expect(stage.host.engine.shared.loops[0].state.read().overdubs == 8)
  }

  @Test func `a paused recording continues without a step`() {
    let stage = Stage()
    stage.set(.mixer(.liveRoute), 2)
    stage.host.send(Command(.loop(.record)))
    let tone = Tone.sine(200, frames: 19_210)
    stage.play(Array(tone[..<4810]))
    stage.host.send(Command(.loop(.pause)))
    stage.play(Array(tone[4810..<14_410]))
    #expect(stage.state == .suspended)
    stage.host.send(Command(.loop(.pause)))
    stage.play(Array(tone[14_410...]))
    stage.host.send(Command(.loop(.stop)), Command(.loop(.play)))
    stage.play(Tone.constant(0, frames: 9610))
    #expect(stage.host.engine.shared.loops[0].state.read().length == 9610)
    let clip = Array(stage.loop.suffix(9610))
    // The crossfade between two positions of the tone adds its own slope to theirs.
    #expect(
      Measure.roughness(Array(clip[300..<9300])) < 1.5
        * Measure.roughness(
          Tone.sine(200, frames: 480)))
  }

  @Test func `backward playback is the reversed clip`() {
    let clip = Tone.noise(frames: 4800)
    let stage = stage(recording: clip, followedBy: Array(clip[..<480]))
    stage.set(.loop(.direction), -1)
    stage.host.send(Command(.loop(.play)))
    stage.play(Tone.constant(0, frames: 9600))
    let expected = (0..<9600).map { clip[4799 - $0 % 4800] }
    #expect(Measure.firstDifference(stage.loop[(5280 + 48)...], expected[48...]) == nil)
  }

  @Test func `an action quantized to the beat starts on its frame, and can be canceled`() {
    let stage = Stage()
    stage.set(.mixer(.liveRoute), 2)
    stage.set(.beat(.tempo), 125)
    stage.set(.loop(.quantize), 1)
    stage.set(.loop(.beats), 2)
    stage.play(Tone.constant(0, frames: 64))
    // A beat has 23,040 frames. When the tempo changed, 8192 of the 96,000 frames of a bar had
    // passed, and the same number of the new bar: its first beat was 8256 - 327.68 frames ago.
    let next = 23_368 - 8256
    stage.host.send(Command(.loop(.record)))
    let sound = Tone.noise(frames: 80_000)
    stage.play(Array(sound[..<6400]))
    let waiting = stage.host.engine.shared.loops[0].state.read()
    #expect(waiting.pending == .record && waiting.waiting == next - 6400)
    #expect(waiting.state == .standby)
    stage.play(Array(sound[6400..<70_000]))
    let reading = stage.host.engine.shared.loops[0].state.read()
    #expect(reading.state == .standby && reading.length == 2 * 23_040 && reading.pending == nil)
    stage.set(.loop(.quantize), 0)
    stage.host.send(Command(.loop(.play)))
    stage.play(Tone.constant(0, frames: 40_000))
    let start = 64 + 70_000
    #expect(
      Measure.firstDifference(
        stage.loop[(start + 48)..<(start + 40_000)], sound[(next + 48)...]) == nil)
    stage.host.send(Command(.loop(.stop)))
    stage.set(.loop(.quantize), 2)
    stage.play(Tone.constant(0, frames: 6400))
    stage.press(.play)
    stage.play(Tone.constant(0, frames: 64))
    #expect(stage.host.engine.shared.loops[0].state.read().pending == .play)
    stage.press(.cancel)
    stage.play(Tone.constant(0, frames: 200_000))
    #expect(stage.state == .standby)
  }

  @Test func `a recording that waits for sound starts with it`() {
    let stage = Stage()
    stage.set(.mixer(.liveRoute), 2)
    stage.set(.loop(.threshold), -20)
    stage.press(.record)
    stage.play(Tone.noise(amplitude: 0.05, frames: 10_000))
    #expect(stage.state == .standby)
    // Despite the input latency the recording is complete: its first sample is loud.
    stage.host.engine.shared.setInputDelay(300)
    let burst = [0.5] + Tone.noise(frames: 3765)
    stage.play(Tone.constant(0, frames: 1234) + burst)
    #expect(stage.state == .recording)
    #expect(stage.host.engine.shared.loops[0].state.read().length == 3766)
    stage.host.send(Command(.loop(.stop)), Command(.loop(.play)))
    let start = stage.loop.count
    stage.play(Tone.constant(0, frames: 3766))
    #expect(
      Measure.firstDifference(stage.loop[(start + 48)...], burst[48...]) == nil)
  }

  @Test func `the first recording sets the tempo, if enabled`() {
    let stage = Stage()
    stage.set(.beat(.fitsFirst), 1)
    stage.press(.record)
    stage.play(Tone.noise(frames: 87_999))
    stage.press(.stop)
    stage.play(Tone.constant(0, frames: 64))
    // 88,000 frames are nearest to four beats at 120.
    let tempo = stage.host.engine.shared.loops[0].state.tempo ?? 0
    #expect(abs(tempo - 48_000 * 60 * 4 / 88_000) < 0.001)
  }

  @Test func `impossible actions are refused with a reason`() {
    let stage = Stage()
    #expect(stage.press(.play) == [.nothingRecorded])
    #expect(stage.press(.stop) == [.meaningless])
    #expect(stage.press(.pause) == [.meaningless])
    #expect(stage.press(.rewind) == [.meaningless])
    #expect(stage.press(.undo) == [.nothingToUndo])
    #expect(stage.press(.overdub) == [.notPlaying])
    stage.set(.loop(.beats), 64)
    #expect(stage.press(.record) == [.tooManyBeats])
    stage.set(.loop(.beats), 0)
    #expect(stage.press(.record) == [nil])
    stage.play(Tone.noise(frames: 4800))
    #expect(stage.press(.undo) == [.meaningless])
    #expect(stage.press(.stop, .play) == [nil, nil])
    stage.set(.loop(.rate), 0.5)
    #expect(stage.press(.multiply) == [.notAsRecorded])
  }

  @Test func `undo restores a cleared clip, which plays`() {
    let clip = Tone.noise(frames: 4800)
    let stage = stage(recording: clip, followedBy: Array(clip[..<480]))
    #expect(stage.press(.clear) == [nil])
    #expect(stage.state == .recordReady)
    #expect(stage.press(.play) == [.meaningless])
    #expect(stage.press(.undo) == [nil])
    stage.host.send(Command(.loop(.play)))
    let start = stage.loop.count
    stage.play(Tone.constant(0, frames: 9600))
    #expect(
      Measure.firstDifference(
        stage.loop[(start + 48)...], (48..<9600).map { clip[$0 % 4800] }) == nil)
  }

  @Test(arguments: [(1, 1), (1, -1), (0.5, 1)] as [(Float, Float)])
  func `undo of a clear plays on where the loop would be, and a stopped one stays stopped`(
    rate: Float, direction: Float
  ) {
    let clip = Tone.noise(frames: 4800)
    let stage = stage(recording: clip, followedBy: Array(clip[..<480]))
    stage.set(.loop(.rate), rate)
    stage.set(.loop(.direction), direction)
    if stage.state != .playing { #expect(stage.press(.play) == [nil]) }
    stage.play(Tone.constant(0, frames: 1000))
    for action in [LoopAction.clear, .redo] {
      let position = stage.host.engine.shared.loops[0].state.read().position
      #expect(stage.press(action) == [nil])
      stage.play(Tone.constant(0, frames: 6640))
      #expect(stage.state == .recordReady)
      let start = stage.loop.count
      #expect(stage.press(.undo) == [nil])
      stage.play(Tone.constant(0, frames: 960))
      #expect(stage.state == .playing)
      #expect(Measure.peak(stage.loop[(start + 480)...]) > 0.1)
      let passed = Float(stage.loop.count - start + 6640) * rate * direction
      let expected = (Int(passed) + position + 48_000) % 4800
      let found = stage.host.engine.shared.loops[0].state.read().position
      let late = abs(found - expected)
      #expect(min(late, 4800 - late) <= 150, "\(found), not \(expected)")
    }
    #expect(stage.press(.stop) == [nil])
    #expect(stage.press(.clear) == [nil])
    #expect(stage.press(.undo) == [nil])
    #expect(stage.state == .standby)
    // Another action comes between.
    #expect(stage.press(.play) == [nil])
    #expect(stage.press(.clear) == [nil])
    #expect(stage.press(.cancel) == [nil])
    #expect(stage.press(.undo) == [nil])
    #expect(stage.state == .standby)
  }

  @Test func `a loop whose clear is undone is in phase to the frame`() {
    let clip = Tone.noise(frames: 4800)
    let stage = stage(recording: clip, followedBy: Array(clip[..<480]))
    if stage.state != .playing { #expect(stage.press(.play) == [nil]) }
    stage.play(Tone.constant(0, frames: 7777))
    let start = stage.loop.count
    let position = stage.host.engine.shared.loops[0].state.read().position
    stage.press(.clear)
    stage.play(Tone.constant(0, frames: 12_345))
    stage.press(.undo)
    stage.play(Tone.constant(0, frames: 9600))
    let wrong = (12_345 + 400..<12_345 + 9000).first { frame in
      let place = (position + frame) % 4800
      return place >= 240 && stage.loop[start + frame] != clip[place]
    }
    #expect(wrong == nil)
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func `after any presses at any time it still records and plays`(
    seed: UInt64
  ) {
    let stage = Stage()
    stage.set(.mixer(.liveRoute), 2)
    stage.host.engine.shared.setInputDelay(700)
    stage.host.engine.shared.setOutputDelay(300)
    var random = Random(seed: seed)
    for turn in 0..<400 {
      let action = LoopAction.allCases[Int(random.next() % UInt64(LoopAction.allCases.count))]
      stage.host.send(Command(.loop(action)))
      switch random.next() % 12 {
      case 0: stage.set(.loop(.direction), random.next() % 2 == 0 ? 1 : -1)
      case 1: stage.set(.loop(.rate), random.next() % 2 == 0 ? 1 : 0.5)
      case 2: stage.set(.loop(.loop), Float(random.next() % 2))
      case 3: stage.host.send(Command(.seek(Float(random.next() % 100) / 100)))
      case 4: stage.set(.loop(.source), random.next() % 2 == 0 ? 0 : 2)
      case 5: stage.set(.loop(.quantize), Float(random.next() % 3))
      default: break
      }
      // Among them are presses within the input latency, and recordings of a few frames.
      let frames = [1, 3, 50, 400, 1500, 6000][Int(random.next() % 6)]
      stage.play(Tone.noise(amplitude: 0.1, frames: frames, seed: UInt64(turn)))
      _ = stage.host.events()
    }
    // An overdub with feedback accumulates with each cycle, but the stem stays finite.
    #expect(Measure.peak(stage.loop).isFinite)
    for (parameter, value) in [
      (Parameter.loop(.direction), Float(1)), (.loop(.rate), 1), (.loop(.loop), 1),
      (.loop(.source), 0),
      (.loop(.quantize), 0),
    ] { stage.set(parameter, value) }
    stage.host.engine.shared.setInputDelay(0)
    stage.host.send(Command(.loop(.clear)))
    stage.play(Tone.constant(0, frames: 9600))
    let clip = Tone.noise(frames: 9600)
    stage.host.send(Command(.loop(.record)))
    stage.play(clip)
    stage.host.send(Command(.loop(.stop)), Command(.loop(.play)))
    let start = stage.loop.count
    stage.play(Array(clip[..<480]) + Tone.constant(0, frames: 9600))
    #expect(
      Measure.firstDifference(
        stage.loop[(start + 48)..<(start + 9600)], clip[48...]) == nil)
  }

  @Test func `a clip is copied out of the loop and back, with the frames after its end`() {
    let clip = Tone.noise(frames: 30_000)
    let behind = Tone.noise(frames: 480, seed: 3)
    let first = stage(recording: clip, followedBy: behind)
    let transfer = ClipTransfer(sampleRate: 48_000)
    first.host.send(Command(.copyOut(ClipPointer(transfer))))
    first.play(Tone.constant(0, frames: 4800))
    #expect(transfer.length == 30_000 && transfer.framesBehind == Self.seam)
    let kept = UnsafeBufferPointer(start: transfer.sound.left, count: 30_000 + Self.seam)
    #expect(Measure.firstDifference(kept, clip + behind[..<Self.seam]) == nil)

    let second = Stage()
    second.host.send(Command(.load(ClipPointer(transfer))))
    second.play(Tone.constant(0, frames: 4800))
    #expect(second.state == .playReady)
    for stage in [first, second] {
      stage.host.send(Command(.loop(.play)))
      stage.play(Tone.constant(0, frames: 90_000))
    }
    // Three cycles, including the loop crossfades.
    #expect(
      Measure.firstDifference(first.loop.suffix(90_000), second.loop.suffix(90_000)) == nil)
  }

  @Test func `a server at another rate has the same clip, converted`() {
    let host = OfflineHost()
    host.send(Command(.loop(.record)))
    _ = host.render(Tone.sine(440, frames: 48_000), block: 64)
    host.send(Command(.loop(.stop)))
    _ = host.render(Tone.sine(440, frames: 480), block: 64)
    let other = OfflineHost(takingOver: host.engine, sampleRate: 44_100)
    #expect(other.engine.shared.loops[0].state.read().length == 44_100)
    other.send(Command(.loop(.play)))
    let loop = other.render(Tone.constant(0, frames: 88_200), block: 64).loop
    #expect(Measure.residue(loop[2000...], hertz: 440, sampleRate: 44_100) < -80)
  }

  @Test(arguments: [1, 2])
  func `frames delayed by the engine are audible after a pause`(engine: Float) {
    // One burst of ten milliseconds per second.
    var clip = Tone.constant(0, frames: 48_000)
    clip.replaceSubrange(24_000..<24_480, with: Tone.sine(1000, amplitude: 0.5, frames: 480))
    let stage = stage(recording: clip, followedBy: Tone.constant(0, frames: 480))
    stage.set(.loop(.engine), engine)
    stage.set(.loop(.semitones), 5)
    stage.press(.play)
    // The engine has read all of the burst, and rendered its beginning at most.
    stage.play(Tone.constant(0, frames: 24_560))
    let before = stage.loop.count
    stage.press(.pause)
    stage.play(Tone.constant(0, frames: 4800))
    stage.press(.play)
    stage.play(Tone.constant(0, frames: 9600))
    let heard = stage.loop[(before + 4800)...]
    // At least half of its energy.
    let energy = heard.reduce(0) { $0 + $1 * $1 }
    #expect(energy > 0.5 * 480 * 0.125, "\(energy)")
  }

  @Test func `a change of feedback during an overdub leaves no step`() {
    let clip = Tone.constant(0.5, frames: 24_000)
    let stage = stage(recording: clip, followedBy: Tone.constant(0.5, frames: 480))
    stage.press(.play)
    stage.press(.overdub)
    stage.play(Tone.constant(0, frames: 12_000))
    stage.set(.loop(.feedback), 0)
    stage.play(Tone.constant(0, frames: 11_000))
    stage.press(.overdub)
    stage.play(Tone.constant(0, frames: 24_000))
    let round = stage.loop.suffix(24_000)
    #expect(round.contains { $0 > 0.45 } && round.contains { $0 < 0.05 })
    // The crossfade has 240 frames, and its steepest step is a sixtieth of the difference.
    #expect(Measure.roughness(round) < 0.5 / 50)
  }

  // MARK: - The server's transport

  /// A transport that started at a frame, with positions rounded to whole ticks.
  private static func transport(
    from start: Int64, beatsPerMinute: Double, at frame: Int64
  ) -> Transport {
    let beats = Double(frame - start) / (48_000 * 60 / beatsPerMinute)
    let inBar = beats.truncatingRemainder(dividingBy: 3)
    return Transport(
      isRolling: true, frame: frame - start, beatsPerMinute: beatsPerMinute, beatsPerBar: 3,
      beat: (inBar * 1920).rounded(.down) / 1920, slack: 1.0 / 1920)
  }

  @Test(arguments: [(120.0, 16), (97.3, 64), (133.1, 1024)])
  func `a recording starts and ends on the bars of the transport`(
    beatsPerMinute: Double, block: Int
  ) throws {
    let stage = Stage(block: block)
    let origin = Int64(stage.host.frame) + 777
    stage.host.transport = { frame in
      guard frame >= origin else { return Transport() }
      return Self.transport(from: origin, beatsPerMinute: beatsPerMinute, at: frame)
    }
    stage.set(.beat(.source), 3)
    stage.set(.loop(.quantize), 2)
    // Two bars, during which the rounding of the ticks is averaged out.
    let bar = 3 * 48_000 * 60 / beatsPerMinute
    stage.play(Tone.constant(0, frames: Int(2.5 * bar)))
    #expect(stage.press(.record) == [nil])
    let before = Int64(stage.host.frame)
    let sound = Tone.noise(frames: Int(4 * bar))
    let wait = Double(origin) + 3 * bar - Double(before)
    stage.host.send(Command(.loop(.stop), at: before + Int64(wait + bar * 0.7)))
    stage.play(sound)
    let clip = stage.host.engine.shared.loops[0].state.read().length
    // A bar is not a whole number of frames. Each end is on the frame nearest to its own beat.
    #expect(abs(Double(clip) - bar) <= 1.5, "\(clip) of \(bar)")
    stage.set(.loop(.quantize), 0)
    stage.host.send(Command(.loop(.play)))
    let start = stage.loop.count
    stage.play(Tone.constant(0, frames: 4800))
    // The sound after the fade-in is located in the input.
    let heard = Array(stage.loop[(start + 48)..<(start + 112)])
    let first = try #require(
      (48..<sound.count - 64).first { sound[$0] == heard[0] && Array(sound[$0..<$0 + 64]) == heard }
    )
    // A tick has up to 15 frames, of which less than two remain after two bars.
    #expect(abs(Double(first - 48) - wait) <= 2, "\(first - 48) for \(wait)")
  }

  @Test func `an action queued for a bar waits for the next one when the transport jumps`() {
    let stage = Stage()
    let origin = Int64(stage.host.frame)
    var leap: Int64 = 0
    stage.host.transport = {
      Self.transport(from: origin - leap, beatsPerMinute: 120, at: $0)
    }
    stage.set(.beat(.source), 3)
    stage.set(.loop(.quantize), 2)
    stage.play(Tone.constant(0, frames: 64_000))
    #expect(stage.press(.record) == [nil])
    // The bar of three beats ends at 72,000, or sooner with the transport half a beat ahead.
    leap = 4_000
    stage.play(Tone.constant(0, frames: 64))
    let waiting = stage.host.engine.shared.loops[0].state.read().waiting
    let expected = 72_000 - 4_000 - Int(Int64(stage.host.frame) - origin)
    #expect(abs((waiting ?? 0) - expected) <= 13)
  }

  @Test func `when the transport stops, the bars are the node's own again`() {
    let stage = Stage()
    let origin = Int64(stage.host.frame)
    stage.host.transport = {
      Self.transport(from: origin, beatsPerMinute: 120, at: $0)
    }
    stage.set(.beat(.source), 3)
    stage.set(.loop(.quantize), 2)
    stage.play(Tone.constant(0, frames: 4800))
    #expect(stage.host.engine.shared.tempoReading.isLocked)
    stage.host.transport = nil
    stage.play(Tone.constant(0, frames: 80_000))
    #expect(!stage.host.engine.shared.tempoReading.isLocked)
    #expect(stage.press(.record) == [nil])
    // Three beats end at 72,000 and 144,000, four at 96,000.
    let waiting = stage.host.engine.shared.loops[0].state.read().waiting ?? 0
    let place = Int(Int64(stage.host.frame) - origin) + waiting
    #expect(abs(place - 96_000) <= 13, "\(place)")
  }

  @Test func `a transport without bars has them from its start, in the node's tempo`() {
    let stage = Stage()
    let origin = Int64(stage.host.frame) - 10_000
    stage.host.transport = { Transport(isRolling: true, frame: $0 - origin) }
    stage.set(.beat(.source), 3)
    stage.set(.loop(.quantize), 1)
    stage.play(Tone.constant(0, frames: 6400))
    #expect(stage.press(.record) == [nil])
    let waiting = stage.host.engine.shared.loops[0].state.read().waiting
    let expected = (24_000 - Int(Int64(stage.host.frame) - origin) % 24_000) % 24_000
    #expect(waiting == expected)
  }

  @Test(arguments: [1, 17, 512])
  func `the output doesn't depend on the block size`(block: Int) {
    func run(block: Int) -> [Float] {
      let host = OfflineHost()
      let start = Int64(host.frame)
      let script: [(Int, Command.Action)] = [
        (100, .loop(.record)), (9000, .loop(.pause)), (12_000, .loop(.pause)),
        (20_000, .loop(.stop)), (20_000, .loop(.play)), (25_003, .loop(.overdub)),
        (31_001, .set(.loop(.direction), -1)), (40_000, .loop(.undo)),
        (44_444, .seek(0.1)), (50_000, .set(.loop(.rate), 0.7)),
        (60_001, .set(.loop(.semitones), 5)),
        (70_000, .loop(.pause)), (71_000, .loop(.play)), (75_000, .set(.loop(.loop), 0)),
        (76_000, .loop(.redo)),
      ]
      for (frame, action) in script {
        host.send(Command(action, at: start + Int64(frame)))
      }
      let output = host.render(Tone.noise(amplitude: 0.3, frames: 120_000), block: block)
      return output.loop + output.left
    }
    #expect(Measure.firstDifference(run(block: block), run(block: 64)) == nil)
  }
}
